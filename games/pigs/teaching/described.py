"""A sentence about each thing that Robo Battle Pigs draws; notation and events, described for programs."""

from games.core import Sentence
from games.described import (
    COUNT,
    EVERYWHERE,
    NO_SETUP,
    NUMBERS,
    SEAT,
    SQUARE,
    SQUARES,
    STEP,
    YES,
    Described,
    Notation,
    event,
    one_of,
)
from games.pigs.options import Options

BOARD = {
    "pig": Sentence("A pig: it walks, fires and punches the way its snout points."),
    "letter": Sentence("The letter of the pig’s player."),
    "ghost": Sentence("A ghost: where your pig would be after this command, if nothing interfered."),
    "faces": Sentence("Your pig would face this way after this command."),
    "planned": Sentence("A ghost: where this pig should have been at this step; things went differently."),
    "way": Sentence("The path of your program, if nothing interferes."),
    "aim": Sentence("Where your laser would go if you fired from here."),
    "number": Sentence("The number of the command that leads here; tap its slot to remove it."),
    "stuck": Sentence("The number of a command that leads nowhere: something is in the way."),
    "swing": Sentence("A punch: it hits every pig on the three squares ahead."),
    "burst": Sentence("A hit: a number beside it says how much damage it did."),
    "bump": Sentence("A bump: this pig wanted to go there, and stayed."),
    "wreck": Sentence("A wreck: it stops lasers, and a pig that walks onto it flattens it."),
    "scraps": Sentence("What’s left of a wreck after someone walked onto it."),
    "board": Sentence("The board: a wall runs around it, and a pig that walks into it stays."),
}
DAMAGE = {
    "damage": Sentence("The pig’s damage: with five points it’s destroyed."),
    "boom": Sentence("A pig is destroyed here."),
}
THROUGH = Sentence("A wreck: lasers go through it, and a pig that walks onto it flattens it.")
HURT = Sentence("Dents: this pig has been hit. Each hit takes a slot of its program, and five destroy it.")
HURT_LISTED = Sentence(
    "Dents: this pig has been hit. Each hit makes it repeat its last command; the fifth destroys it."
)
HURT_ONLY = Sentence("Dents: this pig has been hit. Five hits destroy it.")
RACE = {
    "hurt": Sentence("A plaster: this pig was hit, which does it no harm in a race."),
    "hits": Sentence("How many hits this pig has landed: five win."),
    "point": Sentence("A hit that counts: the number says how many."),
}
LASER = Sentence("A laser: it stops at the first pig or wreck in its way, or at the wall.")
LASER_THROUGH = Sentence("A laser: it goes through everything in its way and hits every pig.")
COMMANDS = {
    "forward": Sentence("Forward: one square the way the pig faces."),
    "back": Sentence("Back: one square backwards; the pig keeps facing the same way."),
    "ahead-left": Sentence("Ahead left: one square diagonally; the pig keeps facing the same way."),
    "ahead-right": Sentence("Ahead right: one square diagonally; the pig keeps facing the same way."),
    "turn-left": Sentence("Turn left: a quarter turn on the spot."),
    "turn-right": Sentence("Turn right: a quarter turn on the spot."),
    "fire": Sentence("Fire: the laser goes straight ahead, at any distance."),
    "hit": Sentence("Punch: the fist hits every pig on the three squares ahead."),
    "slot": Sentence("A slot: tap a command to fill the next one; tap a filled one to empty it."),
    "noted": Sentence("This command would bump into something if everything went as drawn."),
}
OWED = {
    "owed": Sentence("A red X: damage costs this slot. You may choose which: tap the X to move it left."),
    "owed-command": Sentence("Damage: a slot in which the pig does nothing, one for each point."),
    "repair": Sentence("Repair: takes all five slots and takes off one point of damage."),
    "mended": Sentence("A repair: one point of damage is off."),
    "was-repaired": Sentence("This step was part of a repair."),
}
LISTED = {
    "queue": Sentence("How many commands are on this pig’s list; what they are is secret."),
    "repeat": Sentence("A command that a hit has repeated: it stays on the list."),
    "locked": Sentence("A command on the list: it’s carried out in its turn and can’t be changed."),
    "unknown": Sentence("A command that’s secret until it’s carried out."),
}
MARKS = {
    "moved": Sentence("It walked."),
    "turned": Sentence("It turned."),
    "bumped": Sentence("It bumped into something and stayed where it was."),
    "struck": Sentence("Its attack hit someone."),
    "missed": Sentence("Its attack hit no one."),
    "gained": Sentence("The hits that this command landed."),
}


