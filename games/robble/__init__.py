"""Robble, by Luis Bolaños Mures."""

from __future__ import annotations

from games.core import SEATS, Game, Preset, Seat, Sentence
from games.robble.lesson import LESSON
from games.robble.rules import Options
from games.robble.state import RobbleState

TWO = range(2, 3)


class _Robble(Game):
    def seats(self, options: Options) -> range:
        return TWO

    def begins(self, options: Options, seats: int, seat: Seat) -> Sentence | None:
        """B2."""
        return Sentence(
            "Black: places the first stone." if seat == SEATS[0] else "White: may swap colours at once."
        )


ROBBLE = _Robble(
    slug="robble",
    name="Robble",
    designer="Luis Bolaños Mures",
    says="Every stone that you place pushes its neighbours, turns them over, or throws them off the board.",
    options=Options,
    lesson=LESSON,
    state=RobbleState,
    notation="A square, like d4; on White's first turn also swap",
    presets={
        "standard": Preset("Standard", "Seven squares a side.", TWO, {}),
        "small": Preset("Small", "Five squares a side: short and sharp.", TWO, {"size": 5}),
        "big": Preset("Big", "Nine squares a side: the long game.", TWO, {"size": 9}),
    },
)
