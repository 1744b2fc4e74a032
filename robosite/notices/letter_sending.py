"""Letters in the outbox, beside its parcels: one that fails is tried again while its link works.

Mail servers answer with reply codes such as `550` (RFC 5321) or enhanced ones, `5.1.1` (RFC 3463).
"""

import logging
import re
import smtplib
from collections.abc import Callable
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from robosite.notices.parcels import LOOKED_AT, SendOutcome, lease, put_off, unclaimed
from robosite.people import letters, mail
from robosite.people.letters import LIFETIMES
from robosite.people.models import Letter, Ticket
from robosite.web.locking import lock_rows

log = logging.getLogger("robosite")

BACKOFF = (10, 30, 60, 120)
"""Seconds from a failed attempt to the next one; the last value is used for all further ones."""
ENHANCED = re.compile(r"(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.])")
NO_MAILBOX = (550, 551, 553, 556)
"""There is no such mailbox, unless an enhanced code `5.….…` or a text ABOUT_THE_SENDER says otherwise."""
OF_AN_ADDRESS = "1"
"""The second number of the enhanced codes about an address (`5.1.…`)."""
OF_THE_SENDER = ("7", "8")
"""The last numbers of the enhanced codes `5.1.…` that are about the sender's address."""
OF_A_MAILBOX = "2"
"""The second number of enhanced codes about a mailbox (`5.2.…`)."""
DISABLED_DETAIL = "1"
"""The mailbox is disabled (`5.2.1`); all other faults of one, such as being full, may be temporary."""
ABOUT_THE_SENDER = re.compile(
    r"relay|authenti|not authori|sender|spam|block|blacklist|policy|reputation|denied|rcpthosts|"
    r"\bspf\b|dkim|dmarc"
)
"""Words which show that the sender is refused, rather than the mailbox."""


def waiting() -> QuerySet[Letter]:
    """The letters that are still to be sent, and whose links still work."""
    return Letter.objects.filter(closed_at=None, ticket__expires_at__gt=timezone.now())


def oldest() -> dict[str, float]:
    """For `/metrics`: how many seconds the oldest letter has waited to be sent, or 0."""
    first = waiting().exclude(ticket__email="").select_related("ticket").order_by("pk").first()
    if first is None:
        return {"": 0}
    written_at = first.ticket.expires_at - LIFETIMES[Ticket.Kind(first.ticket.kind)]
    return {"": (timezone.now() - written_at).total_seconds()}


def claim_letter() -> Letter | None:
    """Claims the next letter that is due, fewer attempts first; closes those without an address."""
    now = timezone.now()
    free = unclaimed(now)
    due = waiting().filter(free, due_at__lte=now).order_by("tries", "due_at")
    for pk in list(due.values_list("pk", flat=True)[:LOOKED_AT]):
        with transaction.atomic():
            locked = lock_rows(Letter.objects.filter(free, pk=pk, closed_at=None).select_related("ticket"))
            letter = locked.first()
            if letter is None:
                continue
            if not letter.ticket.email:
                letter.closed_at = now
                letter.save(update_fields=["closed_at"])
                continue
            lease(letter, now)
            letter.save(update_fields=["claimed_until", "tries"])
            return letter
    return None


def ready(letter: Letter) -> Callable[[], SendOutcome]:
    """The function that sends this letter: `lost` if the key that made its link is gone."""
    try:
        to, subject, text = letters.text_of(letter)
    except LookupError:
        return lambda: SendOutcome("lost", final=True)
    message_id = mail.new_id(f"letter-{letter.ticket.secret_hash[:32]}")

    return partial(send_mail, to, subject, text, message_id=message_id)


def send_mail(to: str, subject: str, text: str, *, message_id: str, **more: Any) -> SendOutcome:
    try:
        mail.send(to, subject, text, message_id=message_id, **more)
    except Exception as fault:  # a network error, or an address that mail cannot be sent to; it is not logged
        log.warning("a mail did not go: %s", type(fault).__name__)
        return outcome_of(fault)
    return SendOutcome()


def note_outcome(letter: Letter, outcome: SendOutcome) -> None:
    now = timezone.now()
    with transaction.atomic():
        for present in lock_rows(Letter.objects.filter(pk=letter.pk, closed_at=None)):
            present.claimed_until, present.fault = None, outcome.fault
            if not outcome.fault or not put_off(present, outcome, BACKOFF, now, at_most=600, goes_on=True):
                present.closed_at = now
            present.save(update_fields=["claimed_until", "fault", "closed_at", "due_at"])


def outcome_of(fault: Exception) -> SendOutcome:
    """A mail's outcome: `mailbox` (gone), `server` (it refuses all), `refused` or `no-answer`."""
    if isinstance(fault, smtplib.SMTPRecipientsRefused):
        code, text = next(iter(fault.recipients.values()), (0, b""))
        return _of_answer(code, text)
    if isinstance(fault, smtplib.SMTPDataError):
        return _of_answer(fault.smtp_code, fault.smtp_error)
    if isinstance(fault, smtplib.SMTPResponseException | smtplib.SMTPNotSupportedError):
        return _of_the_host(getattr(fault, "smtp_code", 0))
    return SendOutcome("no-answer")


def _of_answer(code: int, text: bytes | str) -> SendOutcome:
    if not 500 <= code < 600:
        return SendOutcome("refused")
    answer = text.decode(errors="replace") if isinstance(text, bytes) else text
    found = ENHANCED.search(answer)
    if found and found[1] == "5":
        subject, detail = found[2], found[3]
        if subject == OF_A_MAILBOX and detail != DISABLED_DETAIL:
            return SendOutcome("refused")
        gone = subject == OF_A_MAILBOX or (subject == OF_AN_ADDRESS and detail not in OF_THE_SENDER)
    else:
        gone = code in NO_MAILBOX and not ABOUT_THE_SENDER.search(answer.lower())
    return SendOutcome("mailbox", gone=True) if gone else _of_the_host(code)


def _of_the_host(code: int) -> SendOutcome:
    log.error("the mail server refuses the site's mail: %s", code)
    return SendOutcome("server")
