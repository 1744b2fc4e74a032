"""The pictures, previews, sentences and planners of Robble."""
