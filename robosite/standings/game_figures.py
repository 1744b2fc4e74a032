"""The page with a game's figures: wins by seat, length of matches, and ways in which they end."""

from typing import NamedTuple

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from games import newest
from games.core import Game, Sentence, seat_letters
from games.figures import LEAST, REASONS, Tally, wilson
from robosite.matches import figures
from robosite.matches.figures import Kind, balance
from robosite.play.decorators import Request, private
from robosite.web.sentences import render_sentence


class Bar(NamedTuple):
    """The number and share of a game's matches in which something happened, such as a win of seat A."""

    name: str
    won: int
    percent: float
    low: float
    high: float


class Figure(NamedTuple):
    """The statistics of a preset and number of seats; `half` is the median of turns."""

    preset: str
    seats: int
    tally: Tally
    wins: list[Bar]
    sides: list[Bar]
    swaps: Bar | None
    endings: list[Bar]
    half: int
    quarters: tuple[int, int]


@require_safe
@private
def show_figures(request: Request, slug: str) -> HttpResponse:
    """The page with a game's figures from finished matches, which names no players."""
    game = newest(slug)
    tallies = {kind: tally for kind, tally in figures.published().items() if kind.game == slug}
    tallies = {kind: tally for kind, tally in tallies.items() if kind.rules == game.rules}
    sections = [
        (_("People against each other"), _figures(game, tallies, "people")),
        (_("With bots of this site"), _figures(game, tallies, "bots")),
        (_("Simple bots against each other"), _figures(game, balance(), "programs")),
    ]
    return render(
        request, "standings/game_figures.html", {"game": game, "sections": sections, "least": LEAST}
    )


def _figures(game: Game, tallies: dict[Kind, Tally], who: str) -> list[Figure]:
    order = list(game.presets)
    kinds = [kind for kind in tallies if (kind.game, kind.rules, kind.who) == (game.slug, game.rules, who)]
    known = sorted(
        (kind for kind in kinds if kind.preset in order), key=lambda k: (order.index(k.preset), k.seats)
    )
    return [_figure(game, kind, tallies[kind]) for kind in known if tallies[kind].is_publishable]


def _figure(game: Game, kind: Kind, tally: Tally) -> Figure:
    n = tally.matches
    letters = seat_letters(kind.seats)
    wins = [_bar(_("Seat {letter}").format(letter=at), tally.seats[at], n) for at in letters]
    wins.append(_bar(_("a draw, or shared"), tally.shared, n))
    reasons = sorted(tally.reasons.items(), key=lambda one: (-one[1], one[0]))
    return Figure(
        preset=game.presets[kind.preset].name,
        seats=kind.seats,
        tally=tally,
        wins=wins,
        sides=[_bar(name, tally.sides[side], n) for side, name in game.sides.items()],
        swaps=_bar(_("swapped"), tally.swaps, n) if game.sides else None,
        endings=[_bar(REASONS.get(reason, reason), count, n) for reason, count in reasons],
        half=tally.length(0.5),
        quarters=(tally.length(0.25), tally.length(0.75)),
    )


def _bar(name: str | Sentence, count: int, of: int) -> Bar:
    share = wilson(count, of)
    title = render_sentence(name) if isinstance(name, Sentence) else name
    return Bar(title, count, 100 * share.share, low=100 * share.low, high=100 * share.high)
