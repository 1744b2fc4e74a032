"""The results of each player, by friend, by bot and by game; and statistics of each game over all players."""
