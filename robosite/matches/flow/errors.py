"""The exceptions of the flow. Each Refused carries a sentence for the player."""

from __future__ import annotations

from django.db import OperationalError

from games.core import Sentence
from robosite.web.sentences import render_sentence


class Refused(Exception):
    """Raised if an action is not possible now; nothing has been changed then.

    `sentence` tells the player why, and what to do.
    """

    def __init__(self, template: str, /, **facts: object) -> None:
        self.sentence = Sentence(template, **facts)
        super().__init__(template)

    def __str__(self) -> str:
        return render_sentence(self.sentence)


class SeatLost(Exception):
    """Raised if the caller may no longer act for the seat: the seat was left, passed on, or got a new link.

    SeatLost is not a subclass of Refused, since the seat's page, which shows a Refused, may belong to
    somebody else now.
    """

    def __init__(self) -> None:
        super().__init__("This seat is not yours any more.")


class GuestGone(OperationalError):
    """Raised if the guest was forgotten (their data erased) during this request, which then gets a 503."""


class WrongInvite(Refused):
    """Raised if an invite is not the match's present one, or if no invite is given although one is needed."""


class TurnTakenBack(Refused):
    """Raised if turns were taken back after the page that sends the request was made.

    The request gives the number of turns that had been taken back when its page was made. A negative number
    raises TurnTakenBack, too.
    """


class TooLong(Refused):
    """Raised for an order or a draft of more than LONGEST_ORDER characters."""
