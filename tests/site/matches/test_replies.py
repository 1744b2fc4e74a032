"""Conditional replies: kept unseen, played when they fit, dropped with a word when they do not."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from games import record
from games.core import State, play_turn
from robosite.matches import flow, key_check, locks, personal_data
from robosite.matches.flow import Refused, lost_seats, replies, replying, takeback
from robosite.matches.flow.replies import IllegalReply
from robosite.matches.history import state_of, turns_of
from robosite.matches.models import Hold, Match, Program, Replies, Seat
from robosite.matches.records import record_of
from robosite.matches.time import timekeeping
from robosite.ops.verification import Found, faults
from robosite.people.models import Guest
from tests.games.cases import size
from tests.site.browsers import FIRST, Browser, Table, sit_down
from tests.site.conftest import Time
from tests.site.matches.test_takeback import play

LINES = [["d5", "e4"], ["c4", "d5"], ["c4", "d5", "e6", "f3"]]


@pytest.fixture
def stones(robble: Table) -> Table:
    """A match of Robble: Alice has placed on d4, so Bob is to move, and Alice may plan replies."""
    play(robble, "d4")
    return robble


def put(table: Table, letter: str, lines: Sequence[Sequence[str]], **more: Any) -> None:
    match = table.match
    replies.put(table.seat(letter), match.turn, lines, **more)


def after(state: State, order: str) -> State:
    """The position after the order of the only seat that acts."""
    (seat,) = state.to_act()
    *_, then = play_turn(state, {seat: order})
    return then


def planned(table: Table, letter: str) -> Any:
    return replying.planned_by(table.match, table.seat(letter))


def lines_of(table: Table, letter: str) -> list[list[str]]:
    found = planned(table, letter)
    return [list(line) for line in found.lines] if found else []


def dropped(table: Table, letter: str) -> str:
    return replying.why_dropped(table.match, table.seat(letter))


def orders(table: Table) -> list[str]:
    return [order for turn in turns_of(table.match) for order in turn.values()]


def by(table: Table) -> list[str]:
    return [one.by for one in Program.objects.filter(seat__match=table.match).order_by("turn")]


def test_a_reply_that_fits_is_played_with_the_order_that_it_answers(stones: Table) -> None:
    put(stones, "A", LINES)
    before = stones.match
    play(stones, "c4")
    assert orders(stones) == ["d4", "c4", "d5"]
    assert stones.match.turn == 3 and flow.owing(stones.match) == ["B"]
    assert stones.match.version > before.version
    assert lines_of(stones, "A") == [["e6", "f3"]]
    told = record_of(stones.match)
    assert told["seals"][2]["A"].keys() == {"seal", "nonce", "by"} and told["seals"][2]["A"]["by"] == "reply"
    assert "by" not in told["seals"][1]["B"] and '"e6"' not in json.dumps(told)
    assert record.replay(told).fault is None
    play(stones, "e6")
    assert orders(stones) == ["d4", "c4", "d5", "e6", "f3"]
    assert by(stones) == ["", "", "reply", "", "reply"]
    assert not Replies.objects.exists() and not dropped(stones, "A")


def test_replies_that_do_not_fit_are_dropped_with_a_word_until_the_next_order(stones: Table) -> None:
    put(stones, "A", LINES)
    play(stones, "a1")
    assert orders(stones) == ["d4", "a1"] and flow.owing(stones.match) == ["A"]
    assert planned(stones, "A") is None and dropped(stones, "A") == "other"
    assert Replies.objects.get().secret is None
    play(stones, "g7")
    assert not dropped(stones, "A") and not Replies.objects.exists()


def test_replies_after_a_planned_order_are_dropped_when_another_one_is_played(stones: Table) -> None:
    with pytest.raises(Refused, match="plan it first"):
        put(stones, "B", [["d5", "e6"]])
    flow.draft(stones.b, 1, "d4")  # a stone is there already
    with pytest.raises(Refused):
        put(stones, "B", [["d5", "e6"]])
    flow.draft(stones.b, 1, "c4")
    put(stones, "B", [["d5", "e6"]])
    assert planned(stones, "B") == replying.Planned((("d5", "e6"),), "c4")
    play(stones, "a1")
    assert dropped(stones, "B") == "own"
    play(stones, "d5")
    assert orders(stones) == ["d4", "a1", "d5"]


def test_new_lines_replace_the_old_ones_and_none_drops_them(stones: Table, settings: Any) -> None:
    put(stones, "A", LINES)
    put(stones, "A", [["a1", "b2"]])
    assert lines_of(stones, "A") == [["a1", "b2"]]
    put(stones, "A", [])
    assert not Replies.objects.exists()
    put(stones, "A", LINES)
    locked = bytes(Replies.objects.get().secret or b"")
    assert b'"c4"' not in locked and len(locked) > 1_000
    new = "another key altogether, as long as it must be"
    settings.SEAL_KEYS = [new, *settings.SEAL_KEYS]
    call_command("rotate_keys", stdout=StringIO())
    settings.SEAL_KEYS = [new]
    assert lines_of(stones, "A") == LINES
    replies.drop(stones.a)
    replies.drop(stones.a)
    assert not Replies.objects.exists()
    play(stones, "c4")
    assert orders(stones) == ["d4", "c4"]


@pytest.mark.parametrize(
    ("lines", "where", "says"),
    [
        ([["c4", "d5"], ["c4", "d6"]], (1, 1), "answer the same turns differently"),
        ([["c4", "d5", "e6", "f3"], [" C4", "d5", "e6", "f2"]], (1, 3), "answer the same turns differently"),
        ([["d4", "d5"]], (0, 0), "a stone on d4"),
        ([["c4", "c4"]], (0, 1), "a stone on c4"),
        ([["c4", "z9"]], (0, 1), ""),
        ([["c4", "d5"], ["c4", "resign"]], (1, 1), "isn’t an order"),
        ([["c4"]], (0, None), "followed by one of yours"),
        ([[]], (0, None), "followed by one of yours"),
        ([["c4", "d5"], ["c4", "d5", "e6"]], (1, None), "followed by one of yours"),
        ([["a1", "a2", "a3", "a4", "a5", "a6", "a7", "b1", "b2", "b3"]], (0, None), "at most 8 turns"),
        ([[f"{c}{r}", "g7"] for c in "abc" for r in range(1, 7)][:17], (None, None), "At most 16 lines"),
    ],
)
def test_lines_that_cannot_be_are_refused_whole(
    stones: Table, lines: list[list[str]], where: Any, says: str
) -> None:
    put(stones, "A", [["g1", "g2"]])
    with pytest.raises(IllegalReply) as fault:
        put(stones, "A", lines)
    assert (fault.value.line, fault.value.number) == where and says in str(fault.value)
    assert lines_of(stones, "A") == [["g1", "g2"]]


def test_sixteen_lines_of_eight_orders_fit_and_are_as_long_as_one(stones: Table) -> None:
    lines = []
    for first in (state_of(stones.match).legal(stones.b.at, 1_000) or [])[:16]:
        state, line = after(state_of(stones.match), first), [first]
        while len(line) < 8:
            (seat,) = state.to_act()
            line.append((state.legal(seat, 1_000) or [""])[-1])
            state = after(state, line[-1])
        lines.append(line)
    sizes = set()
    for some in (lines, lines[:1], [["a1", "b1"]]):
        put(stones, "A", some)
        assert lines_of(stones, "A") == some
        sizes.add(len(bytes(Replies.objects.get().secret or b"")))
    assert len(sizes) == 1


def test_a_line_may_not_go_on_after_the_end(stones: Table) -> None:
    rng, last = random.Random(1), ""
    on_the_way: list[str] = []
    while not last:  # until Bob could end it by one order
        state, on_the_way = state_of(stones.match), []
        while not last:
            (seat,) = state.to_act()
            legal = state.legal(seat, 1_000) or []
            ending = [one for one in legal if after(state, one).outcome()]
            last = ending[0] if seat == "B" and ending else ""
            going_on = [one for one in legal if one not in ending]
            if last or not going_on:
                break
            on_the_way.append(rng.choice(going_on))
            state = after(state, on_the_way[-1])
    play(stones, *on_the_way)
    with pytest.raises(IllegalReply, match="over before"):
        put(stones, "A", [[last, "g7"]])


def test_only_the_present_turn_can_be_replied_to_where_one_acts_after_the_other(
    stones: Table, table: Table
) -> None:
    for turn in (-1, 0, 2, 5):
        with pytest.raises(Refused):
            replies.put(stones.a, turn, LINES)
    with pytest.raises(IllegalReply, match="players take turns"):
        replies.put(table.a, 0, [[FIRST, FIRST]])
    flow.resign(stones.a)
    with pytest.raises(Refused, match="over"):
        put(stones, "B", [["d4", "d5"]])


def test_a_take_back_drops_the_replies_of_both_and_refuses_those_written_before(stones: Table) -> None:
    put(stones, "A", [["c4", "d5", "e6", "f3"]])
    play(stones, "c4")
    takeback.ask(stones.a, 3, 0)  # Alice moved last, by her reply
    takeback.answer_takeback(stones.b, 3, 0, accept=True)
    assert stones.match.turn == 2 and flow.owing(stones.match) == ["A"]
    assert planned(stones, "A") is None and dropped(stones, "A") == "back"
    play(stones, "a1")
    with pytest.raises(flow.TurnTakenBack):
        put(stones, "A", [["e6", "f3"]], taken_back=0)
    put(stones, "A", [["b2", "f3"]], taken_back=1)
    play(stones, "e6")
    assert orders(stones) == ["d4", "c4", "a1", "e6"]


@pytest.mark.parametrize("by_whom", ["deadline", "random"])
def test_an_order_that_the_deadline_or_a_bot_gave_is_answered_too(stones: Table, by_whom: str) -> None:
    put(stones, "A", LINES)
    if by_whom == "deadline":
        flow.draft(stones.b, 1, "c4")
        late = timezone.now() - timedelta(hours=1)
        Match.objects.update(deadline_hours=24, late="fill", due=late, deadline=late)
        flow.apply_due(stones.match)
    else:
        Seat.objects.filter(letter="B").update(kind="bot", player="random")
        assert flow.seal_for_bot(stones.seat("B"), 1, "c4", by="random")
    assert orders(stones) == ["d4", "c4", "d5"] and by(stones) == ["", by_whom, "reply"]


def test_a_reply_meets_the_deadline_and_costs_no_reserve(stones: Table, time: Time) -> None:
    Match.objects.update(deadline_hours=24, reserve_hours=48)
    Seat.objects.filter(letter="A").update(missed=1)
    put(stones, "A", LINES)
    time.pass_(hours=30)
    play(stones, "c4")
    match = stones.match
    assert stones.seat("A").missed == 0 and flow.owing(match) == ["B"]
    left = timekeeping.reserves_left(match, [stones.a.at, stones.b.at])
    assert left[stones.a.at] == timedelta(hours=48) and left[stones.b.at] <= timedelta(hours=48)
    assert timekeeping.deadlines_of(match, [stones.b.at])[stones.b.at] >= timezone.now() + timedelta(hours=24)


def test_what_was_kept_before_a_take_back_is_not_read_for_another_position(stones: Table) -> None:
    """An older release, which knows of no replies, may have taken the turn back."""
    put(stones, "A", LINES)
    Match.objects.update(taken_back=1)
    assert planned(stones, "A") is None
    play(stones, "c4")
    assert orders(stones) == ["d4", "c4"] and dropped(stones, "A") == "lost"


ENDS: dict[str, Callable[[Table], object]] = {
    "resigned": lambda table: flow.resign(table.a),
    "won": lambda table: flow.resign(table.b),
    "closed": lambda table: flow.close(table.match),
    "forgotten": lambda table: flow.forget(table.a, table.a.holds.get().guest),
}


@pytest.mark.parametrize("how", ENDS)
def test_an_end_erases_all_replies(stones: Table, how: str) -> None:
    put(stones, "A", LINES)
    ENDS[how](stones)
    assert not Replies.objects.exists()


def test_a_seat_that_passes_on_keeps_nothing_of_its_former_player(stones: Table) -> None:
    put(stones, "A", LINES)
    with locks.locked(stones.match.pk) as match:
        seat = match.seats.get(letter="A")
        lost_seats.pass_seat(match, seat, Guest.objects.create(name="Eve"), timezone.now())
    assert not Replies.objects.exists()


def test_an_export_has_ones_own_replies_and_not_where_a_device_is_shared(stones: Table) -> None:
    put(stones, "A", LINES)
    (alice,), (bob,) = ([hold.guest for hold in seat.holds.all()] for seat in (stones.a, stones.b))
    assert personal_data.export(alice)[0]["replies"]["lines"] == tuple(map(tuple, LINES))
    assert "replies" not in personal_data.export(bob)[0]
    Hold.objects.create(seat=stones.b, guest=alice, sitting=stones.b.sitting)
    assert not any("replies" in one for one in personal_data.export(alice))


def test_a_lost_key_drops_them_with_a_word_and_holds_nobody_up(stones: Table, settings: Any) -> None:
    put(stones, "A", LINES)
    settings.SEAL_KEYS = ["another key altogether, as long as it must be"]
    key_check.give_up_missing()  # it is lost for good
    assert planned(stones, "A") is None
    play(stones, "c4")
    assert orders(stones) == ["d4", "c4"] and dropped(stones, "A") == "lost"


def test_verify_reads_them(stones: Table) -> None:
    put(stones, "A", LINES)
    assert list(faults(Found())) == []
    with_another = replying.Planned((("c4", "c4"),))
    with locks.locked(stones.match.pk) as match:
        replying.keep(match, match.seats.get(letter="A"), with_another)
    (fault,) = faults(Found())
    assert "replies" in fault


class Naive:
    """A model of replies without a site: the lines of both seats, and the orders that they bring about."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.lines: dict[str, list[list[str]]] = {"A": [], "B": []}
        self.played: list[tuple[str, bool]] = []

    def play(self, order: str, *, by_reply: bool = False) -> None:
        (seat,) = self.state.to_act()
        other = "B" if seat == "A" else "A"
        self.state = after(self.state, order)
        self.played.append((order, by_reply))
        fits = [line[1:] for line in self.lines[other] if line[0] == order]
        self.lines[other] = []
        if not by_reply:  # what was planned for another's turn is over
            self.lines[seat] = []
        if self.state.outcome() or not fits:
            return
        answer = fits[0][0]
        self.lines[other] = [line[1:] for line in fits if line[1:]]
        self.play(answer, by_reply=True)


