"""The options of Robo Battle Pigs, which docs/rulings.md explains."""

from dataclasses import dataclass

from games.core import option


@dataclass(frozen=True, slots=True)
class Options:
    mode: str = option(
        "rounds",
        "continuous",
        says="Five commands at a time, or one after every step.",
        name="Planning",
        words={
            "rounds": "Five commands at a time.",
            "continuous": (
                "For advanced players: three commands ahead, then one more after every step. It’s "
                "slower, and very different."
            ),
        },
    )
    start: str = option(
        "sides",
        "ring",
        says="From the four sides, or in a ring in the middle.",
        name="Starting positions",
        words={
            "sides": "From the four sides, facing the middle.",
            "ring": "In a ring in the middle, facing outwards.",
        },
    )
    ends: str = option(
        "first_down",
        "last_standing",
        says="Until the first pig is down, or the last one stands.",
        name="The end",
        words={
            "first_down": "As soon as the first pig is down.",
            "last_standing": "When only one pig is left standing.",
        },
        under="damage_moves",
    )
    damage_moves: bool = option(
        True,
        False,
        says="Whether damage takes slots of the program.",
        name="Damage",
        words={
            True: "Each hit takes a slot of the next program.",
            False: "Hits take no slots of the program.",
        },
        under="mode",
    )
    laser: str = option(
        "first",
        "through",
        says="Whether the laser stops at the first pig or wreck in line, or hits all pigs in line.",
        name="The laser",
        words={
            "first": "The laser hits the first pig or wreck in line and stops there.",
            "through": "The laser hits every pig in line; neither pigs nor wrecks stop it. With two pigs it "
            "makes no difference.",
        },
    )
    side_cross: str = option(
        "pass",
        "forward",
        says="Whether pigs side by side may cross diagonally.",
        name="Crossing",
        words={
            "pass": "Pigs side by side may cross diagonally.",
            "forward": "Pigs that would cross walk straight ahead instead.",
        },
    )

    @property
    def race(self) -> bool:
        """True if nobody is destroyed, and five landed hits win (ruling P14)."""
        return not self.damage_moves and self.ends == "first_down"
