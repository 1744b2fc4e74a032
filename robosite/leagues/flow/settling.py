"""Settling a league: noting results that have come in, and doing what is due by time.

A league is settled after a transaction in which one of its matches ended, by the clock, and by requests for
its pages.
"""

from __future__ import annotations

import logging
from collections import Counter
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from robosite.leagues.flow.beginning import begin_cup_matches, begin_some, begin_the_rest
from robosite.leagues.flow.endings import (
    FINISHED,
    by_match,
    give_seats_up,
    mark_left,
    note_ending,
    note_endings,
)
from robosite.leagues.flow.league_lock import all_locked
from robosite.leagues.models import Fixture, League, Place
from robosite.leagues.table import Decided
from robosite.matches.flow import arbiter
from robosite.matches.models import Match, MatchFlag

log = logging.getLogger("robosite")

ABSENT_IN = 2
"""The number of matches from which a player must be absent for their place to be put out of the league."""


def listen(sender: type, match: Match, **_more: Any) -> None:
    """Signal receiver: if the ended match belongs to a league, updates the league after the commit."""
    if match.status in FINISHED and match.may_have(MatchFlag.BINDING):
        pk = Fixture.objects.filter(match=match, decided="").values_list("league", flat=True).first()
        if pk:
            transaction.on_commit(partial(settle, pk), robust=True)


def settle(pk: int) -> None:
    """Brings a league up to date: stores new results, begins matches that are due, and ends the league.

    `pk` is the league's primary key. Does nothing if there is no new result, and if neither a round nor the
    end of the league is due.
    """
    now = timezone.now()
    if not _is_due(pk, now):
        return
    arbiter.give_time_back()
    with all_locked(pk) as league:
        settle_locked(league, now)
    transaction.on_commit(partial(begin_the_rest, pk, now), robust=True)


def brought_up(league: League) -> League:
    """Returns the league; if it is running, first stores new results and does what is due by time."""
    if league.status == League.Status.PLAYING:
        settle(league.pk)
        league.refresh_from_db()
    return league


def _due_by_time(now: datetime) -> QuerySet[League]:
    return League.objects.filter(Q(ends__lte=now) | Q(next_round_at__lte=now), status=League.Status.PLAYING)


def _unnoted() -> QuerySet[Fixture]:
    """Returns the fixtures of running leagues whose match has ended, but whose result is not stored yet."""
    return Fixture.objects.filter(
        decided="", match__status__in=FINISHED, league__status=League.Status.PLAYING
    )


def _is_due(pk: int, now: datetime) -> bool:
    return _unnoted().filter(league=pk).exists() or _due_by_time(now).filter(pk=pk).exists()


LOOK_BACK = timedelta(days=1)
"""The time for which the clock looks back for matches that have ended, but whose result is not noted yet.

The results of older matches are noted when the league is settled for another reason, for example when
somebody opens its page.
"""


def settle_some() -> bool:
    """Brings one league up to date (`settle`) if any is due; returns False if none is.

    The clock calls this function. If settling fails, the error is logged, the result is still True, and the
    league is skipped until no other league is due.
    """
    now = timezone.now()
    pk = _due_by_time(now).exclude(pk__in=_failed).order_by("ends").values_list("pk", flat=True).first()
    if pk is None:
        late = _unnoted().filter(match__changed_at__gt=now - LOOK_BACK).exclude(league__in=_failed)
        pk = late.values_list("league", flat=True).first()
    if pk is None:
        _failed.clear()
        return False
    try:
        settle(pk)
    except Exception:
        log.exception("the clock cannot move league %s on", pk)
        _failed.add(pk)
    return True


_failed: set[int] = set()


def settle_locked(league: League, now: datetime) -> None:
    """Stores new results, marks absent players as having left, and begins the matches that are due.

    After the last day, no match begins; all undecided matches are decided (`_decide_on_last_day`). Ends the
    league if nothing is left to play. Does nothing if the league is not running. The caller must have locked
    the league and its matches.
    """
    if league.status != League.Status.PLAYING:
        return
    note_endings(league)
    for place in _staying_away(league):
        mark_left(league, place)
    if league.ends and league.ends <= now:
        _decide_on_last_day(league)
    elif league.next_round_at and league.next_round_at <= now:
        begin_some(league, now)
        league.save(update_fields=["next_round_at"])
    finish(league, now)


def _staying_away(league: League) -> list[Place]:
    """Returns those who were absent from at least ABSENT_IN matches and have not left the league."""
    times: Counter[int] = Counter()
    suspects = league.fixtures.filter(match__seats__missed__gt=0).select_related("match").distinct()
    for fixture in suspects.order_by("match"):
        assert fixture.match
        for letter in arbiter.absent_from(fixture.match):
            times[fixture.seats[letter]] += 1
    away = [pk for pk, count in times.items() if count >= ABSENT_IN]
    return list(league.places.filter(pk__in=away, left_at=None))


def _decide_on_last_day(league: League) -> None:
    """Decides, on the league's last day, all matches whose result is not stored yet.

    In a running match, the seat that has missed the fewest deadlines wins; if several seats have missed
    equally few, the match is a draw. A match that has not begun is a draw, too. A match that has ended keeps
    its result.
    """
    unfinished = list(league.fixtures.filter(decided="").select_related("match"))
    for fixture in sorted(unfinished, key=by_match):
        if fixture.match is None:
            fixture.decided = Decided.LAST_DAY
        else:
            ruled = _end_by_ruling(fixture)
            fixture.match.refresh_from_db()
            note_ending(fixture, Decided.LAST_DAY if ruled else "")
        fixture.save(update_fields=["decided", "forfeit", "finish"])


def _end_by_ruling(fixture: Fixture) -> bool:
    """Ends a match by the missed deadlines (`_decide_on_last_day`); returns False if it had already ended.

    A seat that resigns in the present turn cannot win. If the match has more than two seats, the resigning
    seat is also stored as given up.
    """
    match = fixture.match
    assert match
    playing, leaving = arbiter.still_in(match)
    if fixture.league.table_seats > 2:
        give_seats_up(fixture, leaving)
    missed = arbiter.missed_in(match)
    least = min((missed[letter] for letter in playing), default=0)
    first = [letter for letter in playing if missed[letter] == least]
    return arbiter.award(match, first[0]) if len(first) == 1 else arbiter.draw(match)


def finish(league: League, now: datetime) -> None:
    """Ends the league if all its matches are decided; in a cup, first begins the matches that can begin."""
    if league.is_cup:
        begin_cup_matches(league, now)
    if not league.fixtures.filter(decided="").exists():
        league.status, league.over_at, league.next_round_at = League.Status.OVER, now, None
        league.save(update_fields=["status", "over_at", "next_round_at"])
