"""Texts about deadlines, reserves, holidays and pauses, for pages and for notices."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from games.core import Seat as Letter
from robosite.matches import flow
from robosite.matches.flow import signs
from robosite.matches.flow.pauses import away
from robosite.matches.models import Match
from robosite.matches.time import timekeeping
from robosite.matches.wording import listed, wording_of


def at_deadline(match: Match, others: Sequence[str], *, owes: bool) -> str:
    """A sentence on what follows a missed deadline, for a player who `owes` an order or for one who waits."""
    wording = wording_of(match.game, at_hours=bool(match.reveal_at))
    if match.if_late == Match.Late.OUT:
        return wording.say("forfeits")
    if match.if_late == Match.Late.BOT:
        return wording.say("bot_plays" if owes else "bot_plays_for_others")
    if match.if_late == Match.Late.DRAFT:
        return wording.say("filled" if owes else "filled_for_others")
    if owes and len(others) == 1:
        return _("After that, {who} can claim the win.").format(who=others[0])
    if owes:
        return _("After that, the others can go on without you.")
    return _("After that, players who are ready may claim the win or go on without the others.")


def after_deadline(standing: flow.Standing, you: Letter | None, names: Mapping[Letter, str]) -> str:
    """The text about a missed deadline: the late can still play until somebody ends the wait."""
    if you in standing.late:
        sentence = _("You can still play until someone claims the win or goes on without you.")
    elif you and standing.claimable(you):
        late = listed([names[at] for at in standing.late])
        sentence = (
            _("{who} can still play until you claim the win.")
            if len(names) == 2
            else _("{who} can still play until you go on without them.")
        ).format(who=late)
    else:
        late = listed([names[at] for at in standing.late])
        sentence = _("{who} can still play until someone claims the win or goes on without them.").format(
            who=late
        )
    if not standing.people - set(standing.late):  # nobody may end it
        sentence += " " + _("If no one plays for the same time again, the match is cancelled.")
    return sentence


@dataclass(frozen=True, slots=True)
class Away:
    """A player on holiday; `held` if the match's clock stands still because of this player."""

    who: str
    until: date
    held: bool


@dataclass(frozen=True, slots=True)
class ReserveNote:
    """The time reserve of a player whose order the turn waits for, as a page shows it."""

    turn: timedelta
    """The time allowed for the turn, before the reserve is spent."""
    rest: timedelta
    begins: datetime | None
    """The moment from which reserves are spent in this turn; None if that is not known yet."""
    reopened: bool
    """True if the order was reopened, or owed anew, after the time for the turn was over."""


@dataclass(frozen=True, slots=True)
class TimeNotes:
    """The notes on time that a page shows to one reader; "" stands for no note."""

    deadline: datetime | None
    """The reader's own deadline if they owe an order, else the match's; None if no deadline is set."""
    is_over: bool
    reserve: ReserveNote | None
    what_then: str
    away: list[Away]
    nudged_by: str
    asks_pause: str
    """The players who ask for a pause, if this reader has to answer."""
    own_pause: bool


def terms(standing: flow.Standing, you: Letter | None, names: Mapping[Letter, str]) -> TimeNotes:
    """The notes about time for a page; `you` is the reader's seat, None for a watcher."""
    match = standing.match
    gone = away(match, timezone.now())
    owes = you is not None and you in standing.owing
    asking = [seat for seat in standing.seats if seat.wants_pause]
    own = any(seat.at == you for seat in asking)
    answers = you is not None and asking and not own and not match.paused and you in standing.people
    is_over = (you in standing.late) if owes else match.overdue
    what_then = ""
    if match.deadline and not match.paused:
        others = [name for at, name in names.items() if at != you]
        what_then = after_deadline(standing, you, names) if is_over else at_deadline(match, others, owes=owes)
    return TimeNotes(
        timekeeping.deadline_of(match, you) if you and owes else match.deadline,
        is_over=is_over,
        reserve=reserve_note(match, you) if you and owes and match.reserve_hours else None,
        what_then=what_then,
        away=[
            Away(names[at], until, bool(match.deadline) and at in standing.owing)
            for at, until in gone.items()
        ],
        nudged_by=listed([names[at] for at in signs.nudged_by(match, you)]) if you and owes else "",
        asks_pause=listed([names[seat.at] for seat in asking]) if answers else "",
        own_pause=own,
    )


def reserve_note(match: Match, you: Letter) -> ReserveNote | None:
    """The note on the reserve of `you`, who owes an order; None before its clock starts, or once spent."""
    found = timekeeping.reserves_of(match)
    own = found.of(you)
    if own.since is None or own.is_late:
        return None
    return ReserveNote(timekeeping.period(match), own.rest, found.begins, reopened=own.since > timedelta())
