"""Faults that are brought about on purpose, and figures of what came of them: `make faults`."""