def things(options: Options) -> dict[str, Sentence]:
    """Returns a sentence for each kind of object in a match, by kind (rulings P7, P9, P14, P15)."""
    listed, costs = options.mode == "continuous", options.damage_moves
    every = {**BOARD, **COMMANDS, **MARKS, "laser": LASER if options.laser == "first" else LASER_THROUGH}
    if options.race:
        every |= RACE
    else:
        every |= DAMAGE | {"hurt": HURT_ONLY if not costs else HURT_LISTED if listed else HURT}
    if options.laser == "through":
        every["wreck"] = THROUGH
    return every | (LISTED if listed else OWED if costs else {})


_COMMAND = 'command = "^" | "v" | "\\" | "/" | "TL" | "TR" | "F" | "H" | "R" | "X"'
_PIG = {"step": STEP, "by": SEAT}
_FACING = one_of("north", "east", "south", "west")
_WALK = one_of("^", "v", "\\", "/")
_ATTACK = {
    **_PIG,
    "from_": SQUARE,
    "to": _FACING,
    "at": {"type": "array", "items": SEAT, "description": "The pigs that it damaged."},
    "hit": YES,
}

DESCRIBED = Described(
    orders=(
        Notation(
            "With `mode` `rounds`: a program for five steps. Each point of damage takes a slot: it has"
            " exactly that many `X`, in any of the slots. Or it is `R R R R R`, which repairs one point. With"
            " `damage_moves` `false` there is neither `X` nor `R`.",
            f'order = command, " ", command, " ", command, " ", command, " ", command ; {_COMMAND} ;',
            "F ^ TR v H",
        ),
        Notation(
            "With `mode` `continuous`: three commands in the first turn.",
            f'order = command, " ", command, " ", command ; {_COMMAND} ;',
            "F ^ TR",
        ),
        Notation(
            "With `mode` `continuous`, later: one command a turn.", f"order = command ; {_COMMAND} ;", "F"
        ),
    ),
    positions=(
        Notation(
            "The pigs in the order of the seats. `x` for damage is a wreck, `-` a pig taken off the board. In"
            " a race the hits landed follow after `+`; in `continuous` the list that is still to be"
            " executed.",
            'position = pig, { " ", pig } ; pig = seat, "=", ( "-" | square, facing, damage, [ "+", number ],'
            ' [ "[", [ command, { ",", command } ], "]" ] ) ; facing = "N" | "E" | "S" | "W" ;'
            f' damage = number | "x" ; seat = ? a seat\'s letter ? ; {_COMMAND} ;{SQUARES}{NUMBERS}',
            "A=d8S0 B=e1N2",
        ),
    ),
    masked="With `continuous` another pig's list is its length: `B=e2N0[3]`.",
    setup=NO_SETUP,
    events=dict(
        (
            event(
                "walked",
                "`instead`: it walked forward, since walking ahead would have made two pigs cross.",
                **_PIG,
                command=_WALK,
                from_=SQUARE,
                to=SQUARE,
                instead_if_any=one_of("^"),
            ),
            event("turned", "It faces `to` now.", **_PIG, at=SQUARE, way=one_of("TL", "TR"), to=_FACING),
            event(
                "stopped",
                "A walk failed at the wall, or at a pig that stays or wants the same square, `to`.",
                **_PIG,
                command=_WALK,
                at=SQUARE,
                cause=one_of("wall", "pig"),
                to_if_any=SQUARE,
            ),
            event("flattened", "A wreck was walked over and taken off the board.", **_PIG, at=SQUARE),
            event("fired", "`hulk`: the wreck that stopped the laser.", **_ATTACK, hulk_if_any=SEAT),
            event("hit", "A punch at the three squares ahead.", **_ATTACK),
            event(
                "hurt",
                "It took `points` and has `damage` now; `race`: in a race nothing comes of it; `repaired`: a "
                "repair in the same instant is counted in.",
                **_PIG,
                points=COUNT,
                damage=COUNT,
                race_if_any=YES,
                repaired_if_any=YES,
            ),
            event(
                "repeats",
                "The last command of its list is repeated that many times.",
                **_PIG,
                times=COUNT,
                length=COUNT,
            ),
            event(
                "repaired",
                "It has `damage` now; `hurt`: the hits of the same instant are counted in.",
                **_PIG,
                damage=COUNT,
                hurt_if_any=YES,
            ),
            event("destroyed", "`by` is a wreck now.", **_PIG, at=SQUARE),
            event(
                "scored",
                "It landed that many hits in a race, `hits` in all.",
                **_PIG,
                points=COUNT,
                hits=COUNT,
            ),
            *EVERYWHERE,
        )
    ),
)
