"""The pages of messages among players, of messages among watchers, and of a player's notes.

They work without JavaScript. With it, htmx shows their content on the page of the match (`#talk`).
"""

import secrets
from datetime import datetime
from typing import Any

from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from robosite.matches import flow
from robosite.matches.models import Seat, held_by
from robosite.people.current_guest import current_guest
from robosite.people.names import RefusedName
from robosite.people.restrictions import Action, note_action, own_restriction
from robosite.people.sent_forms import once
from robosite.play.decorators import (
    Request,
    among_players,
    match_of,
    number,
    private,
    seat_page,
    secret,
)
from robosite.talk import messages, turn_notes, undo
from robosite.talk.conversations import AmongWatchers, AtTable, Conversation, about_match
from robosite.talk.messages import stock_phrases
from robosite.talk.models import Message, TurnNote
from robosite.talk.strangers import why_no_words
from robosite.web.http import split_url, time_of

asked = require_http_methods(["GET", "HEAD", "POST"])


@asked
@seat_page
@secret
def talk(request: Request, seat: Seat) -> HttpResponse:
    """The page of the messages that a seat may read. A POST writes one."""
    return conversation_page(request, AtTable(request, seat))


@asked
@private
def among_watchers(request: Request, key: str) -> HttpResponse:
    match, guest = flow.apply_due(match_of(key)), current_guest(request)
    if not match.may_be_watched_by(guest):
        return among_players(request, match)
    if not messages.may_hear_watchers(match, guest):
        held = Seat.objects.filter(held_by(guest), match=match) if guest else Seat.objects.none()
        seat = held.select_related("match").first()
        return render(request, "talk/later.html", {"league": None, "match": match, "seat": seat}, status=403)
    return conversation_page(request, AmongWatchers(request, match, guest))


def conversation_page(request: Request, talk: Conversation) -> HttpResponse:
    """The page of a talk, with a form to write a message. A POST writes it, unless the author is barred.

    An htmx request gets the part that it targets: `talk`, `said` or `talk-new`. What is shown is recorded as
    read, except after a POST without htmx.
    """
    restriction = own_restriction(request, Action.SAY, talk.seat.pk if isinstance(talk.seat, Seat) else None)
    says = request.method == "POST" and not restriction
    refusal, gone = _write_or_undo(request, talk) if says else (None, None)
    if says and not refusal and not request.htmx:
        return redirect(talk.there)
    before = before_of(request)
    form = {**_form(), "seat": talk.seat, "before": before, "restriction": restriction}
    if request.htmx and request.htmx.target == "talk-new":
        return render(request, "talk/_new.html", {**form, **talk.around(), "came": True})
    page = _read(request, talk, before)
    context = form | talk.around() | page
    if refusal or gone:
        typed = request.POST.get("text", "") or (gone.text if gone else "")
        context |= {"error": str(refusal or ""), "typed": typed}
    if request.htmx:
        opened = request.htmx.target == "talk" and request.htmx.trigger != "talk"
        counts = context["match"] is not None and _counts_there(request)
        context |= {"counts": counts, "focuses": opened}
        name = "_said" if request.htmx.target == "said" else "_talk"
        return render(request, f"talk/{name}.html", context)
    barred = bool(restriction) and request.method == "POST"
    response = render(request, "talk/talk.html", context, status=403 if barred else _status(refusal))
    if isinstance(refusal, messages.TooMuch):
        response["Retry-After"] = str(refusal.wait)
    return response


def _read(request: Request, talk: Conversation, before: datetime | None) -> dict[str, Any]:
    """The messages as a template's context, recorded as read unless the response may not show them."""
    page = talk.read(before)
    if request.method != "HEAD" and not undo.mark_read(page["said"], talk.is_own):
        page = talk.read(before)  # one of them was taken back in between
    if request.method == "GET" or request.htmx:
        talk.note_heard(page["said"])
    return {**page, "undo": None if before else undo.newest_own(page["said"], talk.is_own)}


