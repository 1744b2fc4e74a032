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
    """An exercise of a lesson: a position, a task in it, and a test of whether the task is done.

    The turns of `before` are played first, starting from `position`; the learner sees the result as the
    player on the lesson's seat does. Then the learner's order is played together with the orders of the
    `others`. The task is done if one event of the turn has all items of `goal`. If `or_else` lists
    alternative orders of the others, the task must be done against each of these, too. `answer` is an order
    that does the task.
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

    `key` is the part of the URL that names the lesson; "" for the first lesson.
    """

    exercises: tuple[Exercise, ...]
    seat: Seat = _FIRST
    seats: int = 2
    options: Mapping[str, Any] = field(default_factory=dict)
    key: str = ""
    name: Sentence = field(default_factory=lambda: Sentence("First steps"))


@dataclass(frozen=True, slots=True)
class Remark:
    """A remark on a step of an example, with claims that a test can check.

    A claim is part of an event: it holds if the step has an event with all items of the claim.
    """

    says: Sentence
    claims: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A match, or a part of a match, that the rules pages show step by step, with nothing hidden.

    `key` is the part of the URL that names the example. `turns` are all turns from the start of the match, as
    in a record (docs/record.md) with these options, seats and setup. The pages begin with turn number
    `first`. `remarks` are keyed by turn and step. Turns and steps are counted from 1.
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
    """The result of trying an order of a puzzle.

    `solved` is True if the order wins whatever the others do. `turns` are the turns to show, beginning in the
    position `state`; if others can prevent the win, these turns show how. `hidden` is True if the order
    failed only because of something that the player could not know.
    """

    state: State
    turns: tuple[dict[Seat, Order], ...]
    solved: bool
    hidden: bool = False


class PuzzleRequirements(NamedTuple):
    """The conditions under which `make puzzles` accepts a position as a puzzle.

    `presets` are the keys of the presets to search. `share` is the maximum share of the legal orders that may
    solve the puzzle, from 0 to 1. `least` is the minimum number of legal orders. `room` has the maximum
    number of legal orders, keyed by the number of moves to the win.
    """

    presets: tuple[str, ...]
    share: float
    least: int
    room: Mapping[int, int] = MappingProxyType({1: 40_000})


class PuzzleProver(ABC):
    """The wording of a game's puzzles, and the proof that an order wins whatever the others do.

    `asks` is the task, with placeholders for the seat, {seat}, and the number of moves, {n}. `remembers` is
    True if a position does not show everything that its player has seen; each puzzle of the game then also
    stores the turns that led to its position.
    """

    asks: Sentence
    requirements: PuzzleRequirements
    remembers: ClassVar[bool] = False

    @abstractmethod
    def hint(self, answer: Order) -> Sentence:
        """A hint on how to begin, which does not give the answer away."""

    @abstractmethod
    def play_out(self, state: State, seat: Seat, order: Order, moves: int) -> PlayedOut:
        """Returns the result of trying a canonical order of `seat` in `state`, in which nothing is hidden.

        The order solves the puzzle if it wins within `moves` moves of the player, the order itself included.
        """

    @abstractmethod
    def solutions(self, state: State, seat: Seat, legal: Sequence[Order], moves: int) -> list[Order]:
        """Returns the orders of `legal` that win for certain within `moves` moves of `seat`.

        Raises ValueError if the others have too many possible replies to try them all.
        """
