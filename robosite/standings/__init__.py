"""The results of players: by friend, by bot and by game; also figures of each game over all players."""
