"""Names that people give themselves: checked once, at the door."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from random import Random

import regex
from django.utils.translation import gettext as _

LONGEST = 24
"""Graphemes: what a reader sees as one sign."""

# Letters' companions that some scripts need are welcome, and how an emoji is shown; what hides, turns or
# breaks a line is not, nor what looks like nothing.
_REFUSED = regex.compile(
    r"[[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]--[\ufe0e\ufe0f]]",
    regex.V1,
)


class RefusedName(ValueError):
    """A name that cannot be had; the message says why and what to do."""


def clean_name(name: str, others: Iterable[str] = ()) -> str:
    """The name in NFKC, without outer and double spaces; RefusedName if it cannot be had beside `others`."""
    name = " ".join(unicodedata.normalize("NFKC", name).split())
    if not name:
        raise RefusedName(_("Please type a name."))
    if _REFUSED.search(name):
        raise RefusedName(_("This name has signs that cannot be seen. Please type it anew."))
    if len(regex.findall(r"\X", name)) > LONGEST or len(name) > 8 * LONGEST:
        raise RefusedName(_("This name is too long: {n} letters at most.").format(n=LONGEST))
    if any(_skeletons(name) & _skeletons(other) for other in others):
        fault = _("“{name}” looks like the name of somebody at this table. Please choose another.")
        raise RefusedName(fault.format(name=name))
    return name


ROBOTS = (
    "Rosie", "Bolt", "Pixel", "Rivet", "Gizmo", "Sparky", "Cog", "Widget",
    "Tinker", "Dynamo", "Zip", "Clank", "Socket", "Turbo", "Whirr", "Copper",
)  # fmt: skip
"""What programs at a table are called."""


def robot_name(others: Iterable[str], rng: Random) -> str:
    """A name for a program that nobody of `others` has."""
    taken = list(others)
    for name in rng.sample(ROBOTS, len(ROBOTS)):
        with suppress(RefusedName):
            return clean_name(name, taken)
    return clean_name(f"Robot {len(taken) + 1}", taken)


def _skeletons(name: str) -> set[str]:
    """Names that share one of these are easily taken for each other, as written or in small letters."""
    plain = unicodedata.normalize("NFKD", name)
    plain = "".join(c for c in plain if not unicodedata.combining(c) and not c.isspace() and c not in _STYLES)
    return {one.casefold().translate(_LOOKALIKES) for one in (plain, plain.translate(_CAPITALS))}


_STYLES = "\ufe0e\ufe0f"

# The commonest Cyrillic, Greek and digit lookalikes of Latin letters, after casefold.
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁһքոսαβγερικνουχτωνɩıꞁ01l|!",
    "aeopcyxijsdhqnuabyepikvouxtwviiioiiii",
)
# Capitals that look like Latin ones though their small letters do not.
_CAPITALS = str.maketrans("ВКМНТΖΗΜΝΥ", "BKMHTZHMNY")
