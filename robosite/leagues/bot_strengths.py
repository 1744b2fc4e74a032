"""The measured strengths of the site's bots, which stay fixed when a league's strengths are estimated.

The differences between the bots were measured with `make ladder` (docs/strength.md). If one bot won every
point against another, their difference is the lower bound of the confidence interval. The bot *quick* has
strength 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from games.core import Game
from robosite.leagues.strength import ELO

SCALE = 1
"""The version of the figures in STRENGTHS, stored in records. Raise SCALE whenever a figure changes."""

STRENGTHS: dict[tuple[str, str, int], dict[str, int]] = {
    ("pigs", "standard", 2): {"random": -799, "hasty": -512, "quick": 0, "thorough": 398},
    ("roboxing", "standard", 2): {"random": -560, "hasty": -319, "quick": 0, "thorough": 366},
    ("roboxing", "melee", 3): {"quick": 0, "thorough": 295},
    ("roboxing", "melee", 4): {"quick": 0, "thorough": 573},
    ("robosoccer", "standard", 2): {"random": -332, "hasty": -166, "quick": 0, "thorough": 269},
    ("robble", "standard", 2): {"random": -402, "hasty": -287, "quick": 0, "thorough": 301},
}
"""The measured Elo of each bot, keyed by game, preset and number of seats."""


def fixed_points(game: Game, given: Any, table_seats: int, players: Mapping[int, str]) -> dict[int, float]:
    """Returns the measured strengths (θ of the Bradley–Terry model) of the bots in a league, by place number.

    `given` are the league's game options as JSON data, and `table_seats` is the number of seats in a match.
    `players` maps each bot's place number to the bot's key. Bots that were not measured with these options
    are left out.
    """
    options = game.read_options(given)
    known: Mapping[str, int] = {}
    for (slug, key, seats), strengths in STRENGTHS.items():
        if (slug, seats) == (game.slug, table_seats) and options == game.read_options(
            dict(game.presets[key].options)
        ):
            known = strengths
    return {place: known[player] / ELO for place, player in players.items() if player in known}
