"""The pages of messages among players, of messages among watchers, and of a player's notes.

The pages work without JavaScript. With JavaScript, htmx shows their content on the page of the match
(`#talk`).
"""

from __future__ import annotations

import secrets
from datetime import UTC, datetime
from functools import partial
from typing import Any

from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from robosite.matches import flow
from robosite.matches.models import Hold, Match, Seat
from robosite.people.current_guest import current_guest, welcome
from robosite.people.models import Guest
from robosite.people.names import RefusedName, clean_name
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
from robosite.play.players import table_mark
from robosite.talk import messages, one_talk, turn_notes
from robosite.talk.messages import Said
from robosite.talk.models import TurnNote
from robosite.talk.stock import stock_phrases
from robosite.talk.strangers import only_phrases
from robosite.web import limits
from robosite.web.url_input import split_url

asked = require_http_methods(["GET", "HEAD", "POST"])


@asked
@seat_page
@secret
def talk(request: Request, seat: Seat) -> HttpResponse:
    """The page of the messages that a seat may read, with a form to write one. A POST writes the message.

    The posted `to` has the letters of the recipients' seats; without `to`, the message is to all players. If
    the player is barred from writing, a POST writes nothing.
    """
    restriction = own_restriction(request, Action.SAY, seat.pk)
    table = table_mark(seat.match.seats.all())
    context: dict[str, Any] = {
        "seat": seat,
        "others": _others(seat),
        "restriction": restriction,
        "table": table,
        "only_phrases": only_phrases(seat.match),
    }
    if request.method != "POST" or restriction:
        return _answer(request, seat.match, said=messages.at_table(seat, before_of(request)), context=context)
    post, to = request.POST, request.POST.getlist("to")
    try:
        if to and not _still_there(post, to, table):
            raise flow.Refused(
                "Somebody else sits at this table now. Please choose again who is to read this."
            )
        text, phrase = post.get("text", ""), post.get("phrase", "")
        say = partial(
            messages.say, seat, current_guest(request), text, phrase, to=to, once=post.get("once", "")
        )
        once(request, lambda: say().pk)
    except flow.Refused as refusal:
        context |= {"error": str(refusal), "typed": post.get("text", ""), "to": _still_there(post, to, table)}
        return _answer(request, seat.match, said=messages.at_table(seat), context=context, refusal=refusal)
    note_action(request)
    if not request.htmx:
        return redirect("talk", seat.match.key, seat.letter)
    return _answer(request, seat.match, said=messages.at_table(seat), context=context)


@asked
@private
def among_watchers(request: Request, key: str) -> HttpResponse:
    """The page of watchers' messages, with a form to write one; the author has to give a name.

    The status is 403 for a player until the match is over, and for a guest who may not watch the match. If
    the watcher is barred from writing, a POST writes nothing.
    """
    match, guest = flow.apply_due(match_of(key)), current_guest(request)
    if not match.may_be_watched_by(guest):
        return among_players(request, match)
    if not messages.may_hear_watchers(match, guest):
        hold = Hold.objects.filter(guest=guest, seat__match=match).select_related("seat__match").first()
        return render(request, "talk/later.html", {"match": match, "seat": hold and hold.seat}, status=403)
    name = guest.name if guest else ""
    restriction = own_restriction(request, Action.SAY)
    context: dict[str, Any] = {"name": name, "restriction": restriction}
    if request.method != "POST" or restriction:
        return _answer(
            request, match, said=messages.among_watchers(match, before_of(request)), context=context
        )
    post = request.POST
    name = post.get("name", name)

    def author() -> Guest:
        return welcome(request, clean_name(name, _names(match, guest), guest=guest, table=match.pk))

    try:
        where = limits.address(request)
        text, phrase, mark = post.get("text", ""), post.get("phrase", ""), post.get("once", "")
        say = partial(messages.say_among_watchers, match, author, where, text=text, phrase=phrase, once=mark)
        once(request, lambda: say().pk)
    except (flow.Refused, RefusedName) as refusal:
        context |= {"error": str(refusal), "typed": post.get("text", ""), "name": name}
        return _answer(request, match, said=messages.among_watchers(match), context=context, refusal=refusal)
    note_action(request)
    if not request.htmx:
        return redirect("watchers-talk", match.key)
    return _answer(request, match, said=messages.among_watchers(match), context={"name": name})


@asked
@seat_page
@secret
def notes(request: Request, seat: Seat) -> HttpResponse:
    """The page of private notes or, with the parameter `word`, of the message to be revealed with the turn.

    A POST stores the text. A player who is barred from writing can store notes, but no message.
    """
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
        **_about(request, match),
        "seat": seat,
        "of_word": of_word,
        "goes_on": match.status in flow.GOING_ON,
        "word": turn_notes.word_of(seat, match),
        "note": turn_notes.note_of(seat, match.turn),
        "notes": [note for note in shown if note.turn != match.turn],
        "older": shown[-1].turn if older else "",
        "error": error,
        "restriction": restriction,
        "only_phrases": of_word and only_phrases(match),
        "kept": request.method == "POST" and not error,
        "counts": request.htmx and _counts_there(request),
        **({kind: post[kind] for kind in ("word", "note") if kind in post} if error else {}),
    }
    if of_word and context["kept"] and context["counts"]:
        return _word_kept(request, seat, context)
    name = ("_word" if of_word else "_notes") if request.htmx else "notes"
    return render(request, f"talk/{name}.html", context, status=422 if error and not request.htmx else 200)


