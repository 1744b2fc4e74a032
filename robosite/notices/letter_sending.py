"""Sends letters. A process claims a letter for a limited time, in which no other process can send the letter.

A letter that could not be sent for a temporary reason is tried again as long as its link works.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils import timezone

from robosite.notices.parcels import SendOutcome
from robosite.notices.smtp_answers import outcome_of
from robosite.people import letters, mail
from robosite.people.models import Letter, Ticket
from robosite.people.tickets import LIFETIMES
from robosite.web.locking import lock_rows

log = logging.getLogger("robosite")

AT_ONCE = 2
"""The maximum number of letters that are sent at the same time."""
LOOKED_AT = 20
"""The maximum number of due letters that are tried in one search for a letter to claim."""
BACKOFF = (10, 30, 60, 120)
"""Seconds from a failed attempt to the next one, by the number of failed attempts.

The last value is used for all further attempts.
"""


def waiting() -> QuerySet[Letter]:
    """Returns the letters (mails with a link that works once) that are still to be sent.

    Their links still work, and they are neither sent nor given up.
    """
    return Letter.objects.filter(closed_at=None, ticket__expires_at__gt=timezone.now())


def oldest() -> dict[str, float]:
    """Returns how many seconds the oldest letter (a mail with a one-time link) has waited to be sent.

    The number is for `/metrics`, under the key ""; it is 0 if no letter is to be sent.
    """
    first = waiting().exclude(ticket__email="").select_related("ticket").order_by("pk").first()
    if first is None:
        return {"": 0}
    written_at = first.ticket.expires_at - LIFETIMES[Ticket.Kind(first.ticket.kind)]
    return {"": (timezone.now() - written_at).total_seconds()}


def claim_letter() -> Letter | None:
    """Claims and returns the next letter that is due, so that no other process sends it; None if none is due.

    A letter is a mail with a link that works once. Letters with fewer attempts come first. A letter without
    an address is closed without being sent.
    """
    now = timezone.now()
    free = Q(claimed_until=None) | Q(claimed_until__lt=now)
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
            letter.claimed_until = now + timedelta(seconds=settings.SENDER_LEASE)
            letter.tries += 1
            letter.save(update_fields=["claimed_until", "tries"])
            return letter
    return None


def ready(letter: Letter) -> Callable[[], SendOutcome]:
    """Returns a function that sends this letter (a mail with a one-time link) and returns the outcome.

    The function makes no database queries. If the site no longer has the key from which the letter's link was
    made, the function sends nothing and returns the outcome `lost`.
    """
    try:
        to, subject, text = letters.text_of(letter)
    except LookupError:
        return lambda: SendOutcome("lost", final=True)
    message_id = mail.new_id(f"letter-{letter.ticket.secret_hash[:32]}")

    def send() -> SendOutcome:
        try:
            mail.send(to, subject, text, message_id=message_id)
        except Exception as fault:  # no address is logged
            log.warning("a letter did not go: %s", type(fault).__name__)
            return outcome_of(fault)
        return SendOutcome()

    return send


def note_outcome(letter: Letter, outcome: SendOutcome) -> None:
    """Stores the outcome of sending a letter (a mail with a one-time link): sent, to be tried again, failed.

    Does nothing if the letter was closed in the meantime.
    """
    now = timezone.now()
    with transaction.atomic():
        for present in lock_rows(Letter.objects.filter(pk=letter.pk, closed_at=None)):
            present.claimed_until, present.fault = None, outcome.fault
            if not outcome.fault or outcome.final or outcome.gone:
                present.closed_at = now
            else:
                step = BACKOFF[min(present.tries, len(BACKOFF)) - 1]
                present.due_at = now + timedelta(seconds=max(step, min(outcome.later, 600)))
            present.save(update_fields=["claimed_until", "fault", "closed_at", "due_at"])
