"""The audit trail: an append-only, hash-chained log of what staff and the site have done."""
