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
from tests.bench.figures import Row, Section, milliseconds, number, percentile, table

RUNS = 5
SECONDS = 0.5
"""The approximate time that one run takes."""
MOST_TURNS = 600
"""A random match is cut off after so many turns."""
RECORD_TURNS = 40
WANTED = {"pigs": ("steps", 5), "roboxing": ("turns", 2), "robosoccer": ("turns", 1), "robble": ("turns", 5)}
"""The unit by which each game is compared, and how many of it each move of the other should be worth."""


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
    _compare(section)
    section.notes.append(f"A random match is cut off after {MOST_TURNS} turns.")
    return section


def _play(section: Section, game: Game, seats: int) -> None:
    runs = [counted(lambda seed: random_match(game, seats, seed)) for _ in range(RUNS)]
    for name, values in zip(Count._fields, zip(*runs, strict=True), strict=True):
        spread = f"{number(min(values))} to {number(max(values))}"
        section.rows.append(
            Row(f"{game.slug}, {seats} seats: random {name}", number(median(values)), remark=spread)
        )


def _compare(section: Section) -> None:
    """Against OpenSpiel's tic-tac-toe in pure Python, in turn; a sentence where that is not installed."""
    try:
        import pyspiel  # type: ignore[import-not-found,unused-ignore]
        from open_spiel.python import games as _games  # type: ignore[import-not-found,unused-ignore]  # noqa: F401
    except ImportError:
        section.notes.append("OpenSpiel is not installed (pip install open_spiel), so nothing is compared.")
        return
    game = pyspiel.load_game("python_tic_tac_toe")

    def tic_tac_toe(seed: int) -> tuple[int, int]:
        rng = Random(seed)
        state = game.new_initial_state()
        moves = 0
        while not state.is_terminal():
            state.apply_action(rng.choice(state.legal_actions()))
            moves += 1
        return moves, moves

    for slug in GAMES:
        ours, (what, wanted) = newest(slug), WANTED.get(slug, ("turns", 1))
        pairs = [_pair(ours, what, tic_tac_toe) for _ in range(RUNS)]
        ratio = median(own / moves for own, moves in pairs)
        section.rows.append(
            Row(
                f"{slug}, 2 seats: {what} for each move of OpenSpiel's tic-tac-toe in Python",
                number(ratio),
                remark=f"wanted: {wanted} or more; it made {number(median(m for _, m in pairs))} a second",
            )
        )


def _pair(game: Game, what: str, other: Callable[[int], tuple[int, int]]) -> tuple[float, float]:
    """Ours and the other's moves a second, one after the other, so that both meet the same machine."""
    own: float = getattr(counted(lambda seed: random_match(game, 2, seed)), what)
    return own, counted(other).steps


if __name__ == "__main__":  # needs nothing of the site: OpenSpiel may be in a virtual environment of its own
    print(table([measure()]))
