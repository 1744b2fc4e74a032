"""The games' tests use no clock: how long an example of hypothesis takes is no failure."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("games", deadline=None, max_examples=60)
settings.load_profile("games")
