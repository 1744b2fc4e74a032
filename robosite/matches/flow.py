"""The one door for every write to a match: open, join, draft, seal, reopen, resign, draw, leave, deadlines.

Each write locks the match's row (on SQLite the IMMEDIATE transaction is the lock), checks turn and status,
writes, plays the turn if it is complete, and commits; only then is the change pushed. Whatever the game, the
flow is the same: a sequential game is a turn with one seat in it.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from random import SystemRandom
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Min
from django.dispatch import Signal
from django.utils import timezone
from django.utils.translation import gettext

from games import newest
from games.core import (
    DRAW,
    RESIGN,
    Game,
    IllegalOrder,
    Order,
    Sentence,
    Setup,
    State,
    play_turn,
    seat_letters,
    whole_turn,
)
from games.core import Seat as Letter
from games.record import seal as seal_of
from robosite.matches import heartbeat, push, timekeeping
from robosite.matches.history import place, state_of, states_of
from robosite.matches.models import Asking, Hold, Match, Program, Seat, hash_secret, new_secret
from robosite.matches.seals import Lost, Secret, lock, new_nonce, unlock
from robosite.metrics import SEALS
from robosite.people.models import Guest
from robosite.people.names import clean_name, robot_name
from robosite.signals import tell
from robosite.words import told

GOING_ON = (Match.Status.OPEN, Match.Status.PLAYING)

LONGEST_ORDER = 2_000
"""The most characters of an order or a draft."""

_chance = SystemRandom()

log = logging.getLogger("robosite")

happened = Signal()
"""Sent inside the transaction of every change of a match, with the `match`; who listens reads the facts.

A listener that fails changes nothing of the match: whatever it leaves out must follow from the facts later.
"""


passed = Signal()
"""Sent inside the transaction when a lost `seat` passes to another `guest`: whatever is kept for who sat
there, and is nobody else's to read, is to be erased.
"""


class Refused(Exception):
    """Something that cannot be done now; `sentence` tells why and what to do. Nothing was changed."""

    def __init__(self, template: str, /, **facts: object) -> None:
        self.sentence = Sentence(template, **facts)
        super().__init__(template)

    def __str__(self) -> str:
        return told(self.sentence)


class WrongInvite(Refused):
    """The invite is none, or an old one."""


class TooLong(Refused):
    """An order or a draft of more than LONGEST_ORDER characters."""


@dataclass(frozen=True, slots=True)
class Taken:
    """A seat just taken, with the secret of its link: the only time that anybody sees it."""

    seat: Seat
    secret: str


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a player gets for sealing. Whoever keeps it can prove later that the order was not changed."""

    turn: int
    seat: Letter
    order: Order
    seal: str
    sealed_at: datetime
    revealed: bool
    version: int


@contextmanager
def door(match: Match) -> Iterator[Match]:
    """The match, locked and fresh, in a transaction; the change is pushed after the commit if there was one.

    What the block changes in the match is saved with its new version (`changed`).
    """
    now = timezone.now()
    if match.deadline_hours is not None:
        give_time_back(now)
    with transaction.atomic():
        locked = Match.objects.select_for_update().get(pk=match.pk)
        before = locked.version
        _hand_over(locked, now)
        _keep_time(locked, now)
        yield locked
        if locked.version != before:
            _save(locked)
    match.refresh_from_db()


@contextmanager
def clocks_of(guest: Guest) -> Iterator[None]:
    """Around a change of a guest's holidays: sets the clocks of all matches in which he sits anew."""
    now = timezone.now()
    give_time_back(now)
    with transaction.atomic():
        his = Hold.objects.filter(guest=guest, seat__match__deadline_hours__isnull=False)
        keys = his.filter(seat__match__status=Match.Status.PLAYING).values("seat__match")
        matches = list(Match.objects.select_for_update().filter(pk__in=keys).order_by("pk"))
        for match in matches:
            _keep_time(match, now)
        yield
        for match in matches:
            changed(match)
            _save(match)


def give_time_back(now: datetime, *, alive: bool = False) -> None:
    """If the site was down until now, its players get that time back. `alive`: it is the clock that asks."""
    gap = heartbeat.beat(now, alive=alive)
    if gap:
        Asking.objects.filter(answer=Asking.Answer.YES).update(due=F("due") + gap)
        Match.objects.exclude(handover_at=None).update(handover_at=F("handover_at") + gap)
        log.warning("the site was down for %s: so much time is given back to all who are to play", gap)


def _save(match: Match) -> None:
    """What a write ends with: pages are told after the commit, the site's other parts before it."""
    pausing = match.deadline_hours is not None and wants_pause(match)
    timekeeping.settle(match, timezone.now(), lambda: owing(match), pausing=pausing)
    match.to_act = acting(match)
    match.save()
    push.changed(match)
    tell(happened, Match, match.key, match=match)


# Making a match and sitting down


