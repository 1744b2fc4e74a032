"""Derives notices from facts, for each guest with a channel: at signals; `sweep` adds the missing ones."""

import logging
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.dispatch import receiver
from django.utils import timezone

from robosite.engine.prepared import Prepared
from robosite.leagues import flow as leagues
from robosite.leagues import league_talk, next_season
from robosite.leagues.models import COLUMNS, Fixture, League, PlaceHold
from robosite.matches import flow, locks
from robosite.matches.models import Hold, Match, Seat
from robosite.matches.time.timekeeping import deadline_of, hours_of, reserves_of
from robosite.notices import outbox
from robosite.notices.kinds import FACTS, OF_A_TURN, Observed, last_calls, new_notice, steps_of, with_channels
from robosite.notices.models import IN_LEAGUE, NEXT_SEASON, STEPS, Channel, Kind, Notice, Parcel
from robosite.notices.warnings_ahead import LEAD, plan_of
from robosite.people.models import Guest
from robosite.talk import messages, undo
from robosite.talk.models import Message

log = logging.getLogger("robosite")

_holds_told = Prepared(
    lambda match: (
        Hold.objects.filter(guest__channels__on=True, seat__match=match)
        .exclude(seat__kind=Seat.Kind.BOT)
        .select_related("seat", "guest__wishes")
        .distinct()
    ),
    int,
)
_holds_of = Prepared(
    lambda match, guest: (
        Hold.objects.filter(guest=guest, seat__match=match)
        .exclude(seat__kind=Seat.Kind.BOT)
        .select_related("seat", "guest__wishes")
    ),
    int,
    int,
)
SAID_LATELY = timedelta(hours=1)
"""The greatest age of messages for which the sweep stores missing notices."""


@receiver(flow.happened)
def listen(match: Match, **_signal: Any) -> None:
    with transaction.atomic():
        derive(match)


@receiver(messages.said)
def listen_talk(message: Message, **_signal: Any) -> None:
    """Signal receiver: stores the notices of a message, in a savepoint of the transaction that wrote it."""
    with transaction.atomic():
        if message.match:
            _tell_said(message, message.match)
        elif message.league_id:
            _tell_said_in_league(message, message.league_id)


@receiver(undo.taken_back)
def listen_taken_back(message: Message, number: int, **_signal: Any) -> None:
    """Signal receiver: deletes the notices of a message that was taken back; `number` was its primary key."""
    if message.match_id:
        notices = Notice.objects.filter(match=message.match_id, fact=f"message {number}")
    else:
        in_league = Notice.objects.filter(match__fixture__league=message.league_id)
        notices = in_league.filter(fact=f"{IN_LEAGUE}{message.league_id}.{number}")
    notices.filter(kind=Kind.MESSAGE).delete()


@receiver(flow.passed)
def listen_passed(sender: object, seat: Seat, before: list[Guest], given_by: str, **_signal: Any) -> None:
    """Signal receiver: notifies the former holders (`before`) of a seat, unless they handed it over."""
    if given_by:
        return
    match, now = seat.match, timezone.now()
    fact = f"passed {now.timestamp():.6f}"
    notices = [
        new_notice(match, seat, guest, Kind.PASSED, fact, who=seat.name, noted_at=now) for guest in before
    ]
    _keep(match, notices, quietly=False)


@receiver(leagues.begun)
def listen_begun(sender: object, matches: list[Match], **_signal: Any) -> None:
    """Signal receiver: of a league's matches begun together, notifies players of the first awaiting them."""
    guests: set[int] = set()
    with transaction.atomic():
        told = Hold.objects.filter(guest__channels__on=True, seat__match__in=[match.pk for match in matches])
        with_listeners = set(told.values_list("seat__match", flat=True))
        for match in (one for one in matches if one.pk in with_listeners):
            holds = [hold for hold in _holds_told.rows(match.pk) if hold.guest_id not in guests]
            owing = flow.owing(match) if holds else []
            first = {hold.guest_id: hold for hold in holds if hold.seat.at in owing}
            guests |= first.keys()
            seen = Observed(match, flow.standing_of(match), list(first.values())) if first else None
            if seen:
                new = [seen.note(hold, Kind.TURN, seen.this_turn) for hold in seen.holds]
                _keep(match, new, quietly=False)


def _tell_said_in_league(message: Message, league: int) -> None:
    """Notifies a league's players of a message, through a match of theirs, unless they have an open one."""
    seats = _seat_by_place(league)
    notices = Notice.objects.filter(kind=Kind.MESSAGE, fact__startswith=IN_LEAGUE, done_at=None)
    waiting = set(notices.filter(seat__in=seats.values()).values_list("guest", flat=True))
    holds = league_talk.hearers(message).filter(guest__channels__on=True).exclude(guest__in=waiting)
    for hold in holds.select_related("guest").distinct():
        seat = seats.get(hold.place_id)
        if seat:
            fact = f"{IN_LEAGUE}{league}.{message.pk}"
            said = {"who": message.name, "noted_at": message.sent_at}
            notice = new_notice(seat.match, seat, hold.guest, Kind.MESSAGE, fact, **said)
            _keep(seat.match, [notice], quietly=False)


