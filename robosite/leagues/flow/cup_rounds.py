"""The next matches of a cup, stored when both entrants of a tie are known, or when a tie is level."""

from __future__ import annotations

from datetime import datetime

from robosite.leagues.cups import row_of
from robosite.leagues.league_standings import standings_of
from robosite.leagues.models import Fixture, League, Place
from robosite.leagues.table import Decided


def lay_out(league: League, now: datetime) -> list[Fixture]:
    """Stores each match of the cup's bracket that is not stored yet; returns the matches that have to begin.

    A match with a player who has left is decided at once: that player loses by default. After the cup's last
    day, every other match is decided at once as a draw. Further matches of the bracket that follow from these
    results are stored, too. The caller must have locked the league.
    """
    begin: list[Fixture] = []
    while True:
        standings = standings_of(league)
        by_number = {place.number: place for place in standings.places}
        known = set(standings.cup_matches)
        rows = [row_of(match, by_number) for match in standings.bracket.matches if match not in known]
        if not rows:
            return begin
        for row in rows:
            row.forfeit = "".join(letter for letter in row.seats if _has_left(row, letter))
            if row.forfeit:
                row.decided = Decided.DEFAULT
            elif league.ends and league.ends <= now:
                row.decided = Decided.LAST_DAY
        Fixture.objects.bulk_create(rows)
        begin += [row for row in rows if not row.decided]


def _has_left(row: Fixture, letter: str) -> bool:
    place: Place = getattr(row, letter.lower())
    return place.left_at is not None


def is_in(league: League, place: Place) -> bool:
    """Returns True if a participant was not eliminated from a cup and still has a tie to play."""
    return standings_of(league).bracket.next_tie(place.number) is not None
