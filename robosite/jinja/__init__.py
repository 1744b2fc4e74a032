"""The environment of the pages' templates, and what templates can call."""
