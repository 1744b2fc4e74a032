"""The value of a position of Robo Battle Pigs, and the searches that bots and reviews use."""
