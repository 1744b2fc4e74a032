"""Each game rates its steps: hits are worth more than steps, and what decides a match is worth most."""

from __future__ import annotations

from collections import defaultdict
from random import Random

import pytest

from games import GAMES, newest
from games.core import Event, State, highlight, play_turn

BEST = {
    "pigs": ("destroyed", "walked"),
    "roboxing": ("knocked out", "moved"),
    "robosoccer": ("scored", "moved"),
    "robble": ("turned", "placed"),
}
"""By game: an event that is worth a lot, and one that is nothing special."""


def seen(slug: str) -> dict[str, set[int]]:
    """The scores of the events of some random matches, by kind."""
    game = newest(slug)
    options = game.read_options({})
    seats = game.seats(options)[0]
    worth = defaultdict(set)
    for seed in range(3):
        rng = Random(seed)
        state: State = game.state.start(options, seats, game.draw(options, seats, rng, {}))
        for _turn in range(90):
            orders = {seat: state.view(seat).sample(seat, rng) for seat in sorted(state.to_act())}
            for after in play_turn(state, orders):
                for event in after.events:
                    worth[event["kind"]].add(highlight(after, event))
            state = after
            if state.outcome():
                break
    return worth


@pytest.mark.parametrize("slug", GAMES)
def test_what_matters_is_worth_more_than_a_step(slug: str) -> None:
    worth = seen(slug)
    great, plain = BEST[slug]
    assert worth[plain] == {0}
    assert all(score >= 0 for scores in worth.values() for score in scores)
    if great in worth:  # chance does not finish every game
        assert min(worth[great]) > 2
    assert max(max(scores) for scores in worth.values()) > 2


@pytest.mark.parametrize("slug", GAMES)
def test_an_end_by_agreement_is_nothing_to_see(slug: str) -> None:
    game = newest(slug)
    options = game.read_options({})
    seats = game.seats(options)[0]
    state = game.state.start(options, seats, game.draw(options, seats, Random(1), {}))
    events: list[Event] = [{"kind": "agreed"}, {"kind": "resigned", "by": "A"}]
    assert [highlight(state, event) for event in events] == [0, 0]
