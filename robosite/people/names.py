"""Names that people give themselves: checked once, at the door."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

import regex

LONGEST = 24
"""Graphemes: what a reader sees as one sign."""

# Letters' companions that some scripts need are welcome; what hides, turns or breaks a line is not.
_REFUSED = regex.compile(
    r"[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u00ad]"
)


class RefusedName(ValueError):
    """A name that cannot be had; the message says why and what to do."""


def clean_name(name: str, others: Iterable[str] = ()) -> str:
    """The name in NFKC, without outer and double spaces; RefusedName if it cannot be had beside `others`."""
    name = " ".join(unicodedata.normalize("NFKC", name).split())
    if not name:
        raise RefusedName("Please type a name.")
    if _REFUSED.search(name):
        raise RefusedName("This name has signs that cannot be seen. Please type it anew.")
    if len(regex.findall(r"\X", name)) > LONGEST or len(name) > 8 * LONGEST:
        raise RefusedName(f"This name is too long: {LONGEST} letters at most.")
    if _skeleton(name) in {_skeleton(other) for other in others}:
        raise RefusedName(f"“{name}” looks like the name of somebody at this table. Please choose another.")
    return name


def _skeleton(name: str) -> str:
    """Names with the same skeleton are easily taken for each other."""
    plain = unicodedata.normalize("NFKD", name.casefold())
    plain = "".join(c for c in plain if not unicodedata.combining(c) and not c.isspace())
    return plain.translate(_LOOKALIKES)


# The commonest Cyrillic, Greek and digit lookalikes of Latin letters, after casefold.
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁһքոսαβγερικνουχτωνɩıꞁ01l|!",
    "aeopcyxijsdhqnuabyepikvouxtwviiioiiii",
)
