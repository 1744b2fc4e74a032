"""The foundation of all apps: requests and responses, limits, logs, metrics, caches, sentences."""
