"""The winners of a division, with a sentence on the tie-break if other places have as many points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from django.utils.translation import gettext as _

from robosite.matches.wording import listed

TIE_BREAKS = {True: ("direct", "sonneborn_berger", "wins"), False: ("wins", "direct")}
"""The columns that break ties, by priority: for matches of two (True) and for larger matches (False)."""


class Winners(NamedTuple):
    """The winners of a division: their place numbers (not ranks) and their names.

    `why` is a sentence on the tie-break; "" if nobody else has as many points.
    """

    places: list[int]
    names: list[str]
    why: str


def winners_of(rows: Sequence[Mapping[str, Any]], names: Mapping[int, str], table_seats: int) -> Winners:
    """Returns the winners of a division whose matches have `table_seats` seats."""
    first = [row for row in rows if row["rank"] == 1]
    level = [row for row in rows if first and row["points"] == first[0]["points"]]
    places = [row["place"] for row in first]
    won = [names[place] for place in places]
    if len(level) < 2:
        return Winners(places, won, "")
    others = listed([names[row["place"]] for row in level if row not in first])
    if not others:
        return Winners(places, won, _("They’re tied on every tie-break."))
    second = level[len(first)]
    decisive = next(one for one in TIE_BREAKS[table_seats == 2] if first[0][one] != second[one])
    return Winners(places, won, _sentence(decisive).format(names=others))


def _sentence(decisive: str) -> str:
    return {
        "direct": _("Tied on points: {names}. Head-to-head decided."),
        "sonneborn_berger": _("Tied on points: {names}. The winner beat stronger opponents."),
        "wins": _("Tied on points: {names}. The winner has more wins on the board."),
    }[decisive]
