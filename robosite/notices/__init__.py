"""Notices: telling people who are not looking that something in a match concerns them."""
