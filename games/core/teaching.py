"""Lessons, examples of the rules, puzzles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from games.core.sentences import Event, Order, Seat, Sentence, Setup
from games.core.state import State


@dataclass(frozen=True, slots=True)
class Exercise:
    """A step of a lesson: a position, something to do in it, and how to see that it is done.

    It is done when the turn played from the learner's order and those of the `others` has an event with all
    facts of `goal`. `answer` is an order that does it. With `or_else`, the others may also do any of these
    other things: it must be done against each. The turns of `before` are played first, from `position`, and
    what everybody saw in them is known.
    """

    says: Sentence
    position: str
    goal: Event
    answer: Order
    done: Sentence
    hint: Sentence
    others: Mapping[Seat, Order] = field(default_factory=dict)
    or_else: tuple[Mapping[Seat, Order], ...] = ()
    before: tuple[Mapping[Seat, Order], ...] = ()


_FIRST = Seat("A")


@dataclass(frozen=True, slots=True)
class Lesson:
    """A lesson of two minutes or so, for the player on `seat`; `key` names it in addresses, "" the first."""

    exercises: tuple[Exercise, ...]
    seat: Seat = _FIRST
    seats: int = 2
    options: Mapping[str, Any] = field(default_factory=dict)
    key: str = ""
    name: Sentence = field(default_factory=lambda: Sentence("First steps"))


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark on a step of an example, and facts of events of that step that bear it out."""

    says: Sentence
    claims: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A match, or a part of one, that the rules show step by step, with nothing kept secret.

    `key` names it in addresses. `turns` are as in a record (docs/record.md) with these options, seats and
    setup; the film begins with turn number `first`. `remarks` are given by turn and step. Numbers start at 1.
    """

    key: str
    name: Sentence
    says: Sentence
    turns: tuple[Mapping[Seat, Order], ...]
    remarks: Mapping[tuple[int, int], Remark]
    names: Mapping[Seat, str] = field(default_factory=dict)
    seats: int = 2
    options: Mapping[str, Any] = field(default_factory=dict)
    setup: Setup = field(default_factory=dict)
    first: int = 1


class PlayedOut(NamedTuple):
    """An order of a puzzle tried out: the turns to show, from this position, and whether it wins for certain.

    If the others have an answer that prevents the win, the turns show it. `hidden`: it failed only because of
    something that nobody could know.
    """

    state: State
    turns: tuple[dict[Seat, Order], ...]
    solved: bool
    hidden: bool = False


class Wanted(NamedTuple):
    """The requirements for a good puzzle, for `make puzzles`.

    `presets`: those that it may come from; `share`: the largest share of the orders that may solve it;
    `least`: the fewest orders; `room`: the most orders, for each number of moves in which it may be won.
    """

    presets: tuple[str, ...]
    share: float
    least: int
    room: Mapping[int, int] = MappingProxyType({1: 40_000})


class Puzzling(ABC):
    """The wording of a game's puzzles, and the proof that an order wins whatever the others do.

    `asks` is the task, with {seat} and the number of moves, {n}, as its facts. `remembers`: a position does
    not show what its player has seen, so a puzzle keeps the turns since its start as well.
    """

    asks: Sentence
    wanted: Wanted
    remembers: ClassVar[bool] = False

    @abstractmethod
    def hint(self, answer: Order) -> Sentence:
        """A hint about where to look, without the answer."""

    @abstractmethod
    def play_out(self, state: State, seat: Seat, order: Order, moves: int) -> PlayedOut:
        """The result of a canonical order of `seat` in the whole position `state`."""

    @abstractmethod
    def solutions(self, state: State, seat: Seat, legal: Sequence[Order], moves: int) -> list[Order]:
        """The orders that win for certain; ValueError if the others have too many orders to search."""
