"""Code that all apps use: requests and responses, limits, logs, metrics, caches, sentences."""
