"""The table of a league as JSON-like data, for the API, the record and `manage.py league`. Pure functions."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from robosite.leagues.arithmetic.bracket import Bracket
from robosite.leagues.arithmetic.strength import ENOUGH, Strength, strengths_of
from robosite.leagues.arithmetic.table import (
    Decided,
    Result,
    Row,
    cup_row,
    does_count,
    table_of,
    withdrawn_of,
)


def table_data(
    divisions: Sequence[Sequence[int]],
    results: Sequence[Result],
    gone: Collection[int],
    names: Mapping[int, str],
    *,
    fixed: Mapping[int, float] | None = None,
) -> dict[str, Any]:
    """Returns the table of a league: for each division, the rows by rank, withdrawn participants last."""
    shown = []
    for places in divisions:
        own = [one for one in results if one.seats[0] in places]
        strengths = _strengths(own, withdrawn_of(places, own, gone), fixed or {})
        shown.append({"rows": [_row(row, names, strengths) for row in table_of(places, own, gone)]})
    return {"divisions": shown}


def cup_table(
    bracket: Bracket, results: Sequence[Result], names: Mapping[int, str], *, fixed: Mapping[int, float]
) -> dict[str, Any]:
    """Returns the table of a cup as `table_data` does: those still in it first, then later rounds first."""
    strengths = _strengths(results, (), fixed)
    rows = [
        cup_row(one.place, results, rank=one.rank, reach=(one.rank if one.out else 1, one.worst))
        for one in bracket.standings
    ]
    return {"divisions": [{"rows": [_row(row, names, strengths) for row in rows]}]}


def _row(row: Row, names: Mapping[int, str], strengths: Mapping[int, Strength]) -> dict[str, Any]:
    strength = strengths.get(row.place)
    return {
        **asdict(row),
        "name": names[row.place],
        "reach": list(row.reach) if row.reach else None,
        "strength": strength and {"elo": round(strength.elo, 1), "error": round(strength.error, 1)},
    }


def _strengths(
    results: Sequence[Result], withdrawn: Collection[int], fixed: Mapping[int, float]
) -> dict[int, Strength]:
    """Returns the strengths of the participants with at least five results (ENOUGH), by place number."""
    played = [
        {
            place: share
            for place, share in zip(one.seats, one.won_shares, strict=True)
            if place not in one.left and place not in withdrawn
        }
        for one in results
        if one.decided == Decided.PLAY and does_count(one, withdrawn)
    ]
    played = [shares for shares in played if len(shares) > 1 and any(shares.values())]
    times = Counter(place for shares in played for place in shares)
    if not any(count >= ENOUGH for count in times.values()):
        return {}
    found = strengths_of(played, fixed=fixed)
    return {place: found[place] for place, count in times.items() if count >= ENOUGH}


def result_at(
    seats: Mapping[str, int],
    decided: str,
    *,
    has_match: bool,
    scores: Mapping[str, float] | None,
    forfeit: str = "",
    finish: Sequence[Collection[str]] = (),
    by_finish: bool = False,
    early: bool = False,
) -> Result:
    """Returns the result of a fixture (a row of the schedule), computed from its stored data.

    `decided` is "" while the match is not over. `scores` are shares of the win by seat, `forfeit` the seats
    given up, `finish` groups of seats from the first to the last. The result is void if `decided` is unknown,
    or if scores are needed but missing.
    """
    places = tuple(seats.values())
    left = [seats[letter] for letter in forfeit]
    if not decided:
        return Result.at_table(places, left=left, by_finish=by_finish) if len(seats) > 2 else Result(places)
    undone = not has_match and (decided == Decided.LAST_DAY or (decided == Decided.DEFAULT and forfeit))
    if decided not in set(Decided) or (scores is None and decided != Decided.NOBODY and not undone):
        return Result(places, void=True)
    how = Decided(decided)
    if how != Decided.NOBODY and scores is None:
        return Result.without_a_match(places, how, left=left, by_finish=by_finish)
    shares = [float(scores[letter]) if scores and how != Decided.NOBODY else 0.0 for letter in seats]
    if len(seats) == 2:
        return Result(places, tuple(shares), how, early=early)
    order = [[seats[letter] for letter in group] for group in finish]
    result = Result.at_table(places, shares, how, left=left, order=order, by_finish=by_finish)
    return replace(result, early=early)
