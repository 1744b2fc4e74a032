"""The base of every app: requests and answers, limits, logs, figures, caches, sentences."""
