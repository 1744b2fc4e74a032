"""The things of a game: the page “What is what?”, and the game on paper, to be printed."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any
from urllib.parse import urlencode

from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from games import newest
from games.core import Game
from robosite.play.decorators import Request, private
from robosite.play.drawings import style_of, templates_of


@require_safe
@private
def show_things(request: Request, slug: str) -> HttpResponse:
    """The page “What is what?” of a game; the query string holds options that differ from the defaults."""
    game = newest(slug)
    context = {
        "game": game,
        "things": game.things(_read(game, request.GET)),
        "drawn": templates_of(slug),
        "style": style_of(slug),
    }
    return render(request, f"learn/things/{'_list' if request.htmx else 'things'}.html", context)


def things_address(game: Game, given: Mapping[str, Any]) -> str:
    """The URL of the page “What is what?” for a match with these options."""
    path = reverse("things", args=[game.slug])
    return f"{path}?{urlencode(given)}" if given else path


def _read(game: Game, given: QueryDict) -> Any:
    found = {}
    for option in fields(game.options):
        wanted = given.get(option.name, "")
        for value in option.metadata["values"]:
            if str(value) == wanted:
                found[option.name] = value
    return game.options(**found)


SHEETS = {"a4": "A4", "letter": "US Letter"}
"""The paper sizes, by the value of `sheet` in the query; each has a style sheet `css/paper-….css`."""


@require_safe
@private
def paper(request: Request, slug: str) -> HttpResponse:
    """The printable pages of a game, laid out for the paper size that `?sheet=` names, by default A4."""
    sheet = request.GET.get("sheet", "")
    drawn = templates_of(slug)
    context = {
        "game": newest(slug),
        "drawn": drawn,
        "style": style_of(slug),
        "sheet": sheet if sheet in SHEETS else "a4",
        "sheets": SHEETS,
    }
    return render(request, drawn["paper"], context)
