"""The `State` contract: a position with its rules, and with everything that the site shows of it."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random
from types import ModuleType
from typing import Any, ClassVar, Self

from games.core.outcome import Outcome, Progress, Review
from games.core.plan import Departure, Plan
from games.core.sentences import Event, IllegalOrder, Order, Seat, Sentence, Setup

MARGIN, SPELLING_SLACK = 4, 40
"""A typed order has at most MARGIN times the longest canonical one's characters, plus SPELLING_SLACK."""


class State(ABC):
    """A position, which is immutable: its rules and, below, all that the site shows of it.

    `tick` is True if the record counts this position, and False if it is only shown within a turn.
    """

    __slots__ = ()
    search: ClassVar[ModuleType | None] = None
    """The thorough bot's search: a module with `order` and `is_content`, as in `games.players.Player`."""

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

    @classmethod
    @abstractmethod
    def start(cls, options: Any, seats: int, setup: Setup) -> Self:
        """Returns the opening position for this number of players."""

    @classmethod
    @abstractmethod
    def read(cls, text: str, options: Any, seats: int) -> Self:
        """Parses a turn's first position, as `position()` wrote it; else raises ValueError."""

    @abstractmethod
    def position(self) -> str:
        """This position as one line of text, in the notation of docs/record.md."""

    @abstractmethod
    def still_in(self) -> frozenset[Seat]:
        """The seats that have neither resigned nor been eliminated; empty if the match is over."""

    @abstractmethod
    def to_act(self) -> frozenset[Seat]:
        """The seats that must give an order in this position; empty if the match is over."""

    @abstractmethod
    def longest_order(self, seat: Seat) -> int:
        """The length in characters of the longest canonical order in the notation, legal now or not."""

    def max_order_length(self, seat: Seat) -> int:
        return MARGIN * self.longest_order(seat) + SPELLING_SLACK

    def check(self, seat: Seat, order: Order) -> Order:
        """Returns the canonical form of an order that `seat` typed; raises IllegalOrder."""
        self.check_order_length(seat, order)
        return self.read_order(seat, order)

    def check_order_length(self, seat: Seat, text: str) -> None:
        if len(text) > self.max_order_length(seat):
            raise self._too_long(seat, text)

    @abstractmethod
    def read_order(self, seat: Seat, order: Order) -> Order:
        """Returns the canonical form of an order of bounded length, or raises IllegalOrder."""

    def _too_long(self, seat: Seat, text: str) -> IllegalOrder:
        return IllegalOrder(
            "This text has {n} characters; a turn here has {most} at most. Please write less.",
            n=len(text),
            most=self.max_order_length(seat),
        )

    @abstractmethod
    def sample(self, seat: Seat, rng: Random) -> Order:
        """Returns a random legal order in canonical form."""

    def expected(self, seat: Seat, rng: Random) -> Order:
        """Returns a random order of `seat` for which another seat's bot should be prepared."""
        return self.sample(seat, rng)

    def ready(self, seat: Seat, rng: Random) -> Order:
        """Returns a whole order from which a newcomer may start; "" if there is none in this turn."""
        return ""

    @abstractmethod
    def legal(self, seat: Seat, most: int) -> list[Order] | None:
        """Returns all canonical orders that `plan` leads to; None if there are more than `most`."""

    @abstractmethod
    def play(self, orders: Mapping[Seat, Order]) -> Iterable[Self]:
        """Yields the positions of a turn; the last one starts the next turn or is the end."""

    @abstractmethod
    def leave(self, seats: frozenset[Seat]) -> Self:
        """Returns the position after `seats` have resigned (ruling G1), with at least two others still in."""

    @abstractmethod
    def end(self, outcome: Outcome, events: list[Event]) -> Self:
        """Returns the last position after a resignation or agreement: `turn` one more, `tick` False."""

    def view(self, seat: Seat | None) -> Self:
        """Returns what `seat`, or a spectator (None), may know of this position; by default, all of it."""
        return self

    def determinize(self, rng: Random) -> Self:
        """Returns a random complete position that is consistent with this view."""
        return self

    def worlds(self, rng: Random, count: int) -> list[Self]:
        """Returns `count` complete positions consistent with this view, each drawn independently."""
        return [self.determinize(rng) for _ in range(count)]

    def pieces(self) -> int:
        """The maximum number of pieces that the next turn can move: bots size their search by it."""
        return len(self.to_act())

    def conceals(self, turn: int, seat: Seat) -> bool:
        """Returns True if the order that `seat` played in `turn` is still hidden in this position."""
        return False

    def side(self, seat: Seat) -> str:
        """The side that `seat` plays, as a lower-case letter, which determines the seat's colour."""
        return seat.lower()

    def ideas(self, seat: Seat, rng: Random, most: int) -> list[Order]:
        """Returns up to `most` different orders of `seat` that a bot should try."""
        return list(dict.fromkeys(self.sample(seat, rng) for _ in range(most)))

    def evaluate(self, seat: Seat) -> float:
        """Estimates the share of the point that `seat` may expect; nothing in this position may be hidden."""
        if self.ended:
            return self.ended.scores[seat]
        still_in = self.still_in()
        return 1 / len(still_in) if seat in still_in else 0.0

    def evaluate_closely(self, seat: Seat) -> float:
        """Estimates the same as `evaluate`, in some games more exactly; for all but the easy bots."""
        return self.evaluate(seat)

    def turns_without_change(self) -> int:
        """The number of turns since the last lasting change, by which bots offer draws; 0 if not counted."""
        return 0

    def outcome(self) -> Outcome | None:
        return self.ended

    # What the site shows of it

    @property
    @abstractmethod
    def events(self) -> list[Event]:
        """The events that led from the previous position to this one."""

    def plan(self, seat: Seat, partial: Order, guesses: Mapping[Seat, Order] | None = None) -> Plan:
        """Returns the plan for the unfinished order `partial`; `guesses` are other seats' supposed orders.

        No text raises; one longer than `max_order_length` counts as empty, and `missing` says so.
        """
        known = {
            at: text if len(text) <= self.max_order_length(at) else "" for at, text in (guesses or {}).items()
        }
        if len(partial) <= self.max_order_length(seat):
            return self.make_plan(seat, partial, known)
        return replace(self.make_plan(seat, "", known), missing=self._too_long(seat, partial).sentence)

    @abstractmethod
    def make_plan(self, seat: Seat, partial: Order, guesses: Mapping[Seat, Order]) -> Plan:
        """Returns the plan for `partial`; `plan` has bounded the length of all texts."""

    def glimpse(self, seat: Seat, order: Order) -> Plan | None:
        """Returns what the board draws of the plan right after a tap; None if the whole plan is needed."""
        return None

    def guessing(self, seat: Seat, partial: Order) -> Plan:
        """Returns the plan for the order that the player, whose view this is, expects from another `seat`."""
        if len(partial) <= self.max_order_length(seat):
            return self.make_guess(seat, partial)
        return replace(self.make_guess(seat, ""), missing=self._too_long(seat, partial).sentence)

    def make_guess(self, seat: Seat, partial: Order) -> Plan:
        """Returns the plan for the guessed order `partial`, whose length `guessing` has bounded."""
        return self.make_plan(seat, partial, {})

    def novelties(self, seat: Seat) -> tuple[Sentence | None, ...]:
        """Sentences on features, each shown to a newcomer once, in a fixed order; None for those to come."""
        return ()

    def departure_from_plan(self, seat: Seat, order: Order, film: Sequence[Self]) -> Departure | None:
        """Compares the turn in `film` with the plan of `seat`; None if the game compares nothing."""
        return None

    def hypothetical_plan(self, seat: Seat, order: Order, others: Mapping[Seat, Order]) -> Plan:
        """Returns the plan of an order against the others' orders; for a match that is over only."""
        return self.plan(seat, order, others)

    @property
    def review_unit(self) -> str:
        """The unit in which `review` judges the turns of this match, HITS or SHARE; "" if it judges none."""
        return ""

    def review(self, orders: Mapping[Seat, Order], rng: Random) -> Review | None:
        """Returns the review of a turn of a finished match, or None; takes seconds, and reveals secrets."""
        return None

    def look_back(self) -> Any:
        """The data of the template `ending.html` for the end of a match; None if the game has none."""
        return None

    def progress(self, seat: Seat) -> Progress | None:
        """A seat's progress, for the list of players; None if the game counts no progress."""
        return None

    @abstractmethod
    def tell(self, event: Event) -> Sentence:
        """Returns the sentence that describes an event of this position to players."""

    def highlight(self, event: Event) -> int:
        """Rates how remarkable an event is: 0 for nothing special, about 5 for a hit."""
        return 1

    @abstractmethod
    def words(self) -> list[Sentence]:
        """The board in words: a sentence for each piece, with its square and, if it has one, its facing."""

    def on_squares(self) -> dict[str, Sentence]:
        """The piece on each square, by its name, where one sentence of `words` covers several squares."""
        return {}

    def bounds(self) -> list[tuple[Sentence, tuple[str, ...]]]:
        """The borders between squares: a name with “{to}” for each kind, and its edges, such as `d3-d4`."""
        return []

    def ground(self) -> list[Sentence]:
        """Sentences on the board, if it has more than squares; the same in all positions of a match."""
        return []

    def reaches(self) -> list[Sentence]:
        """A sentence on the squares that each piece reaches from its own square, which it names as well."""
        return []

    @abstractmethod
    def drawing(self) -> dict[str, Any]:
        """The data of the board's template, lengths in squares; `effects` are those of the last step."""

    @abstractmethod
    def cell(self, seat: Seat) -> Any:
        """The cell of the table of orders: what `seat` did in the last step, or None."""
