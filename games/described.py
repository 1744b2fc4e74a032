"""Machine-readable descriptions, in English, of a game's notation and events: data for the API.

JSON schemas describe the fields of events. Several games share the schemas SEAT, SQUARE, STEP, COUNT and YES.
"""

from __future__ import annotations

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
    """A form of text in a game's notation: its grammar in EBNF, and an example.

    `when` is the situation in which the form is used.
    """

    when: str
    grammar: str
    example: str


SQUARES = " square = ? file and rank, as d4 ? ;"
NUMBERS = " number = ? a whole number ? ;"
"""Grammar rules that the grammars of several games share: SQUARES for squares, NUMBERS for numbers."""


@dataclass(frozen=True, slots=True)
class Described:
    """A game's description for programs.

    `orders` and `positions` describe the notation. `events` has a JSON schema for each kind of event, and
    `setup` is the JSON schema of the setup. `masked` explains how the text of a position marks what is hidden
    from its reader. `data` is constant data of the game, such as a board; None if there is none.
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
    """Returns an event's kind and JSON schema, as an item of `Described.events`.

    `says` describes the event. `given` has the schema of each field of the event, by the field's name. A name
    that ends in `_if_any` makes the field optional. The name `from_` stands for the field `from`, since
    Python reserves `from`.
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
