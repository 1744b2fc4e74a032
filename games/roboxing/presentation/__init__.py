"""The pictures, previews, sentences and planners of Roboxing."""
