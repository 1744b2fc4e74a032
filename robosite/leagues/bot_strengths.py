"""The strengths of the site's bots, which are fixed points of the scale in leagues where they play.

The differences are those of `make ladder` (docs/strength.md); where one bot made all points, the lower bound
of the interval stands for its lead. Zero is *quick*, so that the prior of everybody else lies around a bot of
medium strength.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.core import Game
from robosite.leagues.strength import ELO

SCALE = 1
"""The number of this scale, which records name: other figures get another one."""

STRENGTHS: dict[tuple[str, str, int], dict[str, int]] = {
    ("pigs", "standard", 2): {"random": -799, "hasty": -512, "quick": 0, "thorough": 398},
    ("roboxing", "standard", 2): {"random": -560, "hasty": -319, "quick": 0, "thorough": 366},
    ("roboxing", "melee", 3): {"quick": 0, "thorough": 295},
    ("roboxing", "melee", 4): {"quick": 0, "thorough": 573},
    ("robosoccer", "standard", 2): {"random": -332, "hasty": -166, "quick": 0, "thorough": 269},
    ("robble", "standard", 2): {"random": -402, "hasty": -287, "quick": 0, "thorough": 301},
}
"""Elo of each bot, by game, preset, and seats at a table, as far as they were measured."""


def fixed_points(game: Game, given: Any, table_seats: int, players: Mapping[int, str]) -> dict[int, float]:
    """The known strengths θ of the places that bots play.

    `given` are the options as JSON data, `players` the keys of bots by their places. A bot whose strength was
    not measured for this variant is estimated like everybody else.
    """
    options = game.read_options(given)
    known: Mapping[str, int] = {}
    for (slug, key, seats), strengths in STRENGTHS.items():
        if (slug, seats) == (game.slug, table_seats) and options == game.read_options(
            dict(game.presets[key].options)
        ):
            known = strengths
    return {place: known[player] / ELO for place, player in players.items() if player in known}
