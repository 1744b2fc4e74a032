"""Matches that were written down: each record must lead to the positions beside it, step by step.

`records/NAME.json` is a record, `records/NAME.positions.txt` what it leads to, for people to read: the
orders of each turn, then a line a position. Whoever adds a record, or changes what one leads to on purpose,
writes the positions with `python -m tests.games.test_golden` and reads what changed."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from games import GAMES, newest, record
from games.core import Game, IllegalOrder, Order, Outcome, Seat, State, check_turn, play_turn
from tests.games.sizes import size

RECORDS = sorted((Path(__file__).parent / "records").glob("*.json"))


def story(data: dict) -> str:
    """A record as its `.positions.txt` has it."""
    read = record.read(data)
    state = read.start()
    lines = [f"start: {state.position()}"]
    for number, turn in enumerate(read.turns, 1):
        lines += ["", f"turn {number}", *(f"  {seat}: {order}" for seat, order in turn.items())]
        states = list(play_turn(state, turn))
        lines += [after.position() for after in states if after.tick]
        state = states[-1]
    outcome = state.outcome()
    if outcome:
        shares = ", ".join(f"{seat} {share:g}" for seat, share in outcome.scores.items())
        lines += ["", f"{outcome.reason}: {shares}"]
    return "\n".join(lines) + "\n"


def test_there_is_a_record_for_every_preset_of_every_game() -> None:
    names = {path.stem for path in RECORDS}
    assert {"pigs-example", "roboxing-example"} <= names
    assert {f"{slug}-{preset}" for slug in GAMES for preset in newest(slug).presets} <= names


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: path.stem)
def test_a_golden_record_leads_to_the_positions_beside_it(path: Path) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    expected = path.with_suffix(".positions.txt").read_text(encoding="utf-8")
    assert story(data) == expected
    shown = record.replay(data)
    assert shown.fault is None
    told = [line for line in expected.splitlines() if line and not line.startswith(("turn ", "  "))]
    if shown.outcome:
        told.pop()
    assert [line.removeprefix("start: ") for line in told] == shown.positions


if __name__ == "__main__":
    for path in RECORDS:
        path.with_suffix(".positions.txt").write_text(story(json.loads(path.read_text(encoding="utf-8"))))

# Many random matches of every game: each ends or goes on legally; records lead to the same end.


def checked(outcome: Outcome | None, state: State) -> None:
    """An outcome shares one point among the seats; who is out owes nothing."""
    assert state.to_act() <= state.still_in() <= set(state.seats)
    if outcome is None:
        assert state.to_act()
        return
    assert not state.to_act()
    assert sum(outcome.scores.values()) == pytest.approx(1)
    assert set(outcome.scores) == set(state.seats)


def variant(game: Game, rng: Random) -> tuple[Any, int]:
    """Options and a number of seats: a preset, or any mix of options."""
    preset = game.presets[rng.choice(sorted(game.presets))]
    if rng.random() < 0.6:
        return game.read_options(preset.options), rng.choice(preset.seats)
    options = game.read_options({f.name: rng.choice(f.metadata["values"]) for f in fields(game.options)})
    return options, rng.choice(game.seats(options))


def machine(game: Game) -> type[RuleBasedStateMachine]:
    """A match as a state machine: sampled turns, resignations and draws in any order that the rules allow."""

    class Match(RuleBasedStateMachine):
        state: State

        @initialize(seed=st.integers(0, 2**32))
        def begin(self, seed: int) -> None:
            rng = Random(seed)
            options, seats = variant(game, rng)
            self.options = options
            self.state = game.state.start(options, seats, game.draw(options, seats, rng, {}))

        def going_on(self) -> bool:
            return self.state.outcome() is None

        def turn(self, orders: dict[Seat, Order]) -> None:
            before = self.state
            check_turn(before, orders)
            for after in play_turn(before, orders):
                for event in after.events:
                    assert event["kind"]
                self.state = after
            assert self.state.turn == before.turn + 1

        @precondition(going_on)
        @rule(seed=st.integers(0, 2**32))
        def plays(self, seed: int) -> None:
            rng = Random(seed)
            seats = [seat for seat in self.state.seats if seat in self.state.to_act()]
            self.turn({seat: self.state.sample(seat, rng) for seat in seats})

        @precondition(going_on)
        @rule(seed=st.integers(0, 2**32))
        def somebody_resigns(self, seed: int) -> None:
            rng = Random(seed)
            leaver = rng.choice(sorted(self.state.still_in()))
            stays = self.state.still_in() - {leaver}
            acting = self.state.to_act() - {leaver} if len(stays) > 1 else set()
            orders = {seat: self.state.sample(seat, rng) for seat in sorted(acting)}
            self.turn({leaver: "resign", **orders})
            assert leaver not in self.state.still_in()

        @precondition(going_on)
        @rule(chance=st.integers(0, 9))
        def all_agree(self, chance: int) -> None:
            if chance == 0:
                self.turn(dict.fromkeys(sorted(self.state.still_in()), "draw"))
                assert self.state.outcome() is not None

        @precondition(lambda self: not self.going_on())
        @rule(order=st.sampled_from(["resign", "draw", "", "a1"]))
        def nobody_plays_on(self, order: str) -> None:
            for seat in self.state.seats:
                with pytest.raises(IllegalOrder):
                    check_turn(self.state, {seat: order})

        @invariant()
        def what_holds_always(self) -> None:
            if not hasattr(self, "state"):
                return
            state: Any = self.state
            checked(state.outcome(), state)
            for seat in (None, *state.seats):
                view = state.view(seat)
                assert view.view(seat) == view
                assert view.determinize(Random(1)).view(seat) == view
                assert view.words()
            assert all(state.plan(seat, "").choices for seat in state.to_act())

    return Match


@pytest.mark.fuzz
@pytest.mark.parametrize("slug", GAMES)
def test_a_match_as_a_state_machine(slug: str) -> None:
    run_state_machine_as_test(
        machine(newest(slug)),
        settings=settings(max_examples=size(5, 40), stateful_step_count=25, deadline=None),
    )
