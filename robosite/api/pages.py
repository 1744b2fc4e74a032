"""Pages about programs that people have written: the list of programs, and inviting one to a match."""

from __future__ import annotations

from collections import defaultdict

from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from games import GAMES, newest
from robosite.api import challenges
from robosite.api.models import Challenge, NamedProgram
from robosite.matches import flow
from robosite.matches.models import Seat
from robosite.people import shares
from robosite.people.restrictions import Action, unless_restricted
from robosite.play.decorators import Request, number, seat_page
from robosite.web.http import private, secret
from robosite.web.sentences import translated

SHOWN = 50


@require_safe
@private
def programs(request: Request) -> HttpResponse:
    """The page that lists the newest programs that people may invite to matches, at most SHOWN."""
    rows = list(challenges.accepting()[:SHOWN])
    games = [newest(slug) for slug in GAMES]
    shown = [(row, _variants(row)) for row in rows]
    return render(request, "api/programs.html", {"programs": shown, "games": games})


def _variants(program: NamedProgram) -> list[str]:
    """The games that the program takes, with the presets, if these are still there and it takes only some."""
    presets, gone = defaultdict[str, list[str]](list), set(challenges.unknown_entries(program.games))
    for one in program.games:
        slug, _slash, preset = one.partition("/")
        if one not in gone:
            presets[slug] += [translated(newest(slug).presets[preset].name)] if preset else []
    whole = {one for one in program.games if "/" not in one}
    return [
        newest(slug).name if slug in whole else f"{newest(slug).name} ({', '.join(names)})"
        for slug, names in presets.items()
    ]


@require_http_methods(["GET", "HEAD", "POST"])
@unless_restricted(Action.PLAY)
@seat_page
@secret
def invite_program(request: Request, seat: Seat) -> HttpResponse:
    """The page on which a match's creator invites programs, or withdraws the invitation."""
    match, error = seat.match, ""
    if request.method == "POST":
        program = get_object_or_404(NamedProgram, pk=number(request.POST.get("program")))
        try:
            if "withdraw" in request.POST:
                challenges.withdraw(seat, program)
            else:
                shares.take(request, "challenge")
                challenges.invite(seat, program)
            return redirect("invite-program", match.key, seat.letter)
        except flow.Refused as refusal:
            error = str(refusal)
    asked = {one.program_id: one for one in Challenge.objects.filter(match=match)}
    rows = list(challenges.accepting_match(match)[:SHOWN])
    context = {
        "match": match,
        "seat": seat,
        "may_invite": seat.host and match.status == match.Status.OPEN,
        "programs": [(row, asked.get(row.pk)) for row in rows],
        "error": error,
    }
    return render(request, "api/invite.html", context, status=409 if error else 200)
