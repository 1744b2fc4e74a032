"""The description of Robosoccer's notation, events and board, for client programs."""

import json
from importlib.resources import files

from games.described import (
    COUNT,
    EVERYWHERE,
    NUMBERS,
    SEAT,
    SQUARE,
    SQUARES,
    STEP,
    Described,
    Notation,
    event,
    one_of,
)

_SIZE = one_of("small", "medium", "big")
_ACTION = {"step": STEP, "by": SEAT, "size": _SIZE, "from_": SQUARE, "to": SQUARE}

DESCRIBED = Described(
    orders=(
        Notation(
            "First setup order: the robots of the home row from file a on, `.` for a free square.",
            'order = robot, { robot } ; robot = "L" | "M" | "S" | "." ;',
            "LMSSML",
        ),
        Notation("Second setup order: the ball's square.", f"order = square ;{SQUARES}", "c2"),
        Notation(
            "A turn of one or two actions: `-` moves, `>` pushes, `^` jumps, `=` switches with the ball.",
            'order = action, [ " ", action ] ; action = square, ( "-" | ">" | "^" | "=" ), square ;'
            f"{SQUARES}",
            "c2-c3 d2>d3",
        ),
    ),
    positions=(
        Notation(
            "The rows from the top: `L M S` and ball `O` are White's, seat A's; `l m s` and ball `o` are"
            " Black's, seat B's; numbers for runs of empty squares; then the side to act.",
            'position = row, { "/", row }, " ", ( "w" | "b" ) ; row = { piece | number } ;'
            ' piece = "L" | "M" | "S" | "O" | "l" | "m" | "s" | "o" ;'
            f"{NUMBERS}",
            "lmssml/3o2/6/6/6/6/2O3/LMSSML b",
        ),
    ),
    setup={
        "type": "object",
        "properties": {
            "arrows": {
                "type": "string",
                "pattern": "^[+-]*$",
                "description": "One sign for each small arrow of the board, `-` turned around.",
            },
            "board": {"type": "object", "description": "Another board, in the form of `data.board`."},
        },
        "additionalProperties": False,
    },
    events=dict(
        (
            event("lined up", "A home row was set up.", by=SEAT, robots={"type": "string"}, row=COUNT),
            event("placed", "The ball was placed.", by=SEAT, at=SQUARE),
            event("moved", "A robot moved.", **_ACTION),
            event(
                "pushed",
                "A robot pushed another, of size `pushed`, to `on`.",
                **_ACTION,
                pushed=_SIZE,
                on=SQUARE,
            ),
            event(
                "jumped", "A robot jumped over one of size `jumped`.", **_ACTION, jumped=_SIZE, over=SQUARE
            ),
            event("switched", "A robot and its ball changed places.", **_ACTION),
            event("scored", "The ball is on the goal row.", by=SEAT, at=SQUARE),
            event("stuck", "No legal turn is left: this seat loses.", by=SEAT),
            event("repeated", "The position came back; `by` made it.", by=SEAT),
            *EVERYWHERE,
        )
    ),
    data={"board": json.loads(files("games.robosoccer").joinpath("board.json").read_text())},
)
