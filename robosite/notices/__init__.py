"""Notices: they tell people who are not on the site that something in a match concerns them."""
