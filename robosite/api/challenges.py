"""Inviting a program by its name: a match's creator invites it, and the program sits down or declines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.db.models import Q, QuerySet
from django.dispatch import Signal

from games import GAMES, newest
from games.figures import preset_of
from robosite.api.models import Challenge, NamedProgram
from robosite.matches import flow
from robosite.matches.live import push
from robosite.matches.models import Hold, Match, Seat
from robosite.web.signals import send_to_all

invited = Signal()
"""Sent with the `challenge` inside the transaction in which a program is invited."""

MOST = 8
"""The most programs that may be invited to one match, including those that have declined."""


def taking(game: str = "") -> QuerySet[NamedProgram]:
    """The programs that may be invited, newest first; with `game`, only those that accept this game."""
    programs = NamedProgram.objects.filter(guest__leaving_at=None, guest__became=None).exclude(takes="")
    whole, part = Q(takes__contains=f" {game} "), Q(takes__contains=f" {game}/")
    rows = programs.filter(whole | part) if game else programs
    return rows.select_related("guest").order_by("-pk")


def are_taking(game: str) -> bool:
    """Tell whether there is a program that may be invited to matches of this game."""
    return taking(game).exists()


def fitting(match: Match) -> QuerySet[NamedProgram]:
    """The programs that may be invited to this match: they accept its preset and its pace."""
    preset = preset_of(match.game, match.options, match.seats.count(), match.setup)
    takes = Q(takes__contains=f" {match.game_slug} ")
    if preset:
        takes |= Q(takes__contains=f" {match.game_slug}/{preset} ")
    hours = match.deadline_hours
    if hours is None:
        pace = Q(most_hours=None)
    else:
        least = Q(least_hours=None) | Q(least_hours__lte=hours)
        pace = least & (Q(most_hours=None) | Q(most_hours__gte=hours))
    return taking().filter(takes, pace)


def unknown(takes: Sequence[str]) -> Iterator[str]:
    """Yields the entries that name neither a game nor one of its presets."""
    for one in takes:
        slug, slash, preset = one.partition("/")
        if slug not in GAMES or (slash and preset not in newest(slug).presets):
            yield one


def invite(host: Seat, program: NamedProgram) -> None:
    """Invites a program to a free seat; does nothing if it is invited already. Raises Refused."""
    with flow.locked_match(host.match) as match:
        _check_host(match, host)
        if not fitting(match).filter(pk=program.pk).exists():
            raise flow.Refused("This program does not take invitations to such a match now.")
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
    """Withdraws an invitation that the program has not answered yet."""
    with flow.locked_match(host.match) as match:
        _check_host(match, host)
        Challenge.objects.filter(match=match, program=program, declined=False).delete()


def decline(program: NamedProgram, match: Match) -> bool:
    """Declines an invitation; returns False if there was none."""
    with flow.locked_match(match):
        return bool(Challenge.objects.filter(match=match, program=program).update(declined=True))


def forget(program: NamedProgram, match: Match) -> None:
    """Deletes the invitation of a program that has sat down."""
    Challenge.objects.filter(match=match, program=program).delete()


def stands(program: NamedProgram, match: Match) -> bool:
    """Tell whether the program may sit down without an invite, since an invitation of it is still open."""
    asked = Challenge.objects.filter(match=match, program=program, declined=False)
    return match.status == Match.Status.OPEN and asked.exists()


def open_to(program: NamedProgram) -> QuerySet[Challenge]:
    """The invitations that the program can still accept, oldest first."""
    asked = program.challenges.filter(declined=False, match__status=Match.Status.OPEN)
    return asked.select_related("match").prefetch_related("match__seats").order_by("pk")


def _check_host(match: Match, host: Seat) -> None:
    flow.confirm_seat(host)
    if not host.host or match.status != Match.Status.OPEN:
        raise flow.Refused("Only the creator of the match can invite programs, while a seat is free.")
