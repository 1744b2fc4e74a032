"""A game: its options, its presets, its setup, and what its box says."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from random import Random
from typing import Any, ClassVar, Literal

from games.core.sentences import SEATS, IllegalOption, Seat, Sentence, Setup
from games.core.state import State
from games.core.teaching import Example, Lesson, Puzzling
from games.described import UNDESCRIBED, Described

Pointed = Literal["own", "other", "plan", "aims", "home", "goal", "ground"]
"""The thing at which a bubble points: one's own figures, another's, the planner, or the aims in it."""
COLOURS = {
    "a": "red",
    "b": "blue",
    "c": "green",
    "d": "purple",
    "e": "orange",
    "f": "turquoise",
    "g": "pink",
    "h": "grey",
}
"""The colours of the sides that are called after seats."""


def option(
    default: Any,
    *others: Any,
    says: str = "",
    name: str = "",
    words: Mapping[Any, str] | str = "{value}",
    under: str = "",
) -> Any:
    """A field of a game's options: its default value, the other values, and its sentence for people.

    `name` is its short title. `words` is a sentence for each value, or one sentence with {value} in it.
    `under` is the option on which its meaning depends (`Game.say_option`): forms ask for it below that one.
    """
    values = (default, *others)
    known = {"values": values, "says": says, "name": name, "words": words, "under": under}
    return field(default=default, metadata=known)


@dataclass(frozen=True, slots=True)
class Wish:
    """A part of the setup that a match's creator may decide: a question, and a sentence for each answer.

    `spot` is its place on the board, for the game's own drawing.
    """

    key: str
    says: Sentence
    answers: Mapping[str, Sentence]
    spot: Any = None


@dataclass(frozen=True, slots=True)
class Preset:
    """Named options, with the seats that they are meant for and a sentence that says what they change.

    `usual` is the number of seats that is proposed; 0 means the fewest. `brief` is the difference in half a
    sentence, to stand beside the name where all presets stand side by side.
    """

    name: str
    says: str
    seats: range
    options: Mapping[str, Any]
    usual: int = 0
    brief: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    """The text on the game's box: facts and notes from its designer's text, in our own words.

    Facts that the text does not state are left out. `minutes` are the least and the most that a match takes,
    `age` is the lowest age, in years. `mechanics` is one line; `notes` and `credits` are sentences: where the
    idea came from, and who else took part in it. `address` is the designer's, as the text spells it.
    """

    mechanics: str
    year: int | None = None
    minutes: tuple[int, int] | None = None
    age: int | None = None
    notes: tuple[str, ...] = ()
    credits: tuple[str, ...] = ()
    address: str = ""

    @property
    def link(self) -> str:
        """`address` with a scheme, which is http if the text leaves it out; "" if there is no address."""
        return self.address if not self.address or "://" in self.address else f"http://{self.address}"


@dataclass(frozen=True, slots=True)
class Game(ABC):
    """A game in one version of its rules: everything that does not change from match to match.

    `says` describes the game in a sentence, `notation` says in one how an order is typed. `manner` is how
    people speak of its turns: they play one after the other, or all at once, by orders or by programs.

    A game of more than boards and orders (a random setup, a range of seats that depends on the options)
    overrides the methods.
    """

    slug: str
    name: str
    designer: str
    says: str
    options: type[Any]
    state: type[State]
    presets: Mapping[str, Preset]
    box: Box
    notation: str = ""
    rules: int = 1
    manner: Literal["turns", "orders", "rounds"] = "turns"
    lesson: Lesson | None = None
    sides: Mapping[str, Sentence] = field(default_factory=dict)
    """The names of the sides that `State.side` tells, where a seat may change its side."""
    settled: int = 0
    """The number of turns after which no seat changes its side any more."""
    guided: int = 1
    """The number of a match's first turns in which somebody new to the game meets speech bubbles; three at
    most."""
    draws_boards: ClassVar[bool] = False
    """Tell whether a creator may draw a board (`sketch`)."""
    described: Described = UNDESCRIBED
    more_lessons: tuple[Lesson, ...] = ()
    examples: tuple[Example, ...] = ()
    puzzling: Puzzling | None = None
    second_person: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """The sentences of a film for the player whose own they are: by the template that all others read, and
    the fact in it that is the reader's seat."""

    @property
    def lessons(self) -> tuple[Lesson, ...]:
        """All lessons, the first one first."""
        return (self.lesson, *self.more_lessons) if self.lesson else ()

    @abstractmethod
    def seats(self, options: Any) -> range:
        """The numbers of players that are possible with these options."""

    @property
    def players(self) -> range:
        """The numbers of players, from the fewest to the most in any preset."""
        ranges = [self.seats(self.read_options({})), *(preset.seats for preset in self.presets.values())]
        return range(min(r[0] for r in ranges), max(r[-1] for r in ranges) + 1)

    def draw(self, options: Any, seats: int, rng: Random, wish: Setup) -> Setup:
        """The setup of a new match: the creator's `wish`, the rest random; IllegalOption for a bad wish."""
        self.check_setup(options, seats, wish)
        return {}

    def check_setup(self, options: Any, seats: int, setup: Setup) -> None:
        """Raises IllegalOption unless `setup` is one that `draw` could have given."""
        if setup:
            raise IllegalOption(
                "{game} takes no setup, but the one given has {keys}.",
                at="setup",
                game=self.name,
                keys=_keys(setup),
            )

    def wishes(self, options: Any) -> tuple[Wish, ...]:
        """The choices about the setup that a creator may make instead of chance; none in most games."""
        return ()

    def wish(self, options: Any, answers: Mapping[str, str]) -> Setup:
        """The wish for `draw` that combines these answers to `wishes`, given by the wishes' keys."""
        return {}

    def sketch(self, given: Mapping[str, Any]) -> Any:
        """The board that a creator is drawing, from a form's data; None in a game without `draws_boards`.

        It has `setup` (for the new match, None as long as there is a `fault`), `warnings` (sentences that the
        creator must have read), and whatever the game's `own_board.html` draws.
        """
        return None

    def begins(self, options: Any, seats: int, seat: Seat) -> Sentence | None:
        """The meaning of a seat (who begins, from where), in a sentence; None if all seats are alike."""
        return None

    def newcomers_seat(self, options: Any, seats: int) -> Seat:
        """The seat of somebody who plays against bots at once: the one whose figures look up the screen."""
        return Seat(SEATS[0])

    def goal(self, options: Any, seats: int) -> Sentence:
        """The aim of each player, in one sentence."""
        return Sentence(self.says)

    def last_standing(self, options: Any) -> bool:
        """Tell whether players are put out one after the other, until one is left."""
        return False

    def is_drawish(self, options: Any, seats: int) -> bool:
        """Tell whether most matches are draws, so that ties between players would seldom be decided."""
        return False

    def introduce(self, options: Any, seats: int, turn: int = 0) -> tuple[Sentence, ...]:
        """The speech bubbles for a newcomer: what is theirs, what else there is, what to do now.

        `turn` is one of the first `guided` turns of the match.
        """
        return ()

    def points_at(self, turn: int, seats: int) -> tuple[Pointed, ...]:
        """The aims of a turn's bubbles, which then come one at a time; () shows all at once."""
        return ()

    def things(self, options: Any) -> Mapping[str, Sentence]:
        """A sentence for each kind of thing that boards and planners draw: what it is, and what it is for.

        The game's `things.html` says how each kind is drawn.
        """
        return {}

    def colour(self, side: str) -> Sentence:
        """The name of a side's colour."""
        return Sentence(COLOURS[side])

    def say_option(self, name: str, options: Any) -> Sentence:
        """The meaning of an option's value, given the other options."""
        value = getattr(options, name)
        words = next(f.metadata["words"] for f in fields(self.options) if f.name == name)
        return Sentence(words, value=value) if isinstance(words, str) else Sentence(words[value])

    def read_options(self, given: Mapping[str, Any]) -> Any:
        """The options from JSON, strictly typed (`true` is not 1); IllegalOption names the one at fault."""
        known = {f.name: f for f in fields(self.options)}
        for name, value in given.items():
            if name not in known:
                raise IllegalOption(
                    "{game} has no option “{option}”; it has {keys}.",
                    at=name,
                    game=self.name,
                    option=name,
                    keys=_keys(known),
                )
            values = known[name].metadata["values"]
            if not any(type(value) is type(v) and value == v for v in values):
                allowed = ", ".join(_as_json(v) for v in values)
                raise IllegalOption(
                    "Option “{option}” of {game} is one of {allowed}.",
                    at=name,
                    option=name,
                    game=self.name,
                    allowed=allowed,
                )
        return self.options(**given)

    def write_options(self, options: Any) -> dict[str, Any]:
        """The options that differ from the defaults."""
        return {
            f.name: value
            for f in fields(self.options)
            if f.default is not MISSING and (value := getattr(options, f.name)) != f.default
        }

    def check_seats(self, options: Any, seats: int) -> None:
        """Raises IllegalOption unless that many can play."""
        allowed = self.seats(options)
        if seats not in allowed:
            raise IllegalOption(
                "{game} with these options is for {least} to {most} players, not {seats}."
                if len(allowed) > 1
                else "{game} with these options is for {least} players, not {seats}.",
                at="seats",
                game=self.name,
                least=allowed[0],
                most=allowed[-1],
                seats=seats,
            )

    def schema(self) -> dict[str, Any]:
        """The options as a JSON schema."""
        return {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                f.name: {
                    "enum": list(f.metadata["values"]),
                    "default": f.default,
                    "description": f.metadata["says"],
                }
                for f in fields(self.options)
            },
        }


def _keys(keys: Mapping[str, Any]) -> str:
    return ", ".join(f"“{key}”" for key in keys)


def _as_json(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
