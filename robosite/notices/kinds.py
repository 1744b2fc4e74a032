"""The kinds of notices: when each is a fact, for whom, and when it is done."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any, NamedTuple

from django.utils import timezone

from robosite.api.proposals import proposals_of
from robosite.matches import flow
from robosite.matches.flow.replying import BY
from robosite.matches.flow.seat_requests import open_requests
from robosite.matches.models import Hold, Match, Nudge, Program, Seat, TakenBack
from robosite.matches.site_models import Asking
from robosite.matches.time.timekeeping import deadline_of, hours_of
from robosite.notices.models import SENDING, STEPS, Channel, Kind, Notice, Wishes
from robosite.notices.warnings_ahead import LEAD, is_warned, plan_of
from robosite.people.models import Guest


def turn_of(match: Match, turn: int) -> str:
    """The text that identifies a turn: its number (from 0) and how many turns were taken back before."""
    return f"{turn}.{match.taken_back}"


def new_notice(match: Match, seat: Seat, guest: Guest, kind: str, fact: str, **more: Any) -> Notice:
    """An unsaved notice, of the present turn and time unless `more` has others."""
    given = {"turn": match.turn, "noted_at": timezone.now(), **more}
    return Notice(match=match, seat=seat, guest=guest, kind=kind, fact=fact, **given)


@dataclass(frozen=True)
class Observed:
    """A match with its standing, and the holds of guests who want notices, from which these are derived."""

    match: Match
    standing: flow.Standing
    holds: list[Hold]

    def note(self, hold: Hold, kind: str, fact: str, **more: Any) -> Notice:
        return new_notice(self.match, hold.seat, hold.guest, kind, fact, **more)

    @property
    def this_turn(self) -> str:
        return turn_of(self.match, self.match.turn)

    def owes(self, seat: Seat) -> bool:
        return self.match.status == Match.Status.PLAYING and seat.at in self.standing.owing

    @cached_property
    def looking_on(self) -> set[int]:
        """The guests (primary keys) who can already see the present turn on their open page."""
        return _looking_on(self)


def _revealed(seen: Observed) -> Iterable[Notice]:
    match = seen.match
    if match.status == Match.Status.PLAYING and match.turn and not _taken_back_last(match):
        for hold in seen.holds:
            if hold.guest_id not in seen.looking_on:
                yield seen.note(hold, Kind.REVEALED, turn_of(match, match.turn - 1), turn=match.turn - 1)


def _turns(seen: Observed) -> Iterable[Notice]:
    if seen.match.status == Match.Status.PLAYING and not (seen.match.turn == 0 and seen.match.is_binding):
        for hold in seen.holds:
            if seen.owes(hold.seat):
                yield seen.note(hold, Kind.TURN, seen.this_turn)


def _turn_starters(seen: Observed) -> set[int]:
    """The guests whose own action started the present turn: who sat down last, or sealed last by hand.

    After a planned reply, those who played the order that it answers. Nobody after a take-back, a
    resignation, or an order that the site has sealed.
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
    """As `_turn_starters`; but if a bot sealed last, the people who sealed last before it."""
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
    return {
        hold.guest_id for hold in seen.holds if hold.seat_id in seats and hold.seat.kind == Seat.Kind.HUMAN
    }


def _taken_back_last(match: Match) -> bool:
    if not match.taken_back:
        return False
    back = TakenBack.objects.filter(seat__match=match).order_by("-taken_back_at").first()
    before = Program.objects.filter(seat__match=match, turn=match.turn - 1).order_by("-sealed_at").first()
    return bool(back and (before is None or not before.sealed_at or before.sealed_at < back.taken_back_at))


def _sat(seen: Observed) -> Iterable[Notice]:
    """Yields notices that a person has sat down, for those who did earlier; not in a competition."""
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
    if seen.match.status != Match.Status.PLAYING:
        return
    nudges = Nudge.objects.filter(seat__match=seen.match, turn=seen.match.turn).select_related("seat")
    for nudge in nudges:
        by = _holders(seen, {nudge.seat_id})
        for hold in seen.holds:
            if seen.owes(hold.seat) and hold.guest_id not in by:
                yield seen.note(hold, Kind.NUDGE, f"{seen.this_turn} {nudge.pk}", who=nudge.seat.name)


def _seat_requests(seen: Observed) -> Iterable[Notice]:
    """Yields notices of open requests for a seat: to all until one says yes, then to the seat's holders."""
    for asking in open_requests(seen.match):
        yes = asking.answer == Asking.Answer.YES
        for hold in seen.holds:
            if hold.guest_id != asking.guest_id and (not yes or hold.seat_id == asking.seat_id):
                fact = f"{asking.pk} yes" if yes else str(asking.pk)
                yield seen.note(hold, Kind.ASKED, fact, who=asking.seat.name)