def _seat_by_place(league: int) -> dict[int, Seat]:
    """Maps each player of a league (keys of places) to a seat of theirs, in a running match if possible."""
    rows = Fixture.objects.filter(league=league).exclude(match=None).order_by("-decided", "-pk")
    chosen: dict[int, tuple[int, str]] = {}
    for match, *places in rows.values_list("match", *COLUMNS):
        chosen |= {place: (match, at.upper()) for at, place in zip(COLUMNS, places, strict=True) if place}
    matches = Match.objects.filter(pk__in={match for match, _letter in chosen.values()})
    seats = {
        (match.pk, str(seat.letter)): seat
        for match in matches.prefetch_related("seats")
        for seat in match.seats.all()
    }
    return {place: seats[at] for place, at in chosen.items()}


@receiver(next_season.announced)
def listen_announced(sender: object, league: League, following: League, **_signal: Any) -> None:
    """Signal receiver: notifies guests asked to play the next season, through a match of `league`.

    Those who have waited for it play in no match, so they get a parcel without a notice.
    """
    with transaction.atomic():
        waiting = Guest.objects.filter(awaited_seasons__league=following, leaving_at=None)
        outbox.tell_once(waiting, league=following, what=Parcel.What.SEASON)
        seats = _seat_by_place(league.pk)
        by_number = {place.number: seats[place.pk] for place in league.places.all() if place.pk in seats}
        holds = PlaceHold.objects.filter(place__league=following, place__gone=False, guest__channels__on=True)
        notified: set[int] = set()
        for hold in holds.select_related("guest", "place").order_by("place__number", "pk").distinct():
            seat = by_number.get(hold.place.number)
            if seat and hold.guest_id not in notified:
                notified.add(hold.guest_id)
                fact, at = f"{NEXT_SEASON}{following.pk}", following.created_at
                notice = new_notice(seat.match, seat, hold.guest, Kind.MESSAGE, fact, noted_at=at)
                _keep(seat.match, [notice], quietly=False)


@receiver(league_talk.heard)
def listen_league_heard(sender: object, league: League, guest: Guest, **_signal: Any) -> None:
    """Signal receiver: marks a guest's notices of messages in a league as done; the guest has read them."""
    notices = Notice.objects.filter(kind=Kind.MESSAGE, fact__startswith=IN_LEAGUE, done_at=None, guest=guest)
    notices.filter(match__fixture__league=league).update(done_at=timezone.now())


def sweep(pk: int) -> None:
    """Locks a match and stores its missing notices; those of messages only up to the age SAID_LATELY."""
    with locks.locked(pk) as match:
        derive(match)
        lately = timezone.now() - SAID_LATELY
        for message in Message.objects.filter(match=match, watchers=False, sent_at__gte=lately):
            _tell_said(message, match)


def derive(match: Match, *, quietly: bool = False, also: Guest | None = None) -> None:
    """Stores a locked match's new notices, and marks those done that nobody needs.

    If `quietly`, for the guest `also` who is just adding a channel, nothing is sent, and no last warning is
    stored.
    """
    found = [*_holds_told.rows(match.pk), *(_holds_of.rows(match.pk, also.pk) if also else ())]
    holds = list({hold.pk: hold for hold in found}.values())
    if not holds:
        return
    for hold in holds:
        hold.seat.match = match
    seen = Observed(match, flow.standing_of(match), holds)
    wanted = [notice for fact in FACTS.values() for notice in fact.found(seen)]
    wanted += () if quietly else last_calls(seen)
    _keep(match, wanted, quietly=quietly, looking_on=seen.looking_on)
    mark_done(seen)


def _tell_said(message: Message, match: Match) -> None:
    """Notifies all who may read a new message, except its author; marks the author's older notices done."""
    answered = Notice.objects.filter(kind=Kind.MESSAGE, seat=message.seat_id, done_at=None)
    answered = answered.exclude(fact__startswith=IN_LEAGUE).exclude(fact__startswith=NEXT_SEASON)
    answered.filter(noted_at__lte=message.sent_at).update(done_at=message.sent_at)
    holds = Hold.objects.filter(seat__in=messages.hearers(message), guest__channels__on=True)
    holds = holds.exclude(guest=message.guest_id).exclude(
        guest__in=Hold.objects.filter(seat=message.seat_id).values("guest")
    )
    fact, said = f"message {message.pk}", {"who": message.name, "noted_at": message.sent_at}
    notices = [
        new_notice(match, hold.seat, hold.guest, Kind.MESSAGE, fact, **said)
        for hold in holds.select_related("seat", "guest").distinct()
    ]
    _keep(match, notices, quietly=False)


