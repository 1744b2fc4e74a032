"""Django's SQLite backend, but with a second attempt to begin a transaction while another process writes."""
