"""The matches of a cup as rows of `Fixture`: `division` is the tie's number, and `round` counts the stages.

The stages of all rounds are numbered consecutively: 1 to 3 in round 1, 4 to 6 in round 2, and so on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from robosite.leagues.bracket import CupMatch, Stage
from robosite.leagues.models import Fixture, Place


def cup_match(fixture: Fixture, places: Mapping[int, Place]) -> CupMatch:
    """Returns the cup match that a fixture (a row of the schedule) stores.

    `places` maps primary keys to the participants' places.
    """
    before, stage = divmod(fixture.round - 1, len(Stage))
    a, b = (places[pk].number for pk in fixture.seats.values())
    return CupMatch(before + 1, fixture.division, Stage(stage + 1), (a, b))


def in_bracket_order(fixtures: Iterable[Fixture]) -> list[Fixture]:
    """Returns the fixtures (matches of the schedule) of a cup by round, tie and stage, as in its bracket."""
    return sorted(fixtures, key=lambda row: ((row.round - 1) // len(Stage), row.division, row.round, row.pk))


def row_of(match: CupMatch, places: Mapping[int, Place]) -> Fixture:
    """Returns a new, unsaved fixture (a row of the schedule) for a cup match.

    `places` maps the place numbers used in `match` to the participants' places.
    """
    a, b = (places[number] for number in match.seats)
    count = (match.round - 1) * len(Stage) + match.stage
    return Fixture(league_id=a.league_id, division=match.tie, round=count, a=a, b=b)
