"""The sentences that players read, errors that carry such a sentence, and types for seats and orders."""

from typing import Any

Order = str


Event = dict[str, Any]
"""JSON data: a `kind`, mostly `by` (a seat or robot), and all further facts that its sentence needs."""


Setup = dict[str, Any]
"""The decisions that chance or the creator made before the first turn, as JSON data; `{}` in most games."""


SEATS = "ABCDEFGH"


RESIGN = "resign"


DRAW = "draw"


FAREWELLS = frozenset((RESIGN, DRAW))


class Seat(str):
    """A seat's letter, A to H; a `Sentence` shows a `Seat` as the player's name."""

    __slots__ = ()


def seat_letters(count: int) -> tuple[Seat, ...]:
    """Returns the seats of a match for `count` players: A, B, and so on."""
    return tuple(Seat(letter) for letter in SEATS[:count])


class Sentence:
    """A sentence for a player: an English template, which the site translates, and values for it.

    A `Seat` is shown as the player's name; a `Sentence` is translated as well.
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
    """Raised for an order that the rules refuse; `sentence` tells the mistake and the remedy.

    `seat` is the seat at fault if a whole turn was checked.
    """

    def __init__(self, template: str, /, *, seat: Seat | None = None, **facts: object) -> None:
        self.sentence = Sentence(template, **facts)
        self.seat = seat
        super().__init__(template)

    def __str__(self) -> str:
        return str(self.sentence)


class IllegalOption(ValueError):
    """Raised for options, a setup or a number of players that a game does not allow.

    `name` is the option at fault, or a key of the setup, or `setup` or `seats`.
    """

    def __init__(self, template: str, /, *, at: str = "", **facts: object) -> None:
        self.sentence = Sentence(template, **facts)
        self.name = at
        super().__init__(template)

    def __str__(self) -> str:
        return str(self.sentence)
