"""Moderation: the staff's views and actions in the admin. Nothing sealed is shown, nothing edited by hand."""
