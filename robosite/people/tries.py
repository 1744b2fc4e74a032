"""Limits on guesses at secrets and on requests for mails, for each address and for all addresses together."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.translation import ngettext

from robosite.people import shares
from robosite.web import limits


@dataclass(frozen=True, slots=True)
class Tries:
    """A kind of attempt, limited for each address (`name` in `web/bounds.py`) and for all (“name/all”)."""

    name: str
    guesses: bool = False
    """Returns True if each attempt guesses a secret: it counts for the address even if a guest has played."""

    def wait(self, request: HttpRequest, *also: limits.Use) -> int:
        """Counts an attempt, against the limits in `also` too. Returns 0 if allowed, else seconds to wait."""
        return limits.wait_for(self._uses(request, also))

    def give_back(self, request: HttpRequest, *also: limits.Use) -> None:
        """Takes back what `wait` has counted; to be called once the attempt has succeeded."""
        limits.give_back(self._uses(request, also))

    def _uses(self, request: HttpRequest, also: Iterable[limits.Use]) -> list[limits.Use]:
        address = limits.address(request)
        own = [(self.name, address)] if self.guesses else shares.uses(self.name, request)
        return [*own, *also, *limits.of_all(self.name, address)]


PHRASES = Tries("phrase", guesses=True)
MAILS = Tries("mail")


def wait_to_write(request: HttpRequest, email: str) -> int:
    """Counts a request for a mail to `email`; returns 0 if it is allowed, else the seconds to wait."""
    return MAILS.wait(request, ("mail/to", email))


def mail_was_right(request: HttpRequest, email: str) -> None:
    """Takes back the count of a mail to `email`, since the link in it has been opened and used."""
    MAILS.give_back(request, ("mail/to", email))


def too_many(seconds: int) -> str:
    """A sentence that asks a guest to wait; the seconds are rounded up to minutes."""
    minutes = -(-seconds // 60)
    text = ngettext(
        "Too many attempts from your network, maybe not yours. Wait a minute, then try again.",
        "Too many attempts from your network, maybe not yours. Wait %(n)s minutes, then try again.",
        minutes,
    )
    return text % {"n": minutes}
