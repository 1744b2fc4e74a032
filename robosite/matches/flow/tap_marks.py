"""Marks for the taps that are in a draft already, so that taps that are sent again count once.

A page numbers its taps; `abc.7` is the seventh of the page `abc`. A draft keeps the number of the last tap
of each page that has changed it, the latest page first: `abc.7 xyz.3`. A change that came without a number
stands there as NOBODY's. A seal takes the marks away; so a draft that was reopened has a mark at the end that
no other draft has: `abc.8 @5ea1ed07`.
"""

from __future__ import annotations

import secrets

MOST_PAGES = 4
"""The number of pages whose last tap a draft keeps."""
NOBODY, REOPENED = "-", "@"


def parse_mark(once: str) -> tuple[str, int]:
    """The page and the number of a tap's mark; ("", 0) if it is none."""
    tab, _dot, number = once.rpartition(".")
    readable = tab.isalnum() and number.isascii() and number.isdigit() and len(tab) <= 32 and len(number) < 9
    return (tab, int(number)) if readable else ("", 0)


def last_tap(marks: str, tab: str, *, empty: bool) -> int | None:
    """The number of the page's last tap in a draft with these marks, 0 if it has none; None if nobody knows.

    `empty`: whether the draft is. One that is not, and has no marks, has lost them.
    """
    known = dict(parse_mark(one) for one in marks.split() if one[0] not in (NOBODY, REOPENED))
    if tab in known:
        return known[tab]
    return 0 if (marks or empty) and len(known) < MOST_PAGES and not reopening_of(marks) else None


def is_last(marks: str, tab: str) -> bool:
    """Tell whether this page, and nothing else, has changed the draft last."""
    return bool(tab) and parse_mark(marks.partition(" ")[0])[0] == tab


def add_mark(marks: str, once: str = "") -> str:
    """The marks of a draft after the tap `once`, or after a change without a number."""
    tab, _number = parse_mark(once)
    others = [one for one in marks.split() if parse_mark(one)[0] not in ("", tab)]
    return " ".join([*[once if tab else NOBODY, *others][:MOST_PAGES], *filter(None, [reopening_of(marks)])])


def new_reopening() -> str:
    """The marks of a draft that was sealed until now."""
    return REOPENED + secrets.token_hex(4)


def reopening_of(marks: str) -> str:
    """The mark of a reopened draft, "" of another one."""
    last = marks.rpartition(" ")[2]
    return last if last.startswith(REOPENED) else ""