def _keep(match: Match, wanted: list[Notice], *, quietly: bool, looking_on: Collection[int] = ()) -> None:
    if not wanted:
        return
    facts = {notice.fact for notice in wanted}
    known = {notice.key for notice in Notice.objects.filter(match=match, fact__in=facts)}
    new = [notice for notice in wanted if notice.key not in known]
    for notice in new:
        notice.save()
    if new and not quietly:
        outbox.put(match, new, looking_on)


def mark_done(seen: Observed) -> None:
    """Marks notices as done that nobody needs any more, or as open again if their turn waits again."""
    now, changed = timezone.now(), []
    open_or_of_now = Q(done_at=None) | Q(kind__in=OF_A_TURN, turn=seen.match.turn)
    rest = Notice.objects.filter(open_or_of_now, match=seen.match).exclude(kind=Kind.MESSAGE)
    for notice in rest.select_related("seat"):
        done = FACTS[Kind(notice.kind)].is_done(seen.match, seen.standing, notice)
        if done != bool(notice.done_at):
            notice.done_at = now if done else None
            changed.append(notice)
    Notice.objects.bulk_update(changed, ["done_at"])


def near_deadline(now: datetime, lately: timedelta | None) -> list[int]:
    """The matches (primary keys) so near a deadline that a guest may want a warning.

    With `lately`, only those in which one became possible less than that before `now`: the hours left fell to
    one of STEPS, or the period for a last warning began (`warnings_ahead.py`).
    """
    others = [status for status in Match.Status if status != Match.Status.PLAYING]
    playing = Match.objects.filter(_with_listeners()).exclude(status__in=others)
    near = Q(due__lte=now + timedelta(hours=max(STEPS)))
    by_reserve = playing.filter(near, reserve_hours__gt=0, due__gt=now)
    if lately is not None:
        near = Q()
        for hours in STEPS:
            step = now + timedelta(hours=hours)
            near |= Q(due__lte=step, due__gt=step - lately)
    pks = list(playing.filter(near, deadline__gt=now, reserve_hours=0).values_list("pk", flat=True))
    pks += [match.pk for match in by_reserve if lately is None or _comes_by_step(match, now, lately)]
    return list(dict.fromkeys([*pks, *_near_last_call(now, lately)]))


def _comes_by_step(match: Match, now: datetime, lately: timedelta) -> bool:
    deadlines = [seat.deadline for seat in reserves_of(match).seats.values() if seat.deadline]
    steps = [now + timedelta(hours=hours) for hours in STEPS]
    return any(step - lately < deadline <= step for deadline in deadlines for step in steps)


def _near_last_call(now: datetime, lately: timedelta | None) -> Iterable[int]:
    """The matches in which a channel may need a last warning now; with `lately`, since less than that."""
    ahead = Q(seat__match__deadline__gt=now) | Q(seat__match__reserve_hours__gt=0, seat__match__due__gt=now)
    playing = Q(seat__match__status=Match.Status.PLAYING) & ahead
    put_off = Q(guest__channels__when=Channel.When.DAILY) | Q(guest__wishes__quiet_from__isnull=False)
    short = Q(seat__match__deadline_hours__lte=max(STEPS))
    holds = Hold.every.filter(playing, put_off | short, seat__match__due__lte=now + LEAD)
    holds = holds.filter(guest__channels__on=True).select_related("seat__match", "guest__wishes")
    for hold, channel in with_channels(list(holds.distinct())):
        match = hold.seat.match
        deadline = deadline_of(match, hold.seat.letter)
        if deadline is None:
            continue
        plan = plan_of(channel, steps_of(hold), deadline, hours_of(match, hold.seat.letter))
        if plan and plan.includes(now) and (lately is None or plan.start > now - lately):
            yield match.pk


def changed_since(since: datetime | None) -> list[tuple[int, int]]:
    """(primary key, version) of matches of guests with channels: changed since then; if None, unfinished."""
    matches = Match.objects.filter(_with_listeners())
    matches = matches.filter(changed_at__gte=since) if since else matches.filter(status__in=flow.GOING_ON)
    return list(matches.values_list("pk", "version"))


def _with_listeners(match: str = "pk") -> Exists:
    return Exists(Hold.every.filter(seat__match=OuterRef(match), guest__channels__on=True))


def said_since(since: datetime) -> list[int]:
    """The matches (primary keys) in which a player has written a message at `since` or later."""
    recent = Message.objects.filter(sent_at__gte=since, watchers=False)
    return list(recent.filter(_with_listeners("match")).values_list("match", flat=True).distinct())
