"""The value of a position of Roboxing, and the searches that bots and reviews use."""
