"""The games describe themselves truly to programs: events and setups fit their schemas."""

from __future__ import annotations

import json
from random import Random

import jsonschema_rs
import pytest

from games import GAMES, newest
from games.core import Game, State, play_turn

SEED = 7
MATCHES, TURNS = 24, 120


def states(game: Game, preset: str, rng: Random) -> list[State]:
    """A match by chance, at most so many turns of it; now and then somebody resigns."""
    chosen = game.presets[preset]
    options = game.read_options(chosen.options)
    seats = rng.choice(list(chosen.seats))
    state = game.state.start(options, seats, game.draw(options, seats, rng, {}))
    met = [state]
    for _ in range(TURNS):
        if state.outcome():
            break
        orders = {seat: state.view(seat).sample(seat, rng) for seat in sorted(state.to_act())}
        if rng.random() < 0.02:
            orders[rng.choice(sorted(state.still_in()))] = "resign"
        met += play_turn(state, orders)
        state = met[-1]
    return met


@pytest.mark.parametrize("slug", GAMES)
def test_every_event_fits_its_schema(slug: str) -> None:
    game, rng = newest(slug), Random(SEED)
    checked = {
        kind: jsonschema_rs.validator_for(dict(schema)) for kind, schema in game.described.events.items()
    }
    met: set[str] = set()
    for n in range(MATCHES):
        for state in states(game, list(game.presets)[n % len(game.presets)], rng):
            for viewer in (None, *state.seats):
                for event in state.view(viewer).events:
                    checked[event["kind"]].validate(json.loads(json.dumps(event)))
                    met.add(event["kind"])
    rare = {
        "agreed",
        "resigned",
        "repeated",
        "cancelled",
        "stuck",
        "out of reach",
        "flattened",
        "scored",
        "repeats",
        "won",
        "out",
        "knocked out",
        "destroyed",
    }
    assert checked.keys() - met <= rare


@pytest.mark.parametrize("slug", GAMES)
def test_setups_that_are_drawn_fit_their_schema(slug: str) -> None:
    game = newest(slug)
    checked = jsonschema_rs.validator_for(dict(game.described.setup))
    for n in range(20):
        for preset in game.presets.values():
            checked.validate(game.draw(game.read_options(preset.options), preset.seats[0], Random(n), {}))


@pytest.mark.parametrize("slug", GAMES)
def test_the_first_example_of_an_order_opens_a_match_in_its_canonical_form(slug: str) -> None:
    game = newest(slug)
    example = game.described.orders[0].example
    options = game.read_options({})
    state = game.state.start(options, 2, game.draw(options, 2, Random(SEED), {}))
    for seat in state.to_act():
        assert state.view(seat).check(seat, f" {example} ") == example
