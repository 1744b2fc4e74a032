"""Stock phrases. A message stores only the key of a phrase, so everybody reads it in their own language."""

from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

STOCK = {
    "hello": _("Hello!"),
    "luck": _("Good luck, and have fun!"),
    "nice": _("Well played!"),
    "oops": _("Oops."),
    "wow": _("I didn’t see that coming."),
    "moment": _("I need a little time."),
    "no-hurry": _("No hurry."),
    "thanks": _("Thanks for the match!"),
    "again": _("Play again?"),
    "bye": _("See you!"),
}

TOLD = {
    "hands over": _("I’ve handed my seat to someone else."),
    "takes over": _("I have taken this seat over, and play on."),
}
"""The phrases that the site itself says in a player's name. Nobody can choose these phrases."""


def phrase_text(key: str) -> str:
    """The stock phrase with this key in the reader's language; "" for an unknown key."""
    known = STOCK.get(key) or TOLD.get(key)
    return gettext(known) if known else ""


def stock_phrases() -> list[tuple[str, str]]:
    """A pair for each stock phrase: its key, and its text in the reader's language."""
    return [(key, phrase_text(key)) for key in STOCK]
