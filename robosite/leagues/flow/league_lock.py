"""The lock of a league's row, which is always locked before its matches, and those before any guest."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from robosite.leagues.last_day import moved_end
from robosite.leagues.models import League, Place, PlaceHold
from robosite.matches import locks
from robosite.matches.flow import SeatLost
from robosite.matches.live import push
from robosite.matches.models import Match
from robosite.talk.models import Message
from robosite.web.transactions import lock_rows

May = Callable[[League], bool]
"""The type of a function that is called with the locked league; True if the caller may do what follows."""


@contextmanager
def locked_league(pk: int, may: May | None = None, *, quiet: bool = False) -> Iterator[League]:
    """Opens a transaction, locks the row of a league, and yields the league as freshly read.

    Afterwards the league has a new version, unless `quiet`. Raises SeatLost if `may` returns False.
    """
    with transaction.atomic():
        league = League.objects.select_for_update().get(pk=pk)
        if may is not None and not may(league):
            raise SeatLost
        yield league
        if not quiet:
            mark_changed(League.objects.filter(pk=pk), league.status)


def mark_changed(leagues: QuerySet[League], status: str = League.Status.PLAYING) -> None:
    """Raises the versions of leagues; also notes when they were changed, if their `status` is OPEN."""
    at = {"changed_at": timezone.now()} if status == League.Status.OPEN else {}
    leagues.update(version=F("version") + 1, **at)


def never_started(before: datetime) -> QuerySet[League]:
    """Returns leagues that have not started, and in which nothing has happened since the time `before`."""
    came = Place.objects.filter(Q(taken_at__gte=before) | Q(stays_at__gte=before), league=OuterRef("pk"))
    said = Message.objects.filter(league=OuterRef("pk"), sent_at__gte=before)
    unchanged = Q(changed_at=None) | Q(changed_at__lt=before)
    quiet = League.objects.filter(unchanged, started_at=None, created_at__lt=before)
    return quiet.exclude(Exists(came)).exclude(Exists(said))


@contextmanager
def all_locked(pk: int, may: May | None = None) -> Iterator[League]:
    """Locks a league and then, by primary key, all its matches that have no stored result; yields the league.

    Ending a match locks guests, and all matches must be locked before any guest.
    """
    with locked_league(pk, may) as league:
        going_on = league.fixtures.filter(decided="").exclude(match=None)
        keys = locks.lock_all(Match.objects.filter(pk__in=going_on.values("match")))
        with locks.inside(*keys):
            yield league


def give_time_back(since: datetime, now: datetime) -> None:
    """Postpones starts, ends and next rounds of leagues by a downtime from `since` to `now`."""
    to_start = Q(status=League.Status.OPEN, starts_at__gt=since)
    coming = Q(Q(ends__gt=since) | Q(next_round_at__gt=since), status=League.Status.PLAYING)
    for league in lock_rows(League.objects.filter(to_start | coming).order_by("pk")):
        if league.status == League.Status.OPEN and league.starts_at:
            league.starts_at += now - since
        if league.ends and league.ends > since:
            league.ends = moved_end(league, since, now)
        if league.next_round_at and league.next_round_at > since:
            league.next_round_at += now - since
        league.save(update_fields=["ends", "next_round_at", "starts_at"])
        mark_changed(League.objects.filter(pk=league.pk))


def notify_pages(league: League) -> None:
    holds = PlaceHold.objects.filter(place__league=league, place__gone=False)
    guests = [*holds.values_list("guest", flat=True), league.organiser_id]
    push.league_changed(guest for guest in guests if guest)
