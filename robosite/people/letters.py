"""Letters: mails that somebody has asked for, each with a link that works once.

The sender of notices sends them. A link's secret is computed from the letter's number and SECRET_KEY, and
only its hash stored, so that no backup reveals it. A letter that signs somebody in has a code as well, since
its link may open in another browser: it works in the browser that asked, MOST_TRIES times. All mails go
through `send_mail`, in plain text.
"""

import base64
import secrets
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import timedelta
from email.utils import make_msgid, parseaddr
from typing import NamedTuple

from django.conf import settings
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import F
from django.dispatch import Signal
from django.http import Http404
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from robosite.people.models import Guest, Letter, Ticket
from robosite.people.zones import date_and_time, zone_named
from robosite.web.http import or_404
from robosite.web.link_secrets import hash_secret, new_secret

SALT = "robosite.people.letters"
MOST_TRIES = 5
"""The maximum number of codes that may be typed for a letter; each has 8 digits."""


class Mail(NamedTuple):
    """A mail, ready to be sent: address, subject and plain text."""

    to: str
    subject: str
    text: str


def write(kind: Ticket.Kind, email: str, origin: str, guest: Guest | None = None) -> Letter:
    """Stores a letter in the active language, with a link at `origin`; one to "" is never sent."""
    number = secrets.token_hex(16)
    with transaction.atomic():
        ticket = store_ticket(kind, _secret(number, settings.SECRET_KEY), guest, email)
        language = translation.get_language() or settings.LANGUAGE_CODE
        return Letter.objects.create(
            ticket=ticket, number=number, origin=origin, language=language, due_at=timezone.now()
        )


def text_of(letter: Letter) -> Mail:
    """The mail of a letter, in its language; raises LookupError if the key of its link is gone."""
    ticket = letter.ticket
    secret, code = _secret_and_code(letter)
    with translation.override(letter.language):
        if ticket.kind == Ticket.Kind.BACK:
            subject, path = _("Your sign-in link for Robosite"), reverse("you-link", args=[secret])
            asks = _("Open this link in the browser you want to play in. It works once, for an hour:")
            types = _(
                "Or enter this code where you asked for the e-mail, such as in an app on your home screen:"
            )
            more = f"\n\n{types}\n\n{code[:4]} {code[4:]}\n\n{_('Don’t share the link or the code.')}"
        else:
            subject, path = _("Confirm your e-mail address"), reverse("mail-link", args=[secret])
            asks = _("Open this link and confirm that this address is yours. It works for a day:")
            more = ""
        end = _("If you didn’t ask for this, ignore it and nothing will happen.")
        return Mail(ticket.email, subject, f"{asks}\n\n{letter.origin}{path}{more}\n\n{end}\n")


def secret_for(number: str, typed: str) -> str | None:
    """Counts a try. The secret of a letter's link if `typed` is its code; else None; "" after MOST_TRIES."""
    back = Letter.objects.filter(ticket__kind=Ticket.Kind.BACK, ticket__expires_at__gt=timezone.now())
    letter = back.filter(number=number).select_related("ticket").first()
    if letter is None:
        return None
    mine = Letter.objects.filter(pk=letter.pk, code_tries__lt=MOST_TRIES)
    if not mine.update(code_tries=F("code_tries") + 1):
        return ""
    with suppress(LookupError):
        secret, code = _secret_and_code(letter)
        if constant_time_compare(typed, code) and letter.ticket.email:
            return secret
    return None


def state_of(letter: Letter) -> str:
    """A sentence on whether the mail to confirm an address was sent, is tried again, or has failed."""
    email = letter.ticket.email
    if letter.closed_at and not letter.fault:
        return _("We’ve sent an e-mail to {email}. Open the link in it, and confirm.").format(email=email)
    if letter.fault == "mailbox":
        sentence = _("The mail server says there’s no mailbox {email}. Is it spelt correctly?")
        return sentence.format(email=email)
    if letter.closed_at:
        return _("The e-mail to {email} couldn’t be sent. Please ask for it again.").format(email=email)
    if letter.fault:
        until = date_and_time(letter.ticket.expires_at)
        sentence = _("The e-mail to {email} hasn’t been sent yet. We’ll keep trying until {when}.")
        return sentence.format(email=email, when=until)
    return _("We’re about to send an e-mail to {email}. Open the link in it, and confirm.").format(
        email=email
    )


def asked_by(guest: Guest) -> Letter | None:
    """Returns the letter whose link the guest can still open to confirm an address; None without one."""
    mine = Letter.objects.filter(ticket__guest=guest, ticket__kind=Ticket.Kind.CONFIRM)
    return mine.filter(ticket__expires_at__gt=timezone.now()).select_related("ticket").first()


def _secret_and_code(letter: Letter) -> tuple[str, str]:
    for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        secret = _secret(letter.number, key)
        if hash_secret(secret) == letter.ticket.secret_hash:
            code = salted_hmac(f"{SALT}.code", letter.number, secret=key, algorithm="sha256").digest()
            return secret, f"{int.from_bytes(code[:8]) % 10**8:08}"
    raise LookupError("the key that made the link of a letter is gone")


def _secret(number: str, key: str) -> str:
    digest = salted_hmac(SALT, number, secret=key, algorithm="sha256").digest()
    return base64.urlsafe_b64encode(digest[:24]).decode()


LIFETIMES = {
    Ticket.Kind.DEVICE: timedelta(minutes=15),
    Ticket.Kind.BACK: timedelta(hours=1),
    Ticket.Kind.CONFIRM: timedelta(hours=24),
}


def new_ticket(kind: Ticket.Kind, guest: Guest | None = None, email: str = "") -> str:
    """Creates a ticket, the row that makes a secret link work once, and returns the link's secret."""
    secret = new_secret()
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
        kind=kind, secret_hash=hash_secret(secret), guest=guest, email=email, expires_at=expires
    )


def ticket_of(secret: str, *kinds: Ticket.Kind) -> Ticket:
    """Returns the valid ticket of one of these kinds with this secret; raises Http404."""
    found = Ticket.objects.filter(
        secret_hash=hash_secret(secret), kind__in=kinds, expires_at__gt=timezone.now()
    ).select_related("guest")
    return or_404(found.first())


def use(ticket: Ticket) -> None:
    """Deletes a link's ticket, so that the link works only once; raises Http404 if it was deleted already."""
    gone, _ = Ticket.objects.filter(pk=ticket.pk).delete()
    if not gone:
        raise Http404


confirmed = Signal()
"""Signal, sent when a `guest` confirms an address, inside the transaction that stores it."""


def send_mail(
    to: str, subject: str, text: str, *, message_id: str = "", headers: Mapping[str, str] | None = None
) -> None:
    given = {"Message-ID": message_id or new_id(), "Auto-Submitted": "auto-generated", **(headers or {})}
    EmailMessage(" ".join(subject.split()), text, to=[to], headers=given).send()


def new_id(left: str | None = None) -> str:
    """A Message-ID in angle brackets, beginning with `left`, such as `turn-7-guest-3`; if None, random."""
    domain = parseaddr(settings.DEFAULT_FROM_EMAIL)[1].rpartition("@")[2] or "localhost"
    return f"<{left}@{domain}>" if left else make_msgid(domain=domain)


@contextmanager
def as_read_by(guest: Guest) -> Iterator[None]:
    """Context manager that activates the guest's language and time zone, or the site's if unknown."""
    language = translation.override(guest.language or settings.LANGUAGE_CODE)
    with language, timezone.override(zone_named(guest.zone)):
        yield
