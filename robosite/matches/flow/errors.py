"""The reasons why something cannot be done in a match: each error is a sentence for the player."""

from __future__ import annotations

from django.db import OperationalError

from games.core import Sentence
from robosite.web.sentences import render_sentence


class Refused(Exception):
    """Something that cannot be done now; `sentence` tells why and what to do. Nothing was changed."""

    def __init__(self, template: str, /, **facts: object) -> None:
        self.sentence = Sentence(template, **facts)
        super().__init__(template)

    def __str__(self) -> str:
        return render_sentence(self.sentence)


class SeatLost(Exception):
    """The caller may not act for the seat any more: it was left, taken over, revoked, or has a new link.

    It is not a `Refused`, since those are shown on the seat's page, which now belongs to somebody else.
    """

    def __init__(self) -> None:
        super().__init__("This seat is not yours any more.")


class GuestGone(OperationalError):
    """The guest was forgotten during this request, which gets a 503; the same request again starts afresh."""


class WrongInvite(Refused):
    """The invite is not one of this match, or is an old one."""


class TurnTakenBack(Refused):
    """An order or a draft is about a position from before a turn was taken back."""


class TooLong(Refused):
    """An order or a draft of more than LONGEST_ORDER characters."""
