"""The audit trail: what staff has looked at and done, append-only and hash-chained. Knows no match."""
