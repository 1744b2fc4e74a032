"""The film of a match, turn by turn; until the match is over, without what the viewer may not know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

from games.core import DRAW, RESIGN, Departure, Event, Order, Sentence, State, tell
from games.core import Seat as Letter
from robosite.matches import reading
from robosite.matches.history import film, state_of, states_of, turns_of
from robosite.matches.models import DEADLINE, Match, Program
from robosite.web.caches import BoundedCache

MOST_TURNS = 512
"""The most rendered turns that a process caches; a turn rendered for two viewers counts twice."""
LISTED = 20
TICKS = 5
"""The most marks on a timeline of several turns, unless the turn has more: each is wide enough to tap."""


@dataclass(frozen=True, slots=True)
class Step:
    """A position as a drawing and in `words`, and `sentences` on what led to it; step 0: before the turn."""

    number: int
    shown: bool
    drawing: dict[str, Any]
    sentences: list[Sentence]
    words: list[Sentence]
    view: State | None = field(default=None, compare=False, repr=False)
    """The position as far as the viewer may know it; None outside of films of matches and tasks."""
    kept: dict[Any, str] = field(default_factory=dict, compare=False)
    """HTML fragments that templates render from this step (`kept` in `jinja/functions.py`)."""

    @classmethod
    def still(cls, view: State) -> Step:
        """A position alone, without the effects of what led to it."""
        return cls(0, True, {**view.drawing(), "effects": []}, [], view.words())

    def __getattr__(self, name: str) -> Any:
        try:
            return self.drawing[name]
        except KeyError:
            raise AttributeError(name) from None


class Steps(list[Step]):
    """The steps of a turn, one of which is shown; `kept` caches HTML rendered from all steps together."""

    __slots__ = ("kept",)

    def __init__(self, steps: Iterable[Step], kept: dict[Any, str] | None = None) -> None:
        super().__init__(steps)
        self.kept = kept


@dataclass(frozen=True, slots=True)
class Row:
    """A player's order in a turn, and what it did: `cells` has an entry for each step after step 0."""

    seat: Letter
    side: str
    name: str
    order: Order
    cells: list[Any]


class TimelineMark(NamedTuple):
    """A mark below the board for a step or (`step` 0) a turn; `frame` is its index in this film, or None."""

    turn: int
    step: int
    at: str
    frame: int | None
    shown: bool


