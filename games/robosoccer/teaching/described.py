"""A sentence about each thing that Robosoccer draws; notation, events and board, described for programs."""

import json
from importlib.resources import files

from games.core import Sentence
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

PIECES = {
    "big": Sentence("A big robot: it pushes opponents of every size, and jumps over none."),
    "medium": Sentence("A medium robot: it pushes medium and small opponents, and jumps over big ones."),
    "small": Sentence("A small robot: it pushes small opponents, and jumps over medium and big ones."),
    "ball": Sentence(
        "A ball: it only changes places with a robot of its own side, along a row or a diagonal."
    ),
}
PITCH = {
    "line": Sentence("A red line: no robot passes it; the ball doesn’t mind."),
    "arrow": Sentence("A small arrow: robots pass here only the way it points."),
    "once": Sentence("No way back: past this arrow a robot goes only the way it points."),
    "fixed": Sentence("A fixed arrow: robots pass here only the way it points, in every match."),
    "goal": Sentence("A goal: the ball that’s drawn there wins as soon as it’s on the row before it."),
    "home": Sentence("The home row of a side, on which its robots line up."),
    "roll": Sentence("The board wraps around: a robot that leaves it here comes in on the other side."),
    "pitch": Sentence("The pitch: robots go up, down and sideways, one square for each move."),
}
TURN = {
    "trail": Sentence("The path a piece took in this action."),
    "way": Sentence("The path of an action you’ve planned."),
    "number": Sentence("The number of the planned action; tap its slot to undo it."),
    "ghost": Sentence("Where this piece will be after your plan."),
    "scored": Sentence("The ball is on the far row: that wins at once."),
    "placed": Sentence("A piece has just been put here."),
    "do-move": Sentence("A move: tap this square, and the robot goes there."),
    "do-push": Sentence("A push: tap this robot, and yours takes its place; it goes one square on."),
    "do-jump": Sentence("A jump: tap this square, and your robot leaps there over the bigger one."),
    "do-switch": Sentence("A switch: tap here, and robot and ball change places."),
    "may-switch": Sentence("This robot can change places with your ball: tap the robot, then the ball."),
    "barred": Sentence("Not possible now: tap it to see why."),
    "veil": Sentence("In your plan, a piece leaves this square."),
    "picked": Sentence("The robot that you’ve picked up; tap it again to put it down."),
    "pick": Sentence("A piece of yours that can act: tap it to see what it can do."),
    "place": Sentence("A square for your next piece: tap it, or choose a robot below."),
    "slot": Sentence("An action of your turn: tap it to undo it."),
    "back": Sentence("Undoes what was done last."),
    "chance": Sentence("Lines up the robots at random."),
}
ACTS = {
    "moved": Sentence("A robot moved one square."),
    "pushed": Sentence("A robot pushed an opponent that’s no bigger."),
    "jumped": Sentence("A robot jumped over a bigger opponent."),
    "switched": Sentence("A robot changed places with its ball."),
    "lined-up": Sentence("Robots or a ball were put on the board."),
    "goal-mark": Sentence("A goal, which wins the match."),
}
THINGS = {**PIECES, **PITCH, **TURN, **ACTS}
"""The sentence for each kind of object; it is the same with all options (rulings S2 to S8)."""


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
