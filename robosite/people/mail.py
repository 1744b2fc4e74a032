"""Sending mails: plain text, in the reader's language, each with a Message-ID of its own.

Sending waits for another machine, so no request does it: notices wait in the outbox, and a mail that a form
asks for is a letter (`letters.py`). Both are sent by the sender of notices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from email.utils import make_msgid, parseaddr

from django.conf import settings
from django.core.mail import EmailMessage
from django.dispatch import Signal
from django.utils import timezone, translation

from robosite.people.models import Guest
from robosite.people.zones import zone_named

confirmed = Signal()
"""Signal: the guest `guest` has confirmed an e-mail address. It is sent inside that transaction."""


def send(
    to: str, subject: str, text: str, *, message_id: str = "", headers: Mapping[str, str] | None = None
) -> None:
    """Sends a mail now. `message_id` is one of `new_id`; pass the same one if the mail is sent again.

    Raises OSError (as smtplib's exceptions are) if the mail server cannot be reached or does not accept it.
    """
    given = {"Message-ID": message_id or new_id(), "Auto-Submitted": "auto-generated", **(headers or {})}
    EmailMessage(" ".join(subject.split()), text, to=[to], headers=given).send()


def new_id(left: str | None = None) -> str:
    """A Message-ID in angle brackets: a random one, or one that begins with `left`, as `turn-7-guest-3`."""
    domain = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2] or "localhost"
    return f"<{left}@{domain}>" if left else make_msgid(domain=domain)


@contextmanager
def as_read_by(guest: Guest) -> Iterator[None]:
    """Context manager that activates the guest's language and time zone, or else the site's."""
    language = translation.override(guest.language or settings.LANGUAGE_CODE)
    with language, timezone.override(zone_named(guest.zone)):
        yield
