"""Django's SQLite backend, but it tries twice to begin a transaction while another process writes."""
