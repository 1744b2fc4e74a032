"""Bots at the table: they sit down, answer, agree, fail, come twice; they play fair, with dice too."""

from __future__ import annotations

import asyncio
import json
import os
import pickle
import signal
import subprocess
import sys
from random import Random
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import transaction

from games import GAMES, newest
from games.core import Seat as Letter
from games.fairness import check, dice
from games.players import IDLE, PLAYERS, USUAL, version_of
from games.record import replay
from games.record import seal as seal_of
from games.roboxing.robot import PLAIN
from robosite.bots import owed_orders, pool, worker
from robosite.bots.pool import Failed
from robosite.bots.runner import Runner
from robosite.matches import flow
from robosite.matches.flow import arbiter, takeback
from robosite.matches.flow.orders import nonces_of
from robosite.matches.history import state_of
from robosite.matches.models import Match, Program, Seat, TakenBack
from robosite.matches.records import record_of
from robosite.web.admission import FairQueue
from robosite.web.bounds import Bucket
from tests import at_once
from tests.games.cases import size
from tests.site.browsers import FIRST, OTHER, Browser, seat_at, text
from tests.site.conftest import Seconds


def sit_with_bots(
    slug: str = "pigs", player: str = "random", preset: str = "", seats: int = 2, lane: int = 0
) -> Match:
    game = newest(slug)
    options = game.read_options(game.presets[preset].options if preset else {})
    bots = dict.fromkeys("BCDEFGH"[: seats - 1], player)
    return flow.create(game, options, seats, "Alice", bots=bots, lane=lane)[0]


def orders(match: Match, turn: int) -> dict[str, str]:
    played = Program.objects.filter(seat__match=match, turn=turn)
    return dict(played.values_list("seat__letter", "order"))


def test_a_match_against_a_bot_begins_at_once_and_tells_first_which_bot_has_which_name(
    alice: Browser,
) -> None:
    """Under the goal: the bot was chosen by another name than the one at the table."""
    answer = alice.post("/play/", {"game": "pigs", "name": "Alice"})
    match = Match.objects.get()
    bot = seat_at(match, "A")
    assert answer["Location"] == f"/m/{match.key}/B/"
    assert (match.status, bot.kind, bot.player) == ("playing", "bot", USUAL)
    page = text(alice.get(answer["Location"]))
    assert bot.name in page and "bot: Easy" in page
    told = f"{bot.name} is a bot (easy)."
    assert told in page.split('id="happened"')[0]
    flow.seal(seat_at(match, "B"), 0, FIRST)
    assert told not in text(alice.get(answer["Location"]))


@pytest.mark.parametrize("slug", GAMES)
def test_one_tap_is_enough_for_every_game(alice: Browser, slug: str) -> None:
    answer = alice.post("/play/", {"game": slug, "name": "x" * 99})
    assert answer.status_code == 422 and "too long" in text(answer) and not Match.objects.exists()
    for preset, known in newest(slug).presets.items():
        assert alice.post("/play/", {"game": slug, "preset": preset}).status_code == 302
        match = Match.objects.latest("pk")
        seats = known.usual_seats
        assert (match.status, match.seats.filter(kind="bot").count()) == ("playing", seats - 1)


def test_the_host_lets_a_bot_play_and_takes_it_away_again(alice: Browser) -> None:
    match = alice.make(3)
    host = seat_at(match, "A")
    assert "Add a bot" in text(alice.get(host.get_absolute_url()))
    assert alice.do(host, "bot", seat="B", player="random").status_code == 302
    at_once.answer_all()
    name = seat_at(match, "B").name
    assert f"Remove {name}" in text(alice.get(host.get_absolute_url()))
    alice.do(host, "bot", seat="B")
    assert (seat_at(match, "B").kind, seat_at(match, "B").taken) == ("human", False)
    assert not Program.objects.filter(seat__match=match, seat__letter="B").exists()
    alice.do(host, "bot", seat="B", player="quick")
    alice.do(host, "bot", seat="C", player="random")
    match.refresh_from_db()
    assert match.status == "playing"
    assert alice.do(host, "bot", seat="B").status_code == 409


