"""Moderation: guests' reports, moderators' measures, and the admin site of the staff.

No page of the admin shows an order before its reveal, and no row is edited by hand, but by actions.
"""
