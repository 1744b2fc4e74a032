"""The description of Robo Battle Pigs' notation and events, for client programs."""

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
