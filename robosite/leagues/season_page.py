"""The parts of a league's page that are about the seasons before and after it."""

from __future__ import annotations

from typing import Any

from robosite.leagues.models import League, Place
from robosite.leagues.next_season import goes_on, own_before
from robosite.leagues.shown import ShownLeague
from robosite.people.models import Guest


def season_context(league: League, shown: ShownLeague, guest: Guest | None) -> dict[str, Any]:
    """The template context of the parts of a league's page that are about other seasons."""
    before, after = league.previous, league.next_season
    may_follow = after is None and not league.closed
    over = league.status == League.Status.OVER and shown.started
    return {
        "season_before": before,
        "season_after": after,
        "may_announce": over and may_follow,
        "enrolled": sum(goes_on(place) for place in shown.places),
        "may_come_back": _may_come_back(league, shown, guest),
        "may_choose": bool(may_follow and not league.is_cup and shown.mine and not shown.mine.left_at),
    }


def _may_come_back(league: League, shown: ShownLeague, guest: Guest | None) -> Place | None:
    """Returns the reader's place in the previous season with which they may rejoin this season.

    Returns None if the reader may not rejoin: for example, if they are enrolled, or if this season has
    started.
    """
    if not (guest and league.previous_id and league.status == League.Status.OPEN) or shown.mine:
        return None
    before = own_before(league, guest)
    gone = before and league.places.filter(number=before.number, gone=True, removed=False).exists()
    return before if gone else None