def _write(seat: Seat, post: QueryDict, *, barred: bool) -> None:
    """Stores the text that a form sent, a note or a message for the turn; raises Refused if it cannot.

    `barred` tells whether the player is barred from writing messages.
    """
    kind = TurnNote.Kind.WORD if "word" in post else TurnNote.Kind.NOTE
    if barred and kind == TurnNote.Kind.WORD and post.get(kind):
        raise flow.Refused("You cannot write messages for now.")
    turn_notes.write(seat, kind, number(post.get("turn")), post.get(kind, ""))


def _word_kept(request: Request, seat: Seat, context: dict[str, Any]) -> HttpResponse:
    """The response to a match's page once a message for the turn is stored: the planner shows the message."""
    response = render(request, "talk/_word_kept.html", context | {"swap": True, "you": seat.letter})
    response["HX-Reswap"] = f"innerHTML show:#word-{context['match'].turn}:bottom"
    return response


def _answer(
    request: Request,
    match: Match,
    *,
    said: Said,
    context: dict[str, Any],
    refusal: Exception | None = None,
) -> HttpResponse:
    """Renders the page of messages or, for an htmx request, only the part that the request targets.

    The possible targets are the content (`talk`), the list (`said`), and the number of new messages
    (`talk-new`). `said` has the messages to show. If the response shows these messages to the player of a
    seat, they are recorded as read, except after a POST without htmx. `refusal` is the reason why a message
    was not written, or None.
    """
    if request.htmx and request.htmx.target == "talk-new":
        return render(request, "talk/_new.html", {"match": match, "seat": None, **context, "came": True})
    context = _shown(request, match, said) | context
    if context["seat"]:
        context |= _one_talk(request, context["seat"])
        if request.method == "GET" or request.htmx:
            messages.note_heard(request.hold, context["said"])
    if request.htmx:
        opened = request.htmx.target == "talk" and request.htmx.trigger != "talk"
        context |= {"counts": _counts_there(request), "focuses": opened}
        name = "_said" if request.htmx.target == "said" else "_talk"
        return render(request, f"talk/{name}.html", context)
    restricted = bool(context["restriction"]) and request.method == "POST"
    response = render(request, "talk/talk.html", context, status=403 if restricted else _status(refusal))
    if isinstance(refusal, messages.TooMuch):
        response["Retry-After"] = str(refusal.wait)
    return response


def _shown(request: Request, match: Match, said: Said) -> dict[str, Any]:
    """The template context of a list of messages, and of the empty form to write one below the list."""
    oldest = said.messages[0].sent_at if said.older else None
    return {
        **_about(request, match),
        "said": said.messages,
        "older": round(oldest.timestamp() * 1_000_000) if oldest else "",
        "before": before_of(request),
        "phrases": stock_phrases(),
        "longest": messages.LONGEST,
        "once": secrets.token_hex(8),
        "seat": None,
        "table": "",
        "error": "",
        "typed": "",
        "to": "",
        "others": (),
        "restriction": None,
        "counts": False,
        "only_phrases": False,
        "focuses": False,
        "earlier": (),
        "number": 1,
    }


def _one_talk(request: Request, seat: Seat) -> dict[str, Any]:
    """The template context of the messages among players, with those of earlier matches if this is a rematch.

    Messages that were revealed with turns are included.
    """
    before = before_of(request)
    here = one_talk.at_table(seat, before)
    fits = seat.match.rematch_of_id and not here.older
    earlier = one_talk.earlier(request.hold, seat, messages.SHOWN - len(here.said)) if fits else []
    return {"said": here.said, "number": here.number, "earlier": earlier}


def _counts_there(request: Request) -> bool:
    """Returns True if the page that sent the htmx request shows the number of new messages.

    All pages except those of messages and of notes show the number.
    """
    return not split_url(request.htmx.current_url or "").path.endswith(("/talk/", "/notes/"))


def _status(refusal: Exception | None) -> int:
    if refusal is None:
        return 200
    return 429 if isinstance(refusal, messages.TooMuch) else 422


def _about(request: Request, match: Match) -> dict[str, Any]:
    """The template context about the match, which every page of talk needs."""
    names = [seat.shown_name for seat in match.seats.all() if seat.taken]
    return {"match": match, "game": match.game, "here": request.path, "players": names}


def _still_there(post: QueryDict, to: list[str], table: str) -> list[str]:
    """Returns the recipients `to`, or [] if the players have changed since the form was rendered.

    `to` has letters of seats. `table` is a text that identifies the present players (`table_mark`). The
    form's field `table` has this text from the time of rendering; without this field, the players count as
    unchanged.
    """
    return to if post.get("table", table) == table else []


def _others(seat: Seat) -> list[Seat]:
    """Returns the other seats that the player of this seat may choose for a private message."""
    seats = seat.match.seats.filter(taken_at__isnull=False).exclude(kind=Seat.Kind.BOT)
    return list(seats.exclude(pk=seat.pk))


def _names(match: Match, guest: Guest | None) -> list[str]:
    """The names that the watcher `guest` must not use: of other players, and of other recent authors."""
    seats = match.seats.filter(taken_at__isnull=False)
    spoke = messages.among_watchers(match).messages
    own = guest.pk if guest else None
    return [seat.name for seat in seats if not seat.holds.filter(guest=own).exists()] + list(
        {one.name for one in spoke if one.guest_id != own}
    )


def before_of(request: Request) -> datetime | None:
    """Returns the time in the parameter `before` (microseconds since 1970); None if missing or invalid.

    The page shows only messages from before this time.
    """
    given = request.GET.get("before", "")
    if not (given.isascii() and given.isdigit() and len(given) <= 16):
        return None
    return datetime.fromtimestamp(int(given) / 1_000_000, UTC)
