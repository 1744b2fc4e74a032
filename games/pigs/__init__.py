"""Robo Battle Pigs, by Randy Cox."""

from __future__ import annotations

from games.core import Game, Preset, Seat, Sentence
from games.pigs.lesson import LESSON
from games.pigs.rules import Options
from games.pigs.state import PigsState

_SIDES = {
    "A": "You start at the top.",
    "B": "You start at the bottom.",
    "C": "You start on the right.",
    "D": "You start on the left.",
}


class _Pigs(Game):
    def seats(self, options: Options) -> range:
        return range(2, 5) if options.start == "sides" else range(2, 9)

    def begins(self, options: Options, seats: int, seat: Seat) -> Sentence | None:
        """P1. In the ring all places are alike (P2)."""
        return Sentence(_SIDES[seat]) if options.start == "sides" else None


PIGS = _Pigs(
    slug="pigs",
    name="Robo Battle Pigs",
    designer="Randy Cox",
    says="Program your pig in secret, five commands at a time. Then all programs run at once.",
    options=Options,
    lesson=LESSON,
    manner="rounds",
    state=PigsState,
    notation="Commands, separated by spaces: ^ v \\ / TL TR F H R X",
    presets={
        "standard": Preset("Standard", "The game as it was published.", range(2, 5), {}),
        "bash": Preset(
            "B.A.S.H.",
            "Up to eight pigs in a ring; the last one standing wins.",
            range(2, 9),
            {"start": "ring", "ends": "last_standing"},
        ),
        "kids": Preset("Kids", "Damage takes no slots.", range(2, 5), {"damage_moves": False}),
        "continuous": Preset(
            "Continuous feedback",
            "Plan three commands ahead, add one after every step; a hit makes your list longer.",
            range(2, 5),
            {"mode": "continuous", "ends": "last_standing"},
        ),
        "continuous-ring": Preset(
            "Continuous ring",
            "Continuous feedback for up to eight pigs in a ring.",
            range(2, 9),
            {"mode": "continuous", "ends": "last_standing", "start": "ring"},
        ),
        "crossing": Preset(
            "No crossing",
            "Pigs side by side do not cross; both walk forward.",
            range(2, 5),
            {"side_cross": "forward"},
        ),
    },
)
