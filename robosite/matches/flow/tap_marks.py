"""Marks that say which taps on the board a draft already contains, so that a tap sent twice counts once.

A page numbers its taps: `abc.7` is the seventh of the page `abc`. A draft has the last taps of at most
MOST_PAGES pages, the latest change first: `abc.7 xyz.3`; NOBODY is first if that was not a numbered tap.
Sealing removes the marks, so a reopened draft has a random one at the end instead: `abc.8 @5ea1ed07`.
"""

import secrets

MOST_PAGES = 4
NOBODY, REOPENED = "-", "@"


def parse_mark(once: str) -> tuple[str, int]:
    """Splits the mark of a tap, such as `abc.7`, into the page's name and the tap's number."""
    tab, _dot, number = once.rpartition(".")
    readable = tab.isalnum() and number.isascii() and number.isdigit() and len(tab) <= 32 and len(number) < 9
    return (tab, int(number)) if readable else ("", 0)


def last_tap(marks: str, tab: str, *, empty: bool) -> int | None:
    """The last tap of the page `tab` in a draft with these marks; 0 for none, None if that is unknown."""
    changes = [one for one in marks.split() if one[0] != REOPENED]
    known = dict(parse_mark(one) for one in changes if one != NOBODY)
    if tab in known:
        return known[tab]
    return 0 if (marks or empty) and len(changes) < MOST_PAGES and not reopening_of(marks) else None


def is_last(marks: str, tab: str) -> bool:
    """Returns True if the page `tab` made the last change of the draft with these marks."""
    return bool(tab) and parse_mark(marks.partition(" ")[0])[0] == tab


def add_mark(marks: str, once: str = "") -> str:
    """The marks of a draft after one more change."""
    tab, _number = parse_mark(once)
    others = [one for one in marks.split() if parse_mark(one)[0] not in ("", tab)]
    return " ".join([*[once if tab else NOBODY, *others][:MOST_PAGES], *filter(None, [reopening_of(marks)])])


def new_reopening() -> str:
    """A new random mark for a sealed order that becomes a draft again, such as `@5ea1ed07`."""
    return REOPENED + secrets.token_hex(4)


def reopening_of(marks: str) -> str:
    """The random mark that ends a reopened draft's marks; "" for any other draft."""
    last = marks.rpartition(" ")[2]
    return last if last.startswith(REOPENED) else ""
