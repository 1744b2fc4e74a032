"""What every app stands on: requests and answers, limits, logs, figures, caches, sentences."""
