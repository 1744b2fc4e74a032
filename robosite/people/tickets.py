"""Tickets: secret links that work once, for a short time; wrong, expired and used ones are all 404."""

import hashlib
import secrets
from datetime import timedelta

from django.http import Http404
from django.utils import timezone

from robosite.people.models import Guest, Ticket

LIFETIMES = {
    Ticket.Kind.DEVICE: timedelta(minutes=15),
    Ticket.Kind.BACK: timedelta(hours=1),
    Ticket.Kind.CONFIRM: timedelta(hours=24),
}


def new_ticket(kind: Ticket.Kind, guest: Guest | None = None, email: str = "") -> str:
    """Creates a ticket, the row that makes a secret link work once, and returns the link's secret."""
    secret = secrets.token_urlsafe(24)
    store_ticket(kind, secret, guest, email)
    return secret


def store_ticket(kind: Ticket.Kind, secret: str, guest: Guest | None = None, email: str = "") -> Ticket:
    """Stores a ticket; deletes expired ones, and the guest's other tickets of this kind."""
    now = timezone.now()
    Ticket.objects.filter(expires_at__lte=now).delete()
    if guest:
        guest.tickets.filter(kind=kind).delete()
    expires = now + LIFETIMES[kind]
    return Ticket.objects.create(
        kind=kind, secret_hash=hash_of(secret), guest=guest, email=email, expires_at=expires
    )


def ticket_of(secret: str, *kinds: Ticket.Kind) -> Ticket:
    """Returns the valid ticket of one of these kinds with this secret; raises Http404."""
    found = Ticket.objects.filter(
        secret_hash=hash_of(secret), kind__in=kinds, expires_at__gt=timezone.now()
    ).select_related("guest")
    ticket = found.first()
    if ticket is None:
        raise Http404
    return ticket


def use(ticket: Ticket) -> None:
    """Deletes a link's ticket, so that the link works only once; raises Http404 if it was deleted already."""
    gone, _ = Ticket.objects.filter(pk=ticket.pk).delete()
    if not gone:
        raise Http404


def hash_of(secret: str) -> str:
    """The SHA-256 hash of a secret, as 64 hexadecimal digits. Only this hash is stored."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
