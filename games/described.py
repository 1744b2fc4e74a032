"""Machine-readable descriptions of games, for the API, and JSON schemas that several games share."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Schema = Mapping[str, Any]

SEAT: Schema = {"type": "string", "pattern": "^[A-H]$", "description": "A seat's letter."}
SQUARE: Schema = {"type": "string", "pattern": "^[a-z][1-9][0-9]?$", "description": "File and rank."}
STEP: Schema = {"type": "integer", "minimum": 0, "description": "Counted from 0 in its turn."}
COUNT: Schema = {"type": "integer", "minimum": 0}
YES: Schema = {"type": "boolean"}


def one_of(*values: str) -> Schema:
    return {"enum": list(values)}


@dataclass(frozen=True, slots=True)
class Notation:
    """A text format of a game's notation: when it is used, its grammar in EBNF, and an example."""

    when: str
    grammar: str
    example: str


SQUARES = " square = ? file and rank, as d4 ? ;"
NUMBERS = " number = ? a whole number ? ;"
"""Grammar rules that the grammars of several games share: SQUARES for squares, NUMBERS for numbers."""


@dataclass(frozen=True, slots=True)
class Described:
    """A game's description for programs: notation, and JSON schemas of events and setup.

    `masked` explains how a position marks what is hidden; `data` is constant data, such as a board.
    """

    orders: tuple[Notation, ...]
    positions: tuple[Notation, ...]
    events: Mapping[str, Schema]
    setup: Schema
    masked: str = "Nothing in a position is secret."
    data: Mapping[str, Any] | None = None


NO_SETUP: Schema = {"type": "object", "additionalProperties": False}


UNDESCRIBED = Described((), (), {}, NO_SETUP)
"""The description of a game that has not been described yet."""


def event(kind: str, says: str, **given: Schema) -> tuple[str, Schema]:
    """Returns an event's kind and its JSON schema, with a field for each further keyword.

    A keyword `x_if_any` declares the optional field `x`. A trailing `_` is dropped: `from_` declares `from`.
    """
    names = {name: name.removesuffix("_if_any").rstrip("_") for name in given}
    required = ["kind", *(names[name] for name in given if not name.endswith("_if_any"))]
    return kind, {
        "description": says,
        "type": "object",
        "properties": {"kind": {"const": kind}, **{names[name]: given[name] for name in given}},
        "required": required,
        "additionalProperties": False,
    }


EVERYWHERE = (
    event("resigned", "A seat resigned.", by=SEAT),
    event("agreed", "All seats still in agreed to a draw."),
)
"""The events that any game may have."""
