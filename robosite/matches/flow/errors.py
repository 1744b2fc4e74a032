"""The exceptions of the flow. Each Refused carries a sentence for the player."""

from __future__ import annotations

from django.db import OperationalError

from games.core import Sentence
from robosite.web.sentences import render_sentence


class Refused(Exception):
    """Raised if an action is not possible now. Nothing has been changed then.

    `sentence` tells the player why, and what to do.
    """

    def __init__(self, template: str, /, **facts: object) -> None:
        self.sentence = Sentence(template, **facts)
        super().__init__(template)

    def __str__(self) -> str:
        return render_sentence(self.sentence)


class SeatLost(Exception):
    """Raised if the caller may no longer act for the seat: the seat was left, passed on, or got a new link.

    It is not a subclass of Refused. A Refused is shown on the seat's page, which may belong to somebody else
    now.
    """

    def __init__(self) -> None:
        super().__init__("This seat is not yours any more.")


class GuestGone(OperationalError):
    """Raised if the guest was forgotten during this request. The request gets a 503.

    A repeated request of the same browser has no guest any more.
    """


class WrongInvite(Refused):
    """Raised if an invite is not the match's present one, or if a player who needs one gives none."""


class TurnTakenBack(Refused):
    """Raised if a turn was taken back after the page was made from which a request comes.

    Also raised if the number of turns taken back, which the request gives, is negative.
    """


class TooLong(Refused):
    """Raised for an order or a draft of more than LONGEST_ORDER characters."""
