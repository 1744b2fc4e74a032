"""Confirmation pages for actions that cannot be undone, with a list of the consequences.

The button submits a code for exactly these consequences; once they change, the page is shown again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from django.contrib.admin import ModelAdmin
from django.http import HttpRequest
from django.template.response import TemplateResponse
from django.utils.crypto import constant_time_compare, salted_hmac

from robosite.matches import flow
from robosite.matches.models import Match, Seat, held_by
from robosite.moderation import measures
from robosite.moderation.models import Measure, Report
from robosite.people.models import Guest
from robosite.web.written_names import Name

Kind = Measure.Kind
Subject = Match | Seat | Guest | Report

SURE = "sure"

ASKED = {
    Kind.CLOSE: ("Close the match?", "Close"),
    Kind.REVOKE: ("Revoke the seat's link?", "Revoke"),
    Kind.RENAME: ("Give another name?", "Give another name"),
}
"""The kinds of measures that must be confirmed, each with the page's question and the button's label."""
SHOWN_TABLES = 5


def ask(
    page: ModelAdmin[Any],
    request: HttpRequest,
    *,
    about: str,
    question: str,
    button: str,
    consequences: Sequence[str],
    back: str,
) -> TemplateResponse | None:
    """The confirmation page, or None if the request confirms exactly these consequences of `about`."""
    code = code_of(request, about, consequences)
    if constant_time_compare(request.POST.get(SURE, ""), code):
        return None
    context = {
        **page.admin_site.each_context(request),
        "opts": page.opts,
        "title": question,
        "consequences": consequences,
        "button": button,
        "back": back,
        "given": list(_given(request)),
        "sure": code,
        "changed": SURE in request.POST,
    }
    return TemplateResponse(request, "moderation/confirm.html", context)


def code_of(request: HttpRequest, about: str, consequences: Sequence[str]) -> str:
    """Returns the code by which the logged-in user confirms an action with these consequences at this URL."""
    text = json.dumps([request.user.pk, request.path, about, list(consequences)])
    return salted_hmac("moderation/sure", text, algorithm="sha256").hexdigest()


def _given(request: HttpRequest) -> Iterable[tuple[str, str]]:
    for name, values in request.POST.lists():
        if name not in ("csrfmiddlewaretoken", "index", SURE):
            yield from ((name, value) for value in values if value)


def ask_for_measure(
    page: ModelAdmin[Any], request: HttpRequest, kind: Kind, rows: Iterable[Subject], back: str
) -> TemplateResponse | None:
    """Returns the page on which a measure is confirmed; None if it is confirmed, or needs no confirmation."""
    if kind not in ASKED:
        return None
    question, button = ASKED[kind]
    about, consequences = measure_subjects(kind, rows, request.POST.get("name", "").strip())
    return ask(
        page, request, about=about, question=question, button=button, consequences=consequences, back=back
    )


def measure_subjects(kind: Kind, rows: Iterable[Subject], name: str = "") -> tuple[str, list[str]]:
    """Returns a text that identifies a measure on these rows, and its consequences as sentences."""
    keys, consequences = [f"{kind} {name}"], []
    for row in rows:
        key, sentence = SAYS[kind](row)
        keys.append(key)
        if sentence not in consequences:
            consequences.append(sentence)
    if kind == Kind.RENAME and name:
        consequences.append(f"The new name is “{Name(name)}”, where it can be had.")
    return " ".join(keys), consequences


def _close(row: Subject) -> tuple[str, str]:
    match = row if isinstance(row, Match) else getattr(row, "match", None)
    if match is None:
        return "none", "The match no longer exists: nothing happens."
    key = f"match:{match.key}:{match.status}:{match.watched}"
    if match.imported and match.watched:
        return key, f"{match}: it was imported, and is no longer shown to anybody."
    if match.status not in flow.GOING_ON:
        return key, f"{match} is over already: nothing happens."
    players = _listed(str(Name(seat.name)) for seat in match.seats.all() if seat.taken)
    return key, (
        f"{match} ({match.get_status_display()}) is called off for {players}: nobody wins, nothing more is "
        "revealed, and nobody can go on with it."
    )


def _revoke(row: Subject) -> tuple[str, str]:
    seat = row if isinstance(row, Seat) else getattr(row, "seat", None)
    if seat is None or not measures.may_revoke(seat):
        return "none", "There is no seat here that has a link: nothing happens."
    browsers = seat.holds.count()
    return f"seat:{seat.pk}:{seat.sitting}", (
        f"Seat {seat.letter} of {seat.match}, where {Name(seat.name)} sits: its link, its tokens and "
        f"{browsers} {'browser' if browsers == 1 else 'browsers'} are out at once. What was sealed stays. "
        f"Nobody gets a new link; {Name(seat.name)} can ask the others for the seat."
    )


def _rename(row: Subject) -> tuple[str, str]:
    seat = row if isinstance(row, Seat) else getattr(row, "seat", None)
    guest = row if isinstance(row, Guest) else getattr(row, "guest", None)
    names = {seat.name} if seat else set()
    if guest:
        names |= {guest.name} - {""}
        held = Seat.objects.filter(held_by(guest), name__in=names).select_related("match")
    elif seat:
        held = Seat.objects.filter(pk=seat.pk).select_related("match")
    else:
        return "none", "Nobody sits there who could be given another name: nothing happens."
    tables = {one.match.key: str(one.match) for one in held.order_by("pk")}
    if seat:
        tables[seat.match.key] = str(seat.match)
    shown = [*list(tables.values())[:SHOWN_TABLES]]
    more = f" and {len(tables) - len(shown)} more" if len(tables) > len(shown) else ""
    where = f"{', '.join(shown)}{more}" if shown else "no table"
    called = _listed(f"“{Name(name)}”" for name in sorted(names)) if names else "a guest without a name"
    return f"{_key(guest, seat)}:{sorted(names)}", (
        f"{called} gets another name, also above messages. At: {where}. The old name is kept nowhere: "
        "lifting the measure allows it again, but does not bring it back."
    )


def _key(guest: Guest | None, seat: Seat | None) -> str:
    return f"guest:{guest.pk}" if guest else f"seat:{seat.pk}" if seat else "none"


SAYS = {Kind.CLOSE: _close, Kind.REVOKE: _revoke, Kind.RENAME: _rename}


def _listed(names: Iterable[str]) -> str:
    some = list(names)
    return f"{', '.join(some[:-1])} and {some[-1]}" if len(some) > 1 else "".join(some) or "nobody"