@dataclass(frozen=True, slots=True)
class Film:
    """A played turn, counted from 0, shown step by step; before the first, only the opening position.

    `turns` is the number of turns played. `otherwise` tells how the turn departed from the viewer's plan.
    `filled` are sentences on orders that the deadline sealed. `kept` caches HTML of the turn.
    """

    turn: int
    turns: int
    steps: Steps
    rows: list[Row] = field(default_factory=list)
    seals: list[Program] = field(default_factory=list)
    kept: dict[Any, str] | None = None
    otherwise: Departure | None = None
    filled: list[Sentence] = field(default_factory=list)
    present: list[Sentence] = field(default_factory=list)
    shown: Step = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "shown", next(step for step in self.steps if step.shown))

    @property
    def last(self) -> int:
        return self.steps[-1].number

    @property
    def number(self) -> int:
        """The turn counted from 1, as pages show it."""
        return self.turn + 1

    @property
    def past(self) -> bool:
        return self.number < self.turns

    @property
    def now(self) -> bool:
        """Returns True if the page shows the match's present position: the end of the last turn."""
        return not self.past and self.shown.number == self.last

    @property
    def before(self) -> str:
        """The `?at=` value for the last step of the previous turn; "" if there is no previous turn."""
        return str(self.turn) if self.turn > 0 else ""

    @property
    def after(self) -> str:
        return f"{self.number + 1}.1" if self.past else ""

    @property
    def here(self) -> str:
        return f"{self.number}.{self.shown.number}"

    @property
    def back(self) -> str:
        """The `?at=` value of the step before; a later turn's step 0 repeats the last step and is skipped."""
        shown = self.shown.number
        return f"{self.number}.{shown - 1}" if shown > 1 or (shown and not self.turn) else self.before

    @property
    def forward(self) -> str:
        shown = self.shown.number
        return f"{self.number}.{shown + 1}" if shown < self.last else self.after

    @property
    def ticks(self) -> list[TimelineMark]:
        """One mark for each step or, if `counts_turns`, also one for each of the nearest other turns."""
        shown = self.shown.number
        if not self.counts_turns:
            return [
                TimelineMark(self.number, step=n, at=f"{self.number}.{n}", frame=n, shown=n == shown)
                for n in range(1, self.last + 1)
            ]
        most = max(TICKS + 1 - self.last, 1)
        start = max(min(self.number - most // 2, self.turns - most + 1), 1)
        ticks = []
        for turn in range(start, min(start + most, self.turns + 1)):
            if turn == self.number:
                several = self.last > 1
                ticks += [
                    TimelineMark(turn, step=n if several else 0, at=f"{turn}.{n}", frame=n, shown=n == shown)
                    for n in range(1, self.last + 1)
                ]
            else:
                ticks.append(TimelineMark(turn, step=0, at=f"{turn}.1", frame=None, shown=False))
        return ticks

    @property
    def counts_turns(self) -> bool:
        return self.last <= 1 or sum(bool(row.order) for row in self.rows) == 1

    @property
    def commands(self) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
        """The letter, side and symbols (one a step) of two seats; () if `counts_turns`, or if more play."""
        if self.counts_turns or len(self.rows) != 2:
            return ()
        return tuple((row.seat, row.side, tuple(map(_symbol, row.cells))) for row in self.rows)

    @property
    def listed(self) -> range:
        end = self.turns - (self.turns - self.number) // LISTED * LISTED
        return range(max(end - LISTED, 0) + 1, end + 1)

    @property
    def older(self) -> int:
        """The number of the turn right before the listed ones; 0 if there is none."""
        return self.listed.start - 1

    @property
    def newer(self) -> int:
        return self.listed.stop if self.listed.stop <= self.turns else 0


def film_of(
    positions: Sequence[State],
    viewer: Letter | None,
    *,
    at: int | None = None,
    orders: Mapping[Letter, Order] = MappingProxyType({}),
    names: Mapping[Letter, str] = MappingProxyType({}),
    uncovered: bool = False,
) -> Film:
    """A film of any positions, the first before the turn, at the step `at` (None: last); see `_render`."""
    rendered = _render(positions, viewer, uncovered)
    rows = [
        Row(
            seat, side=side, name=names.get(seat) or str(seat), order=orders[seat], cells=rendered.cells[seat]
        )
        for seat, side in rendered.sides.items()
        if seat in orders
    ]
    return Film(0, 0, show_step(rendered.steps, at), rows, present=rendered.steps[-1].words)


def _symbol(cell: Any) -> str:
    return "" if len(getattr(cell, "acts", ())) > 1 else getattr(cell, "icon", "")


def show_film(
    match: Match, viewer: Letter | None, names: Mapping[Letter, str], *, turn: int, at: int | None
) -> Film:
    """The film of a turn at the step `at`, as `viewer` may see it; if unplayed, the present position."""
    played = _rendered_turn(match, viewer, turn) if 0 <= turn < match.turn else None
    if played is None:
        return replace(film_of([state_of(match)], viewer), turn=turn, turns=match.turn)
    rows = [
        Row(seat, side=side, name=names[seat], order=played.orders.get(seat, ""), cells=played.cells[seat])
        for seat, side in played.sides.items()
    ]
    return Film(
        turn,
        turns=match.turn,
        steps=show_step(played.steps, at, played.kept_steps),
        rows=rows,
        seals=played.seals,
        kept=played.kept,
        otherwise=played.otherwise,
        filled=played.filled,
        present=_present(match, viewer) if turn + 1 < match.turn else played.steps[-1].words,
    )


def _present(match: Match, viewer: Letter | None) -> list[Sentence]:
    state = state_of(match)
    return state.words() if match.status == Match.Status.OVER else state.view(viewer).words()


def show_step(steps: list[Step], at: int | None, cache: dict[int, dict[Any, str]] | None = None) -> Steps:
    """A copy that shows the step nearest to `at` (None: the last); `cache` has HTML by the step shown."""
    last = len(steps) - 1
    shown = last if at is None else min(max(at, 0), last)
    return Steps(
        (replace(step, shown=step.number == shown) for step in steps),
        None if cache is None else cache.setdefault(shown, {}),
    )


@dataclass(slots=True)
class RenderedTurn:
    """A played turn as one viewer may see it, ready for templates; `after` is the position at its end."""

    after: State
    steps: list[Step]
    cells: dict[Letter, list[Any]]
    sides: dict[Letter, str]
    orders: dict[Letter, Order] = field(default_factory=dict)
    seals: list[Program] = field(default_factory=list)
    kept: dict[Any, str] = field(default_factory=dict)
    kept_steps: dict[int, dict[Any, str]] = field(default_factory=dict)
    otherwise: Departure | None = None
    filled: list[Sentence] = field(default_factory=list)


rendered_turns: BoundedCache[tuple[Any, ...], RenderedTurn] = BoundedCache(MOST_TURNS)


def _rendered_turn(
    match: Match, viewer: Letter | None, turn: int, states: Sequence[State] = ()
) -> RenderedTurn:
    uncovered = match.status == Match.Status.OVER
    key = (match.key, match.taken_back, turn, viewer, uncovered)
    rendered = rendered_turns.get(key)
    if rendered is None or rendered.after is not states_of(match)[turn + 1]:
        states = states or film(match, turn)
        if viewer and (uncovered or all(state.view(viewer) == state.view(None) for state in states)):
            watched = _rendered_turn(match, None, turn, states)
            rendered = replace(watched, steps=list(watched.steps))  # and the HTML cached for the steps
        else:
            late = {seat.at: seat.timed_out for seat in reading.seats_of(match) if seat.timed_out}
            rendered = _render(states, viewer, uncovered, late)
            rendered.after = states_of(match)[turn + 1]
            programs = reading.programs_played.rows(match.pk, turn)
            rendered.orders = {program.seat.at: program.order for program in programs}
            rendered.seals = [program for program in programs if program.seal]
            rendered.filled = _tell_filled(match, programs)
        _compare_with_plan(rendered, states, viewer, turns_of(match)[turn])
        rendered_turns[key] = rendered
    return rendered


def _tell_filled(match: Match, programs: Sequence[Program]) -> list[Sentence]:
    """The sentences about players whose order the deadline sealed; none tells whether there was a draft."""
    by_bot = match.if_late == Match.Late.BOT
    return [
        Sentence(
            "{by} ran out of time: a bot played."
            if by_bot
            else "{by} ran out of time: the draft or a bot played.",
            by=program.seat.at,
        )
        for program in programs
        if program.by == DEADLINE and not program.seat.is_bot
    ]


def _compare_with_plan(
    rendered: RenderedTurn, states: Sequence[State], viewer: Letter | None, played: Mapping[Letter, Order]
) -> None:
    """Sets `rendered.otherwise`, and draws the plan (`planned`) in the steps that differ from it."""
    order = played.get(viewer) if viewer else None
    if viewer is None or order is None or order in (RESIGN, DRAW):
        return
    before, *after = states
    rendered.otherwise = before.view(viewer).departure_from_plan(viewer, order, [before, *after])
    for n, planned in rendered.otherwise.planned.items() if rendered.otherwise else ():
        step, rendered.kept_steps = rendered.steps[n], {}
        rendered.steps[n] = replace(step, drawing={**step.drawing, "planned": planned}, kept={})


def _render(
    states: Sequence[State],
    viewer: Letter | None,
    uncovered: bool = False,
    late: Mapping[Letter, str] = MappingProxyType({}),
) -> RenderedTurn:
    """Renders positions, the first of which is that before the turn; with `uncovered`, nothing is hidden."""
    views = states if uncovered else [state.view(viewer) for state in states]
    steps = [  # the first is the position before the turn; its events belong to the turn before
        Step(
            n,
            shown=False,
            drawing=view.drawing() if n else {**view.drawing(), "effects": []},
            sentences=[_tell(view, event, late) for event in view.events] if n else [],
            words=view.words(),
            view=view,
        )
        for n, view in enumerate(views)
    ]
    cells = {seat: [view.cell(seat) for view in views[1:]] for seat in views[-1].seats}
    return RenderedTurn(states[-1], steps, cells, {seat: views[-1].side(seat) for seat in views[-1].seats})


def _tell(state: State, event: Event, late: Mapping[Letter, str]) -> Sentence:
    """The sentence about an event; a resignation of a seat in `late` (`Seat.timed_out`) was a timeout."""
    ended_by = late.get(Letter(event["by"])) if event["kind"] == "resigned" else None
    if not ended_by:
        return tell(state, event)
    if ended_by == DEADLINE:
        return Sentence("{by} ran out of time.", by=Letter(event["by"]))
    by, other = Letter(event["by"]), Letter(ended_by)
    if len(state.seats) == 2:
        return Sentence("{by} ran out of time, and {other} claimed the win.", by=by, other=other)
    return Sentence("{by} ran out of time, and {other} went on without them.", by=by, other=other)


def result(match: Match, names: Mapping[Letter, str]) -> Sentence | None:
    """The outcome of the match as a sentence; None if the match has no outcome."""
    outcome = match.outcome
    if outcome is None:
        return None
    winners = [names[seat] for seat, share in outcome.scores.items() if share]
    if len(winners) == 1:
        return Sentence("{who} won.", who=winners[0])
    if outcome.reason == "agreed":
        return Sentence("Draw by agreement.")
    if len(winners) == len(outcome.scores):
        return Sentence("A draw.")
    return Sentence("{who} and {other} share the win.", who=", ".join(winners[:-1]), other=winners[-1])
