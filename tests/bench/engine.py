"""The rules alone: random matches and replays through `games`, as the site plays them.

Timed by the processor, since nothing here waits: so other work on the machine falsifies less.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from statistics import median
from time import process_time
from typing import NamedTuple

from games import GAMES, newest, record
from games.core import Game, Order, Seat, play_turn
from tests.bench.figures import Row, Section, milliseconds, number, percentile

RUNS = 5
SECONDS = 0.5
"""The approximate time that one run takes."""
MOST_TURNS = 600
"""A random match is cut off after so many turns."""
RECORD_TURNS = 40


class Count(NamedTuple):
    """The work that a run did in a second of processor time."""

    matches: float
    turns: float
    steps: float


def random_match(game: Game, seats: int, seed: int) -> tuple[int, int]:
    """Plays a match of sampled orders; says how many turns and how many steps (positions) it had."""
    rng = Random(seed)
    options = game.read_options({})
    state = game.state.start(options, seats, game.draw(options, seats, rng, {}))
    turns = steps = 0
    while state.outcome() is None and turns < MOST_TURNS:
        orders = {seat: state.sample(seat, rng) for seat in sorted(state.to_act())}
        played = list(play_turn(state, orders))
        state = played[-1]
        turns, steps = turns + 1, steps + len(played)
    return turns, steps


def counted(play: Callable[[int], tuple[int, int]]) -> Count:
    """One run: matches with the seeds 0, 1, 2 … until its time is over."""
    matches = turns = steps = 0
    start = now = process_time()
    while now - start < SECONDS:
        more_turns, more_steps = play(matches)
        matches, turns, steps = matches + 1, turns + more_turns, steps + more_steps
        now = process_time()
    took = now - start
    return Count(matches / took, turns / took, steps / took)


def record_text(game: Game, seats: int, most: int) -> tuple[str, int]:
    """The record of a random match's first `most` turns as JSON, and how many it has: the longest of 200."""
    best: tuple[str, int] = "", -1
    for seed in range(200):
        rng = Random(seed)
        options = game.read_options({})
        setup = game.draw(options, seats, rng, {})
        state = game.state.start(options, seats, setup)
        turns: list[dict[Seat, Order]] = []
        while state.outcome() is None and len(turns) < most:
            turns.append({seat: state.sample(seat, rng) for seat in sorted(state.to_act())})
            *_, state = play_turn(state, turns[-1])
        if len(turns) > best[1]:
            best = json.dumps(record.write(game, options, seats, setup, turns)), len(turns)
        if len(turns) == most:
            break
    return best


def replay_times(text: str, times: int = 40) -> list[float]:
    """Seconds of processor that reading, checking and replaying this record took, each time."""
    took = []
    for _ in range(times):
        start = process_time()
        shown = record.replay(record.load(text))
        took.append(process_time() - start)
        assert shown.fault is None, shown.fault
    return took


def measure() -> Section:
    section = Section(
        f"The rules without the site, in processor time: the median of {RUNS} runs of {SECONDS:g} s"
    )
    for slug in GAMES:
        game = newest(slug)
        allowed = game.seats(game.read_options({}))
        for seats in dict.fromkeys((allowed[0], allowed[-1])):
            _play(section, game, seats)
        text, turns = record_text(game, allowed[0], RECORD_TURNS)
        took = replay_times(text)
        section.rows.append(
            Row(
                f"{slug}: a record of {turns} turns replayed",
                number(1 / median(took)),
                milliseconds(median(took)),
                milliseconds(percentile(took, 99)),
                remark=f"{len(took)} times, from text, every order checked",
            )
        )
    section.notes.append(f"A random match is cut off after {MOST_TURNS} turns.")
    return section


def _play(section: Section, game: Game, seats: int) -> None:
    runs = [counted(lambda seed: random_match(game, seats, seed)) for _ in range(RUNS)]
    for name, values in zip(Count._fields, zip(*runs, strict=True), strict=True):
        spread = f"{number(min(values))} to {number(max(values))}"
        section.rows.append(
            Row(f"{game.slug}, {seats} seats: random {name}", number(median(values)), remark=spread)
        )
