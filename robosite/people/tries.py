"""Limits on guesses at secrets and on requests for mails: for each address, and for all together."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.translation import ngettext

from robosite.people import shares
from robosite.web import limits


@dataclass(frozen=True, slots=True)
class Tries:
    """A kind of attempt with two limits in `web/bounds.py`: for each address, and for all together.

    The limit for each address is the row `name`, the limit for all addresses together the row `name/all`.
    """

    name: str
    guesses: bool = False
    """A flag: True if an attempt is a guess at a secret.

    Then guests who have played have no share of their own, since one person can be many guests."""

    def wait(self, request: HttpRequest) -> int:
        """Counts an attempt. Returns 0 if allowed, else the seconds to wait."""
        address = limits.address(request)
        own = limits.wait(self.name, address) if self.guesses else shares.wait(self.name, request)
        return own or limits.wait_among_all(self.name, address)


PHRASES = Tries("phrase", guesses=True)
MAILS = Tries("mail")


def wait_to_write(request: HttpRequest, email: str) -> int:
    """Counts a mail to an address that somebody typed. Returns 0 if allowed, else the seconds to wait."""
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
