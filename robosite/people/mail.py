"""Sends mails in plain text, each with a Message-ID. Only the sender of notices calls it, no request."""

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
"""Signal, sent when a `guest` confirms an address, inside the transaction that stores it."""


def send(
    to: str, subject: str, text: str, *, message_id: str = "", headers: Mapping[str, str] | None = None
) -> None:
    given = {"Message-ID": message_id or new_id(), "Auto-Submitted": "auto-generated", **(headers or {})}
    EmailMessage(" ".join(subject.split()), text, to=[to], headers=given).send()


def new_id(left: str | None = None) -> str:
    """Returns a Message-ID in angle brackets that begins with `left`, such as `turn-7-guest-3`."""
    domain = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2] or "localhost"
    return f"<{left}@{domain}>" if left else make_msgid(domain=domain)


@contextmanager
def as_read_by(guest: Guest) -> Iterator[None]:
    """Context manager that activates the guest's language and time zone, or the site's if unknown."""
    language = translation.override(guest.language or settings.LANGUAGE_CODE)
    with language, timezone.override(zone_named(guest.zone)):
        yield
