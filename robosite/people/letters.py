"""Letters: mails that somebody has asked for, each with a link that works once.

A letter is stored in the transaction of the form that asked for it, and sent by the sender of notices, which
tries again as long as the link works. The secret of the link is computed from the letter's number and
SECRET_KEY. Only the hash of the secret is stored, so neither the database nor a backup reveals a link.
"""

from __future__ import annotations

import base64
import secrets
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from robosite.people.models import Guest, Letter, Ticket
from robosite.people.tickets import hash_of, store_ticket
from robosite.people.zones import date_and_time

SALT = "robosite.people.letters"


class Mail(NamedTuple):
    """A mail, ready to be sent: address, subject and plain text."""

    to: str
    subject: str
    text: str


def write(kind: Ticket.Kind, email: str, origin: str, guest: Guest | None = None) -> Letter:
    """Stores a letter, a mail with a link that works once, which is sent to the address `email` soon.

    The letter is in the active language. The link begins with `origin` (scheme and host). `guest` is the
    guest who wants to confirm the address; None for a letter whose link signs somebody in again. A letter
    with the address "" is stored, but never sent.
    """
    number = secrets.token_hex(16)
    with transaction.atomic():
        ticket = store_ticket(kind, _secret(number, settings.SECRET_KEY), guest, email)
        language = translation.get_language() or settings.LANGUAGE_CODE
        return Letter.objects.create(
            ticket=ticket, number=number, origin=origin, language=language, due_at=timezone.now()
        )


def text_of(letter: Letter) -> Mail:
    """The mail to send for a stored letter, with its link, in the letter's language.

    Raises LookupError if the key from which the letter's link was made is no longer in the settings.
    """
    ticket = letter.ticket
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    secret = next(
        (one for key in keys if hash_of(one := _secret(letter.number, key)) == ticket.secret_hash), ""
    )
    if not secret:
        raise LookupError("the key that made the link of a letter is gone")
    with translation.override(letter.language):
        if ticket.kind == Ticket.Kind.BACK:
            subject, path = _("Your way back to Robosite"), reverse("you-link", args=[secret])
            asks = _("Open this link in the browser in which you want to play. It works once, for an hour:")
        else:
            subject, path = _("Is this your address?"), reverse("mail-link", args=[secret])
            asks = _("Open this link and confirm that this address is yours. It works for a day:")
        end = _("If you did not ask for this, do nothing, and nothing happens.")
        return Mail(ticket.email, subject, f"{asks}\n\n{letter.origin}{path}\n\n{end}\n")


def state_of(letter: Letter) -> str:
    """Returns a sentence that tells a guest whether the mail to confirm their address has been sent.

    The sentence says that the mail was sent, is about to be sent, will be tried again, or has failed for
    good.
    """
    email = letter.ticket.email
    if letter.closed_at and not letter.fault:
        return _("We sent an e-mail to {email}. Open the link in it, and confirm.").format(email=email)
    if letter.fault == "mailbox":
        sentence = _("The mail server says that there is no mailbox {email}. Is it spelled right?")
        return sentence.format(email=email)
    if letter.closed_at:
        return _("The e-mail to {email} could not be sent. Please ask for it again.").format(email=email)
    if letter.fault:
        until = date_and_time(letter.ticket.expires_at)
        sentence = _("The e-mail to {email} could not be sent so far. We keep trying until {when}.")
        return sentence.format(email=email, when=until)
    return _("An e-mail to {email} is about to be sent. Open the link in it, and confirm.").format(
        email=email
    )


def asked_by(guest: Guest) -> Letter | None:
    """Returns the letter whose link the guest can still open to confirm an address; None without one."""
    mine = Letter.objects.filter(ticket__guest=guest, ticket__kind=Ticket.Kind.CONFIRM)
    return mine.filter(ticket__expires_at__gt=timezone.now()).select_related("ticket").first()


def _secret(number: str, key: str) -> str:
    """The secret in a letter's link, made from the letter's number and a key: 24 bytes in base64 for URLs."""
    digest = salted_hmac(SALT, number, secret=key, algorithm="sha256").digest()
    return base64.urlsafe_b64encode(digest[:24]).decode()
