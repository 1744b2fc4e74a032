"""The catalogue of games: the only list of the games that the site has."""

from games.core import Game
from games.pigs import PIGS
from games.robble import ROBBLE
from games.robosoccer import ROBOSOCCER
from games.roboxing import ROBOXING

_ALL: tuple[Game, ...] = (PIGS, ROBOXING, ROBOSOCCER, ROBBLE)

GAMES: dict[str, dict[int, Game]] = {}
"""All versions of each game: by the game's slug, then by the version number of its rules."""
for _game in _ALL:
    GAMES.setdefault(_game.slug, {})[_game.rules] = _game


def newest(slug: str) -> Game:
    """Returns the newest version of the game with this slug; KeyError if there is no such game."""
    versions = GAMES[slug]
    return versions[max(versions)]
