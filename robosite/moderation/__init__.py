"""Moderation: what staff may see and do in the admin. Nothing sealed is shown, nothing edited by hand."""
