"""Bots at the table: they sit down, answer, agree, sit again; what happens when they fail or come twice."""

from __future__ import annotations

import asyncio
import pickle
from random import Random
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import transaction

from games import GAMES, newest
from games.core import Seat as Letter
from games.players import IDLE, USUAL
from games.record import replay
from games.roboxing.robot import PLAIN
from robosite.bots import owed_orders, worker
from robosite.bots.pool import Failed
from robosite.bots.runner import Runner
from robosite.matches import flow
from robosite.matches.flow import arbiter
from robosite.matches.history import state_of
from robosite.matches.models import Match, Program, Seat, TakenBack
from robosite.matches.records import record_of
from tests import at_once
from tests.site.browsers import FIRST, OTHER, Browser, seat_at, text

pytestmark = pytest.mark.django_db


def sit_with_bots(slug: str = "pigs", player: str = "random", preset: str = "", seats: int = 2) -> Match:
    game = newest(slug)
    options = game.read_options(game.presets[preset].options if preset else {})
    bots = dict.fromkeys("BCDEFGH"[: seats - 1], player)
    return flow.create(game, options, seats, "Alice", bots=bots)[0]


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


def test_the_host_lets_a_bot_play_and_takes_it_away_again(alice: Browser, bob: Browser) -> None:
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
