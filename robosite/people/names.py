"""Names that people give themselves: checked once, when they are given."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from random import Random

import confusable_homoglyphs
import regex
from django.utils.translation import gettext as _

LONGEST = 24
"""Graphemes: each is one sign to a reader."""

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
        raise RefusedName(_("This name contains invisible characters. Please type it again."))
    if len(regex.findall(r"\X", name)) > LONGEST or len(name) > 8 * LONGEST:
        raise RefusedName(_("This name is too long: {n} letters at most.").format(n=LONGEST))
    if not _is_of_one_script(name):
        raise RefusedName(
            _("This name mixes letters of different scripts. Please use letters of only one script.")
        )
    if any(_skeletons(name) & _skeletons(other) for other in others):
        fault = _("“{name}” looks like the name of somebody at this table. Please choose another.")
        raise RefusedName(fault.format(name=name))
    return name


def look_alike(name: str) -> str:
    """The same text for names that look alike in small letters: what is compared where names are many."""
    return _skeleton(_bare(name).casefold())


ROBOTS = (
    "Rosie", "Bolt", "Pixel", "Rivet", "Gizmo", "Sparky", "Cog", "Widget",
    "Tinker", "Dynamo", "Zip", "Clank", "Socket", "Turbo", "Whirr", "Copper",
)  # fmt: skip
"""The names of programs at a table."""


def robot_name(others: Iterable[str], rng: Random) -> str:
    """A name for a program that nobody of `others` has."""
    taken = list(others)
    for name in rng.sample(ROBOTS, len(ROBOTS)):
        with suppress(RefusedName):
            return clean_name(name, taken)
    return clean_name(f"Robot {len(taken) + 1}", taken)


def _skeletons(name: str) -> set[str]:
    """Names that share one of these are easily taken for each other: as written, in small or big letters."""
    plain = _bare(name)
    return {_skeleton(one) for one in (plain, plain.casefold(), plain.upper())}


def _skeleton(text: str) -> str:
    """The text's skeleton (UTS 39), whatever the case: equal for texts that look alike in some typeface."""
    drawn = "".join(prototypes().get(sign, sign) for sign in unicodedata.normalize("NFD", text))
    return "".join(prototypes().get(sign, sign) for sign in _bare(drawn).casefold()).translate(_ALIKE)


def _bare(text: str) -> str:
    """The name without accents, spaces, and signs that say how an emoji is shown."""
    apart = unicodedata.normalize("NFKD", text)
    return "".join(c for c in apart if not (unicodedata.combining(c) or c.isspace() or c in _STYLES))


_STYLES = "\ufe0e\ufe0f"
_ALIKE = str.maketrans("0l1|!", "oiiii")


@cache
def prototypes() -> dict[str, str]:
    """Unicode's look-alike of each sign; read when the first two names are compared.

    The library's list has each pair both ways. Of all that look alike, the one in the middle is what the
    others are drawn as; of only two it is the one with several signs, or else the lower one.
    """
    alike: dict[str, set[str]] = {}
    for sign, others in json.loads(_CONFUSABLES.read_bytes()).items():
        alike[_plain(sign)] = alike.get(_plain(sign), set()) | {_plain(other["c"]) for other in others}
    found = {}
    for sign, others in alike.items():
        if len(sign) == 1 and len(others) == 1 and _is_drawn_as(sign, other := next(iter(others)), alike):
            found[sign] = other
    return {sign: "".join(found.get(c, c) for c in drawn) for sign, drawn in found.items()}


def _is_drawn_as(sign: str, other: str, alike: dict[str, set[str]]) -> bool:
    return len(other) > 1 or len(alike.get(other, ())) > 1 or other < sign


def _plain(signs: str) -> str:
    return signs.replace("\u200e", "")


_CONFUSABLES = Path(confusable_homoglyphs.__file__).with_name("confusables.json")


# Which scripts go together in one name (UTS 39, highly restrictive); signs that all share go with any.
_TOGETHER = (
    {"LATIN", "HAN", "HIRAGANA", "KATAKANA"},
    {"LATIN", "HAN", "BOPOMOFO"},
    {"LATIN", "HAN", "HANGUL"},
)


def _is_of_one_script(name: str) -> bool:
    """Whether the letters are of one script, or of those that one language writes together."""
    scripts = {_script(sign) for sign in name if sign.isalpha() or unicodedata.category(sign)[0] in "MN"}
    scripts -= {"COMMON", "INHERITED", "UNKNOWN", ""}
    return len(scripts) < 2 or any(scripts <= some for some in _TOGETHER)


def _script(sign: str) -> str:
    """The script of a sign, by its name in Unicode."""
    if sign.isascii():
        return "LATIN" if sign.isalpha() else ""
    from confusable_homoglyphs import categories  # reads its own data when it is imported

    return str(categories.alias(sign))