def create(
    game: Game,
    options: Any,
    seats: int,
    name: str,
    *,
    wish: Mapping[str, Any] | None = None,
    at: str = "A",
    deadline_hours: float | None = None,
    late: str = Match.Late.CLAIM,
    listed: bool = False,
    watched: bool = True,
    weekends_off: bool = False,
    zone: str = "",
    bots: Mapping[str, str] | None = None,
    guest: Guest | None = None,
    rematch_of: Match | None = None,
) -> tuple[Match, Taken, str]:
    """A new match with its maker on a seat (`at` is its letter, or "random"); also the secret of its invite.

    `bots` says which programs sit down with him, by letter; with nobody else to wait for it begins at once.
    Raises IllegalOption for options, seats or a wish that the game does not have, RefusedName for the name.
    """
    game.check_seats(options, seats)
    setup = game.draw(options, seats, _chance, dict(wish or {}))
    name = clean_name(name)
    invite = new_secret()
    if deadline_hours is not None:
        give_time_back(timezone.now())
    with transaction.atomic():
        match = Match.objects.create(
            game_slug=game.slug,
            rules=game.rules,
            given_options=game.write_options(options),
            setup=setup,
            invite_hash=hash_secret(invite),
            deadline_hours=deadline_hours,
            late=late,
            weekends_off=weekends_off,
            zone=zone or settings.TIME_ZONE,
            listed=listed,
            watched=watched,
            rematch_of=rematch_of,
        )
        Seat.objects.bulk_create([Seat(match=match, letter=letter) for letter in seat_letters(seats)])
        free = [letter for letter in seat_letters(seats) if letter not in (bots or {})]
        letter = _chance.choice(free) if at == "random" else at
        taken = _sit(match.seats.get(letter=letter), name, guest, host=True)
        for other, player in (bots or {}).items():
            _sit_bot(match, other, player)
        if bots:
            _begin_if_full(match)
            _save(match)
        else:
            match.to_act = acting(match)
            match.save(update_fields=["to_act"])
    return match, taken, invite


def rematch(match: Match, seat: Seat, guest: Guest | None) -> tuple[Match, Taken, str] | None:
    """A new match of the same kind in which everybody sits one seat further; None if there is one already.

    Whoever asks first sits down and invites; the others find their way from the old match.
    """
    with transaction.atomic():
        locked = Match.objects.select_for_update().get(pk=match.pk)
        if locked.status != Match.Status.OVER:
            raise Refused("A rematch can be made when this match is over.")
        if Match.objects.filter(rematch_of=locked).exists():
            return None
        seats = seat_letters(locked.seats.count())
        made = create(
            newest(locked.game_slug),
            locked.options,
            len(seats),
            seat.name,
            at=seats[(seats.index(seat.at) + 1) % len(seats)],
            deadline_hours=locked.deadline_hours,
            late=locked.late,
            weekends_off=locked.weekends_off,
            zone=locked.zone,
            watched=locked.watched,
            guest=guest,
            rematch_of=locked,
        )
        bots = locked.seats.filter(kind=Seat.Kind.BOT)
        for bot in bots:
            _sit_bot(made[0], seats[(seats.index(bot.at) + 1) % len(seats)], bot.player, bot.name)
        if bots:
            _begin_if_full(made[0])
            _save(made[0])
        locked.version += 1
        _save(locked)
    return made


def kept_for(match: Match) -> dict[Letter, str]:
    """Who is expected on the free seats of a rematch, by name: those who played before."""
    before = match.rematch_of
    if before is None or match.status != Match.Status.OPEN:
        return {}
    letters = seat_letters(before.seats.count())
    return {letters[(letters.index(seat.at) + 1) % len(letters)]: seat.name for seat in before.seats.all()}


def join(
    match: Match, name: str, *, invite: str | None = None, at: str | None = None, guest: Guest | None = None
) -> Taken:
    """Sits down on a free seat: the one asked for, else the first. A listed table needs no invite."""
    with door(match) as locked:
        asked = invite is not None and invite_opens(locked, invite)
        if not asked and not (locked.listed and invite is None):
            raise WrongInvite("This invite is not, or no longer, the one to this table. Ask for a new link.")
        if locked.status != Match.Status.OPEN:
            raise Refused("All seats of this table are taken.")
        free = [seat for seat in locked.seats.all() if not seat.taken and at in (None, seat.letter)]
        if not free:
            raise Refused("Seat {at} is taken already.", at=at)
        others = [seat.name for seat in locked.seats.all() if seat.taken]
        taken = _sit(free[0], clean_name(name, others), guest)
        changed(locked)
        _begin_if_full(locked)
    return taken


