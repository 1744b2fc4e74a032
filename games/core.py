"""What every game is: its options, its positions, its orders, and how a turn of any game is played.

A game is a `Game` (frozen data) and a `State` (an immutable position that answers questions).
Nothing here, nor in any game, knows the web, a clock, a file or a random number of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import MISSING, dataclass, field, fields, replace
from random import Random
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple, Self

from games.described import UNDESCRIBED, Described

SEATS = "ABCDEFGH"
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
RESIGN = "resign"
DRAW = "draw"
FAREWELLS = frozenset((RESIGN, DRAW))

MARGIN, SOME = 4, 40
"""People may write an order so many times as long as its canonical form, and so many characters longer."""

Order = str
Event = dict[str, Any]
"""What happened, as JSON data: `kind`, who (`by`, `at`), and facts. Log, film, API, speech come from it."""
Setup = dict[str, Any]
"""What chance or the creator decided before the first turn, as JSON data; `{}` for most games."""


class Seat(str):
    """A seat's letter, A to H. Its own type, so that a sentence can put the player's name in its place."""

    __slots__ = ()


class Sentence:
    """A sentence to a player: an English template with its facts, so that the site can translate it.

    Facts that are a `Seat` are shown by the player's name, facts that are a `Sentence` are told in turn.
    """

    __slots__ = ("facts", "template")

    def __init__(self, template: str, /, **facts: object) -> None:
        self.template = template
        self.facts: dict[str, Any] = facts

    def __str__(self) -> str:
        return self.template.format(**self.facts)

    def __repr__(self) -> str:
        return f"Sentence({str(self)!r})"


class IllegalOrder(ValueError):
    """An order that the rules refuse. `sentence` tells the player what is wrong and what to do.

    `seat` is the seat at fault where a whole turn was judged, or None if the fault is no single seat's.
    """

    def __init__(self, template: str, /, *, seat: Seat | None = None, **facts: object) -> None:
        self.sentence = Sentence(template, **facts)
        self.seat = seat
        super().__init__(template)

    def __str__(self) -> str:
        return str(self.sentence)


class IllegalOption(ValueError):
    """Options, a setup or a number of seats that a game does not have. `name` is the option at fault."""

    def __init__(self, template: str, /, *, at: str = "", **facts: object) -> None:
        self.sentence = Sentence(template, **facts)
        self.name = at
        super().__init__(template)

    def __str__(self) -> str:
        return str(self.sentence)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a match ended: each seat's share of one point, and why (a word of docs/record.md)."""

    scores: Mapping[Seat, float]
    reason: str

    def __hash__(self) -> int:
        return hash((frozenset(self.scores.items()), self.reason))

    @classmethod
    def shared(cls, winners: Set[Seat], seats: tuple[Seat, ...], reason: str) -> Outcome:
        """The point shared equally by `winners`; all others get nothing."""
        share = 1 / len(winners)
        share = int(share) if share == 1 else share
        return cls({seat: share if seat in winners else 0 for seat in seats}, reason)

    def as_json(self) -> dict[str, Any]:
        return {"scores": dict(self.scores), "reason": self.reason}


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing that may be done next to an unfinished order: a sign, a square, a slot.

    `leads_to` is the unfinished order after it. Where the rules forbid it now, `why` says so and `leads_to`
    is the order as it was. `sign` is what people write for it, `icon` the symbol that is drawn for it.
    Where chance decides what comes of it, `draws` makes it with dice that nobody can foresee; `leads_to` is
    then no more than an example, the same for everybody.
    """

    key: str
    name: Sentence
    leads_to: Order
    sign: str = ""
    icon: str = ""
    why: Sentence | None = None
    draws: Callable[[Random], Order] | None = field(default=None, repr=False, compare=False)

    @property
    def allowed(self) -> bool:
        return self.why is None


@dataclass(frozen=True, slots=True)
class Plan:
    """What comes of an unfinished order, what may come next, and what is still missing.

    A game adds what its planner draws (slots, ghosts, reach) in a subclass.
    """

    order: Order
    choices: tuple[Choice, ...]
    missing: Sentence | None
    words: tuple[Sentence, ...]
    guessable: tuple[Seat, ...] = ()
    """What if: whose orders may be guessed beside this one."""
    film: tuple[State, ...] = ()
    """With guesses: this position, and those that the order and the guesses lead to, for the board."""

    def choose(self, key: str, rng: Random | None = None) -> Order:
        """The unfinished order after the choice `key`; raises IllegalOrder if it cannot be had now.

        `rng` decides what a choice by chance leads to; without dice it leads to its example.
        """
        for choice in self.choices:
            if choice.key == key:
                if choice.why:
                    raise IllegalOrder(choice.why.template, **choice.why.facts)
                return choice.draws(rng) if choice.draws and rng else choice.leads_to
        raise IllegalOrder("There is no choice “{key}” here.", key=key)


class Otherwise(NamedTuple):
    """Where the turn first departed from a player's plan: at which position of the film, or None, and how.

    `planned` is what the board draws of the plan at a position of the film, where it differs from that.
    """

    at: int | None
    sentence: Sentence
    planned: Mapping[int, Any]


class Judged(NamedTuple):
    """What a player's order brought in a turn, and what the best answer to the others' would have brought.

    Both in the unit of the review, for the player itself. With `sure`, the best answer wins for certain, and
    the order did not. `then` is the same judged on what the player could know, where that was less.
    """

    order: Order
    value: float
    best: Order
    best_value: float
    landed: int = 0
    """Hits that the player's order landed on others."""
    taken: int = 0
    sure: bool = False
    then: Judged | None = None

    @property
    def regret(self) -> float:
        """What the order cost, beside the best one; nobody could know the others' orders."""
        return self.best_value - self.value


