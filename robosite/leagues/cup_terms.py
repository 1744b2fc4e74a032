"""The check for terms that a cup cannot have, such as matches with more than two seats."""

from __future__ import annotations

from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from games.core import Game
from robosite.leagues import bracket


class RefusedTerm(NamedTuple):
    """A term that a cup cannot have: its name in the API (`term`), and a sentence that says why (`says`)."""

    term: str
    says: str


def refused_term(
    game: Game, options: Any, *, places: int, table_seats: int, legs: int, every_days: int | None
) -> RefusedTerm | None:
    """Returns the first of the given terms that is not possible in a cup; None if all of them are possible.

    `places` is the number of participants, `table_seats` the number of seats in a match, and `legs` the
    number of times that each pair of players meets. `every_days` is the number of days from one round to the
    next, or None. The term "preset" is refused if most matches of the game with these options are draws.
    """
    if not bracket.LEAST <= places <= bracket.MOST:
        why = _("A cup has {least} to {most} places.").format(least=bracket.LEAST, most=bracket.MOST)
        return RefusedTerm("places", why)
    if table_seats != 2:
        return RefusedTerm("table_seats", _("In a cup, two sit at each table. Choose two, or a league."))
    if legs != 1:
        why = _("In a cup, two who meet play two matches with sides changed: leave the return matches out.")
        return RefusedTerm("legs", why)
    if every_days:
        why = _("A cup goes on as soon as it is known who meets whom: leave the dates out.")
        return RefusedTerm("every_days", why)
    if game.is_drawish(options, table_seats):
        why = _("Most of these matches are draws, which decide nothing in a cup. Choose another variant.")
        return RefusedTerm("preset", why)
    return None
