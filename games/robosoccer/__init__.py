"""Robosoccer, by José Carlos de Diego Guerrero."""

from __future__ import annotations

from random import Random

from games.core import Game, IllegalOption, Preset, Setup
from games.robosoccer.board import BUILT_IN, Spec, read_spec
from games.robosoccer.lesson import LESSON
from games.robosoccer.rules import Options, RobosoccerState


class _Robosoccer(Game):
    """A wish may hold another `board`, and the `arrows` where they are custom: a sign each, + or -."""

    def seats(self, options: Options) -> range:
        return range(2, 3)

    def draw(self, options: Options, seats: int, rng: Random, wish: Setup) -> Setup:
        spec = self._check(options, wish)
        setup = dict(wish)
        if options.arrows == "custom" and "arrows" not in setup:
            setup["arrows"] = "".join(rng.choice("+-") for _ in spec.arrows)
        return setup

    def check_setup(self, options: Options, seats: int, setup: Setup) -> None:
        self._check(options, setup)
        if options.arrows == "custom" and "arrows" not in setup:
            raise IllegalOption("Custom arrows need “arrows” in the setup: a sign each, + or -.", "arrows")

    def _check(self, options: Options, setup: Setup) -> Spec:
        """The board of a setup or of a wish; IllegalOption says what is wrong with it."""
        for key in setup:
            if key not in ("board", "arrows"):
                raise IllegalOption(f"A setup of {self.name} has “board” and “arrows”, not “{key}”.", "setup")
        spec = read_spec(setup["board"]) if "board" in setup else BUILT_IN
        if "arrows" in setup:
            signs, n = setup["arrows"], len(spec.arrows)
            if options.arrows != "custom":
                raise IllegalOption("Only custom arrows can be set; these stay as on the board.", "arrows")
            if not isinstance(signs, str) or len(signs) != n or set(signs) - {"+", "-"}:
                raise IllegalOption(f"“arrows” is a text of {n} signs, each + or -.", "arrows")
        return spec


ROBOSOCCER = _Robosoccer(
    slug="robosoccer",
    name="Robosoccer",
    designer="José Carlos de Diego Guerrero",
    says="Move, push and jump with your robots to get your ball to the far row, on a board that goes around.",
    options=Options,
    lesson=LESSON,
    state=RobosoccerState,
    presets={
        "standard": Preset("Standard", "The arrows as they are on the board.", range(2, 3), {}),
        "custom": Preset(
            "Custom arrows", "Each arrow's direction is drawn by lot.", range(2, 3), {"arrows": "custom"}
        ),
    },
)
