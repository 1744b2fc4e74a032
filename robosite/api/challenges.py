"""Inviting a program by its name: the maker of a match asks, the program sits down or declines."""

from __future__ import annotations

from django.db.models import QuerySet
from django.dispatch import Signal

from robosite.api.models import Challenge, NamedProgram
from robosite.matches import flow
from robosite.matches.live import push
from robosite.matches.models import Hold, Match, Seat
from robosite.signals import send_to_all

invited = Signal()
"""Sent inside the transaction in which a program is invited, with the `challenge`."""

MOST = 8
"""So many programs may be invited to one match, those that have declined too."""


def taking(game: str = "") -> QuerySet[NamedProgram]:
    """The programs that may be invited, to this game if one is named; the newest first."""
    programs = NamedProgram.objects.filter(guest__leaving_at=None, guest__became=None).exclude(takes="")
    rows = programs.filter(takes__contains=f" {game} ") if game else programs
    return rows.select_related("guest").order_by("-pk")


def invite(host: Seat, program: NamedProgram) -> None:
    """Invites a program to a free seat. Inviting again changes nothing."""
    with flow.locked_match(host.match) as match:
        _check_host(match, host)
        if not taking(match.game_slug).filter(pk=program.pk).exists():
            raise flow.Refused("This program cannot be invited to this game now.")
        if Hold.objects.filter(guest=program.guest_id, seat__match=match).exists():
            raise flow.Refused("This program sits at this table already.")
        asked = Challenge.objects.filter(match=match)
        if asked.filter(program=program).exists():
            return
        if asked.count() >= MOST:
            raise flow.Refused("You can invite {most} programs to a match.", most=MOST)
        challenge = Challenge.objects.create(match=match, program=program)
        push.invited(program.pk)
        send_to_all(invited, Challenge, match.key, challenge=challenge)


def withdraw(host: Seat, program: NamedProgram) -> None:
    """Takes an invitation back that the program has not answered."""
    with flow.locked_match(host.match) as match:
        _check_host(match, host)
        Challenge.objects.filter(match=match, program=program, declined=False).delete()


def decline(program: NamedProgram, match: Match) -> bool:
    """Declines an invitation; says whether there was one."""
    with flow.locked_match(match):
        return bool(Challenge.objects.filter(match=match, program=program).update(declined=True))


def forget(program: NamedProgram, match: Match) -> None:
    """The program sits there now, so nothing is left to answer."""
    Challenge.objects.filter(match=match, program=program).delete()


def stands(program: NamedProgram, match: Match) -> bool:
    """Whether the program may sit down without an invite link; asked inside the lock as well."""
    asked = Challenge.objects.filter(match=match, program=program, declined=False)
    return match.status == Match.Status.OPEN and asked.exists()


def open_to(program: NamedProgram) -> QuerySet[Challenge]:
    """The invitations that the program may still accept, oldest first."""
    asked = program.challenges.filter(declined=False, match__status=Match.Status.OPEN)
    return asked.select_related("match").prefetch_related("match__seats").order_by("pk")


def _check_host(match: Match, host: Seat) -> None:
    flow.confirm_seat(host)
    if not host.host or match.status != Match.Status.OPEN:
        raise flow.Refused("Only the creator of the match can invite programs, while a seat is free.")