class Mixed(NamedTuple):
    """A seat's part of a near-equilibrium: how often it plays each order, the value of that, and its gap.

    The gap is what its best answer to the mixes of the others gains over its own mix.
    """

    mix: Mapping[Order, float]
    value: float
    gap: float


@dataclass(frozen=True, slots=True)
class Review:
    """A played turn looked at afterwards: each order beside its best answer, and how all might have mixed.

    `mixes` is empty where no equilibrium is computed.
    """

    judged: Mapping[Seat, Judged]
    mixes: Mapping[Seat, Mixed]


class Tally(NamedTuple):
    """How far a player has come in a race, or towards its end: `reached` of `goal`, and the same in words."""

    reached: int
    goal: int
    says: Sentence
    icon: str = "star"
    """The symbol that stands for one; "" where words say it better."""


class State(ABC):
    """A position, immutable. `play` gives the positions that follow.

    The attributes of every position: `turn`, how many turns have been played; `tick`, whether this is one
    of the record's positions (others are pictures in between); `ended`, the outcome once it is over.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def turn(self) -> int: ...

    @property
    @abstractmethod
    def tick(self) -> bool: ...

    @property
    @abstractmethod
    def ended(self) -> Outcome | None: ...

    @property
    @abstractmethod
    def seats(self) -> tuple[Seat, ...]:
        """All seats of the match, from A on."""

    @property
    @abstractmethod
    def events(self) -> list[Event]:
        """What happened on the way to this position from the one before it."""

    @classmethod
    @abstractmethod
    def start(cls, options: Any, seats: int, setup: Setup) -> Self:
        """The opening position for that many seats."""

    @classmethod
    @abstractmethod
    def read(cls, text: str, options: Any, seats: int) -> Self:
        """The position that `position()` wrote, at the start of a turn; ValueError if it is none."""

    @abstractmethod
    def position(self) -> str:
        """This position in one line of text (docs/record.md)."""

    @abstractmethod
    def still_in(self) -> frozenset[Seat]:
        """The seats that have neither left nor been put out."""

    @abstractmethod
    def to_act(self) -> frozenset[Seat]:
        """The seats that owe an order now: one, several at once, or none when it is over."""

    @abstractmethod
    def longest_order(self, seat: Seat) -> int:
        """How many characters the longest canonical order of `seat` could have here, legal or not."""

    def room(self, seat: Seat) -> int:
        """How many characters of `seat` are read: its longest order, however widely it is spelled."""
        return MARGIN * self.longest_order(seat) + SOME

    def check(self, seat: Seat, order: Order) -> Order:
        """The canonical form of what `seat` typed; raises IllegalOrder with a sentence for the player.

        Text for which there is no `room` is refused unread, so the work is bounded.
        """
        self.check_room(seat, order)
        return self.read_order(seat, order)

    def check_room(self, seat: Seat, text: str) -> None:
        """Raises IllegalOrder if `text` is longer than any order of `seat`, finished or not, could be."""
        if len(text) > self.room(seat):
            raise self._too_long(seat, text)

    @abstractmethod
    def read_order(self, seat: Seat, order: Order) -> Order:
        """What `check` gives for a text of bounded length."""

    def _too_long(self, seat: Seat, text: str) -> IllegalOrder:
        return IllegalOrder(
            "This text has {n} characters, and an order here needs {most} at most. Please write less.",
            n=len(text),
            most=self.room(seat),
        )

    @abstractmethod
    def sample(self, seat: Seat, rng: Random) -> Order:
        """Some legal order of `seat`, canonical."""

    @abstractmethod
    def legal(self, seat: Seat, most: int) -> list[Order] | None:
        """The canonical orders to which the choices of `plan` lead, each once; None if more than `most`.

        Its work is bounded: it stops as soon as there are too many, better before it makes any.
        """

    @abstractmethod
    def play(self, orders: Mapping[Seat, Order]) -> Iterable[Self]:
        """The positions that follow from all canonical orders of a turn; the last starts the next turn."""

    @abstractmethod
    def leave(self, seats: frozenset[Seat]) -> Self:
        """The position after these seats have resigned while at least two others play on (G1)."""

    @abstractmethod
    def end(self, outcome: Outcome, events: list[Event]) -> Self:
        """The same position, with the match ended by agreement or resignation: one turn more, no tick."""

    def view(self, seat: Seat | None) -> Self:
        """What `seat`, or a spectator, may know. Games without secrets of their own show everything."""
        return self

    def determinize(self, rng: Random) -> Self:
        """Some whole position that fits this view."""
        return self

    def worlds(self, rng: Random, count: int) -> list[Self]:
        """`count` whole positions that fit this view, each drawn independently."""
        return [self.determinize(rng) for _ in range(count)]

    def pieces(self) -> int:
        """How many pieces a turn moves at most: what playing one costs, beside other positions of a game."""
        return len(self.to_act())

    def conceals(self, turn: int, seat: Seat) -> bool:
        """Whether the order that `seat` played in `turn` stays secret still."""
        return False

    def side(self, seat: Seat) -> str:
        """What the seat plays, for its colour: a lower-case letter."""
        return seat.lower()

    def plan(self, seat: Seat, partial: Order, guesses: Mapping[Seat, Order] | None = None) -> Plan:
        """What comes of the unfinished order `partial` of `seat`; never raises, whatever the text.

        Text for which there is no `room` is not read: the plan is that of an empty order, and says why.
        """
        known = {at: text if len(text) <= self.room(at) else "" for at, text in (guesses or {}).items()}
        if len(partial) <= self.room(seat):
            return self.make_plan(seat, partial, known)
        return replace(self.make_plan(seat, "", known), missing=self._too_long(seat, partial).sentence)

    @abstractmethod
    def make_plan(self, seat: Seat, partial: Order, guesses: Mapping[Seat, Order]) -> Plan:
        """What `plan` gives for texts of bounded length."""

    def guessing(self, seat: Seat, partial: Order) -> Plan:
        """The planner for a guess of what another seat may order, as the reader of this view sees it.

        As in `plan`, text for which there is no `room` is not read.
        """
        if len(partial) <= self.room(seat):
            return self.make_guess(seat, partial)
        return replace(self.make_guess(seat, ""), missing=self._too_long(seat, partial).sentence)

    def make_guess(self, seat: Seat, partial: Order) -> Plan:
        """What `guessing` gives for a text of bounded length."""
        return self.make_plan(seat, partial, {})

    def otherwise(self, seat: Seat, order: Order, film: Sequence[Self]) -> Otherwise | None:
        """What `seat` planned here with its order, beside the film of the turn; None: nothing to tell.

        `film` begins with this position.
        """
        return None

    def instead(self, seat: Seat, order: Order, others: Mapping[Seat, Order]) -> Plan:
        """What the board draws of an order that `seat` did not play, where the others did what they did.

        For a match that is over: the position hides nothing.
        """
        return self.plan(seat, order, others)

    @property
    def is_reviewed(self) -> bool:
        """Whether `review` judges the turns of this match."""
        return False

    def review(self, orders: Mapping[Seat, Order]) -> Review | None:
        """What the canonical orders of a turn were worth; None where the game does not judge that.

        It takes seconds, and it tells all that was sealed: it is for matches that are over.
        """
        return None

    def look_back(self) -> Any:
        """What the game's `ending.html` shows of a match that is over, whose position this is; None: nothing.

        Nothing is secret any more then.
        """
        return None

    def ideas(self, seat: Seat, rng: Random, most: int) -> list[Order]:
        """Different orders of `seat` that are worth a look: all, or some by chance where there are more."""
        return list(dict.fromkeys(self.sample(seat, rng) for _ in range(most)))

    def evaluate(self, seat: Seat) -> float:
        """The share of the point that `seat` may expect, from 0 to 1; nothing in this position is hidden."""
        if self.ended:
            return self.ended.scores[seat]
        still_in = self.still_in()
        return 1 / len(still_in) if seat in still_in else 0.0

    def tally(self, seat: Seat) -> Tally | None:
        """A seat's tally for the list of players, where there is a race; None in games without one."""
        return None

    def idle(self) -> int:
        """For how many turns nothing has changed for good; when it is long, programs draw. 0: unknown."""
        return 0

    @abstractmethod
    def tell(self, event: Event) -> Sentence:
        """An event of this position as a sentence."""

    def highlight(self, event: Event) -> int:
        """How much an event of this position is worth seeing again: 0 is nothing special, about 5 a hit."""
        return 1

    @abstractmethod
    def words(self) -> list[Sentence]:
        """The board in words: where each piece stands and what it faces."""

    @abstractmethod
    def drawing(self) -> dict[str, Any]:
        """What the board's template draws of this position: lists of named tuples, numbers in squares.

        Under `effects`, if anywhere, stands what is seen of the step that led here.
        """

    @abstractmethod
    def cell(self, seat: Seat) -> Any:
        """What the table of orders shows of `seat` for the step that led here, or None."""

    def outcome(self) -> Outcome | None:
        """How the match ended, or None while it goes on."""
        return self.ended


