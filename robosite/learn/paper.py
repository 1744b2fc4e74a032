"""A game on paper: its rules, boards, sheets and pieces, as pages to print on A4 or US Letter."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games import GAMES, newest
from robosite.play.decorators import Request, private
from robosite.play.drawings import style_of, templates_of

SHEETS = {"a4": "A4", "letter": "US Letter"}
"""The paper sizes, by the value of `sheet` in the query; each has a style sheet `css/paper-….css`."""


@require_safe
@private
def paper(request: Request, slug: str) -> HttpResponse:
    """The printable pages of a game, laid out for the paper size that `?sheet=` names, by default A4."""
    if slug not in GAMES:
        raise Http404
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