def rejoin(match: Match, seat: Seat, guest: Guest) -> Taken:
    """Sits down on the seat of a rematch that is meant for who holds `seat` of the match before."""
    before = match.rematch_of
    if before is None or seat.match_id != before.pk:
        raise Refused("This is no rematch of that match.")
    letters = seat_letters(before.seats.count())
    meant = letters[(letters.index(seat.at) + 1) % len(letters)]
    with door(match) as locked:
        own = locked.seats.get(letter=meant)
        if locked.status != Match.Status.OPEN or own.taken:
            raise Refused("Seat {at} is taken already.", at=str(meant))
        others = [other.name for other in locked.seats.all() if other.taken]
        taken = _sit(own, clean_name(seat.name, others), guest)
        changed(locked)
        _begin_if_full(locked)
    return taken


def add_bot(host: Seat, at: str, player: str) -> None:
    """The host lets a program play on a free seat, before the start."""
    with door(host.match) as match:
        _may_seat_bots(match, host)
        if match.seats.get(letter=at).taken:
            raise Refused("Seat {at} is taken already.", at=at)
        _sit_bot(match, at, player)
        changed(match)
        _begin_if_full(match)


def remove_bot(host: Seat, at: str) -> None:
    """The host takes a program away again, before the start."""
    with door(host.match) as match:
        _may_seat_bots(match, host)
        seat = match.seats.get(letter=at)
        if not seat.is_bot:
            raise Refused("No bot sits on seat {at}.", at=at)
        _vacate(seat)
        changed(match)


def _may_seat_bots(match: Match, host: Seat) -> None:
    host.refresh_from_db()
    if not host.host:
        raise Refused("Only who made the match can let bots play.")
    if match.status != Match.Status.OPEN:
        raise Refused("All seats of this table are taken.")


def invite_opens(match: Match, invite: str) -> bool:
    return bool(match.invite_hash) and hash_secret(invite) == match.invite_hash


def note_opened(match: Match, name: str) -> None:
    """Somebody looks at the invite: the host may know."""
    with door(match) as locked:
        if locked.status == Match.Status.OPEN and (locked.opened_at is None or locked.opened_by != name):
            locked.opened_at = timezone.now()
            locked.opened_by = name
            changed(locked)


def new_invite(seat: Seat) -> str:
    """A new invite link, made by the host; the old one opens nothing from now on."""
    with door(seat.match) as match:
        if not seat.host or match.status != Match.Status.OPEN:
            raise Refused("Only who made the match can make a new invite, while a seat is free.")
        invite = new_secret()
        match.invite_hash = hash_secret(invite)
        match.save(update_fields=["invite_hash"])
    return invite


def new_link(seat: Seat, guest: Guest) -> str:
    """A new link to one's own seat: the old one, and all other browsers that used it, are out."""
    with door(seat.match) as match:
        secret = new_secret()
        Seat.objects.filter(pk=seat.pk).update(link_hash=hash_secret(secret))
        Hold.objects.filter(seat=seat).exclude(guest=guest).delete()
        if seat.askings.all().delete()[0]:  # who makes a link is there
            note_handover(match)
            changed(match)
    push.seat_changed(seat)
    return secret


def leave(seat: Seat) -> None:
    """Gives up a seat before the start; the last one to go, or the host's call, ends the match unplayed."""
    with door(seat.match) as match:
        if match.status != Match.Status.OPEN:
            raise Refused("The match has begun. You can resign instead.")
        _still_yours(seat)
        hosted = seat.host
        _vacate(seat)
        changed(match)
        people = [other for other in match.seats.all() if other.taken and not other.is_bot]
        if not people:
            _abort(match)
        elif hosted:
            heir = people[0]
            heir.host = True
            heir.save(update_fields=["host"])


def call_off(seat: Seat) -> None:
    """The host calls the match off before its start."""
    with door(seat.match) as match:
        if not seat.host:
            raise Refused("Only who made the match can call it off.")
        if match.status != Match.Status.OPEN:
            raise Refused("The match has begun. You can resign instead.")
        _abort(match)


def close(match: Match) -> None:
    """A moderator closes a match that goes on: it is called off, nobody has won, nothing more is revealed."""
    with door(match) as locked:
        if locked.status not in GOING_ON:
            raise Refused("This match is over already.")
        _abort(locked)


def give_up_lost(match: Match) -> None:
    """Where a key is lost (`lost.py`): who sealed under it is asked to seal again.

    A match that kept played orders secret under it is called off, and ends with the last turn that can still
    be replayed: nobody knows any more what was played then.
    """
    with transaction.atomic():
        locked = Match.objects.select_for_update().get(pk=match.pk)
        if locked.status not in GOING_ON:
            return
        gone = [program for program in _sealed_secrets(locked) if is_lost(locked, program.seat, program)]
        if not gone:
            return
        first = min(program.turn for program in gone)
        if first < locked.turn:
            _abort(locked)
            locked.turn = first
        else:
            for program in gone:
                _unseal_lost(program)
            if locked.status == Match.Status.PLAYING:
                timekeeping.begin_turn(locked)
            changed(locked)
        _save(locked)
    match.refresh_from_db()


