"""The value of a position of Robble, and the searches that bots and reviews use."""
