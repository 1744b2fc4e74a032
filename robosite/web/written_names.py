"""Names and notation in texts and pages: isolated from what stands beside them, and never translated.

A name in Hebrew or Arabic would draw a number beside it to its other end. So each name that is put into a
text is marked with Unicode's isolates. A finished page has elements in their place, which keep translators
off too (`in_elements`); plain text keeps the isolates of names that are written from right to left (`plain`).
"""

from __future__ import annotations

import re
import unicodedata

FIRST, LAST = "\u2068", "\u2069"
"""FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE."""
RIGHT_TO_LEFT = {"R", "AL", "AN"}
MARKED = re.compile(f"{FIRST}([^{FIRST}{LAST}]*){LAST}")
NO_ELEMENTS = ("<title", "<option", "<textarea", "<text", "<tspan", "<desc", "<script", "<style")
"""Elements that cannot have others in them, or none of HTML's."""
ROW = re.compile(
    rf'(<(?:button|summary|label|a class="(?:primary|secondary|quiet|key))\b[^>]*>)([^<]*{FIRST}[^<]*)'
)
"""A sentence with names in what lays its children out in a row: it is one child of it."""
NOTATION = re.compile(
    r'<(?:kbd|pre|(?<!<p class="seal"><)code|p class="seal"|span class="plate |div class="board-sheet)'
    r"(?![^>]* translate=)[^>]*(?=>)"
)
"""Orders, seals, keys and the letters of seats and squares mean nothing in another language. A part of a page
that was finished before has its marks already."""


class Name(str):
    """A stored name, which adds its isolates whenever it is put into a text or a page."""

    def __str__(self) -> str:
        return f"{FIRST}{self[:]}{LAST}" if self else ""

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


def plain(text: str) -> str:
    """A text in which only names written from right to left keep their isolates."""
    return MARKED.sub(_plain, text) if FIRST in text else text


def _plain(found: re.Match[str]) -> str:
    turns = any(unicodedata.bidirectional(sign) in RIGHT_TO_LEFT for sign in found[1])
    return found[0] if turns else found[1]


def in_elements(page: str) -> str:
    """A page with names in elements instead of isolates, except where elements cannot stand."""

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
