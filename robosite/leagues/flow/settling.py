"""Settling a league: noting results that have come in, and doing what is due by time.

This happens step by step: by the clock, and after a transaction in which one of its matches ended.
"""

import logging
from collections import Counter, deque
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet
from django.dispatch import receiver
from django.utils import timezone

from robosite.leagues.arithmetic.table import Decided
from robosite.leagues.flow import endings
from robosite.leagues.flow.beginning import begin_cup_matches, begin_some, start_on_time
from robosite.leagues.flow.league_lock import locked_league, mark_changed, notify_pages
from robosite.leagues.models import Fixture, League, Place
from robosite.matches import clock
from robosite.matches.flow import arbiter, happened
from robosite.matches.models import Match, MatchFlag

log = logging.getLogger("robosite")

RULED_AT_ONCE = 5
"""The most matches that a step of a large league decides on the last day: requests wait for the step."""
ABSENT_IN = 2
"""The number of matches from which a player must be absent for their place to be put out of the league."""


@receiver(happened)
def listen(sender: type, match: Match, **_more: Any) -> None:
    """Signal receiver: raises the version of a changed match's league; stores results after the commit.

    Leagues are locked before matches, so a league that is locked already gets its version after the commit.
    """
    if not match.may_have(MatchFlag.BINDING):
        return
    own = League.objects.filter(fixtures__match=match)
    free = own.select_for_update(skip_locked=True, of=("self",)).values_list("pk", flat=True).first()
    if free:
        mark_changed(League.objects.filter(pk=free))
    else:
        transaction.on_commit(partial(mark_changed, own), robust=True)
    if match.status in endings.FINISHED:
        pk = Fixture.objects.filter(match=match, decided="").values_list("league", flat=True).first()
        if pk:
            transaction.on_commit(partial(_settle_ended, pk), robust=True)


def _settle_ended(pk: int) -> None:
    if _unnoted().filter(league=pk).exists():
        settle(pk)


def settle(pk: int) -> None:
    """Does one step of what is due in a league; `pk` is its primary key (`settle_locked`)."""
    if not _is_due(pk, timezone.now()):
        return
    arbiter.give_time_back()
    now = timezone.now()
    with locked_league(pk) as league:
        settle_locked(league, now)
        notify_pages(league)
    if _is_due(pk, now):
        clock.wake()


def brought_up(league: League) -> League:
    """Returns the league after a step of what is due; large ones without new results await the clock."""
    now = timezone.now()
    if league.status != League.Status.PLAYING or not _is_due(league.pk, now):
        return league
    if _unnoted().filter(league=league.pk).exists() or _is_small(league):
        settle(league.pk)
        league.refresh_from_db()
    else:
        clock.wake()
    return league


def _is_small(league: League) -> bool:
    return league.fixtures.filter(decided="").count() <= endings.AT_ONCE


def _due(now: datetime) -> QuerySet[League]:
    by_time = Q(ends__lte=now) | Q(next_round_at__lte=now)
    going_on = Q(by_time, status=League.Status.PLAYING) | Q(unsettled=True)
    return League.objects.filter(going_on | Q(status=League.Status.OPEN, starts_at__lte=now))


def _unnoted() -> QuerySet[Fixture]:
    return Fixture.objects.filter(
        decided="", match__status__in=endings.FINISHED, league__status=League.Status.PLAYING
    )


def _is_due(pk: int, now: datetime) -> bool:
    return _unnoted().filter(league=pk).exists() or _due(now).filter(pk=pk).exists()


LOOK_BACK = timedelta(days=1)
"""The age up to which the clock looks for ended matches without a result; at its first look, any age."""


def settle_some() -> bool:
    """Does one step in one league (`settle`) and returns True if any is due; else returns False."""
    now = timezone.now()
    pk = _due(now).exclude(pk__in=_failed).order_by("ends").values_list("pk", flat=True).first()
    if pk is None:
        late = _unnoted().exclude(league__in=_failed)
        if _looked:
            late = late.filter(match__changed_at__gt=now - LOOK_BACK)
        pk = late.values_list("league", flat=True).first()
    if pk is None:
        _failed.clear()
        _looked.append(now)
        return False
    try:
        settle(pk)
    except Exception:
        log.exception("the clock cannot move league %s on", pk)
        _failed.add(pk)
    return True


