"""Limits on guessing at secrets, and on asking for mails: per address, and for all together."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest
from django.utils.translation import ngettext

from robosite.people import shares
from robosite.web import limits


@dataclass(frozen=True, slots=True)
class Tries:
    """One kind of try: the limit of a browser's address, and the limit of all together (bounds.py)."""

    name: str
    guesses: bool = False
    """Tell whether secrets can be guessed by it. Then guests who have played have no share of their own,
    since anybody can be many guests."""

    def wait(self, request: HttpRequest) -> int:
        """Counts a try; 0, or how many seconds to wait with the next one."""
        address = limits.address(request)
        own = limits.wait(self.name, address) if self.guesses else shares.wait(self.name, request)
        return own or limits.wait_among_all(self.name, address)


PHRASES = Tries("phrase", guesses=True)
MAILS = Tries("mail")


def wait_to_write(request: HttpRequest, email: str) -> int:
    """Counts a mail to be sent to an address that somebody typed; 0, or how many seconds to wait."""
    return MAILS.wait(request) or limits.wait("mail/to", email)


def too_many(seconds: int) -> str:
    """The sentence for a guest who must wait."""
    minutes = -(-seconds // 60)
    text = ngettext(
        "That was tried too often. Please wait a minute, then try again.",
        "That was tried too often. Please wait %(n)s minutes, then try again.",
        minutes,
    )
    return text % {"n": minutes}
