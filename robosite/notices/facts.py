"""Derives notices from facts. A fact is stored once for each guest whom it concerns and who has a channel.

Most notices can be derived from a match's present state. The signal receivers in this module (`listen`, …)
derive them inside the transaction that changes the match. A later sweep (`sweep`) derives the notices that a
receiver has missed.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from robosite.api.proposals import proposals_of
from robosite.engine.prepared import Prepared
from robosite.leagues import league_talk
from robosite.leagues.models import Fixture, League, LeagueMessage, PlaceHold
from robosite.matches import flow, locks
from robosite.matches.flow.replying import BY
from robosite.matches.flow.seat_requests import open_requests
from robosite.matches.models import Asking, Hold, Match, Nudge, Program, Seat, TakenBack
from robosite.matches.time.timekeeping import deadline_of, hours_of, reserves_of
from robosite.notices import outbox
from robosite.notices.models import IN_LEAGUE, NEXT_SEASON, SENDING, STEPS, Channel, Kind, Notice, Wishes
from robosite.notices.warnings_ahead import LEAD, is_warned, plan_of
from robosite.people.models import Guest
from robosite.talk import messages
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
"""The maximum age of messages for which the sweep stores missing notices."""
OF_A_TURN = (Kind.TURN, Kind.DEADLINE, Kind.NUDGE)
"""The kinds of notices that ask for an order.

