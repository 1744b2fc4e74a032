"""The exceptions of the flow. Each Refused carries a sentence for the player."""

from typing import TypeVar

from django.db import OperationalError

from games.core import Sentence
from robosite.web.sentences import render_sentence

Found = TypeVar("Found")


class Refused(Exception):
    """Raised if an action is not possible now, and changed nothing; tells the player why, and what to do."""

    def __init__(self, template: str, /, **facts: object) -> None:
        self.sentence = Sentence(template, **facts)
        super().__init__(template)

    def __str__(self) -> str:
        return render_sentence(self.sentence)


class SeatLost(Exception):
    """Raised if the caller may not play for the seat any more; no Refused: the page may be another's now."""

    def __init__(self) -> None:
        super().__init__("This seat is not yours any more.")


def or_lost(found: Found | None) -> Found:
    """Returns what was found; raises SeatLost if it is None."""
    if found is None:
        raise SeatLost
    return found


class GuestGone(OperationalError):
    """Raised if the guest's data were erased during this request, which then gets a 503."""


class WrongInvite(Refused):
    """Raised if the secret of an invite is not the current one, or is missing although it is needed."""


class TurnTakenBack(Refused):
    """Raised if a turn was taken back after the page was made, or if the page's number of them is below 0."""


class TooLong(Refused):
    """Raised for an order or a draft of more than LONGEST_ORDER characters."""
