"""Examples of the rules as films: part of a match, step by step, with remarks and without secret orders."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from games import newest
from games.core import Example, Game, Order, Remark, Seat, State, play_turn
from robosite.play.decorators import Request, number, private
from robosite.play.drawings import BOARD, style_of, templates_of
from robosite.play.film import Film, Step, film_of, show_step
from robosite.play.waiting import last_match
from robosite.web.http import or_404


class Given(NamedTuple):
    """A seat's order in an example, and its `words`; the step plays word `current` (from 1; 0: unknown)."""

    seat: Seat
    side: str
    order: Order
    words: list[str]
    current: int


class Moment(NamedTuple):
    """The texts beside one step of an example: the turn's orders, and a remark or None."""

    turn: int
    step: int
    steps: int
    orders: list[Given]
    remark: Remark | None


@dataclass(frozen=True, slots=True)
class ExampleFilm:
    """An example as steps to watch, of which the first is the position before the first turn shown."""

    steps: list[Step]
    moments: list[Moment]


@require_safe
@private
def example(request: Request, slug: str, key: str) -> HttpResponse:
    """The page of an example of the rules, at the step that `?at=` names, 0 by default."""
    game, shown = _example(slug, key)
    played = film_of_example(slug, key)
    steps = show_step(played.steps, max(number(request.GET.get("at")), 0))
    film = Film(0, 0, steps, present=steps[-1].words)
    context = {
        **BOARD,
        "game": game,
        "example": shown,
        "drawn": templates_of(slug),
        "style": style_of(slug),
        "film": film,
        "frames": steps,
        "moments": list(zip(steps[1:], played.moments, strict=True)),
        "names": {seat: shown.names.get(seat, seat) for seat in state_of(game, shown).seats},
        "others": [other for other in game.examples if other is not shown],
        "to_match": last_match(request, slug),
    }
    return render(request, "learn/examples/example.html", context)


def _example(slug: str, key: str) -> tuple[Game, Example]:
    game = newest(slug)
    return game, or_404(next((one for one in game.examples if one.key == key), None))


def state_of(game: Game, example: Example) -> State:
    """The position before the first turn of the example, even if this turn is not shown."""
    return game.state.start(game.read_options(example.options), example.seats, example.setup)


@cache
def film_of_example(slug: str, key: str) -> ExampleFilm:
    """The steps of an example of the rules, computed once in each process."""
    game, example = _example(slug, key)
    played = list(_played(game, example))
    steps = film_of([played[0][0], *(after for _, after, _ in played)], None, uncovered=True).steps
    return ExampleFilm(steps, [moment for _, _, moment in played])


def _played(game: Game, example: Example) -> Iterator[tuple[State, State, Moment]]:
    """The position before and after each step shown, and its texts."""
    state = state_of(game, example)
    for turn, orders in enumerate(example.turns, 1):
        after = list(play_turn(state, orders))
        if turn >= example.first:
            for n, (here, there) in enumerate(zip([state, *after], after, strict=False), 1):
                given = [_given(state, seat, order, n, len(after)) for seat, order in orders.items()]
                yield here, there, Moment(turn, n, len(after), given, example.remarks.get((turn, n)))
        state = after[-1]


def _given(state: State, seat: Seat, order: Order, step: int, steps: int) -> Given:
    words = order.split(" ")
    return Given(seat, state.side(seat), order, words, step if len(words) == steps > 1 else 0)
