"""The table of a league as data, as the API, the record and `manage.py league` have it. Pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from robosite.leagues.strength import ENOUGH, Strength, strengths_of
from robosite.leagues.table import Decided, Result, does_count, table_of, withdrawn_of


def table_data(
    divisions: Sequence[Sequence[int]],
    results: Sequence[Result],
    gone: Collection[int],
    names: Mapping[int, str],
) -> dict[str, Any]:
    """The rows of each division in order of rank; `results` are those of all of them, `gone` who has left."""
    told = []
    for places in divisions:
        own = [one for one in results if one.a in places]
        strengths = _strengths(own, withdrawn_of(places, own, gone))
        told.append({"rows": [_row(row, names, strengths) for row in table_of(places, own, gone)]})
    return {"divisions": told}


def _row(row: Any, names: Mapping[int, str], strengths: Mapping[int, Strength]) -> dict[str, Any]:
    strength = strengths.get(row.place)
    return {
        "rank": row.rank,
        "place": row.place,
        "name": names[row.place],
        "played": row.played,
        "won": row.won,
        "drawn": row.drawn,
        "lost": row.lost,
        "points": row.points,
        "direct": row.direct,
        "sonneborn_berger": row.sonneborn_berger,
        "wins": row.wins,
        "counts": row.counts,
        "reach": list(row.reach) if row.reach else None,
        "strength": strength and {"elo": round(strength.elo, 1), "error": round(strength.error, 1)},
    }


def _strengths(results: Sequence[Result], withdrawn: Collection[int]) -> dict[int, Strength]:
    """The strengths of those who have enough results; only what was played to its end says anything."""
    played = [one for one in results if one.decided == Decided.PLAY and does_count(one, withdrawn)]
    times = Counter(place for one in played for place in (one.a, one.b))
    if not any(count >= ENOUGH for count in times.values()):
        return {}
    found = strengths_of({place: own for place, _, own in one.by_place()} for one in played)
    return {place: found[place] for place, count in times.items() if count >= ENOUGH}
