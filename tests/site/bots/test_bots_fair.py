"""Somebody who lets very many bots play waits for them; other tables' bots answer as ever."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from games import newest
from robosite.bots import worker
from robosite.bots.runner import Runner
from robosite.matches import flow
from robosite.matches.models import Match, Seat
from robosite.web.bounds import Bucket
from robosite.web.fair_queue import FairQueue
from tests.site.browsers import Browser, text
from tests.site.conftest import Seconds

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


def test_owners_come_in_turn_and_their_tables_too() -> None:
    fair: FairQueue[str] = FairQueue()
    for at in ("a1", "a1", "a1", "a2", "a2", "b1", "a3", "c1"):
        fair.put(at[0], at[1], at)
    taken = [fair.take() for _ in range(len(fair))]
    assert taken == ["a1", "b1", "c1", "a2", "a3", "a1", "a2", "a1"]
    assert fair.take() is None and len(fair) == 0


def test_who_comes_late_with_one_thing_waits_for_one_of_each_owner() -> None:
    fair: FairQueue[int] = FairQueue()
    for number in range(1000):
        fair.put("noisy", number % 10, number)
    fair.take()
    fair.put("other", 0, -1)
    assert -1 in [fair.take() for _ in range(2)]


# How many bots an address may let play


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
