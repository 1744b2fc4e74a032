"""Measures how long each bot thinks about an answer, in processor time."""

from __future__ import annotations

from random import Random
from time import process_time

from games import GAMES, newest
from games.core import Game, play_turn
from games.players import PLAYERS, Player
from tests.bench.figures import Section, row_of_times

ANSWERS = 60
"""The approximate number of answers timed for each game, preset and player."""
MOST_TURNS = 60


def measure() -> Section:
    section = Section("Bots: processor time for an answer, with the most seats of the game's presets")
    for slug in GAMES:
        game = newest(slug)
        for key, player in PLAYERS.items():
            times = [t for preset in game.presets for t in answers(game, preset, player)]
            section.rows.append(row_of_times(f"{slug}: {key}", times, f"at most {max(times) * 1000:.0f} ms"))
    section.notes.append(
        "Matches by chance; one seat is asked in each position, those of all presets together."
    )
    return section


def answers(game: Game, preset: str, player: Player) -> list[float]:
    options, seats = game.read_options(game.presets[preset].options), game.presets[preset].seats[-1]
    times: list[float] = []
    seed = 0
    while len(times) < ANSWERS / len(game.presets):
        rng = Random(seed)
        state = game.state.start(options, seats, game.draw(options, seats, rng, {}))
        while state.to_act() and state.turn < MOST_TURNS:
            orders = {seat: state.sample(seat, rng) for seat in sorted(state.to_act())}
            if state.turn % 5 == 0:
                seat = next(iter(orders))
                view, start = state.view(seat), process_time()
                player.order(view, seat, rng)
                times.append(process_time() - start)
            *_, state = play_turn(state, orders)
        seed += 1
    return times
