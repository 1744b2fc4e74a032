"""A bot's dice: they follow from the nonces of its seals, so everybody can check its orders afterwards."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from random import Random
from typing import Any

import pytest

from games import GAMES, newest
from games.core import Seat as Letter
from games.fairness import check, dice
from games.players import PLAYERS, version_of
from games.record import seal as seal_of
from games.roboxing.robot import PLAIN
from robosite.bots import owed_orders, pool, worker
from robosite.matches import flow
from robosite.matches.flow import takeback
from robosite.matches.flow.orders import nonces_of
from robosite.matches.history import state_of
from robosite.matches.models import Match, Program, Seat
from robosite.matches.records import record_of


def sit_with_bot(slug: str, player: str) -> Match:
    game = newest(slug)
    return flow.create(game, game.read_options({}), 2, "Alice", bots={"B": player})[0]


def seat(match: Match, letter: str) -> Seat:
    return Seat.objects.select_related("match").get(match=match, letter=letter)


def finish(match: Match, turns: int) -> dict[str, Any]:
    """The record of a match in which A plays by chance and resigns after so many turns."""
    rng = Random(3)
    while match.status == "playing":
        owed_orders.answer_all()
        match.refresh_from_db()
        state = state_of(match)
        if match.turn >= turns and match.status == "playing":
            flow.resign(seat(match, "A"))
        elif "A" in state.to_act():
            flow.seal(seat(match, "A"), match.turn, state.view(Letter("A")).sample(Letter("A"), rng))
        match.refresh_from_db()
    return record_of(match)


def bots_of(record: dict[str, Any]) -> list[tuple[int, str]]:
    return [(n, at) for n, turn in enumerate(record["seals"]) for at in turn if turn[at].get("by") in PLAYERS]


@pytest.mark.parametrize(
    ("slug", "player"),
    [
        pytest.param(slug, player, marks=[] if player == "hasty" or slug == "robble" else pytest.mark.more)
        for slug in GAMES
        for player in ("random", "hasty", "thorough")
    ],
)
@pytest.mark.django_db
def test_anybody_can_check_that_a_bot_played_what_it_plays(slug: str, player: str) -> None:
    record = finish(sit_with_bot(slug, player), turns=4)
    *others, told = check(record)
    assert not others and told == {"checked": {"B": len(bots_of(record))}} and told["checked"]["B"]


@pytest.mark.django_db
def test_orders_of_another_version_of_a_bot_are_counted_and_not_judged() -> None:
    record = finish(sit_with_bot("robosoccer", "quick"), turns=6)
    number, at = bots_of(record)[-1]
    told = record["seals"][number][at]
    assert told["version"] == version_of("quick", "robosoccer")
    told["version"] += 1
    assert list(check(record)) == [{"checked": {"B": len(bots_of(record)) - 1}, "other_versions": {"B": 1}}]
    for seals in record["seals"]:
        for one in seals.values():
            one.pop("version", None)
    assert list(check(record)) == [{"checked": {"B": len(bots_of(record))}}]


@pytest.mark.django_db
def test_an_order_that_its_bot_does_not_play_is_found_even_with_a_seal_that_opens() -> None:
    record = finish(sit_with_bot("robble", "thorough"), turns=5)
    number, at = bots_of(record)[-1]
    taken = {order for turn in record["turns"] for order in turn.values()}
    other = next(square for square in ("a1", "g7", "a7") if square not in taken)
    record["turns"][number][at] = other
    told = record["seals"][number][at]
    assert next(check(record))["error"]["message"] == "The seal does not open to this order."
    told["seal"] = seal_of(record["match"], number, at, nonce=told["nonce"], order=other)
    found, end = check(record)
    assert (found["turn"], found["seat"], found["order"]) == (number, at, other) and end["checked"]


@pytest.mark.django_db
def test_a_bots_dice_need_the_nonce_of_its_hidden_robot_so_nobody_throws_them_before_the_end() -> None:
    match = sit_with_bot("roboxing", "quick")
    for turn in range(2):
        owed_orders.answer_all()
        flow.seal(seat(match, "A"), turn, PLAIN if not turn else "-")
        match.refresh_from_db()
    first, second = Program.objects.filter(seat=seat(match, "B"), turn__lt=2).order_by("turn")
    assert (first.nonce, second.nonce != "") == ("", True)
    task = owed_orders.owed(match.pk)[0]
    hidden = nonces_of(seat(match, "B"), 2)
    assert task.question.seed == dice([*hidden, task.nonce]) != dice([second.nonce, task.nonce])


@pytest.mark.django_db
def test_a_turn_taken_back_is_played_again_with_other_dice() -> None:
    match = sit_with_bot("robble", "random")
    flow.seal(seat(match, "A"), 0, "d4")
    late = owed_orders.owed(match.pk)[0]
    takeback.ask(seat(match, "A"), 1, 0)
    flow.seal(seat(match, "A"), 0, "d4")
    assert owed_orders.owed(match.pk)[0].question.seed != late.question.seed
    assert not owed_orders.give(late, worker.think(late.question))
    assert list(check(finish(match, turns=4)))[-1]["checked"]["B"]


@pytest.mark.integration
@pytest.mark.django_db
def test_a_bots_order_is_the_same_in_a_process_of_its_own() -> None:
    record = finish(sit_with_bot("pigs", "quick"), turns=2)
    for hashes in ("1", "2"):  # the order of a set of names is another one in each process
        done = subprocess.run(
            [sys.executable, "manage.py", "check_bots", "-"],
            input=json.dumps(record),
            capture_output=True,
            text=True,
            check=False,
            cwd=pool.ROOT,
            env={**os.environ, "PYTHONHASHSEED": hashes},
        )
        assert (done.returncode, json.loads(done.stdout)) == (0, {"checked": {"B": len(bots_of(record))}})