Such a notice is done as soon as the seat no longer owes an order for the notice's turn.
"""


def turn_of(match: Match, turn: int) -> str:
    """Returns the text that identifies a turn: its number (from 0) and how many turns were taken back before.

    An example is “5.1”. When a turn is played again after a take-back, its identifier is a new one.
    """
    return f"{turn}.{match.taken_back}"


@dataclass(frozen=True, slots=True)
class Observed:
    """A match with its standing, from which the notices of the match are derived.

    The standing is the match with its seats and orders as just read. `holds` are the rights to act for a seat
    (`Hold`) that belong to guests who want notices.
    """

    match: Match
    standing: flow.Standing
    holds: list[Hold]

    def note(self, hold: Hold, kind: str, fact: str, **more: Any) -> Notice:
        """Returns a new, unsaved notice for the guest of a hold (the guest's right to act for a seat).

        `kind` is a value of `Kind`, and `fact` is a text that identifies the event. `more` has the values of
        further fields of the notice. The field `turn` is the present turn unless `more` has another one.
        """
        return Notice(
            guest=hold.guest,
            match=self.match,
            seat=hold.seat,
            kind=kind,
            fact=fact,
            noted_at=timezone.now(),
            **{"turn": self.match.turn, **more},
        )

    @property
    def this_turn(self) -> str:
        """The text that identifies the present turn, such as “5.1” (`turn_of`)."""
        return turn_of(self.match, self.match.turn)

    def owes(self, seat: Seat) -> bool:
        return self.match.status == Match.Status.PLAYING and seat.at in self.standing.owing


def listen(match: Match, **_signal: Any) -> None:
    """Signal receiver: stores the notices of a match that has changed.

    The receiver runs in a savepoint of the change's transaction.
    """
    with transaction.atomic():
        derive(match)


def listen_talk(message: Message, **_signal: Any) -> None:
    """Signal receiver: stores the notices of a message in a match.

    The receiver runs in a savepoint of the transaction in which the message was written.
    """
    with transaction.atomic():
        _tell_said(message)


def listen_passed(sender: object, seat: Seat, before: list[Guest], **_signal: Any) -> None:
    """Signal receiver: notifies the former holders (`before`) of a seat that has passed to another guest."""
    match, now = seat.match, timezone.now()
    notices = [
        Notice(
            guest=guest,
            match=match,
            seat=seat,
            kind=Kind.PASSED,
            fact=f"passed {now.timestamp():.6f}",
            turn=match.turn,
            who=seat.name,
            noted_at=now,
        )
        for guest in before
    ]
    _keep(match, notices, quietly=False)


def listen_begun(sender: object, matches: list[Match], **_signal: Any) -> None:
    """Signal receiver: notifies players that these matches of a league have begun together.

    Each guest gets at most one notice, which is about the first of `matches` that waits for the guest's
    order.
    """
    guests: set[int] = set()
    with transaction.atomic():
        for match in matches:
            holds = [hold for hold in _holds_told.rows(match.pk) if hold.guest_id not in guests]
            owing = flow.owing(match) if holds else []
            first = {hold.guest_id: hold for hold in holds if hold.seat.at in owing}
            guests |= first.keys()
            seen = Observed(match, flow.standing_of(match), list(first.values())) if first else None
            if seen:
                new = [seen.note(hold, Kind.TURN, seen.this_turn) for hold in seen.holds]
                _keep(match, new, quietly=False)


def listen_league_talk(sender: object, message: LeagueMessage, **_signal: Any) -> None:
    """Signal receiver: notifies a league's players of a message in the league.

    Each notice belongs to one of the player's matches. A player gets no notice if they have no match in the
    league yet, or if an earlier notice of a message in the league is still open.
    """
    with transaction.atomic():
        seats = _seat_by_place(message.league_id)
        notices = Notice.objects.filter(kind=Kind.MESSAGE, fact__startswith=IN_LEAGUE, done_at=None)
        waiting = set(notices.filter(seat__in=seats.values()).values_list("guest", flat=True))
        holds = league_talk.hearers(message).filter(guest__channels__on=True).exclude(guest__in=waiting)
        for hold in holds.select_related("guest").distinct():
            seat = seats.get(hold.place_id)
            if seat:
                _tell_of_league(message, seat, hold.guest)


def _seat_by_place(league: int) -> dict[int, Seat]:
    """Maps each player of a league to a seat in one of the player's matches, by primary keys of places.

    A place is a player's participation in a league; `league` is the league's primary key. The seat is in a
    running match if the player has one. A player without a match is left out.
    """
    rows = Fixture.objects.filter(league=league).exclude(match=None)
    rows = rows.select_related("match").prefetch_related("match__seats").order_by("-decided", "-pk")
    found: dict[int, Seat] = {}
    for fixture in rows:
        assert fixture.match
        for seat in fixture.match.seats.all():
            found[fixture.seats[seat.letter]] = seat
    return found


def _tell_of_league(message: LeagueMessage, seat: Seat, guest: Guest) -> None:
    notice = Notice(
        guest=guest,
        match=seat.match,
        seat=seat,
        kind=Kind.MESSAGE,
        fact=f"{IN_LEAGUE}{message.pk}",
        turn=seat.match.turn,
        who=message.name,
        noted_at=message.sent_at,
    )
    _keep(seat.match, [notice], quietly=False)


def listen_announced(sender: object, league: League, following: League, **_signal: Any) -> None:
    """Signal receiver: notifies the guests who are enrolled in a league's next season, `following`.

    A guest gets one notice, which belongs to one of the guest's matches in the season before, `league`. A
    guest without such a match, or without a channel, gets none.
    """
    with transaction.atomic():
        seats = _seat_by_place(league.pk)
        by_number = {place.number: seats[place.pk] for place in league.places.all() if place.pk in seats}
        holds = PlaceHold.objects.filter(place__league=following, place__gone=False, guest__channels__on=True)
        notified: set[int] = set()
        for hold in holds.select_related("guest", "place").order_by("place__number", "pk").distinct():
            seat = by_number.get(hold.place.number)
            if seat and hold.guest_id not in notified:
                notified.add(hold.guest_id)
                notice = Notice(
                    guest=hold.guest,
                    match=seat.match,
                    seat=seat,
                    kind=Kind.MESSAGE,
                    fact=f"{NEXT_SEASON}{following.pk}",
                    turn=seat.match.turn,
                    noted_at=following.created_at,
                )
                _keep(seat.match, [notice], quietly=False)


def listen_league_heard(sender: object, league: League, guest: Guest, **_signal: Any) -> None:
    """Signal receiver: marks a guest's notices of messages in a league as done; the guest has read them."""
    notices = Notice.objects.filter(kind=Kind.MESSAGE, fact__startswith=IN_LEAGUE, done_at=None, guest=guest)
    notices.filter(match__fixture__league=league).update(done_at=timezone.now())


def sweep(pk: int) -> None:
    """Locks a match and stores the notices that are missing; `pk` is the match's primary key.

    Notices of messages are stored only if the message is not older than SAID_LATELY.
    """
    with locks.locked(pk) as match:
        derive(match)
        lately = timezone.now() - SAID_LATELY
        for message in Message.objects.filter(match=match, watchers=False, sent_at__gte=lately):
            _tell_said(message)


def derive(match: Match, *, quietly: bool = False, also: Guest | None = None) -> None:
    """Stores the new notices of a locked match, and marks the notices that nobody needs any more as done.

    With `quietly`, for a guest who is just adding a channel, nothing is sent, and no last warning before a
    deadline (`warnings_ahead.py`) is stored. `also` is a guest for whom notices are stored although the guest
    has no channel yet.
    """
    found = [*_holds_told.rows(match.pk), *(_holds_of.rows(match.pk, also.pk) if also else ())]
    holds = list({hold.pk: hold for hold in found}.values())
    if not holds:
        return
    for hold in holds:
        hold.seat.match = match
    seen = Observed(match, flow.standing_of(match), holds)
    now, looking_on = timezone.now(), _looking_on(seen)
    wanted = [
        *_turns(seen, looking_on),
        *_sat(seen),
        *_over(seen),
        *_nudges(seen),
        *_deadlines(seen, now),
        *(() if quietly else _last_calls(seen, now)),
        *_seat_requests(seen),
        *_proposals(seen),
    ]
    _keep(match, wanted, quietly=quietly, looking_on=looking_on)
    mark_done(seen)


def _tell_said(message: Message) -> None:
    """Notifies all guests who may read a new message, except the guests at the author's seat.

    The notices do not contain the text of the message. Older notices of messages that the author's seat has
    received are marked as done.
    """
    match = message.match
    answered = Notice.objects.filter(kind=Kind.MESSAGE, seat=message.seat_id, done_at=None)
    answered = answered.exclude(fact__startswith=IN_LEAGUE).exclude(fact__startswith=NEXT_SEASON)
    answered.filter(noted_at__lte=message.sent_at).update(done_at=message.sent_at)
    holds = Hold.objects.filter(seat__in=messages.hearers(message), guest__channels__on=True)
    holds = holds.exclude(guest=message.guest_id).exclude(
        guest__in=Hold.objects.filter(seat=message.seat_id).values("guest")
    )
    notices = [
        Notice(
            guest=hold.guest,
            match=match,
            seat=hold.seat,
            kind=Kind.MESSAGE,
            fact=f"message {message.pk}",
            turn=match.turn,
            who=message.name,
            noted_at=message.sent_at,
        )
        for hold in holds.select_related("seat", "guest").distinct()
    ]
    _keep(match, notices, quietly=False)


def _keep(match: Match, wanted: list[Notice], *, quietly: bool, looking_on: Collection[int] = ()) -> None:
    """Stores those of the `wanted` notices that are not stored yet, and queues them unless `quietly`.

    `looking_on` are the guests (primary keys) who can see the present turn on their open page. They are
    notified of the turn later (`outbox.put`).
    """
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
    """Marks notices of the match as done if nobody needs them any more (`is_done`).

    If the present turn waits for a seat's order again, the turn's notices for this seat are marked as open
    again. Notices of messages are left unchanged.
    """
    now, changed = timezone.now(), []
    open_or_of_now = Q(done_at=None) | Q(kind__in=OF_A_TURN, turn=seen.match.turn)
    rest = Notice.objects.filter(open_or_of_now, match=seen.match).exclude(kind=Kind.MESSAGE)
    for notice in rest.select_related("seat"):
        done = is_done(seen.match, seen.standing, notice)
        if done != bool(notice.done_at):
            notice.done_at = now if done else None
            changed.append(notice)
    Notice.objects.bulk_update(changed, ["done_at"])


def is_done(match: Match, standing: flow.Standing, notice: Notice) -> bool:
    """Returns True if nobody needs a notice any more, since it was dealt with or is out of date.

    Notices of the kinds OVER and PASSED are never done. A notice of a message is done once its field
    `done_at` is set.
    """
    if notice.kind in OF_A_TURN:
        owes = match.status == Match.Status.PLAYING and notice.seat.at in standing.owing
        return not (owes and notice.fact.split()[0] == turn_of(match, match.turn))
    if notice.kind == Kind.REVEALED:
        return match.turn != notice.turn + 1 or notice.seat.at in standing.sealed
    if notice.kind == Kind.ASKED:
        pk, _space, yes = notice.fact.partition(" ")
        asking = Asking.objects.filter(pk=int(pk)).first()
        return not (asking and asking.stands and bool(yes) == (asking.answer == Asking.Answer.YES))
    if notice.kind == Kind.PROPOSED:
        return notice.fact not in dict(_open_proposals(match, standing, notice.seat))
    if notice.kind == Kind.MESSAGE:  # marked as done when the seat itself writes a message
        return notice.done_at is not None
    if notice.kind == Kind.SAT:
        return match.turn > 0 or match.status == Match.Status.ABORTED
    return False


# Facts. Players get no notices of their own acts. If it is their turn again, they get one later (outbox.put).


def _turns(seen: Observed, looking_on: set[int]) -> Iterable[Notice]:
    """Yields notices of the present turn and of the last turn played, if the match is being played.

    Notices of the present turn are for the players whose order the turn waits for. There are no such notices
    in the first turn of a match that counts in a competition, since `listen_begun` stores them.

    Notices of the last turn are for all guests except `looking_on` (primary keys). There are no notices of
    the last turn if the present turn follows a take-back.
    """
    match = seen.match
    if match.status != Match.Status.PLAYING:
        return
    again = _taken_back_last(match)
    for hold in seen.holds:
        if match.turn and not again and hold.guest_id not in looking_on:
            yield seen.note(hold, Kind.REVEALED, turn_of(match, match.turn - 1), turn=match.turn - 1)
        if seen.owes(hold.seat) and not _begins_with_others(match):
            yield seen.note(hold, Kind.TURN, seen.this_turn)


def _begins_with_others(match: Match) -> bool:
    """Returns True in the first turn of a match that counts in a competition.

    `listen_begun` stores the notices of such a turn.
    """
    return match.turn == 0 and match.is_binding


def _turn_starters(seen: Observed) -> set[int]:
    """Returns the guests (primary keys) whose own action started the present turn.

    - In the first turn, these are the people at the seat that was taken last.
    - In later turns, these are the people at the seat that sealed (committed to) its order last.
    - If the last sealed order was a reply planned in advance, these are the people at the seat to whose order
      it replied.

    Returns an empty set if the turn follows a take-back, a resignation, or an order that the site has sealed.
    """
    match, seats = seen.match, seen.standing.seats
    if match.turn == 0:
        last = max((seat for seat in seats if seat.taken_at), key=lambda seat: str(seat.taken_at))
        return _holders(seen, {last.pk})
    if _taken_back_last(match) or any(seat.resigned_turn == match.turn - 1 for seat in seats):
        return set()
    sealed = Program.objects.filter(seat__in=seats, turn=match.turn - 1).exclude(sealed_at=None)
    by_hand = sealed.order_by("-sealed_at", "-pk").first()
    if by_hand and by_hand.by == BY:  # a planned reply to an order that somebody has just played
        earlier = Program.objects.filter(seat__in=seats, turn__lt=match.turn).exclude(by=BY)
        by_hand = earlier.exclude(sealed_at=None).order_by("-turn").first()
    return _holders(seen, {by_hand.seat_id}) if by_hand and not by_hand.by else set()


def _looking_on(seen: Observed) -> set[int]:
    """Returns the guests (primary keys) who can already see the present turn on their open page.

    Normally, these are the guests whose own action started the turn (`_turn_starters`). If a bot was the last
    to seal (commit to) its order in the previous turn, these are the people at the seat that sealed last
    among the seats without a bot. Returns an empty set if the site or a reply planned in advance sealed for
    that seat, or if the match is not being played.
    """
    match, seats = seen.match, seen.standing.seats
    if match.status != Match.Status.PLAYING:
        return set()
    bots = {seat.pk for seat in seats if seat.is_bot}
    if not (bots and match.turn) or _taken_back_last(match):
        return _turn_starters(seen)
    given = Program.objects.filter(seat__in=seats, turn=match.turn - 1).exclude(sealed_at=None)
    last = given.order_by("-sealed_at", "-pk").first()
    if last is None or last.seat_id not in bots:
        return _turn_starters(seen)
    people = [seat for seat in seats if seat.pk not in bots]
    before = Program.objects.filter(seat__in=people).exclude(sealed_at=None)
    by_hand = before.order_by("-sealed_at", "-pk").first()
    return _holders(seen, {by_hand.seat_id}) if by_hand and not by_hand.by else set()


def _holders(seen: Observed, seats: set[int]) -> set[int]:
    """Returns the people (primary keys of guests) who hold one of these seats (primary keys).

    Guests of programs are left out, since programs see no pages.
    """
    return {
        hold.guest_id for hold in seen.holds if hold.seat_id in seats and hold.seat.kind == Seat.Kind.HUMAN
    }


def _taken_back_last(match: Match) -> bool:
    """Returns True if the present turn is being played again after a take-back."""
    if not match.taken_back:
        return False
    back = TakenBack.objects.filter(seat__match=match).order_by("-taken_back_at").first()
    before = Program.objects.filter(seat__match=match, turn=match.turn - 1).order_by("-sealed_at").first()
    return bool(back and (before is None or not before.sealed_at or before.sealed_at < back.taken_back_at))


def _sat(seen: Observed) -> Iterable[Notice]:
    """Yields notices that a player other than a bot has sat down, for the guests who had sat down earlier.

    Yields nothing after the first turn, for a match that was called off, and for a match that counts in a
    competition.
    """
    if seen.match.turn or seen.match.status == Match.Status.ABORTED or seen.match.is_binding:
        return
    people = [seat for seat in seen.standing.seats if seat.taken_at and not seat.is_bot]
    for hold in seen.holds:
        own = {one.seat_id for one in seen.holds if one.guest_id == hold.guest_id}
        since = hold.seat.taken_at
        for seat in people:
            if seat.pk not in own and since and seat.taken_at and seat.taken_at > since:
                fact = f"{seat.pk} {seat.taken_at.timestamp():.6f}"
                yield seen.note(hold, Kind.SAT, fact, who=seat.name)


def _over(seen: Observed) -> Iterable[Notice]:
    """Yields notices that the match has ended, for all guests except those who have ended it themselves."""
    match, seats = seen.match, seen.standing.seats
    if match.status in flow.GOING_ON:
        return
    if match.status == Match.Status.ABORTED:  # before the start only its creator can have called it off
        did = {seat.pk for seat in seats if seat.host} if any(not seat.taken for seat in seats) else set()
    else:
        # A player who missed a deadline did not resign themselves, and may know nothing of it.
        did = {seat.pk for seat in seats if seat.resigned_turn == match.turn - 1 and not seat.missed}
    doers = _holders(seen, did) or (_turn_starters(seen) if match.status == Match.Status.OVER else set())
    for hold in seen.holds:
        if hold.guest_id not in doers:
            yield seen.note(hold, Kind.OVER, seen.this_turn)


def _nudges(seen: Observed) -> Iterable[Notice]:
    """Yields notices of nudges (reminders by other players), for the players whose order the turn waits for.

    The guests at the seat that has sent the nudge get no notice.
    """
    if seen.match.status != Match.Status.PLAYING:
        return
    nudges = Nudge.objects.filter(seat__match=seen.match, turn=seen.match.turn).select_related("seat")
    for nudge in nudges:
        by = _holders(seen, {nudge.seat_id})
        for hold in seen.holds:
            if seen.owes(hold.seat) and hold.guest_id not in by:
                yield seen.note(hold, Kind.NUDGE, f"{seen.this_turn} {nudge.pk}", who=nudge.seat.name)


def _seat_requests(seen: Observed) -> Iterable[Notice]:
    """Yields notices of open requests for a seat, made by guests who say that they have lost the seat.

    Until another player has said yes to a request, all guests at the match are notified; after that, only the
    holders of the seat. The guest who makes the request is never notified.
    """
    for asking in open_requests(seen.match):
        yes = asking.answer == Asking.Answer.YES
        for hold in seen.holds:
            if hold.guest_id != asking.guest_id and (not yes or hold.seat_id == asking.seat_id):
                fact = f"{asking.pk} yes" if yes else str(asking.pk)
                yield seen.note(hold, Kind.ASKED, fact, who=asking.seat.name)


def _proposals(seen: Observed) -> Iterable[Notice]:
    """Yields notices of proposals by others (a draw, a pause …) that a seat has not answered.

    A guest gets at most one notice of each kind of proposal for each seat and turn.
    """
    if seen.match.status not in (Match.Status.PLAYING, Match.Status.OVER):
        return
    for hold in seen.holds:
        for fact, by in _open_proposals(seen.match, seen.standing, hold.seat):
            names = [seat.name for seat in seen.standing.seats if seat.letter in by]
            yield seen.note(hold, Kind.PROPOSED, fact, who=", ".join(names)[:200])


def _open_proposals(match: Match, standing: flow.Standing, own: Seat) -> Iterable[tuple[str, list[str]]]:
    """Yields each proposal (a draw, a pause …) that the player of the seat `own` has not answered.

    A proposal is yielded as a pair: a text that identifies it, and the letters of its proposers' seats.
    """
    for one in proposals_of(standing, own):
        if own.letter in one.asked and own.letter not in one.declined:
            yield f"{one.kind} {one.match or turn_of(match, match.turn)}", one.by


def _deadlines(seen: Observed, now: datetime) -> Iterable[Notice]:
    """Yields warnings for the players whose order the turn waits for and whose deadline is near.

    A guest has chosen numbers of hours before a deadline at which to be warned (`steps_of`). Only numbers
    smaller than the turn's length in hours count. A guest is warned if the time left is at most one of these
    numbers of hours. The warning names the smallest number that the time left does not exceed.
    """
    match = seen.match
    if match.status != Match.Status.PLAYING:
        return
    for hold in seen.holds:
        deadline = deadline_of(match, hold.seat.letter)
        if deadline is None or deadline <= now:
            continue
        left, hours = deadline - now, hours_of(match, hold.seat.letter)
        reached = [h for h in steps_of(hold) if left <= timedelta(hours=h) and h < hours]
        if reached and seen.owes(hold.seat):
            yield seen.note(hold, Kind.DEADLINE, f"{seen.this_turn} {min(reached)}h", hours=min(reached))


def _last_calls(seen: Observed, now: datetime) -> Iterable[Notice]:
    """Yields a last warning for each channel over which no other warning would arrive before the deadline.

    A channel may be late because of quiet hours or a daily digest. `warnings_ahead.py` defines when the last
    warning is due.
    """
    match = seen.match
    owing = [hold for hold in seen.holds if seen.owes(hold.seat)]
    for hold, channel in _with_channels([hold for hold in owing if _is_near(match, hold.seat, now)]):
        deadline = deadline_of(match, hold.seat.letter)
        assert deadline
        plan = plan_of(channel, steps_of(hold), deadline, hours_of(match, hold.seat.letter))
        if plan is None or not plan.includes(now) or _is_noted_now(seen, hold, now):
            continue
        if not is_warned(channel, hold.seat_id, seen.this_turn, deadline):
            notice = seen.note(hold, Kind.DEADLINE, f"{seen.this_turn} last {channel.pk}")
            notice.only_by = channel.pk
            yield notice


def _is_near(match: Match, seat: Seat, now: datetime) -> bool:
    """Returns True if the deadline of a seat is in the future, and at most LEAD ahead."""
    deadline = deadline_of(match, seat.letter)
    return deadline is not None and now < deadline <= now + LEAD


def _with_channels(holds: Collection[Hold]) -> Iterable[tuple[Hold, Channel]]:
    """Yields pairs of a hold (a guest's right to act for a seat) and a channel of the hold's guest.

    There is a pair for each channel that is switched on and sends notices. Feeds and calendars do not send.
    """
    if not holds:
        return
    own = Channel.objects.filter(guest__in={hold.guest_id for hold in holds}, on=True, kind__in=SENDING)
    by_guest: dict[int, list[Channel]] = {}
    for channel in own.defer("secret"):
        by_guest.setdefault(channel.guest_id, []).append(channel)
    for hold in holds:
        for channel in by_guest.get(hold.guest_id, ()):
            channel.guest = hold.guest
            yield hold, channel


def _is_noted_now(seen: Observed, hold: Hold, now: datetime) -> bool:
    """Returns True if a warning that goes to all channels of the hold's guest is due now, but not stored yet.

    A hold is a guest's right to act for a seat. If such a warning is due (`_deadlines`), no channel needs a
    last warning of its own.
    """
    facts = [notice.fact for notice in _deadlines(seen, now) if notice.seat == hold.seat]
    known = Notice.objects.filter(guest=hold.guest_id, seat=hold.seat_id, fact__in=facts).count()
    return known < len(set(facts))


def steps_of(hold: Hold) -> list[int]:
    return steps_in(getattr(hold.guest, "wishes", None))


def steps_in(wishes: Wishes | None) -> list[int]:
    """Returns the numbers of hours before a deadline at which a guest wants to be warned.

    Returns [] for a guest without stored preferences.
    """
    return [hours for hours in wishes.steps if hours in STEPS] if wishes else []


def near_deadline(now: datetime, lately: timedelta | None) -> list[int]:
    """Returns the matches (primary keys) that are so near a deadline that a guest may want a warning.

    With `lately`, returns only matches in which a warning became possible less than `lately` before `now`. A
    warning becomes possible when the hours left fall to a number in STEPS. It also becomes possible when the
    period for a last warning begins (`warnings_ahead.py`).
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
    """Returns True if, less than `lately` before `now`, the hours left for a seat fell to a number in STEPS.

    Guests can choose to be warned at these times. Call this only for a match with time reserves, in which
    each seat has a deadline of its own.
    """
    deadlines = [seat.deadline for seat in reserves_of(match).seats.values() if seat.deadline]
    steps = [now + timedelta(hours=hours) for hours in STEPS]
    return any(step - lately < deadline <= step for deadline in deadlines for step in steps)


def _near_last_call(now: datetime, lately: timedelta | None) -> Iterable[int]:
    """Yields the matches (primary keys) in which a channel may need a last warning now (`warnings_ahead.py`).

    With `lately`, yields only matches in which the period for the last warning began less than `lately`
    before `now`.
    """
    ahead = Q(seat__match__deadline__gt=now) | Q(seat__match__reserve_hours__gt=0, seat__match__due__gt=now)
    playing = Q(seat__match__status=Match.Status.PLAYING) & ahead
    put_off = Q(guest__channels__when=Channel.When.DAILY) | Q(guest__wishes__quiet_from__isnull=False)
    short = Q(seat__match__deadline_hours__lte=max(STEPS))
    holds = Hold.every.filter(playing, put_off | short, seat__match__due__lte=now + LEAD)
    holds = holds.filter(guest__channels__on=True).select_related("seat__match", "guest__wishes")
    for hold, channel in _with_channels(list(holds.distinct())):
        match = hold.seat.match
        deadline = deadline_of(match, hold.seat.letter)
        if deadline is None:
            continue
        plan = plan_of(channel, steps_of(hold), deadline, hours_of(match, hold.seat.letter))
        if plan and plan.includes(now) and (lately is None or plan.start > now - lately):
            yield match.pk


def changed_since(since: datetime | None) -> list[tuple[int, int]]:
    """Returns the primary key and the version of each match in which a guest wants notices.

    With `since`, only matches that have changed at that time or later are returned; with None, only matches
    that have not ended.
    """
    matches = Match.objects.filter(_with_listeners())
    matches = matches.filter(changed_at__gte=since) if since else matches.filter(status__in=flow.GOING_ON)
    return list(matches.values_list("pk", "version"))


def _with_listeners(match: str = "pk") -> Exists:
    """Returns the condition that a match has a guest who wants notices, as a subquery.

    `match` is the field with the match's primary key.
    """
    return Exists(Hold.every.filter(seat__match=OuterRef(match), guest__channels__on=True))


def said_since(since: datetime) -> list[int]:
    """Returns the matches (primary keys) in which a player has written a message at `since` or later.

    Only matches with at least one guest who wants notices are returned.
    """
    recent = Message.objects.filter(sent_at__gte=since, watchers=False)
    return list(recent.filter(_with_listeners("match")).values_list("match", flat=True).distinct())
