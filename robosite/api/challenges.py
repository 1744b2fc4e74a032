"""Inviting programs by name: a match's creator invites a program, which can then sit down or decline."""

from collections.abc import Iterator, Sequence

from django.db.models import Q, QuerySet
from django.dispatch import Signal

from games import GAMES, newest
from games.figures import preset_of
from robosite.api.models import Challenge, NamedProgram
from robosite.matches import flow
from robosite.matches.live import push
from robosite.matches.models import Hold, Match, Seat
from robosite.web.transactions import send_to_all

invited = Signal()
"""Signal with the argument `challenge`, sent inside the transaction in which a program is invited."""

MOST = 8
"""The maximum number of invitations to one match, declined ones included."""


def accepting(game: str = "") -> QuerySet[NamedProgram]:
    """Returns the programs that people may invite to `game`, or to at least one game if "", newest first."""
    programs = NamedProgram.objects.filter(guest__leaving_at=None, guest__became=None).exclude(takes="")
    whole, part = Q(takes__contains=f" {game} "), Q(takes__contains=f" {game}/")
    rows = programs.filter(whole | part) if game else programs
    return rows.select_related("guest").order_by("-pk")


def accepting_match(match: Match) -> QuerySet[NamedProgram]:
    """The programs that accept this match's game or preset, and its hours for a turn, newest first."""
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
    return accepting().filter(takes, pace)


def unknown_entries(takes: Sequence[str]) -> Iterator[str]:
    """Yields those entries of `takes` that name neither a game (`pigs`) nor a preset (`pigs/standard`)."""
    for one in takes:
        slug, slash, preset = one.partition("/")
        if slug not in GAMES or (slash and preset not in newest(slug).presets):
            yield one


def invite(host: Seat, program: NamedProgram) -> None:
    """Invites a program for the match's creator; no effect if it was invited before, even if it declined.

    Raises SeatLost or Refused.
    """
    with flow.locked_match(host.match) as match:
        _check_host(match, host)
        if not accepting_match(match).filter(pk=program.pk).exists():
            raise flow.Refused("This bot isn’t taking invitations to a match like this.")
        if Hold.objects.filter(guest=program.guest_id, seat__match=match).exists():
            raise flow.Refused("This bot is already in this match.")
        asked = Challenge.objects.filter(match=match)
        if asked.filter(program=program).exists():
            return
        if asked.count() >= MOST:
            raise flow.Refused("You can invite at most {most} bots to a match.", most=MOST)
        challenge = Challenge.objects.create(match=match, program=program)
        push.invited(program.pk)
        send_to_all(invited, Challenge, match.key, challenge=challenge)


def withdraw(host: Seat, program: NamedProgram) -> None:
    """Deletes a program's invitation to the match of `host`, the creator's seat, unless it was declined."""
    with flow.locked_match(host.match) as match:
        _check_host(match, host)
        Challenge.objects.filter(match=match, program=program, declined=False).delete()


def decline(program: NamedProgram, match: Match) -> bool:
    """Marks a program's invitation to a match as declined; returns True if there was one."""
    with flow.locked_match(match):
        return bool(Challenge.objects.filter(match=match, program=program).update(declined=True))


def forget(program: NamedProgram, match: Match) -> None:
    """Deletes a program's invitation to a match; call it when the program has sat down."""
    Challenge.objects.filter(match=match, program=program).delete()


def has_open_invitation(program: NamedProgram, match: Match) -> bool:
    """Returns True if the program was invited to the match by name, and can still accept."""
    asked = Challenge.objects.filter(match=match, program=program, declined=False)
    return match.status == Match.Status.OPEN and asked.exists()


def open_to(program: NamedProgram) -> QuerySet[Challenge]:
    """Returns the invitations that a program can still accept, oldest first."""
    asked = program.challenges.filter(declined=False, match__status=Match.Status.OPEN)
    return asked.select_related("match").prefetch_related("match__seats").order_by("pk")


def _check_host(match: Match, host: Seat) -> None:
    flow.confirm_seat(host)
    if not host.host or match.status != Match.Status.OPEN:
        raise flow.Refused("Only the creator of the match can invite bots, while a seat is free.")
