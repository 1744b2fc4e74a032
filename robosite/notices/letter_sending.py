"""Sends letters: each is claimed with a lease, and tried again as long as its link works."""

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
from robosite.people.tickets import LIVES
from robosite.web.locking import lock_rows

log = logging.getLogger("robosite")

AT_ONCE = 2
"""The number of letters that are sent at the same time."""
LOOKED_AT = 20
"""The number of due letters that are tried when one is to be claimed."""
BACKOFF = (10, 30, 60, 120)
"""Seconds until the next attempt after each failed one; after the last of them, that one again."""


def waiting() -> QuerySet[Letter]:
    """The letters that are still to be sent, while their links work."""
    return Letter.objects.filter(closed_at=None, ticket__expires_at__gt=timezone.now())


def oldest() -> dict[str, float]:
    """Seconds that the oldest letter to be sent has waited, for `/metrics`."""
    first = waiting().exclude(ticket__email="").select_related("ticket").order_by("pk").first()
    if first is None:
        return {"": 0}
    written_at = first.ticket.expires_at - LIVES[Ticket.Kind(first.ticket.kind)]
    return {"": (timezone.now() - written_at).total_seconds()}


def claim_letter() -> Letter | None:
    """Claims the next letter that is due, or returns None; letters that never failed come first.

    A letter whose ticket has no address is closed.
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
    """Returns the function that sends this letter, which makes no database queries."""
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
    """Stores the outcome: sent, to be retried, or failed for good. Ignored if the letter was closed
    meanwhile."""
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