def _write_or_undo(request: Request, talk: Conversation) -> tuple[Exception | None, Message | None]:
    post, text = request.POST, request.POST.get("text", "")
    try:
        if "undo" in post:
            sent_at = time_of(post["undo"])
            return None, talk.take_back(sent_at) if sent_at else None
        once(request, lambda: talk.say(text, post.get("phrase", "")).pk)
    except (flow.Refused, RefusedName) as refusal:
        return refusal, None
    note_action(request)
    return None, None


def _form() -> dict[str, Any]:
    return {
        "match": None,
        "league": None,
        "phrases": stock_phrases(),
        "longest": messages.LONGEST,
        "once": secrets.token_hex(8),
        "table": "",
        "error": "",
        "typed": "",
        "thread": "",
        "threads": [],
        "unread_to_all": 0,
        "to": None,
        "counts": False,
        "why_only_phrases": None,
        "focuses": False,
    }


@asked
@seat_page
@secret
def notes(request: Request, seat: Seat) -> HttpResponse:
    """The page of private notes or, with `?word`, of the message for the turn; a POST stores the text."""
    post, error = request.POST, ""
    of_word = "word" in post or ("word" in request.GET and "note" not in post)
    restriction = own_restriction(request, Action.SAY, seat.pk)
    if request.method == "POST":
        try:
            _write(seat, post, barred=bool(restriction))
        except flow.Refused as refusal:
            error = str(refusal)
        if not error and not request.htmx:
            return redirect(f"{request.path}?word" if of_word else request.path)
    match = seat.match
    match.refresh_from_db()
    before = number(request.GET.get("before"))
    shown, older = turn_notes.notes_of(seat, before if before >= 0 else None)
    context = {
        **about_match(request, match),
        "seat": seat,
        "of_word": of_word,
        "goes_on": match.status in flow.GOING_ON,
        "word": turn_notes.word_of(seat, match),
        "note": turn_notes.note_of(seat, match.turn),
        "notes": [note for note in shown if note.turn != match.turn],
        "older": shown[-1].turn if older else "",
        "error": error,
        "restriction": restriction,
        "why_no_words": why_no_words(match) if of_word else None,
        "kept": request.method == "POST" and not error,
        "counts": request.htmx and _counts_there(request),
        **({kind: post[kind] for kind in ("word", "note") if kind in post} if error else {}),
    }
    if of_word and context["kept"] and context["counts"]:
        return _word_kept(request, seat, context)
    name = ("_word" if of_word else "_notes") if request.htmx else "notes"
    return render(request, f"talk/{name}.html", context, status=422 if error and not request.htmx else 200)


def _write(seat: Seat, post: QueryDict, *, barred: bool) -> None:
    """Stores the text that a form sent, a note or a message for the turn; raises Refused if it cannot."""
    kind = TurnNote.Kind.WORD if "word" in post else TurnNote.Kind.NOTE
    if barred and kind == TurnNote.Kind.WORD and post.get(kind):
        raise flow.Refused("You can’t write messages for now.")
    turn_notes.write(seat, kind, number(post.get("turn")), post.get(kind, ""))


def _word_kept(request: Request, seat: Seat, context: dict[str, Any]) -> HttpResponse:
    response = render(request, "talk/_word_kept.html", context | {"swap": True, "you": seat.letter})
    response["HX-Reswap"] = f"innerHTML show:#word-{context['match'].turn}:bottom"
    return response


def _counts_there(request: Request) -> bool:
    return not split_url(request.htmx.current_url or "").path.endswith(("/talk/", "/notes/"))


def _status(refusal: Exception | None) -> int:
    if refusal is None:
        return 200
    return 429 if isinstance(refusal, messages.TooMuch) else 422


def before_of(request: Request) -> datetime | None:
    """Returns the time in the parameter `before`, from before which the page shows messages, or None."""
    return time_of(request.GET.get("before", ""))
