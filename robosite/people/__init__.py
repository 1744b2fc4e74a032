"""Who is at this browser. Knows no match."""
