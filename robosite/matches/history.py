"""Positions, replayed from the programs and kept in memory: the database holds no position.

Whole states may be in here; nothing leaves for a reader but through `State.view`.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock

from django.db import transaction

from games.core import Order, State, play_turn
from games.core import Seat as Letter
from robosite.matches.models import Match, Program
from robosite.matches.seals import unlock

Turn = dict[Letter, Order]

KEPT = 512
"""How many matches a process keeps replayed."""

_kept: OrderedDict[str, tuple[list[Turn], list[State]]] = OrderedDict()
_lock = Lock()


def turns_of(match: Match) -> list[Turn]:
    """The orders of all turns played, each from seats to orders; for the site's own use, secrets included."""
    return _replayed(match)[0]


def states_of(match: Match) -> list[State]:
    """The positions at the start of each turn, the present one last."""
    return _replayed(match)[1]


def state_of(match: Match) -> State:
    """The present position."""
    return states_of(match)[match.turn]


def film(match: Match, turn: int) -> list[State]:
    """The positions of a turn that was played: the one before it, then all that follow."""
    turns, states = _replayed(match)
    return [states[turn], *play_turn(states[turn], turns[turn])]


def place(match: Match, turn: int, letter: str) -> str:
    """What a secret is bound to."""
    return f"{match.key}/{turn}/{letter}"


def _replayed(match: Match) -> tuple[list[Turn], list[State]]:
    """All turns and states up to the match's present turn, continuing from what is kept."""
    with _lock:
        turns, states = _kept.get(match.key, ([], []))
    if not states:
        states = [match.game.state.start(match.options, match.seats.count(), match.setup)]
    if len(turns) < match.turn:
        turns, states = list(turns), list(states)
        for turn in _played(match, len(turns)):
            *_, last = play_turn(states[-1], turn)
            turns.append(turn)
            states.append(last)
    if match.status != Match.Status.OPEN:  # before, the table may yet be laid for fewer
        transaction.on_commit(lambda: _keep(match.key, turns, states))  # what is rolled back was never played
    return turns, states


def _keep(key: str, turns: list[Turn], states: list[State]) -> None:
    with _lock:
        if len(turns) >= len(_kept.get(key, ([], []))[0]):
            _kept[key] = turns, states
        _kept.move_to_end(key)
        while len(_kept) > KEPT:
            _kept.popitem(last=False)


def _played(match: Match, since: int) -> list[Turn]:
    turns: list[Turn] = [{} for _ in range(since, match.turn)]
    programs = Program.objects.filter(seat__match=match, turn__gte=since, turn__lt=match.turn)
    for program in programs.select_related("seat").order_by("turn", "seat__letter"):
        order = program.order
        if program.sealed and program.secret:  # played, and concealed still
            order = unlock(place(match, program.turn, program.seat.letter), program.secret).text
        if order:
            turns[program.turn - since][program.seat.at] = order
    return turns
