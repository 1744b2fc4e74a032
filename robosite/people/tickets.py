"""Secret links that work once and not for long. Wrong, old and used ones look the same."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta

from django.http import Http404
from django.utils import timezone

from robosite.people.models import Guest, Ticket

LIVES = {
    Ticket.Kind.DEVICE: timedelta(minutes=15),
    Ticket.Kind.BACK: timedelta(hours=1),
    Ticket.Kind.CONFIRM: timedelta(hours=24),
}


def new_ticket(kind: Ticket.Kind, guest: Guest | None = None, email: str = "") -> str:
    """A new link's secret. The guest's older ones of this kind no longer work; expired ones are deleted."""
    now = timezone.now()
    Ticket.objects.filter(expires_at__lte=now).delete()
    if guest:
        guest.tickets.filter(kind=kind).delete()
    secret = secrets.token_urlsafe(24)  # 192 bits
    expires = now + LIVES[kind]
    Ticket.objects.create(kind=kind, secret_hash=_hash(secret), guest=guest, email=email, expires_at=expires)
    return secret


def ticket_of(secret: str, *kinds: Ticket.Kind) -> Ticket:
    """The ticket of one of these kinds that this secret opens; 404 if there is none (any more)."""
    found = Ticket.objects.filter(
        secret_hash=_hash(secret), kind__in=kinds, expires_at__gt=timezone.now()
    ).select_related("guest")
    ticket = found.first()
    if ticket is None:
        raise Http404
    return ticket


def use(ticket: Ticket) -> None:
    """Only the first to use a ticket gets on; 404 for all others."""
    gone, _ = Ticket.objects.filter(pk=ticket.pk).delete()
    if not gone:
        raise Http404


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