def option(
    default: Any,
    *others: Any,
    says: str = "",
    name: str = "",
    words: Mapping[Any, str] | str = "{value}",
    under: str = "",
) -> Any:
    """A field of a game's options: its default value, the other values, and its sentence for people.

    `name` is its short title. `words` says what a value means: a sentence each, or one with {value} in it.
    `under` is the option on whose value its meaning hangs (`Game.say_option`): it is asked below that one.
    """
    values = (default, *others)
    known = {"values": values, "says": says, "name": name, "words": words, "under": under}
    return field(default=default, metadata=known)


@dataclass(frozen=True, slots=True)
class Wish:
    """Something of the setup that a creator may decide: a question, and a sentence for each answer.

    `spot` is for the game's own drawing: where on the board this is.
    """

    key: str
    says: Sentence
    answers: Mapping[str, Sentence]
    spot: Any = None


@dataclass(frozen=True, slots=True)
class Preset:
    """Named options, with the seats that they are meant for and a sentence that says what they change.

    `usual` is the number of seats that is proposed; 0 means the fewest.
    """

    name: str
    says: str
    seats: range
    options: Mapping[str, Any]
    usual: int = 0


@dataclass(frozen=True, slots=True)
class Exercise:
    """A step of a lesson: a position, something to do in it, and how to see that it is done.

    It is done when the turn that results from the order, and from the plans of the `others`, holds an event
    with all facts of `goal`. `answer` is an order that does it. With `or_else` nobody knows which of several
    things the others will do: it must be done against each. The turns of `before` have been played from
    `position`: what everybody saw in them is known.
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
    """What to see in a step of an example, and facts of events of that step that bear it out."""

    says: Sentence
    claims: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class Example:
    """A match, or a part of one, that the rules show step by step, with all that is secret laid open.

    `key` names it in addresses. `turns` are those of a record (docs/record.md) with these options, seats and
    setup; the film begins with turn `first`, from 1. `remarks` are found by turn and step, both from 1.
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

    The others do something against which it fails, if there is any such thing. `hidden` says that it failed
    only because of something that nobody could know.
    """

    state: State
    turns: tuple[dict[Seat, Order], ...]
    solved: bool
    hidden: bool = False


class Wanted(NamedTuple):
    """A good puzzle, for `make puzzles`.

    In which `presets`; at most what `share` of the orders solves it; the `least` number of orders; and by the
    number of moves within which it is to be won, how many orders there may be (a single move, if not told).
    """

    presets: tuple[str, ...]
    share: float
    least: int
    room: Mapping[int, int] = MappingProxyType({1: 40_000})


class Puzzling(ABC):
    """How a game's puzzles are asked, and how an order is proved to win whatever the others do.

    `asks` says what is to be done, as `seat`, within `n` moves. `remembers`: a position alone does not tell
    what its player has seen, so the turns since its start belong to it.
    """

    asks: Sentence
    wanted: Wanted
    remembers: ClassVar[bool] = False

    @abstractmethod
    def hint(self, answer: Order) -> Sentence:
        """Where to look, without the answer."""

    @abstractmethod
    def play_out(self, state: State, seat: Seat, order: Order, moves: int) -> PlayedOut:
        """What comes of a canonical order of `seat` in the whole position `state`."""

    @abstractmethod
    def solutions(self, state: State, seat: Seat, legal: Sequence[Order], moves: int) -> list[Order]:
        """Those of the orders that win for certain. ValueError where the others may do too much to tell."""


@dataclass(frozen=True, slots=True)
class Box:
    """What the game's box would say: facts and notes from its designer's text, in our own words.

    Facts that the text does not state are left out. `minutes` are the least and the most that a match takes,
    `age` is the lowest. `mechanics` is one line; `notes` and `credits` are sentences: where the idea came
    from, and who else had a part in it. `address` is the designer's, as the text spells it.
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
        """`address` with a scheme, "" without one. Old texts leave out the scheme; then it is http."""
        return self.address if not self.address or "://" in self.address else f"http://{self.address}"


