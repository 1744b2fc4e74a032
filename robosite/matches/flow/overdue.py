"""Functions that apply passed deadlines and all else that follows from time alone (docs/rulings.md G1)."""

from datetime import datetime

from django.db.models import F, Min

from games.core import IllegalOrder
from games.search import hasty_order
from robosite.matches.flow import replying
from robosite.matches.flow.orders import check_readable, legal_order, seal_program
from robosite.matches.flow.sittings import chance
from robosite.matches.flow.standing import Standing, draft_of, owing, standing_of, wants_pause
from robosite.matches.flow.turn import abort, advance, mark_changed, mark_resigned
from robosite.matches.models import DEADLINE, Match, MatchFlag, Program, Seat
from robosite.matches.site_models import Recount
from robosite.matches.time import evenings, timekeeping


def settle_clock(match: Match, at: datetime) -> None:
    """Sets the match's clock (`deadline`, `due`) from its present state, as if the present time were `at`."""
    pausing = match.deadline_hours is not None and wants_pause(match)
    timekeeping.settle(match, at, lambda: owing(match), pausing=pausing)


RESIGNS_AFTER = 3
"""The number of deadlines missed in a row after which a player is made to resign (with FILLS)."""

FILLS = (Match.Late.DRAFT, Match.Late.BOT)
"""The rules for late players with which a late seat gets an order, and plays on."""

CALLED_OFF_AFTER = 2
"""The number of deadlines missed in a row by all people still in, not resigning, that calls a match off."""


def apply_deadlines(match: Match, now: datetime) -> None:
    """Applies all deadlines passed by `now`: late seats resign or get an order (docs/rulings.md G1)."""
    if timekeeping.is_due(match, now) and match.may_have(MatchFlag.HOLIDAYS):
        changes = Recount.objects.filter(guest__holds__seat__match=match, at__lt=match.due)
        since = changes.aggregate(first=Min("at"))["first"]
        if since:  # a holiday began before the time was up: the clock stood still, if it was to
            settle_clock(match, since)
            mark_changed(match)
    while timekeeping.is_due(match, now):
        _pass_deadline(match)


def _pass_deadline(match: Match) -> None:
    hour = match.due if match.reveal_at else None
    if hour:
        replying.seal_waiting(match)
    standing = standing_of(match)
    for seat in standing.seats:  # while a key is missing the others cannot seal either: nobody is late
        check_readable(match, seat, standing.programs.get(seat.at))
    if hour and not evenings.hour_applies(match, is_owed=bool(standing.people & set(standing.owing))):
        evenings.advance_to_next_hour(match)
        mark_changed(match)
        return
    bots = [seat for seat in standing.seats if seat.is_bot and seat.at in standing.owing]
    for seat in bots:  # a program that is late is the site's own fault: nobody gains by it
        _fill(match, seat, standing)
    if bots:
        standing = standing_of(match)
    before = set(standing.late)
    missing = timekeeping.pass_deadline(match, standing.seats, standing.owing)
    late = [seat for seat in standing.seats if seat.at in missing]
    _count_missed(late)
    is_news, match.overdue = not match.overdue or bool(missing - before), bool(late) or not hour
    fills, outs = match.if_late in FILLS, match.if_late == Match.Late.OUT
    leaving = [seat for seat in late if (seat.missed >= RESIGNS_AFTER if fills else outs)]
    staying = [seat for seat in standing.seats if seat.at in standing.people and seat not in leaving]
    if late and all(seat.missed >= CALLED_OFF_AFTER for seat in staying):
        abort(match)
        match.overdue = True  # the page says why
        return
    for seat in late:
        if seat in leaving:
            mark_resigned(match, seat, timed_out=DEADLINE)
        elif fills:
            _fill(match, seat, standing)
    if is_news or hour or match.if_late != Match.Late.WAIT:
        mark_changed(match)
    else:
        unseen = {"due": match.due, "reserves": match.reserves}  # nothing that anybody would see
        Match.objects.filter(pk=match.pk).update(**unseen)
    if not late or match.if_late != Match.Late.WAIT:  # else nothing was sealed and nobody resigned
        advance(match, at_hour=hour)


def _count_missed(late: list[Seat]) -> None:
    for seat in late:
        seat.missed += 1
    if late:
        Seat.objects.filter(pk__in=[seat.pk for seat in late]).update(missed=F("missed") + 1)


def _fill(match: Match, seat: Seat, standing: Standing) -> None:
    """Seals a late seat's order: its draft if that is legal, unless a bot plays, else a simple bot's."""
    program = standing.programs.get(seat.at) or Program(seat=seat, turn=match.turn)
    order = None if match.if_late == Match.Late.BOT else _drafted(match, seat, standing)
    if order is None:
        order = hasty_order(standing.state.view(seat.at), seat.at, chance)
    seal_program(match, seat, program, order=order, by="deadline")


def _drafted(match: Match, seat: Seat, standing: Standing) -> str | None:
    try:
        text = draft_of(match, seat, standing)
        plan = standing.state.view(seat.at).plan(seat.at, text)
        return legal_order(match, standing.state, seat, text if plan.missing else plan.order)
    except IllegalOrder:
        return None
