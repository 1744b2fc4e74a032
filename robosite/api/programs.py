"""Named programs: guests without a browser, recognized by a token, of which only a hash is stored."""

import secrets
from datetime import timedelta
from typing import Any, TypedDict

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from robosite.api.models import NamedProgram
from robosite.api.problems import at_field
from robosite.matches import flow, reading
from robosite.matches.models import Match, Seat
from robosite.people.look_alikes import name_code
from robosite.people.models import Guest
from robosite.people.names import RefusedName, clean_name
from robosite.people.personal_data import Part
from robosite.people.restrictions import note_action
from robosite.web.link_secrets import hash_secret
from robosite.web.transactions import lock_rows

PREFIX = "program."
A_DAY = timedelta(days=1)


def register(name: str, about: str, url: str) -> tuple[NamedProgram, str]:
    """Creates a program; returns it and its token. Raises RefusedName, also for a look-alike name."""
    name = clean_name(name)
    token = _new_token()
    try:
        with transaction.atomic():
            program = NamedProgram.objects.create(
                guest=Guest.objects.create(name=name),
                about=about,
                url=url,
                alike=name_code(name),
                token_hash=hash_secret(token),
                used_at=timezone.now(),
            )
    except IntegrityError:
        raise RefusedName(_("A program already has this name, or one that looks like it.")) from None
    return program, token


def find(token: str) -> NamedProgram | None:
    """Returns the token's program, or None; notes its use. A new token then replaces the old one."""
    if not token.startswith(PREFIX):
        return None
    code = hash_secret(token)
    rows = NamedProgram.objects.select_related("guest")
    program = rows.filter(Q(token_hash=code) | Q(next_hash=code)).first()
    if program is None or program.guest.leaving_at or program.guest.became_id:
        return None
    if program.token_hash != code:
        new = NamedProgram.objects.filter(pk=program.pk, next_hash=code)
        if not new.update(token_hash=code, next_hash=""):
            return None
        program.token_hash, program.next_hash = code, ""
    now = timezone.now()
    if program.used_at < now - A_DAY:
        NamedProgram.objects.filter(pk=program.pk).update(used_at=now)
    return program


def confirm(program: NamedProgram) -> None:
    """Locks the calling program's row in the call's transaction; raises SeatLost if its token has changed."""
    same = NamedProgram.objects.filter(pk=program.pk, token_hash=program.token_hash)
    if lock_rows(same, no_key=True).first() is None:
        raise flow.SeatLost


def new_token(program: NamedProgram) -> str:
    """Makes a new token for a program and returns it; an earlier new token that was not used is replaced."""
    token = _new_token()
    NamedProgram.objects.filter(pk=program.pk).update(next_hash=hash_secret(token))
    return token


def seat_at(program: NamedProgram, match: Match) -> Seat | None:
    """Returns the program's seat in the match, with `hold` set (the right to play); None without a seat."""
    return next(iter(reading.held_seats(match, program.guest)), None)


def _new_token() -> str:
    return PREFIX + secrets.token_urlsafe(32)


class Sitter(TypedDict):
    """Keyword arguments of functions such as `flow.join`, about the player who sits down."""

    guest: Guest | None
    kind: str


def sitter(program: NamedProgram | None, name: str) -> Sitter:
    """Returns the player's arguments for `flow.join`; raises Problem 422 if a program has another name."""
    if program is None:
        return Sitter(guest=None, kind=Seat.Kind.HUMAN)
    if name != program.guest.name:
        raise at_field("/name", _("A program joins under its own name: leave “name” out."))
    return Sitter(guest=program.guest, kind=Seat.Kind.PROGRAM)


def note_sitting(request: HttpRequest, program: NamedProgram | None) -> None:
    """Records the IP address from which a program has taken a seat, so that a ban can cover the address."""
    if program:
        note_action(request)


# As personal data


def _export(guest: Guest, request: HttpRequest | None = None) -> dict[str, Any] | None:
    program = NamedProgram.objects.filter(guest=guest).first()
    if program is None:
        return None
    return {
        "name": guest.name,
        "about": program.about,
        "url": program.url,
        "made_at": program.made_at,
        "used_at": program.used_at,
    }


def _forget(guest: Guest) -> None:
    NamedProgram.objects.filter(guest=guest).delete()


PART = Part(export=_export, merge=lambda gone, _guest: _forget(gone), forget=_forget)