def note_handover(match: Match) -> None:
    """Inside the door: the match knows when the next lost seat passes to who asks for it (`asking.py`)."""
    due = Asking.objects.filter(seat__match=match, answer=Asking.Answer.YES)
    match.handover_at = due.aggregate(first=Min("due"))["first"]


def _hand_over(match: Match, now: datetime) -> None:
    """Seats that were asked for, and whose time to object is over, pass.

    The old link and browsers are out. What was sealed or drafted and not revealed is erased and owed again;
    what the game itself keeps secret for the seat stays the seat's.
    """
    if match.handover_at is None or match.handover_at > now:
        return
    due = Asking.objects.filter(seat__match=match, answer=Asking.Answer.YES, due__lte=now)
    for asking in due.select_related("seat__match", "guest").order_by("due", "pk"):
        seat = asking.seat
        seat.holds.all().delete()
        Hold.objects.create(seat=seat, guest=asking.guest, seen_turn=max(match.turn - 1, 0))
        Seat.objects.filter(pk=seat.pk).update(link_hash="")
        Program.objects.filter(seat=seat, turn=match.turn).delete()
        Program.objects.filter(seat=seat, order="", seal="").delete()
        seat.askings.all().delete()
        passed.send(Match, seat=seat, guest=asking.guest)
        push.seat_changed(seat)
    note_handover(match)
    changed(match)


# Programs


def draft(seat: Seat, turn: int, text: str, tab: str = "", *, taken_back: int | None = None) -> None:
    """Keeps an unfinished order of the present turn, for this seat's eyes only.

    A turn's number comes again once it was taken back: who says how many turns were taken back when he looked
    (`taken_back`) writes nothing for a position that he has not seen.
    """
    _check_length(text)
    with door(seat.match) as match:
        _same_line(match, taken_back)
        program = _own(match, seat, turn)
        if program.sealed:
            raise Refused("You have sealed already. Reopen it to change it.")
        _write(match, seat, program, Secret(text))
    push.draft_changed(seat, tab)


def seal(seat: Seat, turn: int, text: str, *, taken_back: int | None = None) -> Receipt:
    """Seals an order for the present turn, in place of one sealed before; plays the turn if it was the last.

    The same canonical order again gives the same receipt without a second effect, also when its turn has been
    played. Raises IllegalOrder if the rules refuse it. `taken_back` as in `draft`.
    """
    _check_length(text)
    with door(seat.match) as match:
        _same_line(match, taken_back)
        if turn < match.turn:
            return _again(match, seat, turn, text)
        program = _own(match, seat, turn)
        order = _legal(match, state_of(match), seat, text)
        if program.sealed and _text(match, seat, program) == order:
            return _receipt(match, seat, program, order, revealed=False)
        _seal(match, seat, program, order)
        if seat.missed:
            seat.missed = 0
            seat.save(update_fields=["missed"])
        changed(match)
        _advance(match)
        return _receipt(match, seat, program, order, revealed=match.turn > turn)


def answer(seat: Seat, turn: int, order: Order) -> bool:
    """Seals for a seat that a program holds, once a turn: whoever comes later changes nothing.

    Says whether it was sealed. Raises IllegalOrder if the rules refuse the order.
    """
    with door(seat.match) as match:
        seat.refresh_from_db()
        if match.turn != turn or match.status not in GOING_ON or not seat.is_bot:
            return False
        if seat.at not in standing(match).owing:
            return False
        _seal(match, seat, _own(match, seat, turn), _legal(match, state_of(match), seat, order))
        changed(match)
        _advance(match)
        return True


def reopen(seat: Seat, turn: int) -> None:
    """Takes a seal back before the reveal: the order is the draft again."""
    with door(seat.match) as match:
        program = _own(match, seat, turn)
        if program.sealed:
            text = _text(match, seat, program)
            program.seal, program.sealed_at = "", None
            _write(match, seat, program, Secret(text))
            changed(match)


def draft_of(match: Match, seat: Seat, now: Standing | None = None) -> str:
    """What this seat has typed for the present turn and not sealed; "" if nothing, or if no key opens it."""
    program = (now or standing(match)).programs.get(seat.at)
    if program is None and match.status not in GOING_ON:
        program = Program.objects.filter(seat=seat, turn=match.turn - 1, order="").first()
    if program is None or program.sealed or not program.secret:
        return ""
    return _text(match, seat, program)


def order_of(match: Match, seat: Seat, now: Standing | None = None) -> Receipt | None:
    """The receipt of what this seat has sealed for the present turn, or None."""
    program = (now or standing(match)).programs.get(seat.at)
    if program is None or not program.sealed:
        return None
    return _receipt(match, seat, program, _text(match, seat, program), revealed=False)


# Ending


def resign(seat: Seat) -> None:
    """Resigns; in an open match the seat is given up."""
    if seat.match.status == Match.Status.OPEN:
        leave(seat)
        return
    with door(seat.match) as match:
        _still_in(match, seat)
        if seat.resigned_turn != match.turn:
            _resign(match, seat)
            changed(match)
            _advance(match)
    seat.refresh_from_db()


