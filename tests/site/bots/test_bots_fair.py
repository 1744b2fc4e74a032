"""Bots play fair, with dice too."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from random import Random
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from games import GAMES, newest
from games.core import Seat as Letter
from games.fairness import check, dice
from games.players import PLAYERS, version_of
from games.record import replay
from games.record import seal as seal_of
from games.roboxing.robot import PLAIN
from robosite.bots import owed_orders, pool, worker
from robosite.bots.runner import Runner
from robosite.matches import flow
from robosite.matches.flow import takeback
from robosite.matches.flow.orders import nonces_of
from robosite.matches.history import state_of
from robosite.matches.models import Match, Program, Seat
from robosite.matches.records import record_of
from robosite.web.admission import FairQueue
from robosite.web.bounds import Bucket
from tests import at_once
from tests.site.bots.test_bots import sit_with_bots
from tests.site.browsers import Browser, seat_at, text
from tests.site.conftest import Seconds

pytestmark = pytest.mark.django_db

NOISY, OTHER, THIRD = 7, 9, 11


def with_bots(lane: int, bots: int = 1) -> Match:
    game = newest("pigs")
    seats = dict.fromkeys("BCDEFGH"[:bots], "random")
    options = game.read_options(game.presets["bash"].options if bots > 1 else {})
    return flow.create(game, options, bots + 1, "Alice", bots=seats, lane=lane)[0]


class Slow:
    """In place of the processes: thinks when it is told to, and remembers which match it was asked about."""

    def __init__(self) -> None:
        self.asked = 0
        self.go = asyncio.Semaphore(0)

    async def ask(self, question: worker.Question) -> Any:
        self.asked += 1
        await self.go.acquire()
        return worker.think(question)

    def close(self) -> None: ...


def sealed(match: Match) -> int:
    return Seat.objects.filter(match=match, kind="bot", programs__sealed_at__isnull=False).count()


async def answers_until(runner: Runner, pool: Slow, match: Match) -> int:
    """The number of answers that bots give until those of this match have given theirs."""
    for number in range(1, 200):
        for _ in range(1000):  # until a question waits for its answer
            if pool.asked >= number:
                break
            await asyncio.sleep(0.01)
        pool.go.release()
        for _ in range(1000):
            if pool.asked > number or not runner.asked:
                break
            await asyncio.sleep(0.01)
        if await sync_to_async(sealed)(match):
            return number
    raise AssertionError("it never answered")


@pytest.mark.django_db(transaction=True)
async def test_a_lane_full_of_bots_does_not_make_others_wait() -> None:
    """Twelve tables of seven bots came before; the other's bot is at most the fourth to answer."""
    noisy = [await sync_to_async(with_bots)(NOISY, 7) for _ in range(12)]
    pool = Slow()
    runner = Runner(pool, 1)  # type: ignore[arg-type]
    await runner.look(everything=True)
    while pool.asked == 0:
        await asyncio.sleep(0.01)
    others = [await sync_to_async(with_bots)(lane) for lane in (OTHER, THIRD)]
    await runner.look(everything=False)
    assert await answers_until(runner, pool, others[0]) <= 4
    assert sum([await sync_to_async(sealed)(match) for match in noisy]) <= 4
    for task in runner.asked.values():
        task.cancel()


def test_owners_come_in_turn_and_their_tables_too_and_latecomers_wait_for_one_of_each() -> None:
    fair: FairQueue[str] = FairQueue()
    for at in ("a1", "a1", "a1", "a2", "a2", "b1", "a3", "c1"):
        fair.put(at[0], at[1], at)
    taken = [fair.take() for _ in range(len(fair))]
    assert taken == ["a1", "b1", "c1", "a2", "a3", "a1", "a2", "a1"]
    assert fair.take() is None and len(fair) == 0
    for number in range(1000):
        fair.put("noisy", str(number % 10), "much")
    fair.take()
    fair.put("other", "0", "late")
    assert "late" in [fair.take() for _ in range(2)]


