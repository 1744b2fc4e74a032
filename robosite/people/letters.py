"""Letters: mails that somebody has asked for, each with a link that works once.

A letter is stored in the transaction of the form that asked for it, and sent by the sender of notices, which
tries again as long as the link works. The secret of the link is computed from the letter's number and
SECRET_KEY. Only the hash of the secret is stored, so neither the database nor a backup reveals a link.

A letter that signs somebody in has a code as well, since the link may open in another browser than the one
that asked, such as Safari beside an app on the home screen. The code leads to the same link, once a browser
types it that has the letter's number: the one that asked. It works as long as the link, for MOST_TRIES tries.
"""

from __future__ import annotations

import base64
import secrets
from contextlib import suppress
from typing import NamedTuple

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.crypto import constant_time_compare, salted_hmac
from django.utils.translation import gettext as _

from robosite.people.models import Guest, Letter, Ticket
from robosite.people.tickets import hash_of, store_ticket
from robosite.people.zones import date_and_time

SALT = "robosite.people.letters"
MOST_TRIES = 5
"""The maximum number of codes that may be typed for a letter; each has 8 digits."""


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
    secret, code = _secret_and_code(letter)
    with translation.override(letter.language):
        if ticket.kind == Ticket.Kind.BACK:
            subject, path = _("Your way back to Robosite"), reverse("you-link", args=[secret])
            asks = _("Open this link in the browser you want to play in. It works once, for an hour:")
            types = _(
                "Or enter this code where you asked for the e-mail, such as in an app on your home screen:"
            )
            more = f"\n\n{types}\n\n{code[:4]} {code[4:]}\n\n{_('Don’t share the link or the code.')}"
        else:
            subject, path = _("Is this your address?"), reverse("mail-link", args=[secret])
            asks = _("Open this link and confirm that this address is yours. It works for a day:")
            more = ""
        end = _("If you didn’t ask for this, ignore it and nothing will happen.")
        return Mail(ticket.email, subject, f"{asks}\n\n{letter.origin}{path}{more}\n\n{end}\n")


def secret_for(number: str, typed: str) -> str | None:
    """The secret of the link in the letter with this number, if `typed` is the letter's code; else None.

    Counts the try. Returns "" if there were too many.
    """
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
    """Returns a sentence that tells a guest whether the mail to confirm their address has been sent.

    The sentence says that the mail was sent, is about to be sent, will be tried again, or has failed for
    good.
    """
    email = letter.ticket.email
    if letter.closed_at and not letter.fault:
        return _("We’ve sent an e-mail to {email}. Open the link in it, and confirm.").format(email=email)
    if letter.fault == "mailbox":
        sentence = _("The mail server says there’s no mailbox {email}. Is it spelled right?")
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
        if hash_of(secret) == letter.ticket.secret_hash:
            code = salted_hmac(f"{SALT}.code", letter.number, secret=key, algorithm="sha256").digest()
            return secret, f"{int.from_bytes(code[:8]) % 10**8:08}"
    raise LookupError("the key that made the link of a letter is gone")


def _secret(number: str, key: str) -> str:
    """The secret in a letter's link, made from the letter's number and a key: 24 bytes in base64 for URLs."""
    digest = salted_hmac(SALT, number, secret=key, algorithm="sha256").digest()
    return base64.urlsafe_b64encode(digest[:24]).decode()
