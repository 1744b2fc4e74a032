"""Faults that are brought about on purpose, and figures of what came of them: `make faults`.

Each file is one kind of fault. What it does at length for the figures, `test_drills.py` does in short.
"""
