"""Puzzles: positions in which few orders win for certain; each game has one a day, by the reader's date."""

from datetime import date, tzinfo
from functools import cache
from pathlib import Path

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_safe

import games
from games import GAMES, newest
from games.core import Game, Order, PlayedOut, Sentence, State, play_turn
from games.puzzles import Puzzle, read
from robosite.learn.tasks import Played, Task, answer_task
from robosite.people.zones import readers_zone, zone_named
from robosite.play.decorators import Request, absolute, private
from robosite.play.drawings import show
from robosite.play.variants import variant_of
from robosite.web.sentences import render_sentence

FILE = Path(games.__file__).with_name("puzzles.json")
FIRST, STRIDE = 36, 13
"""The number of puzzles that every game had at first, and the step in them from one day to the next."""
YEAR = 365
YEAR_FROM = date(2026, 12, 1).toordinal()
"""The day (`date.toordinal`) from which the later puzzles come, day by day, in their order."""


@cache
def puzzles(slug: str) -> tuple[Puzzle, ...]:
    return read(FILE.read_text(encoding="utf-8")).get(slug, ())


@require_safe
@private
def overview(request: Request) -> HttpResponse:
    """The page with the puzzles of all games; the puzzles of the reader's day come first."""
    day = readers_day(request)
    rows = [(show(slug), puzzle_of(slug, day)) for slug in GAMES if puzzles(slug)]
    context = {"games": rows, "day": day, "todays": todays_puzzles(day), "first": FIRST}
    return render(request, "learn/puzzles/puzzles.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
@private
def puzzle(request: Request, slug: str, at: int) -> HttpResponse:
    """The page of puzzle `at` (from 1) of a game; the query string holds the order planned so far."""
    every = puzzles(slug)
    if not 1 <= at <= len(every):
        raise Http404
    one = every[at - 1]
    state, day, here = one.state(), readers_day(request), reverse("puzzle", args=[slug, at])
    given = "given" in request.GET  # the solution was asked for
    reasons: list[str] = []  # why the order fails; filled by `play`, for the template

    def play(order: Order) -> Played:
        tried = one.play_out(state, order)
        film = shown(tried)
        if not tried.solved:
            reasons.append(why_not(one, tried, film.positions[-1]))
        return film

    more = {
        "puzzle": one,
        "given": given,
        "at": at,
        "count": len(every),
        "says": says(one, newest(slug)),
        "variant": variant_of(slug, newest(slug).rules, one.options, one.seats),
        "hint": one.hint(),
        "reasons": reasons,
        "others_act": one.moves > 1 or len(state.to_act()) > 1,
        "is_todays": at == puzzle_of(slug, day),
        "day": day,
        "todays": todays_puzzles(day),
        "address": absolute(request, here),
        "step_on": reverse("puzzle", args=_after(slug, at, day)),
        "next_game": newest(_after(slug, at, day)[0]),
    }
    planned = one.answer if given else ""
    task = Task(newest(slug), one.seat, state, here, "learn/puzzles/puzzle.html", play, more, planned=planned)
    return answer_task(request, task)


def _after(slug: str, at: int, day: int) -> tuple[str, int]:
    if at != puzzle_of(slug, day):
        return slug, at % len(puzzles(slug)) + 1
    todays = [(game.slug, n) for game, n in todays_puzzles(day)]
    return todays[(todays.index((slug, at)) + 1) % len(todays)]


def says(one: Puzzle, game: Game) -> str:
    """The task of a puzzle, as a sentence in the reader's language."""
    colour = game.colour(one.state().side(one.seat))
    return render_sentence(
        Sentence(one.proofs().asks.template, seat=str(one.seat), n=one.moves, colour=colour)
    )


def shown(tried: PlayedOut) -> Played:
    """The attempt as a page shows it: the orders of its first turn, and the positions of all its turns."""
    positions = [tried.state]
    for orders in tried.turns:
        positions += play_turn(positions[-1], orders)
    return Played(tried.turns[0], positions, tried.solved)


def why_not(one: Puzzle, tried: PlayedOut, last: State) -> str:
    """A sentence that says why an attempt does not solve the puzzle."""
    if tried.hidden and last.ended and last.ended.scores[one.seat] == 1:
        return _(
            "Here it works. But the other robot may be built differently, or go elsewhere, and then "
            "it wouldn’t."
        )
    if tried.hidden:
        return _("It may work, but you can’t know that from what has been seen so far.")
    if last.ended:
        lost = last.ended.scores[one.seat] == 0
        return _("Here you lose.") if lost else _("Here the match ends in a draw.")
    others = (turn[seat] for turn in reversed(tried.turns) for seat in turn if seat != one.seat)
    reply = next(others, "")
    if one.moves > 1:
        return _("After the reply {reply}, you can no longer force a win in time.").format(reply=reply)
    if reply:
        return _("Your opponent can still escape, as the film shows.")
    return _("Here you haven’t won, and the puzzle asks for a win now.")


def readers_day(request: Request) -> int:
    """Today's date in the reader's time zone, as a day number (`date.toordinal`)."""
    return day_in(zone_named(readers_zone(request)))


def day_in(zone: tzinfo) -> int:
    """Today's date in a time zone, as a day number (`date.toordinal`)."""
    return timezone.localdate(timezone=zone).toordinal()


def todays_puzzles(day: int) -> list[tuple[Game, int]]:
    """The games that have puzzles, each with the number (from 1) of its puzzle of the day `day`."""
    return [(newest(slug), puzzle_of(slug, day)) for slug in GAMES if puzzles(slug)]


def puzzle_of(slug: str, day: int) -> int:
    """The number (from 1) of a game's puzzle of the day; with enough puzzles, none repeats within a year."""
    if day < YEAR_FROM:
        return (day * STRIDE + sorted(GAMES).index(slug)) % FIRST + 1
    return FIRST + (day - YEAR_FROM) % min(YEAR, len(puzzles(slug)) - FIRST) + 1
