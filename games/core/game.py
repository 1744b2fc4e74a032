"""The `Game` contract: options, presets, setup, lessons, and the text on a game's box."""

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
"""The target of a bubble's pointer: the guest's figures, another player's, the planner or its aiming part,
the guest's home row or goal, or the whole board."""
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
"""The colour names of sides that are named after seats: lower-case letters a to h."""


def option(
    default: Any,
    *others: Any,
    says: str = "",
    name: str = "",
    words: Mapping[Any, str] | str = "{value}",
    under: str = "",
) -> Any:
    """Declares one option as a dataclass field: its default, its other values, and its texts for people.

    `says` describes the option in a sentence, `name` is its short title. `words` is a sentence for each
    value, or one template for all with {value} in it. `under` names another option that this one's meaning
    depends on (`Game.say_option`); forms ask for this option below that one.
    """
    values = (default, *others)
    known = {"values": values, "says": says, "name": name, "words": words, "under": under}
    return field(default=default, metadata=known)


@dataclass(frozen=True, slots=True)
class Wish:
    """A choice about the setup that a match's creator may make: a question, and a sentence for each answer.

    `spot` is the choice's place on the board, for the game's own drawing.
    """

    key: str
    says: Sentence
    answers: Mapping[str, Sentence]
    spot: Any = None


@dataclass(frozen=True, slots=True)
class Preset:
    """A named set of options, the numbers of seats that it suits, and a sentence on how it differs.

    `usual` is the number of seats proposed at first; 0 means the fewest. `brief` is the difference in half a
    sentence, for lists that show all presets side by side.
    """

    name: str
    says: str
    seats: range
    options: Mapping[str, Any]
    usual: int = 0
    brief: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    """The text on the game's box: facts and notes taken from the designer's text, in our own words.

    Facts that the designer's text does not state are left out. `minutes` is the shortest and the longest time
    of a match, `age` the lowest age in years. `mechanics` is one line. `notes` and `credits` are sentences:
    where the idea came from, who else contributed. `address` is the designer's web address as the text spells
    it.
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
        """The designer's address with a scheme (http if the text gives none); "" if there is no address."""
        return self.address if not self.address or "://" in self.address else f"http://{self.address}"


@dataclass(frozen=True, slots=True)
class Game(ABC):
    """A game in one version of its rules: everything that does not change from match to match.

    `says` describes the game in a sentence; `notation` explains in a sentence how an order is typed. `manner`
    is the players' kind of turns: one after the other (`turns`), or all at once, by `orders` or by whole
    programs (`rounds`).

    A game with a random setup, or with a range of seats that depends on the options, overrides the methods.
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
    """The name of each side, by the letter that `State.side` returns; empty if no seat can change sides."""
    settled: int = 0
    """The number of turns after which no seat can change its side."""
    guided: int = 1
    """The number of first turns in which a newcomer to the game is shown speech bubbles; three at most."""
    draws_boards: ClassVar[bool] = False
    """Tell whether a match's creator may draw a board for it (`sketch`)."""
    described: Described = UNDESCRIBED
    more_lessons: tuple[Lesson, ...] = ()
    examples: tuple[Example, ...] = ()
    puzzling: Puzzling | None = None
    second_person: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Sentences addressed to a player (“You fire …”), for films.

    The key is the template that everybody else reads, with the name of the fact in it that is the reader's
    own seat.
    """

    @property
    def lessons(self) -> tuple[Lesson, ...]:
        """All lessons of the game, first lesson first; empty if there is none."""
        return (self.lesson, *self.more_lessons) if self.lesson else ()

    @abstractmethod
    def seats(self, options: Any) -> range:
        """The range of player counts that these options allow."""

    @property
    def players(self) -> range:
        """The range of player counts, from the fewest to the most that the defaults or any preset allow."""
        ranges = [self.seats(self.read_options({})), *(preset.seats for preset in self.presets.values())]
        return range(min(r[0] for r in ranges), max(r[-1] for r in ranges) + 1)

    def draw(self, options: Any, seats: int, rng: Random, wish: Setup) -> Setup:
        """Returns the setup of a new match: `wish` as its creator gave it, the rest random.

        Raises IllegalOption if the wish is not possible.
        """
        self.check_setup(options, seats, wish)
        return {}

    def check_setup(self, options: Any, seats: int, setup: Setup) -> None:
        """Raises IllegalOption unless `setup` is one that `draw` could return."""
        if setup:
            raise IllegalOption(
                "{game} takes no setup, but the one given has {keys}.",
                at="setup",
                game=self.name,
                keys=_keys(setup),
            )

    def wishes(self, options: Any) -> tuple[Wish, ...]:
        """The setup choices that a match's creator may make instead of chance; none in most games."""
        return ()

    def wish(self, options: Any, answers: Mapping[str, str]) -> Setup:
        """Returns the setup wish for `draw` that follows from `answers`: answer keys by wish key."""
        return {}

    def sketch(self, given: Mapping[str, Any]) -> Any:
        """Returns the board that a creator is drawing, read from a form's data; None without `draws_boards`.

        It has `setup` (for the new match; None while there is a `fault`), `warnings` (sentences that the
        creator must confirm), and whatever the game's `own_board.html` draws.
        """
        return None

    def begins(self, options: Any, seats: int, seat: Seat) -> Sentence | None:
        """A sentence on a seat's role (who begins, from which side); None if all seats are alike."""
        return None

    def newcomers_seat(self, options: Any, seats: int) -> Seat:
        """The seat for somebody who starts a match against bots: the one whose figures face up the screen."""
        return Seat(SEATS[0])

    def goal(self, options: Any, seats: int) -> Sentence:
        """A sentence on what each player tries to achieve."""
        return Sentence(self.says)

    def last_standing(self, options: Any) -> bool:
        """Tell whether players are eliminated one by one until a single one is left."""
        return False

    def is_drawish(self, options: Any, seats: int) -> bool:
        """Tell whether most matches end in draws, so that a cup tie would seldom be decided."""
        return False

    def introduce(self, options: Any, seats: int, turn: int = 0) -> tuple[Sentence, ...]:
        """The texts of a newcomer's speech bubbles: their own pieces, the rest of the board, the next action.

        `turn` is one of the first `guided` turns of the match.
        """
        return ()

    def points_at(self, turn: int, seats: int) -> tuple[Pointed, ...]:
        """The targets of a turn's bubbles, which then appear one by one; () shows all at once."""
        return ()

    def things(self, options: Any) -> Mapping[str, Sentence]:
        """A sentence for each kind of object drawn on boards and planners: its name and its purpose.

        The game's `things.html` defines the drawing of each kind.
        """
        return {}

    def colour(self, side: str) -> Sentence:
        """The name of a side's colour."""
        return Sentence(COLOURS[side])

    def say_option(self, name: str, options: Any) -> Sentence:
        """A sentence on the chosen value of an option, which may depend on the other options."""
        value = getattr(options, name)
        words = next(f.metadata["words"] for f in fields(self.options) if f.name == name)
        return Sentence(words, value=value) if isinstance(words, str) else Sentence(words[value])

    def read_options(self, given: Mapping[str, Any]) -> Any:
        """Parses options from JSON, strictly typed (`true` is not 1).

        Raises IllegalOption, which names the option at fault.
        """
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
        """Returns the options that differ from the defaults, as JSON data."""
        return {
            f.name: value
            for f in fields(self.options)
            if f.default is not MISSING and (value := getattr(options, f.name)) != f.default
        }

    def check_seats(self, options: Any, seats: int) -> None:
        """Raises IllegalOption unless the options allow this number of players."""
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
        """Returns a JSON schema of the options."""
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
