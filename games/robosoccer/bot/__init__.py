"""The value of a position of Robosoccer, and the searches that bots and reviews use."""
