"""Benchmarks: `make bench`, or `python -m tests.bench`. Figures to compare, not to pass."""
