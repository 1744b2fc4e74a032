"""The machine-readable description of Robble's notation and events."""

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
