"""Sentences to players, and the errors that are such sentences."""

from __future__ import annotations

from typing import Any

Order = str


Event = dict[str, Any]
"""An event, as JSON data: `kind`, who (`by`, `at`), and facts. Log, film, API, speech come from it."""


Setup = dict[str, Any]
"""The decisions of chance or of the creator before the first turn, as JSON data; `{}` in most games."""


SEATS = "ABCDEFGH"


RESIGN = "resign"


DRAW = "draw"


FAREWELLS = frozenset((RESIGN, DRAW))


class Seat(str):
    """A seat's letter, A to H. Its own type, so that a sentence can put the player's name in its place."""

    __slots__ = ()


def seat_letters(count: int) -> tuple[Seat, ...]:
    """The seats of a match for `count` players: A, B …"""
    return tuple(Seat(letter) for letter in SEATS[:count])


class Sentence:
    """A sentence to a player: an English template with its facts, so that the site can translate it.

    A fact that is a `Seat` is shown as the player's name; one that is a `Sentence` is translated as well.
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

    When a whole turn is checked, `seat` is the seat at fault, or None if no single seat is.
    """

    def __init__(self, template: str, /, *, seat: Seat | None = None, **facts: object) -> None:
        self.sentence = Sentence(template, **facts)
        self.seat = seat
        super().__init__(template)

    def __str__(self) -> str:
        return str(self.sentence)


class IllegalOption(ValueError):
    """Options, a setup or a number of seats that a game does not allow. `name` is the option at fault."""

    def __init__(self, template: str, /, *, at: str = "", **facts: object) -> None:
        self.sentence = Sentence(template, **facts)
        self.name = at
        super().__init__(template)

    def __str__(self) -> str:
        return str(self.sentence)