def _proposals(seen: Observed) -> Iterable[Notice]:
    if seen.match.status not in (Match.Status.PLAYING, Match.Status.OVER):
        return
    for hold in seen.holds:
        for fact, by in _open_proposals(seen.match, seen.standing, hold.seat):
            names = [seat.name for seat in seen.standing.seats if seat.letter in by]
            yield seen.note(hold, Kind.PROPOSED, fact, who=", ".join(names)[:200])


def _open_proposals(match: Match, standing: flow.Standing, own: Seat) -> Iterable[tuple[str, list[str]]]:
    for one in proposals_of(standing, own):
        if own.letter in one.asked and own.letter not in one.declined:
            yield f"{one.kind} {one.match or turn_of(match, match.turn)}", one.by


def _deadlines(seen: Observed) -> Iterable[Notice]:
    """Yields deadline warnings, each for the last threshold reached (`steps_of`) below the turn's length."""
    match, now = seen.match, timezone.now()
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


def last_calls(seen: Observed) -> Iterable[Notice]:
    """Yields a last warning for each channel over which no other would be in time (`warnings_ahead.py`)."""
    match, now = seen.match, timezone.now()
    owing = [hold for hold in seen.holds if seen.owes(hold.seat)]
    for hold, channel in with_channels([hold for hold in owing if _is_near(match, hold.seat, now)]):
        deadline = deadline_of(match, hold.seat.letter)
        assert deadline
        plan = plan_of(channel, steps_of(hold), deadline, hours_of(match, hold.seat.letter))
        if plan is None or not plan.includes(now):
            continue
        facts = {notice.fact for notice in _deadlines(seen) if notice.seat == hold.seat}
        if Notice.objects.filter(guest=hold.guest_id, seat=hold.seat_id, fact__in=facts).count() < len(facts):
            continue  # another warning is noted now
        if not is_warned(channel, hold.seat_id, seen.this_turn, deadline):
            notice = seen.note(hold, Kind.DEADLINE, f"{seen.this_turn} last {channel.pk}")
            notice.only_by = channel.pk
            yield notice


def _is_near(match: Match, seat: Seat, now: datetime) -> bool:
    deadline = deadline_of(match, seat.letter)
    return deadline is not None and now < deadline <= now + LEAD


def with_channels(holds: Collection[Hold]) -> Iterable[tuple[Hold, Channel]]:
    """Yields each hold with each channel of its guest that is on and sends notices."""
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


def steps_of(hold: Hold) -> list[int]:
    """The hours before a deadline at which a hold's guest wants to be warned."""
    wishes: Wishes | None = getattr(hold.guest, "wishes", None)
    return [hours for hours in wishes.steps if hours in STEPS] if wishes else []


def _is_given(match: Match, standing: flow.Standing, notice: Notice) -> bool:
    owes = match.status == Match.Status.PLAYING and notice.seat.at in standing.owing
    return not (owes and notice.fact.split()[0] == turn_of(match, match.turn))


def _is_answered(match: Match, standing: flow.Standing, notice: Notice) -> bool:
    pk, _space, yes = notice.fact.partition(" ")
    asking = Asking.objects.filter(pk=int(pk)).first()
    return not (asking and asking.stands and bool(yes) == (asking.answer == Asking.Answer.YES))


class Fact(NamedTuple):
    """A kind of notice: when and for whom it arises, and when nobody needs it any more.

    Players get no notices of their own acts. If it is their turn again, they get one later (`outbox.put`).
    """

    found: Callable[[Observed], Iterable[Notice]]
    is_done: Callable[[Match, flow.Standing, Notice], bool]


FACTS: dict[Kind, Fact] = {
    Kind.REVEALED: Fact(
        _revealed, lambda match, now, one: match.turn != one.turn + 1 or one.seat.at in now.sealed
    ),
    Kind.TURN: Fact(_turns, _is_given),
    Kind.SAT: Fact(_sat, lambda match, *_: match.turn > 0 or match.status == Match.Status.ABORTED),
    Kind.OVER: Fact(_over, lambda *_: False),
    Kind.NUDGE: Fact(_nudges, _is_given),
    Kind.DEADLINE: Fact(_deadlines, _is_given),
    Kind.ASKED: Fact(_seat_requests, _is_answered),
    Kind.PROPOSED: Fact(
        _proposals, lambda match, now, one: one.fact not in dict(_open_proposals(match, now, one.seat))
    ),
    Kind.MESSAGE: Fact(lambda _seen: (), lambda _match, _now, one: one.done_at is not None),
    Kind.PASSED: Fact(lambda _seen: (), lambda *_: False),
}
"""All kinds of notices. Those of messages and of seats that have passed come from signals (`facts.py`)."""
OF_A_TURN = [kind for kind, fact in FACTS.items() if fact.is_done is _is_given]