def forget(seat: Seat) -> None:
    """Who sits there is gone for good: the seat is left or resigned, and his name and links are erased."""
    with suppress(Refused):
        resign(seat)
    with door(seat.match) as match:
        seat.refresh_from_db()
        seat.holds.all().delete()
        Program.objects.filter(seat=seat, order="", seal="").delete()
        if seat.taken:
            seat.name, seat.link_hash = gettext("Somebody"), ""
            seat.save(update_fields=["name", "link_hash"])
        changed(match)


class Ending(StrEnum):
    """What all who are still in may end the match with, once they agree."""

    DRAW = "draw"
    OFF = "off"
    """Called off: nobody has won, and it counts for nothing. Bots always agree."""


def offer_draw(seat: Seat, offer: bool) -> None:
    """Offers a draw, or takes the offer back. It stands until the next turn has been played."""
    offer_ending(seat, Ending.DRAW, offer)


def offer_ending(seat: Seat, ending: Ending, offer: bool) -> None:
    """Offers to end the match so, or takes the offer back. It stands until the next turn has been played."""
    with door(seat.match) as match:
        _still_in(match, seat)
        made = match.turn if offer else None
        standing = stands(seat, match, ending)
        if standing != offer or (offer and getattr(seat, f"{ending}_turn") != match.turn):
            _note(seat, f"{ending}_turn", made)
            if standing != offer:
                changed(match)
            _advance(match)


def decline_ending(seat: Seat, ending: Ending) -> None:
    """Says that one would rather play on. What others have offered stands: one may still come to agree."""
    with door(seat.match) as match:
        _still_in(match, seat)
        others = [other for other in match.seats.all() if other.pk != seat.pk]
        if not any(stands(other, match, ending) for other in others):
            raise Refused("Nobody offers that now. Look at the match again.")
        if getattr(seat, f"{ending}_no") != match.turn or stands(seat, match, ending):
            _note(seat, f"{ending}_no", match.turn)
            _note(seat, f"{ending}_turn", None)
            changed(match)


def _note(seat: Seat, fact: str, turn: int | None) -> None:
    setattr(seat, fact, turn)
    seat.save(update_fields=[fact])


def stands(seat: Seat, match: Match, ending: Ending) -> bool:
    """Whether the seat's offer to end the match so still stands: made in this turn or the one before."""
    made = getattr(seat, f"{ending}_turn")
    return made is not None and made + 1 >= match.turn


def standing_draw(seat: Seat, match: Match) -> bool:
    """Whether the seat's offer of a draw still stands."""
    return stands(seat, match, Ending.DRAW)


def has_declined(seat: Seat, match: Match, offers: Collection[Seat], ending: Ending) -> bool:
    """Whether the seat has said no since the last of these offers was made."""
    last = max((getattr(other, f"{ending}_turn") for other in offers), default=0)
    said = getattr(seat, f"{ending}_no")
    return said is not None and said >= last and not stands(seat, match, ending)


def claim(seat: Seat, other: Seat) -> None:
    """Stops waiting for a seat past its deadline: it counts as resigned."""
    with door(seat.match) as match:
        _still_in(match, seat)
        if other.at not in claimable(match, seat.at):
            raise Refused("Seat {at} is not late, or you still owe an order yourself.", at=other.letter)
        other.refresh_from_db()
        _resign(match, other)
        changed(match)
        _advance(match)


@dataclass(frozen=True, slots=True)
class Standing:
    """How a match stands, read at once: its seats, its position, and what was given for the present turn."""

    match: Match
    seats: list[Seat]
    state: State
    programs: Mapping[Letter, Program]

    @property
    def sealed(self) -> dict[Letter, Program]:
        return {seat: program for seat, program in self.programs.items() if program.sealed}

    @property
    def resigning(self) -> set[Letter]:
        return {seat.at for seat in self.seats if seat.resigned_turn == self.match.turn}

    @property
    def drawing(self) -> set[Letter]:
        """Whose offers of a draw stand."""
        return {seat.at for seat in self.seats if standing_draw(seat, self.match)}

    @property
    def people(self) -> frozenset[Letter]:
        """Who is still in and no program."""
        return self.state.still_in() - self.resigning - {seat.at for seat in self.seats if seat.is_bot}

    @property
    def calling_off(self) -> bool:
        """Whether all people who are still in want to call the match off."""
        return bool(self.people) and self.people <= {
            seat.at for seat in self.seats if stands(seat, self.match, Ending.OFF)
        }

    @property
    def owing(self) -> list[Letter]:
        """Who still owes an order for the present turn, in seat order."""
        if self.match.status not in GOING_ON:
            return []
        owing = self.state.to_act() - self.sealed.keys() - self.resigning
        return [seat.at for seat in self.seats if seat.at in owing]

    def claimable(self, by: Letter) -> list[Letter]:
        """Which seats `by` may stop waiting for."""
        match, late = self.match, self.owing
        claims = match.overdue and match.status == Match.Status.PLAYING and match.late == Match.Late.CLAIM
        return late if claims and by not in late else []


