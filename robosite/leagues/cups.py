"""A cup's matches as rows: `Fixture.division` is the tie of its round, `round` counts the stages.

They count on from round to round, so that of two rows for the same match the database refuses the second.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from robosite.leagues.bracket import CupMatch, Stage
from robosite.leagues.models import Fixture, Place


def cup_match(fixture: Fixture, places: Mapping[int, Place]) -> CupMatch:
    """The match of a tie that a row stands for; `places` are by their primary keys."""
    before, stage = divmod(fixture.round - 1, len(Stage))
    a, b = (places[pk].number for pk in fixture.seats.values())
    return CupMatch(before + 1, fixture.division, Stage(stage + 1), (a, b))


def in_order(fixtures: Iterable[Fixture]) -> list[Fixture]:
    """The rows of a cup as its bracket has them: by rounds, ties and stages."""
    return sorted(fixtures, key=lambda row: ((row.round - 1) // len(Stage), row.division, row.round, row.pk))


def row_of(match: CupMatch, places: Mapping[int, Place]) -> Fixture:
    """A new row for a match of a tie; `places` are by their numbers."""
    a, b = (places[number] for number in match.seats)
    count = (match.round - 1) * len(Stage) + match.stage
    return Fixture(league_id=a.league_id, division=match.tie, round=count, a=a, b=b)
