"""A sentence about each thing that Roboxing draws; notation and events, described for programs."""

from games.core import Sentence
from games.described import EVERYWHERE, NUMBERS, SEAT, SQUARE, SQUARES, YES, Described, Notation, event
from games.roboxing.ring import Options

RING = {
    "robot": Sentence(
        "A robot of lasers, engines and a booster: without lasers or without engines it’s out."
    ),
    "closed": Sentence("A closed robot: which letter sits where is secret; find out from what it does."),
    "open": Sentence("Your robot’s inside, which only you see until the fight is over."),
    "plate": Sentence("The name of this robot."),
    "hurt": Sentence("Plasters and smoke: this robot has lost slots."),
    "down": Sentence("Knocked out: all its lasers or all its engines are gone."),
    "ghost": Sentence("A ghost: where your robot will stand after its move."),
    "way": Sentence("The path a robot took, or yours will take."),
    "leg": Sentence("A part of the move: the engine’s letter, and how many squares it pushes."),
    "zone": Sentence("A danger zone: all squares that this laser reaches; whoever stands there can be hit."),
    "beam": Sentence("A shot that hit: it destroys the letter that was named."),
    "missed": Sentence("A shot that missed: the target wasn’t in the danger zone of that laser."),
    "burst": Sentence("A hit."),
    "knocked": Sentence("A robot is knocked out here."),
    "fizzle": Sentence("A miss: the shot hits nothing."),
    "loss": Sentence("The letter that was destroyed: everyone sees which, but not what it was."),
    "aim": Sentence("A robot that your laser reaches; with a letter beside it, it’s the one you aim at."),
    "aimed": Sentence("The letter that you aim at: if the shot hits, that slot is destroyed."),
    "tap": Sentence("A square to which one more engine takes your robot: tap it to go there."),
    "boosted": Sentence(
        "A square that needs the booster: tap it to go there; your lasers then reach less far."
    ),
    "shared": Sentence("A square with more than one robot: they’re drawn side by side."),
    "ropes": Sentence("The ring with its ropes: no move may leave it. Robots pass through each other."),
}
BUILDING = {
    "trial": Sentence("Your robot in the middle, to try out how far it goes and fires."),
    "far": Sentence("How far your lasers reach with the booster; the hatched part they reach without it."),
    "fan": Sentence("Which way a laser points: it reaches only what lies on that side."),
    "thrust": Sentence("Where your engines take you in one move; dashed, with the booster."),
    "shuffle": Sentence("Shuffles the letters or the parts."),
}
SLOTS = {
    "engine": Sentence("An engine: it pushes the robot the way its arrow points."),
    "laser": Sentence("A laser: it fires to the side on which it sits, one square far for each laser left."),
    "booster": Sentence("The booster: it doubles how far the robot moves, or else how far its lasers reach."),
    "gone": Sentence("A destroyed slot: it does nothing any more."),
    "aiming": Sentence("Your shot: tap one of the other robot’s letters to aim at it."),
    "target": Sentence(
        "A letter of the other robot: tap it to aim at it; a shot that hits destroys that slot."
    ),
    "shown-engine": Sentence("This letter is an engine: it has moved the robot the way the arrow points."),
    "shown-laser": Sentence("This letter has fired: it’s a laser."),
    "steps": Sentence("How many squares this engine pushes in your plan."),
    "covers": Sentence("This laser reaches a robot from where you’ll stand."),
    "pips": Sentence("How far you can go: a dot for each square; the last ones need the booster."),
}
ACTS = {
    "built": Sentence("The robot was built and sealed."),
    "move": Sentence(
        "A move: the arrow points where it led, to the square that’s named. In brackets: each engine "
        "and how many squares it pushed."
    ),
    "stay": Sentence("Staying: the robot doesn’t move, and may still fire."),
    "hold": Sentence("No shot in this turn."),
    "shot": Sentence("A shot: which laser fired, and at which letter."),
    "back": Sentence("Undoes what was planned last."),
    "hit": Sentence("The shot hit."),
    "miss": Sentence("The shot missed."),
}
CENTRE = Sentence("The middle: an engine there moves the robot nowhere, and a laser fires to all sides.")


def things(options: Options) -> dict[str, Sentence]:
    every = {**RING, **BUILDING, **SLOTS, **ACTS}
    return every | ({"centre": CENTRE} if options.centre == "free" else {})


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
