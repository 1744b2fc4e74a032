"""Code that all apps use, such as for requests and responses, limits, logs, caches and sentences."""
