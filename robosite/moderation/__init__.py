"""Moderation: guests' reports, moderators' measures, and the admin site of the staff.

No page of the admin shows an order before it is revealed, and no row is edited by hand: staff only take
actions.
"""
