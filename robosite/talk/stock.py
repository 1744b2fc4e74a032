"""Stock phrases. A message stores only the key of a phrase, so everybody reads it in their own language."""

from __future__ import annotations

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

STOCK = {
    "hello": _("Hello!"),
    "luck": _("Good luck, and have fun!"),
    "nice": _("Well played!"),
    "oops": _("Oops."),
    "wow": _("I did not see that coming."),
    "moment": _("I need a little time."),
    "no-hurry": _("No hurry."),
    "thanks": _("Thanks for the match!"),
    "again": _("Once more?"),
    "bye": _("See you!"),
}


def phrase_text(key: str) -> str:
    """The stock phrase with this key in the reader's language; "" for an unknown key."""
    return gettext(STOCK[key]) if key in STOCK else ""


def stock_phrases() -> list[tuple[str, str]]:
    """A pair for each stock phrase: its key, and its text in the reader's language."""
    return [(key, phrase_text(key)) for key in STOCK]
