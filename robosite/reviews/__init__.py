"""Reviews of finished matches: what each order cost its player. Reviews are computed in another process."""