def some_lines(state: State, rng: random.Random) -> list[list[str]]:
    """Lines that may be played from here, some of which begin alike."""
    lines: list[list[str]] = []
    for _ in range(rng.randint(1, 6)):
        now, line, before = state, list[str](), ""
        for number in range(rng.choice((2, 4, 6, 8))):
            if now.outcome() or now.to_act() == {before}:  # one side has set up, and moves first
                break
            (seat,) = now.to_act()
            before = seat
            legal = now.legal(seat, 1_000) or []
            same = [one[number] for one in lines if one[:number] == line and len(one) > number]
            order = same[0] if same and (number % 2 or rng.random() < 0.5) else rng.choice(legal[:3])
            line.append(order)
            now = after(now, order)
        if len(line) > 1:
            lines.append(line[: len(line) // 2 * 2])
    return lines


@pytest.mark.integration
@pytest.mark.parametrize("seed", range(size(2, 4)))
@pytest.mark.parametrize("slug", ["robble", "robosoccer"])
def test_random_replies_are_played_as_a_naive_second_implementation_plays_them(
    alice: Browser, bob: Browser, charlie: Browser, slug: str, seed: int
) -> None:
    table, rng = sit_down(alice, bob, charlie, slug), random.Random(f"{slug} {seed}")
    naive = Naive(state_of(table.match))
    while len(naive.played) < 24 and not naive.state.outcome():
        (seat,) = naive.state.to_act()
        other = "B" if seat == "A" else "A"
        legal = naive.state.legal(seat, 1_000) or [naive.state.sample(seat, rng)]
        if rng.random() < 0.7:
            lines = some_lines(naive.state, rng)
            if lines:
                put(table, other, lines)
                naive.lines[other] = [*map(list, dict.fromkeys(map(tuple, lines)))]
        order = rng.choice([*legal[:3], *(line[0] for line in naive.lines[other])])
        play(table, order)
        naive.play(order)
        assert orders(table) == [one for one, _ in naive.played]
        assert [one == "reply" for one in by(table)] == [reply for _, reply in naive.played]
    assert any(reply for _, reply in naive.played)
    assert list(faults(Found())) == []


def test_one_line_is_removed_and_the_others_stay_though_another_order_is_planned_now(stones: Table) -> None:
    seat, turn = stones.seat("B"), stones.match.turn
    flow.draft(seat, turn, "b2")
    put(stones, "B", [["c4", "d5"], ["e6", "f3"]])
    flow.draft(seat, turn, "b3")
    replies.remove(seat, turn, ["c4", "d5"])
    assert lines_of(stones, "B") == [["e6", "f3"]] and planned(stones, "B").after == "b2"
    replies.remove(seat, turn, ["e6", "f3"])
    assert not lines_of(stones, "B")
