"""Django's SQLite, which tries once more to begin where somebody else is writing."""
