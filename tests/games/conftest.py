"""The games' tests use no clock: how long an example of hypothesis takes is no failure."""

from __future__ import annotations

from hypothesis import settings

from tests.games.sizes import size

settings.register_profile("games", deadline=None, max_examples=size(8, 60))
settings.load_profile("games")
