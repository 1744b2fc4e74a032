"""Moderation: guests' reports, moderators' measures, and the admin site of the staff.

No page of the admin shows an order before it is revealed. Staff change matches and guests only by actions,
never by editing rows.
"""