def test_only_the_host_seats_bots_and_only_on_free_seats(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    match = alice.make(4)
    invite = alice.own_links(seat_at(match, "A"))["invite"]
    bob.join(invite)
    assert bob.do(seat_at(match, "B"), "bot", seat="C", player="random").status_code == 409
    assert "Add a bot" not in text(bob.get(seat_at(match, "B").get_absolute_url()))
    for given in ({"seat": "B", "player": "random"}, {"seat": "H", "player": "random"}, {"seat": "C"}):
        assert alice.do(seat_at(match, "A"), "bot", **given).status_code == 409
    assert alice.do(seat_at(match, "A"), "bot", seat="C", player="clever").status_code == 409
    assert not Seat.objects.filter(kind="bot").exists()
    alice.do(seat_at(match, "A"), "bot", seat="C", player="random")
    own = seat_at(match, "C")
    charlie.name = own.name.upper()
    assert charlie.accept(invite).status_code == 422, "nobody gets its name"
    assert own.link_hash == "" and not own.holds.exists()
    assert alice.seal(own, FIRST).status_code == 403
    assert bob.get("/s/seat//").status_code == 404


def test_a_bot_never_becomes_the_host_and_plays_no_match_alone(alice: Browser, bob: Browser) -> None:
    match = alice.make(4)
    alice.do(seat_at(match, "A"), "bot", seat="B", player="random")
    seat = bob.join(alice.own_links(seat_at(match, "A"))["invite"])
    alice.do(seat_at(match, "A"), "leave")
    assert seat_at(match, "C").host and not seat_at(match, "B").host
    bob.do(seat, "leave")
    match.refresh_from_db()
    assert match.status == "aborted"


def test_a_bot_seals_once_and_waits_for_the_others() -> None:
    match = sit_with_bots()
    again = owed_orders.owed(match.pk)[0]
    assert at_once.answer_all() == 1
    bots = Program.objects.get(seat__letter="B")
    assert at_once.answer_all() == 0
    other = FIRST if bots.order != FIRST else OTHER
    assert not owed_orders.give(again, other), "two answers for one turn have one effect"
    match.refresh_from_db()
    assert (Program.objects.get(seat__letter="B").seal, match.version) == (bots.seal, 2)
    flow.seal(seat_at(match, "A"), 0, FIRST)
    assert not owed_orders.give(again, other)
    match.refresh_from_db()
    assert match.turn == 1 and orders(match, 0)["A"] == FIRST
    assert Program.objects.get(seat__letter="B", turn=0).seal == bots.seal


def test_a_bot_is_asked_with_its_view_alone() -> None:
    match = sit_with_bots("roboxing")
    hidden = "(a)b(c)/d[e]f/(g)h(i)"
    flow.seal(seat_at(match, "A"), 0, hidden)
    task = owed_orders.owed(match.pk)[0]
    owed_orders.give(task, worker.think(task.question))
    match.refresh_from_db()
    assert match.turn == 1
    task = owed_orders.owed(match.pk)[0]
    packed = task.question.packed()
    assert hidden.encode() not in packed and hidden.encode() in pickle.dumps(state_of(match))
    assert task.question.view == state_of(match).view(task.seat.at)


def test_a_bot_agrees_to_a_draw_when_it_is_not_ahead_and_plays_on_when_it_is() -> None:
    match = sit_with_bots(player="quick")
    flow.offer_draw(seat_at(match, "A"), offer=True)
    at_once.answer_all()
    match.refresh_from_db()
    assert match.outcome_json == {"scores": {"A": 0.5, "B": 0.5}, "reason": "agreed"}
    match = sit_with_bots(player="quick")
    flow.seal(seat_at(match, "A"), 0, OTHER)
    flow.seal_for_bot(seat_at(match, "B"), 0, "\\ F F F F")
    match.refresh_from_db()
    assert match.turn == 1 and "A=d8E4" in state_of(match).position()
    flow.offer_draw(seat_at(match, "A"), offer=True)
    at_once.answer_all()
    match.refresh_from_db()
    assert match.status == "playing"
    bot = seat_at(match, "B")
    assert flow.has_declined(bot, match, [seat_at(match, "A")], flow.Ending.DRAW)
    assert {task.question.what for task in owed_orders.owed(match.pk)} <= {worker.ORDER}


def test_a_bot_offers_a_draw_when_nothing_has_come_of_it_for_long() -> None:
    match = sit_with_bots("roboxing", player="quick")
    for turn in range(IDLE + 1):
        asked = {task.question.what for task in owed_orders.owed(match.pk)}
        assert asked == {worker.ORDER}, turn
        order = "-" if turn else PLAIN
        flow.seal(seat_at(match, "A"), turn, order)
        flow.seal_for_bot(seat_at(match, "B"), turn, order)
    at_once.answer_all()
    match.refresh_from_db()
    assert match.status == "playing" and flow.standing_draw(seat_at(match, "B"), match)
    flow.offer_draw(seat_at(match, "A"), offer=True)
    match.refresh_from_db()
    assert match.outcome_json["reason"] == "agreed"


def test_a_bot_waits_until_all_people_want_the_draw(alice: Browser, bob: Browser) -> None:
    match = alice.make(3)
    bob.join(alice.own_links(seat_at(match, "A"))["invite"])
    alice.do(seat_at(match, "A"), "bot", seat="C", player="random")
    flow.offer_draw(seat_at(match, "A"), offer=True)
    at_once.answer_all()
    match.refresh_from_db()
    assert match.status == "playing" and seat_at(match, "C").draw_turn is None
    flow.offer_draw(seat_at(match, "B"), offer=True)
    at_once.answer_all()
    match.refresh_from_db()
    assert match.outcome_json["reason"] == "agreed"


def test_bots_among_themselves_come_to_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(owed_orders, "ALONE", 5)
    match = sit_with_bots(preset="bash", seats=4)
    flow.resign(seat_at(match, "A"))
    at_once.answer_all()
    match.refresh_from_db()
    assert match.status == "over" and match.turn <= 7


def test_bots_of_a_league_play_their_match_to_its_end() -> None:
    """Robble on 7 by 7 takes 49 stones; after 30 turns the one that was ahead used to agree on a draw."""
    robble = newest("robble")
    options = robble.read_options({"size": 7})
    bots = [arbiter.Entrant(name, Seat.Kind.BOT, [], "random") for name in ("Cog", "Bolt")]
    with transaction.atomic():
        match = arbiter.begin_together(robble, options, bots)
    at_once.answer_all()
    match.refresh_from_db()
    assert match.status == "over" and match.turn > 40 and match.outcome_json["reason"] != "agreed"


def test_a_bot_sits_again_in_the_rematch(alice: Browser) -> None:
    alice.post("/play/", {"game": "pigs", "name": "Alice"})
    match = Match.objects.get()
    flow.resign(seat_at(match, "B"))
    answer = alice.do(seat_at(match, "B"), "rematch")
    after = Match.objects.get(rematch_of=match)
    assert answer["Location"] == f"/m/{after.key}/A/"
    assert after.status == "playing"
    assert (seat_at(after, "B").player, seat_at(after, "B").name) == (USUAL, seat_at(match, "A").name)
    assert at_once.answer_all() == 1


@pytest.mark.parametrize("late", ["claim", "fill", "forfeit"])
def test_a_bot_is_never_late(late: str, time: Any) -> None:
    match = sit_with_bots()
    Match.objects.update(deadline_hours=1, late=late)
    flow.seal(seat_at(match, "A"), 0, OTHER)
    flow.seal_for_bot(seat_at(match, "B"), 0, OTHER)  # sets the deadline of the second turn
    flow.seal(seat_at(match, "A"), 1, OTHER)
    time.pass_(hours=2)
    match.refresh_from_db()
    flow.apply_due(match)
    assert match.turn == 2 and match.status == "playing"


@pytest.mark.parametrize("answered", [False, True])
def test_against_a_bot_a_turn_goes_back_at_once_with_its_answer(alice: Browser, answered: bool) -> None:
    alice.post("/play/", {"game": "robble", "name": "Alice"})
    match = Match.objects.get()
    flow.seal(seat_at(match, "A"), 0, "d4")
    at_once.answer_all()
    flow.seal(seat_at(match, "A"), 2, "a1" if "a1" not in orders(match, 1).values() else "g7")
    if answered:
        at_once.answer_all()
    match.refresh_from_db()
    turn = match.turn
    assert turn == (4 if answered else 3)
    shown = text(alice.get(f"/m/{match.key}/A/"))
    assert "Against a bot you can take back your last turn" in shown
    for _ in range(2):  # pressed twice: one turn goes back, and its answer
        alice.do(seat_at(match, "A"), "take-back", do="ask", turn=turn, taken_back=0)
    match.refresh_from_db()
    assert (match.turn, match.taken_back) == (2, turn - 2)
    assert state_of(match).to_act() == {"A"}
    assert TakenBack.objects.count() == turn - 2
    assert at_once.answer_all() == 0
    flow.seal(seat_at(match, "A"), 2, "b7" if "b7" not in orders(match, 1).values() else "c7")
    assert at_once.answer_all() == 1
    assert replay(record_of(match)).fault is None


class Thinks:
    """In place of the processes: thinks here, or fails as it is told."""

    def __init__(self, *faults: Any) -> None:
        self.faults = list(faults)
        self.asked = 0

    async def ask(self, question: worker.Question) -> Any:
        self.asked += 1
        fault = self.faults.pop(0) if self.faults else None
        if isinstance(fault, Exception):
            raise fault
        return worker.think(question) if fault is None else fault

    def close(self) -> None:
        pass


async def look(*runners: Runner) -> None:
    """One look of all, and until all is thought over."""
    await asyncio.gather(*(runner.look(everything=True) for runner in runners))
    while tasks := [task for runner in runners for task in runner.asked.values()]:
        await asyncio.gather(*tasks)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "faults", [[Failed("it died")], [Failed("it died")] * 2, ["F F"], [None, 5], ["resign", "draw"]]
)
async def test_a_bot_that_fails_is_asked_again_and_then_plays_some_legal_order(faults: list[Any]) -> None:
    match = await sync_to_async(sit_with_bots)()
    pool = Thinks(*faults)
    await look(Runner(pool))  # type: ignore[arg-type]
    program = await Program.objects.aget(seat__letter="B", turn=0)
    assert program.sealed
    assert pool.asked <= 2
    await sync_to_async(flow.seal)(await sync_to_async(seat_at)(match, "A"), 0, FIRST)
    await match.arefresh_from_db()
    assert match.turn == 1