@dataclass(frozen=True, slots=True)
class Game(ABC):
    """A game in one version of its rules: everything that does not change from match to match.

    `says` is its sentence for people, `notation` one on how an order is typed. `manner` is how people
    speak of its turns: they play one after the other, or give orders, or programs for a round, all at once.

    A game of more than boards and orders (a setup by chance, a seat range that hangs on the options)
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
    """After so many turns no seat changes its side any more."""
    draws_boards: ClassVar[bool] = False
    """Whether a creator may draw a board of one's own (`sketch`)."""
    described: Described = UNDESCRIBED
    more_lessons: tuple[Lesson, ...] = ()
    examples: tuple[Example, ...] = ()
    puzzling: Puzzling | None = None

    @property
    def lessons(self) -> tuple[Lesson, ...]:
        """All lessons, the first one first."""
        return (self.lesson, *self.more_lessons) if self.lesson else ()

    @abstractmethod
    def seats(self, options: Any) -> range:
        """How many may play with these options."""

    @property
    def players(self) -> range:
        """The numbers of players, from the fewest to the most in any preset."""
        ranges = [self.seats(self.read_options({})), *(preset.seats for preset in self.presets.values())]
        return range(min(r[0] for r in ranges), max(r[-1] for r in ranges) + 1)

    def draw(self, options: Any, seats: int, rng: Random, wish: Setup) -> Setup:
        """The setup of a new match: chance, and what its creator wished for; IllegalOption for a bad wish."""
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
        """What a creator may decide about the setup instead of chance; nothing in most games."""
        return ()

    def wish(self, options: Any, answers: Mapping[str, str]) -> Setup:
        """The wish for `draw` that these answers to `wishes`, by their keys, make together."""
        return {}

    def sketch(self, given: Mapping[str, Any]) -> Any:
        """A board that a creator draws, after what a form has sent; None in a game without `draws_boards`.

        It has `setup` (what it brings to a match, None as long as there is a `fault`), `warnings`, sentences
        that a creator must have read, and whatever the game's `own_board.html` draws.
        """
        return None

    def begins(self, options: Any, seats: int, seat: Seat) -> Sentence | None:
        """What sitting there means (who begins, from where), if it makes a difference that people know."""
        return None

    def goal(self, options: Any, seats: int) -> Sentence:
        """What each player tries to reach, in one sentence."""
        return Sentence(self.says)

    def introduce(self, options: Any, seats: int) -> tuple[Sentence, ...]:
        """What a newcomer is told on the board before the first turn, a speech bubble each: what is theirs,
        what else there is, what to do now.
        """
        return ()

    def colour(self, side: str) -> Sentence:
        """The name of a side's colour."""
        return Sentence(COLOURS[side])

    def say_option(self, name: str, options: Any) -> Sentence:
        """What the value of an option means, beside the others."""
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
        """What differs from the defaults."""
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


