"""The data types of lessons, examples and puzzles."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple

from games.core.sentences import Event, Order, Seat, Sentence, Setup
from games.core.state import State


@dataclass(frozen=True, slots=True)
class Exercise:
    """A position, a task in it, and a test of whether the task is done.

    The turns of `before` are played from `position`; the learner sees the result as the lesson's seat
    does. The task is done if an event of the turn has all items of `goal`, against the orders of `others`
    and against each of `or_else`. `answer` is an order that does the task.
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
    """A lesson of about two minutes for the player on `seat`; `key` names it in its address."""

    exercises: tuple[Exercise, ...]
    seat: Seat = _FIRST
    seats: int = 2
    options: Mapping[str, Any] = field(default_factory=dict)
    key: str = ""
    name: Sentence = field(default_factory=lambda: Sentence("First steps"))


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark on a step of an example; for each claim, the step has an event with all its items."""

    says: Sentence
    claims: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A match, or its beginning, that the rules pages show step by step, with nothing hidden.

    `turns` are those of a record; the pages begin with turn `first`. `remarks` are keyed by turn and
    step, from 1.
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


def read_turns(text: str) -> tuple[dict[Seat, Order], ...]:
    """Reads turns in each of which one seat acts, such as `A c3, B swap`."""
    return tuple({Seat(turn[0]): turn[2:]} for turn in text.split(", "))


class PlayedOut(NamedTuple):
    """The result of trying an order of a puzzle: the `turns` to show, from `state` on.

    `hidden` is True if the order failed only because of something that the player could not know.
    """

    state: State
    turns: tuple[dict[Seat, Order], ...]
    solved: bool
    hidden: bool = False


class PuzzleRequirements(NamedTuple):
    """The conditions under which `make puzzles` accepts a position as a puzzle.

    At most a `share` (0 to 1) of the orders may solve it. `least` is the minimum number of legal orders,
    and `room` their maximum by the number of moves to the win.
    """

    presets: tuple[str, ...]
    share: float
    least: int
    room: Mapping[int, int] = MappingProxyType({1: 40_000})


class PuzzleProver(ABC):
    """The wording of a game's puzzles, and the proof that an order wins whatever the others do.

    `asks` is the task, with {seat} and {n} moves. `remembers`: a puzzle also stores the turns before it.
    """

    asks: Sentence
    requirements: PuzzleRequirements
    remembers: ClassVar[bool] = False

    @abstractmethod
    def hint(self, answer: Order) -> Sentence:
        """A hint on how to begin, which does not give the answer away."""

    @abstractmethod
    def play_out(self, state: State, seat: Seat, order: Order, moves: int) -> PlayedOut:
        """Returns the result of trying a canonical order as the first of the `moves` that a win may take."""

    @abstractmethod
    def solutions(self, state: State, seat: Seat, legal: Sequence[Order], moves: int) -> list[Order]:
        """Returns the orders that win for certain; raises ValueError if there are too many replies."""
