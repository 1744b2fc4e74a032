"""Deadlines that have passed, and all that follows from time alone (docs/rulings.md G1)."""

from __future__ import annotations

from datetime import datetime

from django.db.models import Min

from games.core import IllegalOrder
from robosite.matches.flow.orders import legal_order, seal_program
from robosite.matches.flow.sittings import chance
from robosite.matches.flow.standing import draft_of, owing, people_in, wants_pause
from robosite.matches.flow.turn import abort, advance, mark_changed, mark_resigned
from robosite.matches.history import state_of
from robosite.matches.models import Match, Program, Recount, Seat
from robosite.matches.time import timekeeping


def settle_clock(match: Match, at: datetime) -> None:
    """Sets the clock by how the match stands, from that time on."""
    pausing = match.deadline_hours is not None and wants_pause(match)
    timekeeping.settle(match, at, lambda: owing(match), pausing=pausing)


LEAVES = 3
"""A player who misses so many deadlines in a row has left, where turns are filled: at the last he resigns."""

GONE = 2
"""Once all people still in it have missed so many in a row, the match is called off."""


def apply_deadlines(match: Match, now: datetime) -> None:
    """Applies everything that has followed from time alone (docs/rulings.md G1 for resignations)."""
    if timekeeping.is_due(match, now):
        changes = Recount.objects.filter(guest__holds__seat__match=match, at__lt=match.due)
        since = changes.aggregate(first=Min("at"))["first"]
        if since:  # a holiday began before the time was up: the clock stood still, if it was to
            settle_clock(match, since)
            mark_changed(match)
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
        abort(match)
        match.overdue = True  # the page says why
        return
    for seat in late:
        if seat in leaving:
            mark_resigned(match, seat)
        elif match.late == Match.Late.FILL:
            _fill(match, seat)
    if first or match.late != Match.Late.CLAIM:
        mark_changed(match)
    else:
        Match.objects.filter(pk=match.pk).update(due=match.due)  # nothing that anybody would see
    advance(match)


def _leaves(match: Match, seat: Seat) -> bool:
    """Whether a late player resigns by being late."""
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
        order = legal_order(match, state, seat, text if made.missing else made.order)
    except IllegalOrder:
        order = state.view(seat.at).sample(seat.at, chance)
    seal_program(match, seat, program, order=order, by="deadline")
