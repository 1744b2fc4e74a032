"""Reviews of finished matches: what each order cost its player. They are computed in another process."""
