"""The description of Roboxing's notation and events, for client programs."""

from games.described import EVERYWHERE, NUMBERS, SEAT, SQUARE, SQUARES, YES, Described, Notation, event

_ROBOT = {"type": "string", "pattern": "^[A-H][1-9]$", "description": "A robot: its seat and number."}
_LETTER = {"type": "string", "pattern": "^[a-z]$", "description": "A slot's letter."}

_NAMES = " letter = ? a slot's letter: a to i ? ; robot = ? seat and number, as A1 ? ;"
_LAYOUT = (
    ' layout = row, "/", row, "/", row ; row = slot, slot, slot ;'
    ' slot = letter | "(", letter, ")" | "[", letter, "]"'
)

DESCRIBED = Described(
    orders=(
        Notation(
            "First turn: a layout for each robot. Rows from north-west to south-east, three slots a row;"
            " lasers in `()`, the booster in `[]`.",
            f'order = layout, {{ " ", layout }} ;{_LAYOUT} ;{_NAMES}',
            "ga(d)/(e)[i]h/c(b)(f)",
        ),
        Notation(
            "Later: an order for each of one's robots still in the ring. The target is a letter if the match"
            " began with one enemy robot, else robot and letter.",
            'order = act, { ";", act } ; act = move, [ " ", turret, " ", target ] ; move = "-" |'
            ' engine, number, { "+", engine, number } ; target = letter | robot, ":", letter ;'
            " turret = ? the letter of one of its lasers ? ; engine = ? the letter of one of its engines ? ;"
            f"{_NAMES}{NUMBERS}",
            "a2+d1 b e",
        ),
    ),
    positions=(
        Notation(
            "The robots in order: square and layout, `*` for a destroyed slot; `-` for one that is out.",
            'position = placed, { " ", placed } ; placed = robot, "@", ( "-" | square, [ ":", layout ] ) ;'
            f'{_LAYOUT} | "*" ;{_NAMES}{SQUARES}',
            "A1@c3:ga(d)/(e)[i]h/c(b)(f) B1@-",
        ),
    ),
    masked="An enemy's layout is `?` with its destroyed letters in alphabetical order: `B1@h8:?be`.",
    setup={
        "type": "object",
        "properties": {"corners": {"type": "object", "additionalProperties": SQUARE}},
        "additionalProperties": False,
    },
    events=dict(
        (
            event("built", "All robots of this seat are built.", by=SEAT),
            event("moved", "A robot moved.", by=_ROBOT, move={"type": "string"}, from_=SQUARE, to=SQUARE),
            event("stayed", "A robot stayed.", by=_ROBOT, at=SQUARE),
            event(
                "shot",
                "`by` named `letter` of the robot `at`.",
                by=_ROBOT,
                at=_ROBOT,
                letter=_LETTER,
                hit=YES,
            ),
            event("destroyed", "`by` has lost this slot.", by=_ROBOT, letter=_LETTER),
            event("knocked out", "A robot left the ring.", by=_ROBOT, from_=SQUARE),
            event("out", "A seat has no robot left.", by=SEAT),
            event("out of reach", "No robot can ever hit an enemy again: a draw."),
            *EVERYWHERE,
        )
    ),
)
