"""Django's SQLite backend, which tries twice to begin a transaction while another process writes."""
