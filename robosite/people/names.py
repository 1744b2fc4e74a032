"""The rules for names that people choose. A name is checked when it is chosen."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from contextlib import suppress
from random import Random
from typing import TYPE_CHECKING

import regex
from django.utils.translation import gettext as _

from robosite.people.look_alikes import is_reserved, look_alike, prototypes, skeletons
from robosite.web.written_names import is_address

if TYPE_CHECKING:
    from robosite.people.models import Guest

__all__ = ["RefusedName", "clean_name", "given_by_site", "look_alike", "prototypes", "robot_name"]

LONGEST = 24
"""The maximum number of graphemes in a name."""
MOST_MARKS = 2
"""The maximum number of marks, such as accents and points, on one letter."""
MOST_SIGNS = 4
"""The maximum number of marks on one letter in scripts that write vowels, tones or consonants as marks."""

# Letters' companions that some scripts need are welcome, and how an emoji is shown; what hides, turns or
# breaks a line is not, nor what looks like nothing.
_REFUSED = regex.compile(
    r"[[\p{Cc}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb]--[\ufe0e\ufe0f]]",
    regex.V1,
)


# Joiners without a width are spelling beside a virama (Sinhala, Bengali) and between Arabic letters.
_JOINERS = regex.compile(
    r"(?<=\p{ccc=9})[\u200c\u200d](?=\p{L})|(?<=\p{Lo})\u200d(?=\p{ccc=9})"
    r"|(?<=\p{Script=Arabic})\u200c(?=\p{Script=Arabic})",
    regex.V1,
)


class RefusedName(ValueError):
    """Raised for a name that is not allowed. The message says why and what to do."""


TakenAway = Callable[[str, "Guest | None", "int | None"], bool]
"""A function that returns True if a name was taken away from the guest, or in the match (primary key)."""

taken_away_checks: list[TakenAway] = []


def clean_name(
    name: str, others: Iterable[str] = (), *, guest: Guest | None = None, table: int | None = None
) -> str:
    """Checks a name and returns it normalized (NFKC, single spaces).

    `others` are the names in the match `table` (primary key). Raises RefusedName if it is not `legible`,
    reserved, like another, or taken away.
    """
    name = legible(name)
    if is_reserved(name):
        raise RefusedName(
            _(
                "“{name}” could be mistaken for this site, its moderators or a seat. Please choose another."
            ).format(name=name)
        )
    _check_unlike(name, others)
    check_not_taken_away(name, guest, table)
    return name


def check_not_taken_away(name: str, guest: Guest | None, table: int | None) -> None:
    """Raises RefusedName if a moderator has taken this name away from the guest, or in a match."""
    if any(check(name, guest, table) for check in taken_away_checks):
        raise RefusedName(_("A moderator has blocked this name. Please choose another."))


def given_by_site(name: str, others: Iterable[str] = ()) -> str:
    """Checks and normalizes a name that the site gives, such as “Player A”; reserved words are allowed."""
    name = legible(name)
    _check_unlike(name, others)
    return name


def kept_name(
    name: str,
    letter: str,
    others: Iterable[str] = (),
    *,
    guest: Guest | None = None,
    table: int | None = None,
) -> str:
    """Returns a player's previous name, or one such as “Player A” if that is refused now."""
    taken = list(others)
    try:
        return clean_name(name, taken, guest=guest, table=table)
    except RefusedName:
        return player_name(letter, taken)


def player_name(letter: str, others: Iterable[str] = ()) -> str:
    """Returns “Player A”, with a number if it looks like one of `others`."""
    taken = list(others)
    for number in ("", *range(2, 10)):
        with suppress(RefusedName):
            return given_by_site(f"Player {letter} {number}", taken)
    raise AssertionError("eight seats have nine names")


def _check_unlike(name: str, others: Iterable[str]) -> None:
    own = skeletons(name)
    if any(own & skeletons(other) for other in others):
        fault = _("“{name}” looks like the name of someone in this match. Please choose another.")
        raise RefusedName(fault.format(name=name))


