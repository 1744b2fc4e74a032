"""Moderation: the staff's views and actions in the admin. No sealed order is shown, no data is edited by
hand."""