def seat_letters(count: int) -> tuple[Seat, ...]:
    """The seats of a match for that many: A, B …"""
    return tuple(Seat(letter) for letter in SEATS[:count])


def whole_turn(
    state: State, sealed: Mapping[Seat, Order], resigning: Set[Seat], drawing: Set[Seat]
) -> dict[Seat, Order] | None:
    """The turn that these make together, or None while it still waits for somebody (G1, G2)."""
    still_in = state.still_in()
    leaving = {seat: RESIGN for seat in state.seats if seat in still_in & resigning}
    if leaving and len(still_in) - len(leaving) <= 1:
        return leaving
    if still_in and still_in <= drawing:
        return {seat: DRAW for seat in state.seats if seat in still_in}
    owing = state.to_act() - leaving.keys()
    if not still_in or any(seat not in sealed for seat in owing):
        return None
    return {
        seat: RESIGN if seat in leaving else sealed[seat]
        for seat in state.seats
        if seat in owing | leaving.keys()
    }


def check_turn(state: State, orders: Mapping[Any, Any]) -> None:
    """Raises IllegalOrder, with its seat, unless `orders` is a whole legal canonical turn (G1, G2)."""
    still_in, to_act = state.still_in(), state.to_act()
    strangers = [key for key in orders if key not in state.seats]
    if strangers:
        raise IllegalOrder("There is no seat “{key}” in this match.", key=strangers[0])
    resigning = {seat for seat in still_in if orders.get(seat) == RESIGN}
    drawing = {seat for seat in still_in if orders.get(seat) == DRAW}
    ending = len(still_in - resigning) <= 1 and resigning
    if drawing and drawing != still_in:
        raise IllegalOrder("A draw must be offered by every seat still in.")
    if ending and any(seat in orders for seat in still_in - resigning):
        raise IllegalOrder("These resignations end the match, so no other order may be given with them.")
    for seat in state.seats:
        if seat not in orders:
            if seat in to_act and not ending and not drawing:
                raise IllegalOrder("The order of seat {at} is missing.", at=str(seat), seat=seat)
        elif seat not in still_in:
            raise IllegalOrder("Seat {at} is out and gives no more orders.", at=str(seat), seat=seat)
        elif seat not in resigning and seat not in drawing:
            _check_order(state, seat, orders[seat], seat in to_act)


