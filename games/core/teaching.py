"""The data types of lessons, examples and puzzles."""

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
    """A step of a lesson: a position, a task in it, and a test of whether the task is done.

    The learner's order is played together with those of the `others`. The task is done if an event of that
    turn has all facts of `goal`. `answer` is an order that does it. `or_else` lists alternative orders of the
    others: the learner's order must succeed against each. The turns of `before` are played first, from
    `position`, and what everybody saw in them is known.
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
    """A lesson of about two minutes for the player on `seat`.

    `key` is the lesson's part of the URL, "" for the first lesson.
    """

    exercises: tuple[Exercise, ...]
    seat: Seat = _FIRST
    seats: int = 2
    options: Mapping[str, Any] = field(default_factory=dict)
    key: str = ""
    name: Sentence = field(default_factory=lambda: Sentence("First steps"))


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark on a step of an example, with facts that events of that step must have for it to be true."""

    says: Sentence
    claims: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A match, or part of one, that the rules pages show step by step, with nothing kept secret.

    `key` is its part of the URL. `turns` are as in a record (docs/record.md) with these options, seats and
    setup; the film begins with turn number `first`. `remarks` are keyed by turn and step. All numbers count
    from 1.
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
    """The result of trying an order of a puzzle: `turns` to show from `state`, and whether the order wins.

    If an answer of the others prevents the win, the turns contain it. `hidden`: the order failed only because
    of something that nobody could know.
    """

    state: State
    turns: tuple[dict[Seat, Order], ...]
    solved: bool
    hidden: bool = False


class Wanted(NamedTuple):
    """The requirements for a good puzzle, for `make puzzles`.

    `presets`: the presets it may come from. `share`: the largest share of legal orders that may solve it.
    `least`: the fewest legal orders. `room`: the most legal orders, by the number of moves to the win.
    """

    presets: tuple[str, ...]
    share: float
    least: int
    room: Mapping[int, int] = MappingProxyType({1: 40_000})


class Puzzling(ABC):
    """The wording of a game's puzzles, and the proof that an order wins whatever the others do.

    `asks` is the task, with {seat} and the number of moves, {n}, as facts. `remembers`: a position does not
    show what its player has seen, so a puzzle also keeps the turns that led to it.
    """

    asks: Sentence
    wanted: Wanted
    remembers: ClassVar[bool] = False

    @abstractmethod
    def hint(self, answer: Order) -> Sentence:
        """A hint on how to begin, without giving the answer away."""

    @abstractmethod
    def play_out(self, state: State, seat: Seat, order: Order, moves: int) -> PlayedOut:
        """Returns the result of a canonical order of `seat` in `state`, which hides nothing.

        `moves` is the number of moves within which the order must win.
        """

    @abstractmethod
    def solutions(self, state: State, seat: Seat, legal: Sequence[Order], moves: int) -> list[Order]:
        """Returns the orders of `legal` that win for certain; ValueError if too many replies are possible."""
