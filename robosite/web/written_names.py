"""Isolates names and notation from the text around them, and marks them as not to be translated.

A name put into a text stands between Unicode isolates, since a number beside a Hebrew one could show on the
wrong side. Elements replace these in pages (`in_elements`); in plain text only right-to-left names keep them,
and what looks like an address is made harmless (`without_isolates`).
"""

import re
import unicodedata
from typing import Any

import regex
from django.utils.translation import gettext, gettext_noop

FIRST, LAST = "\u2068", "\u2069"
"""The characters FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE, which enclose a name."""
RIGHT_TO_LEFT = {"R", "AL", "AN"}
MARKED = re.compile(f"{FIRST}([^{FIRST}{LAST}]*){LAST}")
NO_ELEMENTS = ("<title", "<option", "<textarea", "<text", "<tspan", "<desc", "<script", "<style")
"""The beginnings of tags whose elements cannot contain HTML elements."""
ROW = re.compile(
    rf'(<(?:button|summary|label|a class="(?:primary|secondary|quiet|key))\b[^>]*>)([^<]*{FIRST}[^<]*)'
)
"""Elements that lay out their children in a row, if a name is in their text, which then becomes one child."""
NOTATION = re.compile(
    r'<(?:kbd|pre|(?<!<p class="seal"><)code|p class="seal"|span class="plate |div class="board-sheet)'
    r"(?![^>]* translate=)[^>]*(?=>)"
)
"""Matches the start tags, up to `>`, of elements with notation that have no attribute `translate`."""


_DOT = ".\u06d4\u0701\u0702\u2024\u3002\ua4f8\ua60e\U00010a50"
_COLON = ":\u02d0\u02f8\u0589\u16ec\u1803\u1809\u205a\u2236\ua4fd\ua789"
_SLASH = "/\\\\\u2044\u2215\u2571\u27cb\u29f8"
_ADDRESS = regex.compile(
    rf"[{_COLON}][{_SLASH}]{{2}}|(?i:\bwww[{_DOT}])|[^\s\p{{P}}][\w-]*[{_DOT}]\p{{L}}[\p{{L}}\p{{M}}]"
    rf"|\d(?:[{_DOT}]\d+){{3}}"
)
"""Matches what could be taken for an address, with whatever looks like a dot, colon or slash."""
_SIGNS = regex.compile(rf"[{_DOT}{_COLON}{_SLASH}@]+")


def is_address(text: str) -> bool:
    """Returns True if a text (such as a name) is, or contains, something that looks like an address."""
    return bool(_ADDRESS.search(unicodedata.normalize("NFKC", text)))


def harmless(name: str) -> str:
    """The name; one that looks like an address has spaces in place of the signs that make it one."""
    if not is_address(name):
        return name
    return " ".join(_SIGNS.sub(" ", unicodedata.normalize("NFKC", name)).split())


class Name(str):
    """A stored name, between isolates whenever it is put into a text or a page."""

    def __str__(self) -> str:
        return f"{FIRST}{self[:]}{LAST}" if self else ""

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


def without_isolates(text: str) -> str:
    """The text without Unicode isolates (FIRST and LAST), except around names written from right to left."""
    return MARKED.sub(_plain, text) if FIRST in text else text


def _plain(found: re.Match[str]) -> str:
    name = harmless(found[1])
    turns = any(unicodedata.bidirectional(sign) in RIGHT_TO_LEFT for sign in name)
    return f"{FIRST}{name}{LAST}" if turns else name


def in_elements(page: str) -> str:
    """The page with names in `<bdi>`, where HTML allows it, and notation marked as not to be translated."""

    def element(found: re.Match[str]) -> str:
        opened = page.rfind("<", 0, found.start())
        in_tag = page.rfind(">", 0, found.start()) < opened
        if in_tag or page.startswith(NO_ELEMENTS, opened):
            return _plain(found)
        return f'<bdi translate="no">{found[1]}</bdi>'

    if FIRST in page:
        page = ROW.sub(r"\1<span>\2</span>", page)
        page = MARKED.sub(element, page)
    return NOTATION.sub(r'\g<0> translate="no"', page)


FORGOTTEN = gettext_noop("Somebody")
"""The stored name of a seat whose guest was forgotten. Pages translate it; records leave it out."""


def name_to_show(name: str) -> str:
    """A player's name for display; if their data were erased, a word in the reader's language."""
    return gettext(FORGOTTEN) if name == FORGOTTEN else Name(name)


class Named:
    """A model with a player's `name`."""

    name: Any

    @property
    def shown_name(self) -> str:
        return name_to_show(self.name)
