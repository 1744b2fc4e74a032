"""The rules and the bots alone, as the site plays them, in processor time, since nothing here waits."""

from __future__ import annotations

import json
from random import Random
from statistics import median
from time import process_time

from games import GAMES, newest, record
from games.core import Game, Order, Seat, play_turn
from games.players import PLAYERS, Player
from tests.bench.figures import number, row, title

RUNS, SECONDS = 5, 0.5
MOST_TURNS = 600
"""A random match is cut off after so many turns."""
RECORD_TURNS, REPLAYS = 40, 40
ANSWERS = 60
"""The approximate number of answers timed for each game and player."""


def measure() -> None:
    title(f"The rules without the site, in processor time: the median of {RUNS} runs of {SECONDS:g} s")
    for slug in GAMES:
        game = newest(slug)
        allowed = game.seats(game.read_options({}))
        for seats in dict.fromkeys((allowed[0], allowed[-1])):
            runs = [_counted(game, seats) for _ in range(RUNS)]
            for name, values in zip(("matches", "turns", "steps"), zip(*runs, strict=True), strict=True):
                spread = f"{number(min(values))} to {number(max(values))}"
                row(f"{slug}, {seats} seats: random {name}", rate=number(median(values)), remark=spread)
        took = _replays(game, allowed[0])
        row(
            f"{slug}: a record replayed",
            took,
            number(1 / median(took)),
            remark="from text, all orders checked",
        )
    title(
        "Bots: processor time for an answer, with the most seats of the game's presets, at random positions"
    )
    for slug in GAMES:
        game = newest(slug)
        for key, player in PLAYERS.items():
            times = [t for preset in game.presets for t in _answers(game, preset, player)]
            row(f"{slug}: {key}", times, remark=f"{len(times)} times, at most {max(times) * 1000:.0f} ms")


def _counted(game: Game, seats: int) -> tuple[float, float, float]:
    """One run of random matches: how many matches, turns and steps (positions) in a second."""
    matches = turns = steps = 0
    start = now = process_time()
    options = game.read_options({})
    while now - start < SECONDS:
        rng = Random(matches)
        state, end = game.state.start(options, seats, game.draw(options, seats, rng, {})), turns + MOST_TURNS
        while state.outcome() is None and turns < end:
            orders = {seat: state.sample(seat, rng) for seat in sorted(state.to_act())}
            *before, state = play_turn(state, orders)
            turns, steps = turns + 1, steps + len(before) + 1
        matches, now = matches + 1, process_time()
    return matches / (now - start), turns / (now - start), steps / (now - start)


def _replays(game: Game, seats: int) -> list[float]:
    """Seconds of processor that reading, checking and replaying the record of a random match took."""
    options, longest = game.read_options({}), ""
    for seed in range(50):
        rng = Random(seed)
        setup = game.draw(options, seats, rng, {})
        state = game.state.start(options, seats, setup)
        turns: list[dict[Seat, Order]] = []
        while state.outcome() is None and len(turns) < RECORD_TURNS:
            turns.append({seat: state.sample(seat, rng) for seat in sorted(state.to_act())})
            *_, state = play_turn(state, turns[-1])
        longest = max(longest, json.dumps(record.write(game, options, seats, setup, turns)), key=len)
    took = []
    for _ in range(REPLAYS):
        start = process_time()
        record.replay(record.load(longest))
        took.append(process_time() - start)
    return took


def _answers(game: Game, preset: str, player: Player) -> list[float]:
    options, seats = game.read_options(game.presets[preset].options), game.presets[preset].seats[-1]
    times: list[float] = []
    seed = 0
    while len(times) < ANSWERS / len(game.presets):
        rng = Random(seed)
        state = game.state.start(options, seats, game.draw(options, seats, rng, {}))
        while state.to_act() and state.turn < 60:
            orders = {seat: state.sample(seat, rng) for seat in sorted(state.to_act())}
            if state.turn % 5 == 0:
                seat = next(iter(orders))
                view, start = state.view(seat), process_time()
                player.order(view, seat, rng)
                times.append(process_time() - start)
            *_, state = play_turn(state, orders)
        seed += 1
    return times
