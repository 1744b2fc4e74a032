"""The `Game` contract: options, presets, setup, lessons, and the text on a game's box."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from random import Random
from typing import Any, ClassVar, Literal

from games.core.sentences import SEATS, IllegalOption, Seat, Sentence, Setup
from games.core.state import State
from games.core.teaching import Example, Lesson, PuzzleProver
from games.described import UNDESCRIBED, Described

BubbleTarget = Literal["own", "other", "plan", "aims", "home", "goal", "ground"]
"""The part of the page at which a bubble points, such as `own` (one's pieces) or `ground` (the board)."""
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
"""The colour names by side, for games in which each seat is a side of its own (seat A is side `a`)."""


def option(
    default: Any,
    *others: Any,
    says: str = "",
    name: str = "",
    words: Mapping[Any, str] | str = "{value}",
    under: str = "",  # the option below which forms show this one
) -> Any:
    """Declares an option as a field: its values, the default first; `words` has a sentence for each."""
    values = (default, *others)
    known = {"values": values, "says": says, "name": name, "words": words, "under": under}
    return field(default=default, metadata=known)


@dataclass(frozen=True, slots=True)
class Wish:
    """A question about the setup for a match's creator, and its answers by value.

    `spot` is the place on the board at which the game's template draws the question.
    """

    key: str
    says: Sentence
    answers: Mapping[str, Sentence]
    spot: Any = None


@dataclass(frozen=True, slots=True)
class Preset:
    """A named set of options and its numbers of players; `usual` is the one proposed, 0 for the lowest."""

    name: str
    says: str
    seats: range
    options: Mapping[str, Any]
    usual: int = 0
    brief: str = ""

    @property
    def usual_seats(self) -> int:
        return self.usual or self.seats[0]


@dataclass(frozen=True, slots=True)
class Box:
    """The text on the game's box, in our own words; fields are empty where the designer states nothing.

    `minutes` are the shortest and the longest duration of a match; `age` is the lowest, in years.
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

    `manner` is `turns` (one after the other), `orders` (all at once) or `rounds` (programs of commands).
    """

    slug: str
    name: str
    designer: str
    says: str
    options: type[Any]
    state: type[State]
    presets: Mapping[str, Preset]
    box: Box
    brief: str = ""
    """The task of a player, in at most eight words, for the home page; by default, `says`."""
    notation: str = ""
    rules: int = 1
    manner: Literal["turns", "orders", "rounds"] = "turns"
    lesson: Lesson | None = None
    sides: Mapping[str, Sentence] = field(default_factory=dict)
    """The name of each side, by the letter that `State.side` returns; empty if no seat can change sides."""
    sides_fixed_after: int = 0
    """The number of turns after which no seat can change sides; 0 if no seat ever can."""
    guided: int = 1
    """The number of turns, from the first one on, in which speech bubbles guide a newcomer; at most 3."""
    draws_boards: ClassVar[bool] = False
    """A flag: True if a match's creator may draw the board of the match; `sketch` reads the drawing."""
    described: Described = UNDESCRIBED
    more_lessons: tuple[Lesson, ...] = ()
    examples: tuple[Example, ...] = ()
    puzzle_prover: PuzzleProver | None = None
    second_person: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """Templates with “you”, by the usual template and the name of the field that is the reader's seat."""

    @property
    def lessons(self) -> tuple[Lesson, ...]:
        """All lessons of the game, in the order in which they are taught; empty if there are none."""
        return (self.lesson, *self.more_lessons) if self.lesson else ()

    @abstractmethod
    def seats(self, options: Any) -> range:
        """The range of player counts that these options allow."""

    @property
    def players(self) -> range:
        """The range of player counts from the lowest to the highest that any preset or the defaults allow."""
        ranges = [self.seats(self.read_options({})), *(preset.seats for preset in self.presets.values())]
        return range(min(r[0] for r in ranges), max(r[-1] for r in ranges) + 1)

    def draw(self, options: Any, seats: int, rng: Random, wish: Setup) -> Setup:
        """Returns a match's setup; chance decides what `wish` leaves open. Raises IllegalOption."""
        self.check_setup(options, seats, wish)
        return {}

    def check_setup(self, options: Any, seats: int, setup: Setup) -> None:
        """Raises IllegalOption unless `setup` is one that `draw` could return; by default, only {} is."""
        if setup:
            raise IllegalOption(
                "{game} takes no setup, but the one given has {keys}.",
                at="setup",
                game=self.name,
                keys=_keys(setup),
            )

    def wishes(self, options: Any) -> tuple[Wish, ...]:
        """The questions that a match's creator may answer; chance decides what is left open."""
        return ()

    def wish(self, options: Any, answers: Mapping[str, str]) -> Setup:
        """Converts the creator's answers, by the key of each `Wish`, to the argument `wish` of `draw`."""
        return {}

    def sketch(self, given: Mapping[str, Any]) -> Any:
        """Returns the board drawn in the creator's form, with `fault`, `setup` and `warnings`, or None."""
        return None

    def begins(self, options: Any, seats: int, seat: Seat) -> Sentence | None:
        """A sentence on a seat's role, such as who begins or from which side; None if all seats are alike."""
        return None

    def newcomers_seat(self, options: Any, seats: int) -> Seat:
        """The seat given to a guest against bots: one whose pieces face the top of the screen."""
        return Seat(SEATS[0])

    def goal(self, options: Any, seats: int) -> Sentence:
        return Sentence(self.says)

    def last_standing(self, options: Any) -> bool:
        """Returns True if players are eliminated one by one until only one is left."""
        return False

    def is_drawish(self, options: Any, seats: int) -> bool:
        """Returns True if most matches with these options and this number of players end in draws."""
        return False

    def introduce(self, options: Any, seats: int, turn: int = 0) -> tuple[Sentence, ...]:
        """The speech bubbles that guide a newcomer through a turn (from 0, below `guided`)."""
        return ()

    def points_at(self, turn: int, seats: int) -> tuple[BubbleTarget, ...]:
        """The part of the page at which each bubble points; () stands for the board as a whole."""
        return ()

    def keeps_bubbles(self, turn: int) -> bool:
        """Returns True if taps do not close the bubbles; only for turns in which no tap is on the board."""
        return False

    def things(self, options: Any) -> Mapping[str, Sentence]:
        """A sentence on each kind of object that the template `things.html` of the game draws, by kind."""
        return {}

    def colour(self, side: str) -> Sentence:
        """The name of the colour of a side; `side` is a lower-case letter, as in `State.side`."""
        return Sentence(COLOURS[side])

    def say_option(self, name: str, options: Any) -> Sentence:
        """A sentence on the value of an option; it may depend on other options too."""
        value = getattr(options, name)
        words = next(f.metadata["words"] for f in fields(self.options) if f.name == name)
        return Sentence(words, value=value) if isinstance(words, str) else Sentence(words[value])

    def read_options(self, given: Mapping[str, Any]) -> Any:
        """Returns the options that JSON data describes; raises IllegalOption, which names the first fault."""
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
                allowed = ", ".join(str(v).lower() if isinstance(v, bool) else str(v) for v in values)
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

    def presets_with(self, given: Mapping[str, Any]) -> list[str]:
        """The keys of the presets with exactly these options, given as `write_options` writes them."""
        same = ((key, self.read_options(preset.options)) for key, preset in self.presets.items())
        return [key for key, options in same if self.write_options(options) == given]

    def check_seats(self, options: Any, seats: int) -> None:
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
