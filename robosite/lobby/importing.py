"""The page that imports a record: pasted text is replayed and checked, and becomes a match to look at."""

from collections.abc import Callable
from contextlib import suppress
from functools import wraps

from django.http import HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from games.record import Fault
from robosite.matches.flow import imports
from robosite.people import shares
from robosite.people.restrictions import Action, unless_restricted
from robosite.people.sent_forms import sent_once
from robosite.play.decorators import Request, private
from robosite.web import later
from robosite.web.sentences import render_sentence


def _replayed_ahead(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Decorator: before the view, counts a long record's import and replays it between other requests."""

    @wraps(view)
    def waiting(request: Request) -> HttpResponseBase:
        if request.method == "POST" and later.can_wait():
            with suppress(Fault):  # the view reports the fault
                data = imports.read_text(_given(request))
                if imports.should_replay_ahead(data):
                    shares.count_import(request)
                    imports.replay_ahead(data)
        return view(request)

    return waiting


@require_http_methods(["GET", "HEAD", "POST"])
@unless_restricted(Action.PLAY)
@private
@_replayed_ahead
@sent_once
def import_record(request: Request) -> HttpResponse:
    """Shows the form for importing a record (a match as JSON text), or makes a match of the posted record."""
    if request.method != "POST":
        return _page(request)
    text = _given(request)
    shares.count_import(request)
    try:
        match = imports.import_record(imports.read_text(text))
    except Fault as fault:
        return _page(request, text=text[: imports.LONGEST], fault=fault)
    return redirect(match)


def _given(request: Request) -> str:
    return request.POST.get("record", "").strip()


def _page(request: Request, *, text: str = "", fault: Fault | None = None) -> HttpResponse:
    context = {
        "text": text,
        "fault": render_sentence(fault.sentence) if fault else "",
        "turn": fault.turn if fault else None,
        "seat": fault.seat if fault else None,
        "most": imports.LONGEST,
        "turns": imports.MOST_TURNS,
    }
    return render(request, "lobby/import.html", context, status=422 if fault else 200)