def standing(match: Match) -> Standing:
    seats = list(match.seats.all())
    letters = {seat.pk: seat.at for seat in seats}
    programs = Program.objects.filter(seat__in=letters, turn=match.turn)
    return Standing(match, seats, state_of(match), {letters[p.seat_id]: p for p in programs})


def acting(match: Match) -> str:
    """The letters of who acts in the present turn, sealed or not; kept with the match for long lists.

    Nobody, where a key is missing for what was played (`lost.py`).
    """
    try:
        return "".join(sorted(state_of(match).to_act())) if match.status in GOING_ON else ""
    except Lost:
        return ""


def note_acting(most: int = 50) -> int:
    """Writes down who acts for matches that are older than the column; says for how many, at most `most`."""
    matches = list(Match.objects.filter(to_act=None)[:most])
    for match in matches:
        same = Match.objects.filter(pk=match.pk, to_act=None, version=match.version)
        same.update(to_act=acting(match))
    return len(matches)


def owing(match: Match) -> list[Letter]:
    """Who still owes an order for the present turn, in seat order."""
    return standing(match).owing


def claimable(match: Match, by: Letter) -> list[Letter]:
    """Which seats `by` may stop waiting for."""
    return standing(match).claimable(by)


def look(match: Match) -> Match:
    """Brings a match up to facts already true: who looks at an overdue match moves it on."""
    now = timezone.now()
    if timekeeping.is_due(match, now) or (match.handover_at and match.handover_at <= now):
        with door(match):
            pass
    return match


# Inside the door


def _sit(seat: Seat, name: str, guest: Guest | None, *, host: bool = False) -> Taken:
    secret = new_secret()
    seat.name, seat.host, seat.link_hash, seat.taken_at = name, host, hash_secret(secret), timezone.now()
    seat.save()
    if guest:
        Hold.objects.get_or_create(seat=seat, guest=guest)
    return Taken(seat, secret)


def _sit_bot(match: Match, at: str, player: str, name: str = "") -> None:
    """A program sits down. Its seat has no link, so nobody else can ever act for it."""
    seat = match.seats.get(letter=at)
    others = [other.name for other in match.seats.all() if other.taken]
    seat.name = name or robot_name(others, _chance)
    seat.kind, seat.player, seat.taken_at = Seat.Kind.BOT, player, timezone.now()
    seat.save()


def _vacate(seat: Seat) -> None:
    seat.holds.all().delete()
    seat.askings.all().delete()
    seat.programs.all().delete()
    seat.name, seat.link_hash, seat.taken_at, seat.host, seat.draw_turn = "", "", None, False, None
    seat.kind, seat.player = Seat.Kind.HUMAN, ""
    seat.save()


def _abort(match: Match) -> None:
    match.status = Match.Status.ABORTED
    match.invite_hash = ""
    match.rematch_of = None  # another rematch may be made in its place
    _erase(Program.objects.filter(seat__match=match, turn=match.turn))
    match.overdue = False
    changed(match)


def _begin_if_full(match: Match) -> None:
    if all(seat.taken for seat in match.seats.all()):
        match.status = Match.Status.PLAYING
        timekeeping.begin_turn(match)
        _advance(match)


def lay_anew(match: Match, taken: list[Seat], setup: Setup) -> None:
    """Inside the door: begins with these seats alone, lettered without gaps; seals are drafts again."""
    _erase(Program.objects.filter(seat__match=match))
    drafts = {seat.pk: draft_of(match, seat) for seat in taken}
    match.seats.exclude(pk__in=drafts).delete()
    match.setup = setup
    for seat, letter in zip(taken, seat_letters(len(taken)), strict=True):
        if seat.letter == letter:
            continue
        seat.was, seat.letter = seat.letter, letter
        seat.save(update_fields=["letter", "was"])
        for program in Program.objects.filter(seat=seat):  # what is kept is bound to the seat's letter
            _write(match, seat, program, Secret(drafts[seat.pk]))
    changed(match)
    _begin_if_full(match)


def _check_length(text: str) -> None:
    if len(text) > LONGEST_ORDER:
        raise TooLong("This is too long: {most} characters at most.", most=LONGEST_ORDER)


def _still_yours(seat: Seat) -> None:
    """The seat as it is now, unless it was given up, or has passed, since it was read."""
    taken_at, link = seat.taken_at, seat.link_hash
    seat.refresh_from_db()
    if taken_at is None or seat.taken_at != taken_at or (link and not seat.link_hash):
        raise Refused("This seat is not yours any more.")


def _still_in(match: Match, seat: Seat) -> State:
    """The present state, if the match goes on and the seat is in it."""
    if match.status == Match.Status.OPEN:
        raise Refused("The match has not begun yet.")
    if match.status != Match.Status.PLAYING:
        raise Refused("The match is over.")
    seat.refresh_from_db()
    state = state_of(match)
    if seat.at not in state.still_in():
        raise Refused("You are out of this match.")
    return state


