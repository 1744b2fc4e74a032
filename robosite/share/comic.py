"""The page with the comic strip of a finished match: its most dramatic steps, with sentences about them."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple
from urllib.parse import urlsplit

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from games.core import Seat as Letter
from games.core import Sentence
from robosite.matches import flow
from robosite.matches.history import read_ahead
from robosite.matches.models import Match, Seat
from robosite.matches.reading import with_seats
from robosite.matches.wording import headed, imported_note, wording_of
from robosite.people.current_guest import current_guest
from robosite.play import hot_seat
from robosite.play.decorators import Request, absolute, public_page
from robosite.play.drawings import BOARD, is_drawn, style_of, templates_of
from robosite.play.film import Step, result, show_film
from robosite.play.highlights import Highlight, best, highlights

MOST_TURNS = 300


class Panel(NamedTuple):
    """A panel of the comic strip: the turn's name, a step, sentences, and the `?at=` that leads to it."""

    title: str
    frame: Step
    sentences: list[Sentence]
    at: str


def panel(match: Match, one: Highlight, names: Mapping[Letter, str]) -> Panel:
    """The panel for a dramatic step of a match that is over; nothing is hidden in it."""
    film = show_film(match, viewer=None, names=names, turn=one.turn, at=one.step)
    step = film.steps[one.step]
    title = wording_of(match.game).say("turn", n=one.turn + 1)
    sentences = [step.sentences[n] for n in one.events]
    return Panel(title, replace(step, shown=True), sentences, f"{one.turn + 1}.{one.step}")


class Moment(NamedTuple):
    """The best step of some finished matches: its match, the step, and the players' names by seat."""

    match: Match
    step: Highlight
    names: dict[Letter, str]

    @property
    def panel(self) -> Panel:
        return panel(self.match, self.step, self.names)


def best_moment(matches: Iterable[Match]) -> Moment | None:
    """The step that the game rates highest (`State.highlight`); of equal ones the first match's; or None.

    Matches without a drawing, and those beyond MOST_TURNS turns of replay in all, are left out.
    """
    drawn = with_seats([match for match in matches if is_drawn(match.game_slug)])
    found = [(match, best(match)) for match in read_ahead(drawn, MOST_TURNS)]
    if not found:
        return None
    match, step = max(found, key=lambda one: one[1].score)
    return Moment(match, step, names_in(match.known_seats or ()))


def names_in(seats: Iterable[Seat]) -> dict[Letter, str]:
    """The players' names by seat; for a seat without a name, “Seat A” (in the reader's language)."""
    return {seat.at: seat.shown_name or _("Seat {letter}").format(letter=seat.letter) for seat in seats}


@public_page
def comic(request: Request, match: Match) -> HttpResponse:
    if match.status != Match.Status.OVER:
        raise Http404
    standing = flow.standing_of(match)
    names = names_in(standing.seats)
    own = hot_seat.held(current_guest(request), match)
    context = {
        **BOARD,
        "match": match,
        "game": match.game,
        "names": names,
        "players": [(seat.at, standing.state.side(seat.at)) for seat in standing.seats],
        "others": headed(list(names.values())),
        "result": result(match, names),
        "note": imported_note(imported=match.imported),
        "panels": [panel(match, one, names) for one in highlights(match)],
        "film_at": own[0].get_absolute_url() if own else match.get_absolute_url(),
        "address": absolute(request, match.get_absolute_url()),
        "embedded_at": absolute(request, reverse("embed", args=[match.key])),
        "site": urlsplit(absolute(request, "/")).netloc,
        "drawn": templates_of(match.game_slug),
        "style": style_of(match.game_slug),
    }
    return render(request, "share/comic.html", context)
