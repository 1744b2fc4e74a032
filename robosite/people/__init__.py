"""The guest at this browser. Knows no match."""