@pytest.mark.django_db(transaction=True)
async def test_two_runners_at_once_do_no_harm() -> None:
    match = await sync_to_async(sit_with_bots)(preset="bash", seats=4)
    runners = [Runner(Thinks()) for _ in range(2)]  # type: ignore[arg-type]
    for turn in range(3):
        await look(*runners)
        sealed = Program.objects.filter(seat__match=match, turn=turn).exclude(seal="")
        assert await sealed.acount() == 3
        await match.arefresh_from_db()
        version = match.version
        await look(*runners)
        await match.arefresh_from_db()
        assert match.version == version
        state = await sync_to_async(state_of)(match)
        if not state.to_act():
            break
        order = state.sample(Letter("A"), Random(turn))
        await sync_to_async(flow.seal)(await sync_to_async(seat_at)(match, "A"), turn, order)


@pytest.mark.django_db(transaction=True)
async def test_what_is_owed_is_looked_at_once_a_version() -> None:
    await sync_to_async(sit_with_bots)()
    pool = Thinks()
    runner = Runner(pool)  # type: ignore[arg-type]
    for _ in range(4):
        await look(runner)
    assert pool.asked == 1


@pytest.mark.django_db(transaction=True)
async def test_an_answer_that_cannot_be_kept_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    await sync_to_async(sit_with_bots)()
    give, failures = owed_orders.give, [OSError("locked")]

    def sometimes(task: Any, answer: Any) -> bool:
        if failures:
            raise failures.pop()
        return give(task, answer)

    monkeypatch.setattr(owed_orders, "give", sometimes)
    monkeypatch.setattr("robosite.bots.runner.log.exception", lambda *args: None)
    runner = Runner(Thinks())  # type: ignore[arg-type]
    await look(runner)
    assert not await Program.objects.filter(seat__letter="B").aexists()
    await look(runner)
    assert await Program.objects.filter(seat__letter="B").aexists()


NOISY, QUIET, THIRD = 7, 9, 11


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
    many: Any = {"preset": "bash", "seats": 8, "lane": NOISY}
    noisy = [await sync_to_async(sit_with_bots)(**many) for _ in range(12)]
    pool = Slow()
    runner = Runner(pool, 1)  # type: ignore[arg-type]
    await runner.look(everything=True)
    while pool.asked == 0:
        await asyncio.sleep(0.01)
    others = [await sync_to_async(sit_with_bots)(lane=lane) for lane in (QUIET, THIRD)]
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
    client: Any, settings: Any, seconds: Seconds
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
    for hashes in size(("1",), ("1", "2")):  # the order of a set of names is another one in each process
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
