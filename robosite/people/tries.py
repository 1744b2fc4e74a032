"""Limits on guesses at secrets and on requests for mails, for each address and for all addresses together."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.translation import ngettext

from robosite.people import shares
from robosite.web import limits


@dataclass(frozen=True, slots=True)
class Tries:
    """A kind of attempt that is limited for each address, and for all addresses together.

    In `web/bounds.py`, the limit for each address is called `name`, such as “mail”. The limit for all
    addresses together has “/all” added to its name, such as “mail/all”.
    """

    name: str
    guesses: bool = False
    """A flag: True if each attempt is a guess at a secret.

    Guesses by a guest who has played count against the limit of the address, and not against one of the
    guest's own, since one person can be many guests."""

    def wait(self, request: HttpRequest) -> int:
        """Counts an attempt. Returns 0 if allowed, else the seconds to wait."""
        address = limits.address(request)
        own = limits.wait(self.name, address) if self.guesses else shares.wait(self.name, request)
        return own or limits.wait_among_all(self.name, address)


PHRASES = Tries("phrase", guesses=True)
MAILS = Tries("mail")


def wait_to_write(request: HttpRequest, email: str) -> int:
    """Counts a request for a mail to `email`; returns 0 if it is allowed, else the seconds to wait."""
    return MAILS.wait(request) or limits.wait("mail/to", email)


def too_many(seconds: int) -> str:
    """A sentence that asks a guest to wait; the seconds are rounded up to minutes."""
    minutes = -(-seconds // 60)
    text = ngettext(
        "That was tried too often. Please wait a minute, then try again.",
        "That was tried too often. Please wait %(n)s minutes, then try again.",
        minutes,
    )
    return text % {"n": minutes}
