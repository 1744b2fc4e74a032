"""A program that plays otherwise than before has another version."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from games import GAMES, newest
from games.core import State, play_turn
from games.players import PLAYERS, version_of

PLAYED = Path(__file__).with_name("played.json")
"""By game and program: its version, and a digest of what that plays. A new version gets a new digest."""
TURNS, SEEDS, MOST = 6, 2, 4


def starts(slug: str) -> list[State]:
    """The standard game of two after some turns by chance, and, where more can play, one of up to four."""
    game = newest(slug)
    kinds = [("standard", 2)] * SEEDS
    larger = [(key, max(preset.seats)) for key, preset in game.presets.items() if max(preset.seats) > 2]
    kinds += [(key, min(seats, MOST)) for key, seats in larger[:1]]
    positions = []
    for seed, (key, seats) in enumerate(kinds):
        rng = Random(f"{slug} {seed}")
        options = game.read_options(game.presets[key].options)
        state = game.state.start(options, seats, game.draw(options, seats, rng, {}))
        for _ in range(TURNS):
            orders = {seat: state.view(seat).sample(seat, rng) for seat in sorted(state.to_act())}
            *_, after = play_turn(state, orders)
            if not after.to_act():
                break
            state = after
        positions.append(state)
    return positions


def digest(slug: str, player: str) -> str:
    played = [
        PLAYERS[player].order(state.view(seat), seat, Random(n))
        for n, state in enumerate(starts(slug))
        for seat in sorted(state.to_act())
    ]
    return hashlib.sha256("\n".join(played).encode()).hexdigest()[:16]


@pytest.mark.more
@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("slug", GAMES)
def test_who_plays_otherwise_has_another_version(slug: str, player: str) -> None:
    known: dict[str, Any] = json.loads(PLAYED.read_text())[slug][player]
    now = {"version": version_of(player, slug), "plays": digest(slug, player)}
    assert now == known, f"Raise its version in VERSIONS, and put it into {PLAYED.name}: {json.dumps(now)}"
