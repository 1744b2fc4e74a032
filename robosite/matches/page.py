"""What a page of a match shows to one reader. Everything in it comes through `State.view`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from games.core import Order, Plan, Sentence, State, tell
from games.core import Seat as Letter
from robosite.matches import flow
from robosite.matches.history import film, state_of
from robosite.matches.models import Match, Program, Seat

KEPT = 512
"""How many turns a process keeps told."""


@dataclass(frozen=True, slots=True)
class Step:
    """A position of the film: its picture, and what happened on the way to it."""

    number: int
    shown: bool
    drawing: dict[str, Any]
    sentences: list[Sentence]
    words: list[Sentence]
    tick: bool

    def __getattr__(self, name: str) -> Any:
        """The board's template asks the frame for what it draws (`pieces`, `effects` …)."""
        try:
            return self.drawing[name]
        except KeyError:
            raise AttributeError(name) from None


@dataclass(frozen=True, slots=True)
class Row:
    """One seat's line in the table of orders."""

    seat: Letter
    side: str
    name: str
    order: Order
    cells: list[Any]


@dataclass(frozen=True, slots=True)
class Film:
    """A turn that was played, step by step; before the first one, only the opening position."""

    turn: int
    steps: list[Step]
    rows: list[Row]
    seals: list[Program]

    @property
    def shown(self) -> Step:
        return next(step for step in self.steps if step.shown)

    @property
    def last(self) -> int:
        return self.steps[-1].number

    @property
    def number(self) -> int:
        """The turn as people count it, from 1."""
        return self.turn + 1


@dataclass(frozen=True, slots=True)
class Player:
    """A seat as the page lists it."""

    seat: Seat
    side: str
    you: bool
    state: str
    draw: bool
    share: float | None


def show_film(
    match: Match, viewer: Letter | None, names: Mapping[Letter, str], turn: int, at: int | None
) -> Film:
    """The film of a turn, or of the opening before any was played; `at` is the step shown, None the last."""
    played = 0 <= turn < match.turn
    steps, cells, sides = _steps(match, viewer, turn if played else None)
    last = len(steps) - 1
    shown = last if at is None else min(max(at, 0), last)
    steps = [replace(step, shown=step.number == shown) for step in steps]
    if not played:
        return Film(turn, steps, [], [])
    programs = {
        program.seat.at: program
        for program in Program.objects.filter(seat__match=match, turn=turn).select_related("seat")
    }
    rows = [
        Row(seat, side, names[seat], programs[seat].order if seat in programs else "", cells[seat])
        for seat, side in sides.items()
    ]
    return Film(turn, steps, rows, [p for p in programs.values() if p.seal])


Told = tuple[list[Step], dict[Letter, list[Any]], dict[Letter, str]]
"""The steps of a turn, what the table of orders shows of each seat, and what the seats play."""

_told: OrderedDict[tuple[Any, ...], Told] = OrderedDict()


def _steps(match: Match, viewer: Letter | None, turn: int | None) -> Told:
    """A played turn as this viewer sees it, kept in memory; None is the present position."""
    key = (match.key, turn, viewer, match.status == Match.Status.OVER)
    if turn is None or key not in _told:
        told = _tell(film(match, turn) if turn is not None else [state_of(match)], viewer)
        if turn is None:
            return told
        _told[key] = told
        while len(_told) > KEPT:
            _told.popitem(last=False)
    return _told[key]


def _tell(states: list[State], viewer: Letter | None) -> Told:
    views = [state.view(viewer) for state in states]
    steps = [  # the first is the position before: what led to it belongs to the turn before
        Step(
            n,
            False,
            view.drawing() if n else {**view.drawing(), "effects": []},
            [tell(view, event) for event in view.events] if n else [],
            view.words(),
            view.tick,
        )
        for n, view in enumerate(views)
    ]
    cells = {seat: [view.cell(seat) for view in views[1:]] for seat in views[-1].seats}
    return steps, cells, {seat: views[-1].side(seat) for seat in views[-1].seats}


def show_players(now: flow.Standing, you: Seat | None) -> list[Player]:
    match, state, seats = now.match, now.state, now.seats
    owing = set(now.owing)
    outcome = match.outcome
    still_in = state.still_in()

    def stands(seat: Seat) -> str:
        if not seat.taken:
            return "free"
        if outcome or match.status == Match.Status.ABORTED:
            return ""
        if seat.at not in still_in:
            return "out"
        if seat.resigned_turn == match.turn:
            return "resigns"
        if seat.at in owing:
            return "planning"
        return "sealed" if seat.at in now.sealed else "waiting"

    return [
        Player(
            seat,
            state.side(seat.at),
            you is not None and seat.pk == you.pk,
            stands(seat),
            match.status == Match.Status.PLAYING and flow.standing_draw(seat, match),
            outcome.scores.get(seat.at) if outcome else None,
        )
        for seat in seats
    ]


def show_plan(state: State, seat: Seat, text: str) -> Plan:
    return state.view(seat.at).plan(seat.at, text)


def result(match: Match, names: Mapping[Letter, str]) -> Sentence | None:
    """How the match ended, in a sentence."""
    outcome = match.outcome
    if outcome is None:
        return None
    winners = [names[seat] for seat, share in outcome.scores.items() if share]
    if len(winners) == 1:
        return Sentence("{who} wins.", who=winners[0])
    if outcome.reason == "agreed":
        return Sentence("A draw, agreed.")
    if len(winners) == len(outcome.scores):
        return Sentence("A draw.")
    return Sentence("{who} and {other} share the win.", who=", ".join(winners[:-1]), other=winners[-1])
