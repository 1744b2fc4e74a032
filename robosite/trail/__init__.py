"""The audit trail: an append-only, hash-chained log of what staff view and do.

It imports nothing of matches.
"""
