"""A sentence for each kind of object that the board and the planner of Robble draw."""

from games.core import Sentence
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