def legible(name: str, longest: int = LONGEST) -> str:
    """Returns a name normalized; raises RefusedName if it is empty, unclear, too long, or like an address."""
    name = " ".join(unicodedata.normalize("NFKC", name).split())
    if not name:
        raise RefusedName(_("Please enter a name."))
    if _REFUSED.search(_JOINERS.sub("", name)):
        raise RefusedName(_("This name contains invisible characters. Please type it again."))
    if len(regex.findall(r"\X", name)) > longest or len(name) > 8 * longest:
        raise RefusedName(_("This name is too long: {n} letters at most.").format(n=longest))
    if not _is_of_one_script(name):
        raise RefusedName(
            _("This name mixes letters of different scripts. Please use letters of only one script.")
        )
    if not _bears_its_marks(name):
        raise RefusedName(_("This name has too many marks on one letter. Please leave some out."))
    if is_address(name):
        raise RefusedName(_("“{name}” looks like an address. Please choose another.").format(name=name))
    return name


# In these scripts vowels, tones and consonants below others are marks, and several belong to one letter.
_OF_SIGNS = regex.compile(
    r"[\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}"
    r"\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}"
    r"\p{Script=Tibetan}\p{Script=Myanmar}\p{Script=Khmer}\p{Script=Javanese}\p{Script=Balinese}"
    r"\p{Script=Sundanese}\p{Script=Tai_Tham}\p{Script=Cham}\p{Script=Meetei_Mayek}\p{Script=Lepcha}"
    r"\p{Script=Chakma}\p{Script=Ol_Chiki}]",
)
# Points that make another letter of one, as shin and sin, and the alef and hamza above and below.
_PARTS_OF_LETTERS = "\u05c1\u05c2\u0653\u0654\u0655\u0670"


def _bears_its_marks(name: str) -> bool:
    """Returns True if no mark is without a letter or repeated, or beyond MOST_MARKS (or MOST_SIGNS)."""
    if regex.match(r"\p{M}", name) or regex.search(r"[^\S\n]\p{M}", name):
        return False
    for letter in regex.findall(r"\P{M}\p{M}+", name):
        marks = _marks(letter)
        most = MOST_SIGNS if _OF_SIGNS.fullmatch(letter[0]) and _OF_SIGNS.search(letter[1:]) else MOST_MARKS
        is_one_sign = len(letter) == 2 and letter[1] in "\ufe0e\ufe0f"
        if not is_one_sign and (len(marks) > most or len(set(marks)) < len(marks)):
            return False
    return True


def _marks(letter: str) -> list[str]:
    apart = unicodedata.normalize("NFD", letter)[1:]
    return [sign for sign in apart if sign not in _PARTS_OF_LETTERS]


ROBOTS = (
    "Rosie", "Bolt", "Pixel", "Rivet", "Gizmo", "Sparky", "Cog", "Widget",
    "Tinker", "Dynamo", "Zip", "Clank", "Socket", "Turbo", "Whirr", "Copper",
)  # fmt: skip


def robot_name(others: Iterable[str], rng: Random) -> str:
    """Returns a random name of ROBOTS that looks like none of `others`, else “Robot 17”."""
    taken = list(others)
    for name in rng.sample(ROBOTS, len(ROBOTS)):
        with suppress(RefusedName):
            return given_by_site(name, taken)
    return given_by_site(f"Robot {len(taken) + 1}", taken)


# Which scripts go together in one name (UTS 39, highly restrictive); signs that all share go with any.
_TOGETHER = (
    {"LATIN", "HAN", "HIRAGANA", "KATAKANA"},
    {"LATIN", "HAN", "BOPOMOFO"},
    {"LATIN", "HAN", "HANGUL"},
)


def _is_of_one_script(name: str) -> bool:
    scripts = {_script(sign) for sign in name if sign.isalpha() or unicodedata.category(sign)[0] in "MN"}
    scripts -= {"COMMON", "INHERITED", "UNKNOWN", ""}
    return len(scripts) < 2 or any(scripts <= some for some in _TOGETHER)


def _script(sign: str) -> str:
    if sign.isascii():
        return "LATIN" if sign.isalpha() else ""
    from confusable_homoglyphs import categories  # reads its own data when it is imported

    return str(categories.alias(sign))