def test_seats_of_bots_are_counted_by_address_on_pages(
    alice: Browser, settings: Any, seconds: Seconds
) -> None:
    settings.LIMITS, settings.BUCKETS = "on", {**settings.BUCKETS, "bots": Bucket(3, 1)}
    for _ in range(3):
        assert alice.post("/play/", {"game": "pigs", "name": "Alice"}).status_code == 302
    refused = alice.post("/play/", {"game": "pigs", "name": "Alice"})
    assert refused.status_code == 429 and "Please wait" in text(refused)
    assert int(refused["Retry-After"]) in range(1, 361)
    match = alice.make(3)  # with people he may play
    host = match.seats.get(letter="A")
    assert alice.do(host, "bot", seat="B", player="random").status_code == 429
    assert not match.seats.filter(kind="bot").exists() and Match.objects.count() == 4


def test_a_rematch_counts_its_bots(alice: Browser, settings: Any, seconds: Seconds) -> None:
    alice.post("/play/", {"game": "pigs", "name": "Alice"})
    host = Seat.objects.select_related("match").get(letter="B")
    flow.resign(host)
    settings.LIMITS, settings.BUCKETS = "on", {**settings.BUCKETS, "bots": Bucket(1, 0.1)}
    assert alice.do(host, "rematch").status_code == 302
    after = Match.objects.latest("pk")
    assert after.rematch_of == host.match and after.lane == host.match.lane != 0
    flow.resign(after.seats.get(letter="A"))
    assert alice.do(after.seats.get(letter="A"), "rematch").status_code == 429


def test_seats_of_bots_are_counted_by_address_in_the_api(
    client: Any, db: Any, settings: Any, seconds: Seconds
) -> None:
    settings.LIMITS, settings.BUCKETS = "on", {**settings.BUCKETS, "bots": Bucket(3, 1)}

    def make(bots: str) -> Any:
        body = {"game": "pigs", "preset": "bash", "name": "Alice", "seats": 4}
        given = json.dumps({**body, "bots": dict.fromkeys(bots, "random")})
        return client.post("/api/v1/matches", given, content_type="application/json")

    assert make("BCD").status_code == 201
    refused = make("B")
    assert refused.status_code == 429 and "from your address" in refused.json()["detail"]
    assert make("").status_code == 201 and Match.objects.count() == 2
    assert len(set(Match.objects.values_list("lane", flat=True))) == 1


def finish(match: Match, turns: int) -> dict[str, Any]:
    """The record of a match in which A plays by chance and resigns after so many turns."""
    rng = Random(3)
    while match.status == "playing":
        at_once.answer_all()
        match.refresh_from_db()
        state = state_of(match)
        if match.turn >= turns and match.status == "playing":
            flow.resign(seat_at(match, "A"))
        elif "A" in state.to_act():
            flow.seal(seat_at(match, "A"), match.turn, state.view(Letter("A")).sample(Letter("A"), rng))
        match.refresh_from_db()
    return record_of(match)


def bots_of(record: dict[str, Any]) -> list[tuple[int, str]]:
    return [(n, at) for n, turn in enumerate(record["seals"]) for at in turn if turn[at].get("by") in PLAYERS]


@pytest.mark.parametrize(
    ("slug", "player"),
    [
        pytest.param(slug, player, marks=[] if player == "quick" or slug == "robble" else pytest.mark.more)
        for slug in GAMES
        for player in PLAYERS
    ],
)
def test_anybody_can_check_that_a_bot_played_what_it_plays(slug: str, player: str) -> None:
    record = finish(sit_with_bots(slug, player), turns=10 if player == "quick" else 4)
    assert record["turns"] and replay(record).fault is None
    *others, told = check(record)
    assert not others and told == {"checked": {"B": len(bots_of(record))}} and told["checked"]["B"]


