"""Notices, which tell people who are not on the site about events in their matches."""