def _same_line(match: Match, taken_back: int | None) -> None:
    """Refuses who has not seen yet that a turn was taken back."""
    if taken_back is not None and taken_back != match.taken_back:
        raise Refused("A turn was taken back meanwhile. Look at the board again.")


def _own(match: Match, seat: Seat, turn: int) -> Program:
    """The seat's program for the present turn (perhaps not saved yet), if the seat may write one now."""
    if match.status not in GOING_ON:
        raise Refused("The match is over.")
    if turn != match.turn:
        raise Refused("Turn {turn} is not the present one.", turn=turn)
    _still_yours(seat)
    if seat.at not in state_of(match).to_act() or seat.resigned_turn == turn:
        raise Refused("You have nothing to play now.")
    return Program.objects.filter(seat=seat, turn=turn).first() or Program(seat=seat, turn=turn)


def _legal(match: Match, state: State, seat: Seat, text: str) -> Order:
    if text.strip().lower() in (RESIGN, DRAW):
        raise IllegalOrder("“{order}” is no order: use the button for it.", order=text.strip().lower())
    return state.view(seat.at).check(seat.at, text)


def _secret(match: Match, seat: Seat, program: Program) -> Secret:
    return unlock(place(match, program.turn, seat.letter), program.secret or b"")


def _text(match: Match, seat: Seat, program: Program) -> str:
    """What the seat has typed; "" if no key opens it any more."""
    try:
        return _secret(match, seat, program).text
    except Lost:
        return ""


def is_lost(match: Match, seat: Seat, program: Program | None) -> bool:
    """Whether the seat has typed something here that no key opens any more."""
    if program is None or program.secret is None:
        return False
    try:
        _secret(match, seat, program)
    except Lost:
        return True
    return False


def _sealed_secrets(match: Match) -> Iterable[Program]:
    """What was sealed in this match and is secret still, played or not."""
    secrets = Program.objects.filter(seat__match=match, secret__isnull=False).exclude(seal="")
    return secrets.select_related("seat")


def _unseal_lost(program: Program) -> None:
    """What cannot be opened stays as it is: it tells its seat's page that it was lost."""
    program.seal, program.sealed_at = "", None
    program.save(update_fields=["seal", "sealed_at"])


def _write(match: Match, seat: Seat, program: Program, secret: Secret) -> None:
    program.secret = lock(place(match, program.turn, seat.letter), secret)
    program.save()


def _seal(match: Match, seat: Seat, program: Program, order: Order, by: str = "") -> None:
    nonce = new_nonce()
    program.seal = seal_of(match.key, program.turn, seat.letter, nonce, order)
    program.sealed_at = timezone.now()
    program.by = by
    _write(match, seat, program, Secret(order, nonce))
    transaction.on_commit(SEALS.inc)


def _receipt(match: Match, seat: Seat, program: Program, order: Order, *, revealed: bool) -> Receipt:
    assert program.sealed_at
    return Receipt(program.turn, seat.at, order, program.seal, program.sealed_at, revealed, match.version)


def _again(match: Match, seat: Seat, turn: int, text: str) -> Receipt:
    """The receipt of an order already played, if it is the same one; also of one that was never played."""
    program = Program.objects.filter(seat=seat, turn=turn).first()
    if program and program.seal:
        order = program.order or _text(match, seat, program)
        if _same(match, turn, seat, text, order):
            return _receipt(match, seat, program, order, revealed=True)
    raise Refused("That turn was played with another order. Look at what happened.")


def _same(match: Match, turn: int, seat: Seat, text: str, order: Order) -> bool:
    try:
        return states_of(match)[turn].view(seat.at).check(seat.at, text) == order
    except IllegalOrder:
        return False


def _resign(match: Match, seat: Seat) -> None:
    """Notes the resignation; what the seat had sealed for this turn is no seal any more."""
    seat.resigned_turn = match.turn
    seat.save(update_fields=["resigned_turn"])
    _erase(Program.objects.filter(seat=seat, turn=match.turn))


def _erase(programs: Any) -> None:
    """An order that is never played loses its seal and nonce; its text stays the seat's own draft."""
    for program in programs.select_related("seat__match"):
        if program.sealed:
            match = program.seat.match
            text = _text(match, program.seat, program)
            program.seal, program.sealed_at = "", None
            _write(match, program.seat, program, Secret(text))


