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

    SeatLost is not a subclass of Refused, since a Refused is shown on the seat's page, and the seat may
    belong to somebody else now.
    """

    def __init__(self) -> None:
        super().__init__("This seat is not yours any more.")


class GuestGone(OperationalError):
    """Raised if the guest was forgotten during this request. The request gets a 503.

    If the browser repeats the request, it is no longer known as a guest.
    """


class WrongInvite(Refused):
    """Raised if an invite is not the match's present one, or if a player who needs one gives none."""


class TurnTakenBack(Refused):
    """Raised if a turn was taken back since the page that sends the request was made.

    The request gives the number of turns that had been taken back at that time. If it gives a negative
    number, TurnTakenBack is raised too.
    """


class TooLong(Refused):
    """Raised for an order or a draft of more than LONGEST_ORDER characters."""