def test_orders_of_another_version_of_a_bot_are_counted_and_not_judged() -> None:
    record = finish(sit_with_bots("robosoccer", "quick"), turns=6)
    number, at = bots_of(record)[-1]
    told = record["seals"][number][at]
    assert told["version"] == version_of("quick", "robosoccer")
    told["version"] += 1
    assert list(check(record)) == [{"checked": {"B": len(bots_of(record)) - 1}, "other_versions": {"B": 1}}]
    for seals in record["seals"]:
        for one in seals.values():
            one.pop("version", None)
    assert list(check(record)) == [{"checked": {"B": len(bots_of(record))}}]


def test_an_order_that_its_bot_does_not_play_is_found_even_with_a_seal_that_opens() -> None:
    record = finish(sit_with_bots("robble", "thorough"), turns=5)
    number, at = bots_of(record)[-1]
    taken = {order for turn in record["turns"] for order in turn.values()}
    other = next(square for square in ("a1", "g7", "a7") if square not in taken)
    record["turns"][number][at] = other
    told = record["seals"][number][at]
    assert next(check(record))["error"]["message"] == "The seal does not open to this order."
    told["seal"] = seal_of(record["match"], number, at, nonce=told["nonce"], order=other)
    found, end = check(record)
    assert (found["turn"], found["seat"], found["order"]) == (number, at, other) and end["checked"]


def test_a_bots_dice_need_the_nonce_of_its_hidden_robot_so_nobody_throws_them_before_the_end() -> None:
    match = sit_with_bots("roboxing", "quick")
    for turn in range(2):
        at_once.answer_all()
        flow.seal(seat_at(match, "A"), turn, PLAIN if not turn else "-")
        match.refresh_from_db()
    first, second = Program.objects.filter(seat=seat_at(match, "B"), turn__lt=2).order_by("turn")
    assert (first.nonce, second.nonce != "") == ("", True)
    task = owed_orders.owed(match.pk)[0]
    hidden = nonces_of(seat_at(match, "B"), 2)
    assert task.question.seed == dice([*hidden, task.nonce]) != dice([second.nonce, task.nonce])


def test_a_turn_taken_back_is_played_again_with_other_dice() -> None:
    match = sit_with_bots("robble", "random")
    flow.seal(seat_at(match, "A"), 0, "d4")
    late = owed_orders.owed(match.pk)[0]
    takeback.ask(seat_at(match, "A"), 1, 0)
    flow.seal(seat_at(match, "A"), 0, "d4")
    assert owed_orders.owed(match.pk)[0].question.seed != late.question.seed
    assert not owed_orders.give(late, worker.think(late.question))
    assert list(check(finish(match, turns=4)))[-1]["checked"]["B"]


@pytest.mark.integration
def test_a_bots_order_is_the_same_in_a_process_of_its_own() -> None:
    record = finish(sit_with_bots("pigs", "quick"), turns=2)
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


HANGS, WAITS = "all(True for _ in iter(int, 1))", "time.sleep(2)"
PROCESS = """
import time
from robosite.bots import worker
worker.PROCESSOR_SECONDS = 0.5
worker.think = lambda question: {thinks}
worker.main()
"""


@pytest.mark.integration
@pytest.mark.parametrize(
    ("thinks", "ends"), [(HANGS, (-signal.SIGPROF, b"")), (WAITS, (0, b'{"answer": null}\n'))]
)
def test_a_bot_is_ended_by_the_processor_time_that_it_takes_and_not_by_the_clock(
    thinks: str, ends: tuple[int, bytes]
) -> None:
    """By the clock, hard bots of an overloaded machine were ended twice, and then played at random."""
    view = newest("pigs").state.start(newest("pigs").read_options({}), 2, {})
    done = subprocess.run(
        [sys.executable, "-c", PROCESS.format(thinks=thinks)],
        input=worker.Question(worker.ORDER, "quick", Letter("A"), view, 1).packed(),
        capture_output=True,
        check=False,
        cwd=pool.ROOT,
    )
    assert (done.returncode, done.stdout) == ends
