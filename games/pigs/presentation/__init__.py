"""The pictures, previews, sentences and planners of Robo Battle Pigs."""
