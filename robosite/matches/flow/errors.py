"""The exceptions of the flow. Each Refused carries a sentence for the player."""

from __future__ import annotations

from django.db import OperationalError

from games.core import Sentence
from robosite.web.sentences import render_sentence


class Refused(Exception):
    """Raised if something cannot be done now, before anything is changed.

    `sentence` tells the player why, and what to do.
    """

    def __init__(self, template: str, /, **facts: object) -> None:
        self.sentence = Sentence(template, **facts)
        super().__init__(template)

    def __str__(self) -> str:
        return render_sentence(self.sentence)


class SeatLost(Exception):
    """Raised if the caller may not act for the seat any more: it was left, passed on, or has a new link.

    It is not a Refused, since a Refused is shown on the seat's page, which may belong to somebody else now.
    """

    def __init__(self) -> None:
        super().__init__("This seat is not yours any more.")


class GuestGone(OperationalError):
    """Raised if the guest was forgotten during this request. The request gets a 503.

    If the browser repeats the request, it has no guest any more.
    """


class WrongInvite(Refused):
    """Raised if an invite is not the present one, or is missing where a player needs one."""


class TurnTakenBack(Refused):
    """Raised if a request comes from a page that was made before a turn was taken back.

    Also raised if the request's number of turns taken back cannot be right.
    """


class TooLong(Refused):
    """Raised for an order or a draft of more than LONGEST_ORDER characters."""