def _advance(match: Match) -> None:
    """Plays the present turn if it is complete: reveals its programs, and ends the match if it is over."""
    if match.status != Match.Status.PLAYING:
        return
    now = standing(match)
    if now.calling_off:
        _abort(match)
        return
    state, sealed, seats = now.state, now.sealed, {seat.at: seat for seat in now.seats}
    whole = whole_turn(state, dict.fromkeys(sealed, ""), now.resigning, now.drawing)
    if whole is None:
        return
    orders = {seat: order or _text(match, seats[seat], sealed[seat]) for seat, order in whole.items()}
    lost = [seat for seat, order in orders.items() if not order]
    if lost:  # no key opens them any more: they must be sealed anew, or the match would hang for ever
        for at in lost:
            _unseal_lost(sealed[at])
        timekeeping.begin_turn(match)
        changed(match)
        return
    *_, after = play_turn(state, orders)
    _reveal(match, after, orders, sealed)
    match.turn += 1
    outcome = after.outcome()
    if outcome:
        match.status = Match.Status.OVER
        match.outcome_json = outcome.as_json()
        match.overdue = False
        _uncover(match)
    else:
        timekeeping.begin_turn(match)
    changed(match)


def _reveal(
    match: Match, after: State, orders: Mapping[Letter, Order], sealed: Mapping[Letter, Program]
) -> None:
    """Writes the played orders where all can read them, except those that the game conceals still."""
    played = {seat for seat, order in orders.items() if order not in (RESIGN, DRAW)}
    for seat in match.seats.all():
        if seat.at in played:
            program = sealed[seat.at]
            if not after.conceals(match.turn, seat.at):
                _open(match, seat, program)
        elif seat.at in orders:
            _erase(Program.objects.filter(seat=seat, turn=match.turn))
            Program.objects.update_or_create(
                seat=seat, turn=match.turn, defaults={"order": orders[seat.at], "seal": "", "sealed_at": None}
            )
        else:
            _erase(Program.objects.filter(seat=seat, turn=match.turn))


def _open(match: Match, seat: Seat, program: Program) -> None:
    secret = _secret(match, seat, program)
    program.order, program.nonce, program.secret = secret.text, secret.nonce, None
    program.save()


def _uncover(match: Match) -> None:
    """When a match is over, nothing that was sealed and played stays secret."""
    concealed = Program.objects.filter(seat__match=match, order="", turn__lt=match.turn).exclude(seal="")
    for program in concealed.select_related("seat"):
        _open(match, program.seat, program)


def changed(match: Match) -> None:
    match.version += 1


# Deadlines

LEAVES = 3
"""Who misses so many deadlines in a row has left, where turns are filled: at the last one he resigns."""
GONE = 2
"""Once all people still in it have missed so many in a row, the match is called off."""


def people_in(match: Match) -> list[Seat]:
    """Those still in the match who are no programs, in seat order."""
    now = standing(match)
    return [seat for seat in now.seats if seat.at in now.people]


def wants_pause(match: Match) -> bool:
    """Whether all people still in it want a pause."""
    if match.status != Match.Status.PLAYING or not match.seats.filter(wants_pause=True).exists():
        return False
    return all(seat.wants_pause for seat in people_in(match))


def _keep_time(match: Match, now: datetime) -> None:
    """Applies what has followed from time alone (RULINGS G1 for who resigns)."""
    while timekeeping.is_due(match, now):
        _pass_deadline(match)


def _pass_deadline(match: Match) -> None:
    timekeeping.pass_deadline(match)
    seats = {seat.at: seat for seat in match.seats.all()}
    for letter in owing(match):  # a program that is late is the site's own fault: nobody gains by it
        if seats[letter].is_bot:
            _fill(match, seats[letter])
    late = [seats[letter] for letter in owing(match)]
    for seat in late:
        seat.missed += 1
        seat.save(update_fields=["missed"])
    first, match.overdue = not match.overdue, True
    leaving = [seat for seat in late if _leaves(match, seat)]
    staying = [seat for seat in people_in(match) if seat not in leaving]
    if late and all(seat.missed >= GONE for seat in staying):
        _abort(match)
        match.overdue = True  # the page says why
        return
    for seat in late:
        if seat in leaving:
            _resign(match, seat)
        elif match.late == Match.Late.FILL:
            _fill(match, seat)
    if first or match.late != Match.Late.CLAIM:
        changed(match)
    else:
        Match.objects.filter(pk=match.pk).update(due=match.due)  # nothing that anybody would see
    _advance(match)


def _leaves(match: Match, seat: Seat) -> bool:
    """Whether who is late resigns by that."""
    if match.late == Match.Late.FILL:
        return seat.missed >= LEAVES
    return match.late == Match.Late.FORFEIT


def _fill(match: Match, seat: Seat) -> None:
    """Seals for somebody absent: his draft if it is whole, else some legal order."""
    state = state_of(match)
    program = Program.objects.filter(seat=seat, turn=match.turn).first() or Program(
        seat=seat, turn=match.turn
    )
    try:
        text = draft_of(match, seat)
        made = state.view(seat.at).plan(seat.at, text)
        order = _legal(match, state, seat, text if made.missing else made.order)
    except IllegalOrder:
        order = state.view(seat.at).sample(seat.at, _chance)
    _seal(match, seat, program, order, by="deadline")
