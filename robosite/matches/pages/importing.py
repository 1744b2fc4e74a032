"""Importing a record: pasted into a page, replayed, checked, and shown like a match."""

from __future__ import annotations

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from games.record import Fault
from robosite import limits
from robosite.matches.flow import imports
from robosite.matches.pages.decorators import Request, private
from robosite.people import shares
from robosite.people.restrictions import Action, unless_restricted
from robosite.people.sent_forms import sent_once
from robosite.words import render_sentence


@require_http_methods(["GET", "HEAD", "POST"])
@unless_restricted(Action.PLAY)
@private
@sent_once
def import_record(request: Request) -> HttpResponse:
    """The page that takes a record, which becomes a match, or comes back with the faults found in it."""
    if request.method != "POST":
        return _page(request)
    text = request.POST.get("record", "").strip()
    shares.take("import", request)
    limits.take_among_all("import", limits.address(request))
    try:
        match = imports.import_record(imports.read_text(text))
    except Fault as fault:
        return _page(request, text=text[: imports.LONGEST], fault=fault)
    return redirect(match)


def _page(request: Request, *, text: str = "", fault: Fault | None = None) -> HttpResponse:
    context = {
        "text": text,
        "fault": render_sentence(fault.sentence) if fault else "",
        "turn": fault.turn if fault else None,
        "seat": fault.seat if fault else None,
        "most": imports.LONGEST,
        "turns": imports.MOST_TURNS,
    }
    return render(request, "matches/import.html", context, status=422 if fault else 200)