_failed: set[int] = set()
_looked: deque[datetime] = deque(maxlen=1)
"""The time of this process's last look at which nothing was due."""


def settle_locked(league: League, now: datetime) -> None:
    """Does the first of these steps that is due, and ends the league if nothing is left to play:

    - starts a season whose hour has come
    - stores new results
    - marks one absent player as having left
    - ends matches of players who have left, or of a league that was closed
    - after the last day, decides undecided matches (`_decide_some`); before, begins matches of a round

    Each step ends at most about AT_ONCE matches, since it keeps the process from answering requests. In a
    small league, all steps are done. The caller must have locked the league, but no guest.
    """
    if league.closed:
        endings.call_off_some(league)
    if league.status == League.Status.OPEN and league.starts_at and league.starts_at <= now:
        start_on_time(league, now)
    if league.status != League.Status.PLAYING:
        return
    small, steps = _is_small(league), endings.note_endings(league, endings.AT_ONCE)
    away = _staying_away(league)
    for place in away if small else away[: not steps]:
        endings.mark_left(league, place)
        steps += 1
    if league.unsettled and (small or not steps):
        endings.end_some_of_leavers(league)
        steps += 1
    if small or not (steps or away):
        _do_by_time(league, now, endings.AT_ONCE if small else RULED_AT_ONCE)
    if away and not small:  # the clock looks once more, for what a single step could not do
        league.unsettled = True
        league.save(update_fields=["unsettled"])
    finish(league, now)


def _do_by_time(league: League, now: datetime, at_once: int) -> None:
    if league.ends and league.ends <= now:
        _decide_some(league, at_once)
    elif league.next_round_at and league.next_round_at <= now:
        begin_some(league, now)
        league.save(update_fields=["next_round_at"])


def _staying_away(league: League) -> list[Place]:
    times: Counter[int] = Counter()
    suspects = league.fixtures.filter(match__seats__missed__gt=0).select_related("match").distinct()
    for fixture in suspects.order_by("match"):
        assert fixture.match
        for letter in arbiter.absent_from(fixture.match):
            times[fixture.seats[letter]] += 1
    away = [pk for pk, count in times.items() if count >= ABSENT_IN]
    return list(league.places.filter(pk__in=away, left_at=None))


def _decide_some(league: League, at_once: int) -> None:
    """Decides matches without a result after the last day: all not begun, and `at_once` of the others."""
    undecided = league.fixtures.filter(decided="")
    undecided.filter(match=None).update(decided=Decided.LAST_DAY)
    with endings.locked_matches(undecided, at_once) as going_on:
        for fixture in going_on:
            assert fixture.match
            ruled = _end_by_ruling(fixture)
            fixture.match.refresh_from_db()
            endings.note_ending(fixture, Decided.LAST_DAY if ruled else "")
            fixture.save(update_fields=endings.NOTED)


def _end_by_ruling(fixture: Fixture) -> bool:
    """Awards a match to the seat with the fewest missed deadlines, or draws it; True unless it was over."""
    match = fixture.match
    assert match
    playing, leaving = arbiter.still_in(match)
    if fixture.league.table_seats > 2:
        endings.give_seats_up(fixture, leaving)
    missed = arbiter.missed_in(match)
    least = min((missed[letter] for letter in playing), default=0)
    first = [letter for letter in playing if missed[letter] == least]
    return arbiter.award(match, first[0]) if len(first) == 1 else arbiter.draw(match)


def finish(league: League, now: datetime) -> None:
    """Ends the league if all its matches are decided; in a cup, first begins the matches that can begin."""
    if league.kind.knocks_out:
        begin_cup_matches(league, now)
    if not league.fixtures.filter(decided="").exists():
        league.status, league.over_at, league.next_round_at = League.Status.OVER, now, None
        league.unsettled = False
        league.save(update_fields=["status", "over_at", "next_round_at", "unsettled"])