def _check_order(state: State, seat: Seat, order: Any, acts: bool) -> None:
    if not acts:
        raise IllegalOrder("It is not seat {at}'s turn.", at=str(seat), seat=seat)
    if not isinstance(order, str):
        raise IllegalOrder("An order is text.", seat=seat)
    try:
        canonical = state.check(seat, order)
    except IllegalOrder as fault:
        fault.seat = seat
        raise
    if canonical != order:
        raise IllegalOrder(
            ("“{order}” must be written “{canonical}”."), order=order, canonical=canonical, seat=seat
        )


def play_turn(state: State, orders: Mapping[Seat, Order]) -> Iterable[State]:
    """Plays one turn of any game: resignations and agreed draws (G1, G2) here, all else by the game.

    `orders` must be a whole legal turn (`check_turn`). Gives the positions that follow; the last starts the
    next turn, or has ended the match.
    """
    return state.play(orders) if FAREWELLS.isdisjoint(orders.values()) else _play_farewells(state, orders)


def _play_farewells(state: State, orders: Mapping[Seat, Order]) -> Iterator[State]:
    """A turn in which somebody resigns or all agree on a draw (G1, G2)."""
    still_in = state.still_in()
    resigning = frozenset(seat for seat in still_in if orders.get(seat) == RESIGN)
    if all(orders.get(seat) == DRAW for seat in still_in):
        yield state.end(Outcome.shared(still_in, state.seats, "agreed"), [{"kind": "agreed"}])
        return
    if resigning:
        stays = still_in - resigning
        if len(stays) <= 1:
            outcome = Outcome.shared(stays or resigning, state.seats, "resigned")
            yield state.end(outcome, [{"kind": "resigned", "by": seat} for seat in sorted(resigning)])
            return
        state = state.leave(resigning)
        yield state
    yield from state.play({seat: order for seat, order in orders.items() if seat not in resigning})


def tell(state: State, event: Event) -> Sentence:
    """An event as a sentence: events of any match here, all others by the game."""
    match event["kind"]:
        case "agreed":
            return Sentence("All agree on a draw.")
        case "resigned":
            return Sentence("{by} resigns.", by=Seat(event["by"]))
        case _:
            return state.tell(event)


def highlight(state: State, event: Event) -> int:
    """How much an event is worth seeing again: 0 for events of any match, all others by the game."""
    return 0 if event["kind"] in ("agreed", "resigned") else state.highlight(event)


def _keys(keys: Mapping[str, Any]) -> str:
    return ", ".join(f"“{key}”" for key in keys)


def _as_json(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
