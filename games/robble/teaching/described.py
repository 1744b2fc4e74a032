"""A sentence for players about each thing that Robble draws; notation and events, described for programs."""

from games.core import Sentence
from games.described import (
    COUNT,
    EVERYWHERE,
    NO_SETUP,
    NUMBERS,
    SEAT,
    SQUARE,
    SQUARES,
    Described,
    Notation,
    event,
    one_of,
)
from games.robble.rules import Options

STONES = {
    "stone": Sentence("A stone: a new one beside it pushes it, or turns it over if another is behind it."),
    "placed": Sentence("The stone that was placed: it stays, and pushes its neighbours."),
    "pushed": Sentence("A stone that was pushed here."),
    "turned": Sentence("A stone that turned over: it couldn’t move, since another one was behind it."),
    "off": Sentence("A stone that was pushed off the board."),
    "rush": Sentence("The way a stone was pushed."),
    "gap": Sentence("Here a stone falls off the edge."),
    "group": Sentence("Stones of one colour that are joined along edges: a group."),
    "size": Sentence("How many stones this group has: at the end the biggest group wins."),
    "even": Sentence("Struck out: the other side has a group of the same size, so neither counts."),
    "new": Sentence("The stone that you plan to place; tap another square to move it."),
    "will-push": Sentence("A stone that yours would push here."),
    "will-turn": Sentence("A stone that yours would turn over."),
    "arrow": Sentence("Where your stone would push this one."),
    "veil": Sentence("From here your stone would push one away."),
    "board": Sentence("The board: tap an empty square to see what a stone of yours does there."),
}
SIGNS = {
    "nudge": Sentence("Moves the planned stone one square that way."),
    "sum-pushed": Sentence("How many stones are pushed."),
    "sum-turned": Sentence("How many stones turn over."),
    "sum-off": Sentence("How many stones are pushed off the board."),
    "score": Sentence("The sizes of all groups of a side, biggest first; those struck out don’t count."),
    "biggest": Sentence("The size of a side’s biggest group that counts: whoever has the bigger one wins."),
}
SWAP = {
    "swap": Sentence("The swap: in place of a stone, White may take the first stone’s colour, once."),
    "swapped": Sentence("The colours were swapped: whoever placed this stone plays the other colour now."),
}


def things(options: Options) -> dict[str, Sentence]:
    return {**STONES, **SIGNS, **(SWAP if options.pie else {})}


_SIDE = one_of("b", "w")

DESCRIBED = Described(
    orders=(
        Notation(
            "A free square to place a stone on; `swap` on White's first turn, if the option `pie` allows it.",
            f'order = square | "swap" ;{SQUARES}',
            "d4",
        ),
    ),
    positions=(
        Notation(
            "The rows from the top, numbers for runs of empty squares, then the colour to move. Seat A"
            " begins as Black; `swap` exchanges the colours.",
            'position = row, { "/", row }, " ", colour ; row = { colour | number } ;'
            f' colour = "b" | "w" ;{NUMBERS}',
            "7/7/7/3b3/7/7/7 w",
        ),
    ),
    setup=NO_SETUP,
    events=dict(
        (
            event("placed", "A stone was placed.", by=SEAT, side=_SIDE, at=SQUARE),
            event("pushed", "A neighbouring stone was pushed.", by=SEAT, side=_SIDE, from_=SQUARE, to=SQUARE),
            event("off", "A stone was pushed off the board.", by=SEAT, side=_SIDE, from_=SQUARE),
            event(
                "turned", "A stone was turned over; `side` is its new colour.", by=SEAT, side=_SIDE, at=SQUARE
            ),
            event("swapped", "White took Black's side, which is `side`, over.", by=SEAT, side=_SIDE),
            event(
                "won",
                "The larger group decides: `size` against `other`, after equal ones cancelled.",
                by=SEAT,
                size=COUNT,
                other=COUNT,
            ),
            event("cancelled", "All groups cancelled each other; `by` wins.", by=SEAT),
            event("repeated", "The position came back; `by` made it.", by=SEAT),
            *EVERYWHERE,
        )
    ),
)
