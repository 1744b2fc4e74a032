"""Pages for people about the API: programs, inviting one to a match, and a game's notation."""

import json
from collections import defaultdict
from collections.abc import Mapping
from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from games import GAMES, newest
from robosite.api import challenges
from robosite.api.models import Challenge, NamedProgram
from robosite.matches import flow
from robosite.matches.models import Seat
from robosite.people import shares
from robosite.people.restrictions import Action, unless_restricted
from robosite.play.decorators import Request, number, seat_page
from robosite.play.drawings import style_of
from robosite.web.http import absolute, private, secret
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
    """The games that the program takes, each with its presets if it takes only some; without removed ones."""
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
    """The page on which a match's creator invites programs by name, or withdraws such an invitation."""
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


Schema = Mapping[str, Any]


class EventField(NamedTuple):
    """A field of a JSON object, such as a game event, for the page about the game's notation."""

    name: str
    values: str
    optional: bool


class Event(NamedTuple):
    """A kind of event in a game, as the notation page shows it."""

    kind: str
    says: str
    fields: list[EventField]


@require_safe
@private
def notation(request: HttpRequest, slug: str) -> HttpResponse:
    """The page that explains the notation of a game: its orders, positions, setup, events, and fixed data."""
    game = newest(slug)
    about = game.described
    setup = about.setup.get("properties", {})
    context = {
        "game": game,
        "style": style_of(slug),
        "about": about,
        "setup": fields_of(about.setup) if setup else [],
        "events": [
            Event(kind, str(one["description"]), fields_of(one)) for kind, one in about.events.items()
        ],
        "data": json.dumps(about.data, indent=2, ensure_ascii=False) if about.data else "",
        "address": absolute(request, reverse("api-game", args=[slug])),
    }
    return render(request, "api/notation.html", context)


def fields_of(schema: Schema) -> list[EventField]:
    """Returns the fields in an object's JSON schema, except `kind`, which the page shows as a heading."""
    required = schema.get("required", ())
    return [
        EventField(name, in_words(one), name not in required)
        for name, one in schema.get("properties", {}).items()
        if name != "kind"
    ]


def in_words(schema: Schema) -> str:
    """Returns a text on the values that a JSON schema allows; "" if it has no description or constraints."""
    allowed = _allowed(schema)
    described = str(schema.get("description", "")).rstrip(".")
    return ": ".join(filter(None, [described, allowed]))


def _allowed(schema: Schema) -> str:
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if "anyOf" in schema or "oneOf" in schema:
        return " or ".join(in_words(one) for one in schema.get("anyOf") or schema["oneOf"])
    kind = schema.get("type")
    kinds = [kind] if isinstance(kind, str) else list(kind or ())
    return " or ".join(_KINDS[one](schema) for one in kinds)


def _text(schema: Schema) -> str:
    return f"text like `{schema['pattern']}`" if "pattern" in schema else "text"


def _number(schema: Schema) -> str:
    least, most = schema.get("minimum"), schema.get("maximum")
    bounds = [f"from {least}" if least is not None else "", f"to {most}" if most is not None else ""]
    return " ".join(filter(None, ["a number", *bounds]))


def _list(schema: Schema) -> str:
    items = in_words(schema.get("items", {}))
    return f"a list, each {items}" if items else "a list"


def _object(schema: Schema) -> str:
    fields = [f"`{one.name}` ({one.values})" if one.values else f"`{one.name}`" for one in fields_of(schema)]
    values = schema.get("additionalProperties")
    if isinstance(values, Mapping):
        fields.append(f"for each key {in_words(values)}")
    return "an object: " + ", ".join(fields) if fields else "an object"


_KINDS = {
    "string": _text,
    "integer": _number,
    "number": _number,
    "boolean": lambda _schema: "true or false",
    "null": lambda _schema: "null",
    "array": _list,
    "object": _object,
}
