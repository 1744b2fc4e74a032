"""Isolates names and notation from the text around them, and marks them as not to be translated.

Next to a name in Hebrew or Arabic, a number could be shown on the wrong side. So each name that is put into a
text is enclosed in the Unicode isolates FIRST and LAST. In a finished page, HTML elements replace the
isolates, and tell translation software to leave the name unchanged (`in_elements`). In plain text, only names
written from right to left keep their isolates (`without_isolates`).
"""

from __future__ import annotations

import re
import unicodedata

FIRST, LAST = "\u2068", "\u2069"
"""The characters FIRST STRONG ISOLATE and POP DIRECTIONAL ISOLATE, which enclose a name."""
RIGHT_TO_LEFT = {"R", "AL", "AN"}
MARKED = re.compile(f"{FIRST}([^{FIRST}{LAST}]*){LAST}")
NO_ELEMENTS = ("<title", "<option", "<textarea", "<text", "<tspan", "<desc", "<script", "<style")
"""The beginnings of tags whose elements cannot contain HTML elements."""
ROW = re.compile(
    rf'(<(?:button|summary|label|a class="(?:primary|secondary|quiet|key))\b[^>]*>)([^<]*{FIRST}[^<]*)'
)
"""Matches an opening tag and the text after it, for elements that lay out their children in a row.

It matches only texts that contain a name. The whole text is put into an element, so that it stays a single
child of the row.
"""
NOTATION = re.compile(
    r'<(?:kbd|pre|(?<!<p class="seal"><)code|p class="seal"|span class="plate |div class="board-sheet)'
    r"(?![^>]* translate=)[^>]*(?=>)"
)
"""Matches the opening tags of elements with orders, seals, keys or letters, which must not be translated.

A tag that already has the attribute `translate` is not matched; such tags are in fragments of a page that
were rendered before.
"""


class Name(str):
    """A stored name that encloses itself in isolates whenever it is put into a text or a page.

    Isolates are invisible Unicode characters that keep the direction of a name (such as a Hebrew one) from
    affecting the text around it.
    """

    def __str__(self) -> str:
        return f"{FIRST}{self[:]}{LAST}" if self else ""

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


def without_isolates(text: str) -> str:
    """The text without Unicode isolates (FIRST and LAST), except around names written from right to left."""
    return MARKED.sub(_plain, text) if FIRST in text else text


def _plain(found: re.Match[str]) -> str:
    turns = any(unicodedata.bidirectional(sign) in RIGHT_TO_LEFT for sign in found[1])
    return found[0] if turns else found[1]


def in_elements(page: str) -> str:
    """The page with each name in a `<bdi>` element instead of Unicode isolates (FIRST and LAST).

    Orders and other game notation are marked too, so that translation software leaves them unchanged. Where
    HTML allows no element, such as in an attribute, names are treated as by `without_isolates`.
    """

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
