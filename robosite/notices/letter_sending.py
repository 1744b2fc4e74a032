"""Letters in the outbox, beside its parcels: one that fails is tried again while its link works."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from robosite.notices.parcels import LOOKED_AT, SendOutcome, lease, put_off, unclaimed
from robosite.notices.smtp_answers import outcome_of
from robosite.people import letters, mail
from robosite.people.models import Letter, Ticket
from robosite.people.tickets import LIFETIMES
from robosite.web.locking import lock_rows

log = logging.getLogger("robosite")

BACKOFF = (10, 30, 60, 120)
"""Seconds from a failed attempt to the next one; the last value is used for all further ones."""


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

    def send() -> SendOutcome:
        try:
            mail.send(to, subject, text, message_id=message_id)
        except Exception as fault:  # no address is logged
            log.warning("a letter did not go: %s", type(fault).__name__)
            return outcome_of(fault)
        return SendOutcome()

    return send


def note_outcome(letter: Letter, outcome: SendOutcome) -> None:
    """Stores the outcome of sending a letter, unless it was closed in the meantime."""
    now = timezone.now()
    with transaction.atomic():
        for present in lock_rows(Letter.objects.filter(pk=letter.pk, closed_at=None)):
            present.claimed_until, present.fault = None, outcome.fault
            if not outcome.fault or not put_off(present, outcome, BACKOFF, now, at_most=600, goes_on=True):
                present.closed_at = now
            present.save(update_fields=["claimed_until", "fault", "closed_at", "due_at"])
