"""A deadline is a stored time: whoever looks, or the clock, moves the match on."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

import pytest
from django.db import connection

from games.core import Seat as Letter
from games.record import replay
from games.search import hasty_order
from robosite.matches import clock, flow
from robosite.matches.flow import overdue
from robosite.matches.history import state_of
from robosite.matches.models import Match, Program
from robosite.matches.site_models import Heartbeat
from robosite.matches.time import heartbeat
from tests.at_once import tick
from tests.site.browsers import FIRST, OTHER, Table, sit_down, text
from tests.site.replaced import replace_in_flow


@pytest.fixture
def hurry(table: Table, time: Any) -> Any:
    """A table with two hours a turn; says what happens to who is late."""

    def hurry(late: str) -> Table:
        Match.objects.update(deadline_hours=2, late=late)
        table.play((OTHER, OTHER))  # sets the deadline of the second turn
        return table

    return hurry


def test_the_time_begins_when_the_table_is_full_and_anew_with_every_turn(alice, bob, time: Any) -> None:
    match = alice.make()
    Match.objects.update(deadline_hours=2)
    assert match.deadline is None
    time.pass_(hours=5)
    bob.join(alice.own_links(match.seats.get(letter="A"))["invite"])
    match.refresh_from_db()
    assert (match.deadline - time.now()).total_seconds() == 2 * 3600
    time.pass_(hours=1)
    for letter in "AB":
        flow.seal(match.seats.select_related("match").get(letter=letter), 0, OTHER)
    match.refresh_from_db()
    assert match.turn == 1
    assert (match.deadline - time.now()).total_seconds() == 2 * 3600


@pytest.mark.parametrize("late", ["claim", "fill", "forfeit"])
def test_nothing_happens_before_the_deadline_and_a_passed_one_is_noted_once(
    hurry: Any, time: Any, late: str
) -> None:
    table = hurry(late)
    before = table.match.version
    time.pass_(hours=1, minutes=59)
    flow.apply_due(table.match)
    assert tick() == 0
    assert (table.match.version, table.match.turn, table.match.overdue) == (before, 1, False)
    time.pass_(minutes=1)
    for _ in range(3):
        flow.apply_due(table.match)
        tick()
        table.charlie.get(f"/m/{table.key}/")
    assert table.match.version == before + (2 if late == "fill" else 1)


def test_a_claim_ends_the_waiting_for_who_is_late(hurry: Any, time: Any) -> None:
    table = hurry("claim")
    flow.seal(table.a, 1, FIRST)
    assert table.alice.do(table.a, "claim", seat="B").status_code == 409
    time.pass_(hours=2)
    before = table.match.version
    page = text(table.alice.get(table.a.get_absolute_url()))
    assert "Claim the win" in page and "Nudge Bob" in page
    assert "Notify me" not in page
    assert 'Waiting for Bob. Time’s up for this round. <span class="what-then">Bob can' in page
    assert table.match.version == before + 1 and table.match.overdue
    assert table.alice.do(table.a, "claim", seat="B").status_code == 302
    assert table.match.outcome_json == {"scores": {"A": 1, "B": 0}, "reason": "resigned"}
    told = {
        table.alice: (table.a, "Bob ran out of time, and you claimed the win."),
        table.bob: (table.b, "You ran out of time, and Alice claimed the win."),
        table.charlie: (table.match, "Bob ran out of time, and Alice claimed the win."),
    }
    for reader, (place, words) in told.items():
        page = text(reader.get(f"{place.get_absolute_url()}?at=2"))
        assert words in page and "Bob resigns" not in page
    record = table.charlie.get(f"/m/{table.key}/record/").content.decode()
    assert "resign" in record


def test_a_claim_is_refused_for_one_cause_and_says_which(hurry: Any, time: Any) -> None:
    def claimed(by: str, other: str) -> str:
        with pytest.raises(flow.Refused) as refused:
            flow.claim(table.seat(by), table.seat(other))
        return str(refused.value)

    table = hurry("claim")
    assert claimed("A", "B") == "Seat B isn’t late yet: there’s still time for this turn."
    time.pass_(hours=2)
    assert claimed("A", "B") == "It’s still your turn too. Seal first."
    assert claimed("A", "A") == "Seat A is your own."
    assert table.alice.do(table.a, "claim", seat="H").status_code == 404
    flow.seal(table.b, 1, FIRST)
    assert claimed("A", "B") == "It isn’t seat B’s turn, so it isn’t late."
    Match.objects.update(late="fill")
    assert "In this match the deadline decides what happens to a late player" in claimed("A", "B")
    Match.objects.update(deadline_hours=None)
    assert claimed("A", "B") == "This match has no deadline, so no one is late."


def test_at_the_deadline_a_whole_draft_is_played_for_who_is_absent(hurry: Any, time: Any) -> None:
    table = hurry("fill")
    table.bob.draft(table.b, FIRST)
    flow.seal(table.a, 1, OTHER)
    time.pass_(hours=2)
    table.charlie.get(f"/m/{table.key}/")  # anybody's look will do
    assert table.match.turn == 2
    program = Program.objects.get(seat=table.b, turn=1)
    assert (program.order, program.by) == (FIRST, "deadline")
    assert Program.objects.get(seat=table.a, turn=1).by == ""
    for reader, place, says in (
        (table.alice, table.a, "Bob ran out of time: the draft or a bot played."),
        (table.bob, table.b, "You ran out of time: your draft or a bot played."),
        (table.charlie, table.match, "Bob ran out of time: the draft or a bot played."),
    ):
        address = place.get_absolute_url()
        assert text(reader.get(f"{address}?at=2")).count("ran out of time") == 1
        assert says in text(reader.get(f"{address}?at=2"))
        assert "ran out of time" not in text(reader.get(f"{address}?at=1"))
    record = table.charlie.get(f"/m/{table.key}/record/").json()
    assert record["seals"][1]["B"]["by"] == "deadline" and "by" not in record["seals"][1]["A"]
    assert replay(record).fault is None


def test_a_simple_bot_keeps_the_seat_warm_and_pages_say_so(
    hurry: Any, time: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = hurry("bot")
    view, b = state_of(table.match).view(Letter("B")), Letter("B")
    order = hasty_order(view, b, Random(5))
    assert order != view.sample(b, Random(5))
    monkeypatch.setattr(overdue, "chance", Random(5))
    flow.seal(table.a, 1, OTHER)
    time.pass_(hours=2)
    table.charlie.get(f"/m/{table.key}/")
    program = Program.objects.get(seat=table.b, turn=1)
    assert (program.order, program.by, program.by_version) == (order, "deadline", None)
    assert "Bob ran out of time: a bot played." in text(table.alice.get(f"{table.a.get_absolute_url()}?at=2"))
    assert "You ran out of time: a bot played." in text(table.bob.get(f"{table.b.get_absolute_url()}?at=2"))


@pytest.mark.parametrize("draft", [None, "F F", "R R R R R"])
def test_without_one_some_legal_program_is_played(hurry: Any, time: Any, draft: str | None) -> None:
    table = hurry("fill")
    if draft is not None:
        table.bob.draft(table.b, draft)
    time.pass_(hours=2)
    flow.apply_due(table.match)
    assert table.match.turn == 2
    orders = list(Program.objects.filter(turn=1).values_list("order", flat=True))
    assert len(orders) == 2 and all(len(order.split()) == 5 for order in orders)
    assert draft not in orders


@pytest.mark.parametrize("both", [False, True])
def test_who_is_late_forfeits_though_nobody_looks_and_of_both_it_is_called_off(
    hurry: Any, time: Any, both: bool
) -> None:
    table = hurry("forfeit")
    if not both:
        flow.seal(table.b, 1, FIRST)
    time.pass_(hours=2)
    assert tick() == 1
    won = {"scores": {"A": 0, "B": 1}, "reason": "resigned"}
    assert (table.match.status, table.match.outcome_json) == (("aborted", None) if both else ("over", won))
    assert table.match.deadline is None
    assert tick() == 0


def test_at_one_instant_the_seal_or_the_deadline_but_not_both(hurry: Any, time: Any) -> None:
    table = hurry("forfeit")
    flow.seal(table.b, 1, FIRST)
    time.pass_(hours=2)
    assert table.alice.seal(table.a, FIRST, 1).status_code == 422
    assert table.match.status == "over"
    assert not Program.objects.filter(seat=table.a, turn=1, order=FIRST).exists()


def test_two_clocks_at_once_move_a_match_once(hurry: Any, time: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table = hurry("fill")
    time.pass_(hours=2)
    look = flow.apply_due
    ticked: list[Any] = []

    def other_clock_first(match: Match) -> Match:
        if not ticked:
            ticked.append(True)
            assert tick() == 1
        return look(match)

    replace_in_flow(monkeypatch, "apply_due", other_clock_first)
    assert tick() == 1  # it had found the match before the other one moved it
    assert table.match.turn == 2
    assert Program.objects.filter(turn=1).count() == 2 and not Program.objects.filter(turn=2).exists()


def at_once(does: Callable[..., Any]) -> Callable[..., Any]:
    """Stands for `sync_to_async`: in this thread, whose transaction the test's is."""

    async def done(*given: Any) -> Any:
        return does(*given)

    return done


def test_the_clock_moves_all_matches_on_however_few_it_lists_at_once(
    table: Table, hurry: Any, time: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = [hurry("fill"), *(sit_down(table.alice, table.bob, table.charlie) for _ in range(2))]
    Match.objects.update(deadline_hours=2, late="fill", due=time.now())
    broken = Match.objects.create(game_slug="pigs", rules=99, status="playing", due=time.now(), late="fill")
    time.pass_(hours=2)
    told: list[Any] = []
    monkeypatch.setattr(clock, "MOST_AT_ONCE", 1)
    monkeypatch.setattr(clock.log, "exception", lambda *args: told.append(args[-1]))
    monkeypatch.setattr(clock, "sync_to_async", at_once)
    monkeypatch.setattr(clock, "on_thread", at_once(lambda does: does()))
    monkeypatch.setattr(asyncio, "sleep", at_once(lambda _seconds: None))
    with pytest.raises(StopIteration):  # to its end, without a loop, in which Django asks no database
        clock.move_all_on().send(None)
    assert [table.match.turn for table in tables] == [2, 1, 1]
    assert told == [broken.key]


@pytest.mark.parametrize("sealed", [None, 3])
def test_who_misses_three_deadlines_in_a_row_has_left(hurry: Any, time: Any, sealed: int | None) -> None:
    table = hurry("fill")
    for turn in range(1, 7 if sealed else 4):
        flow.seal(table.a, turn, OTHER)
        table.bob.draft(table.b, OTHER, turn)  # a program by chance could hit Alice, who would owe an X
        if turn == sealed:
            flow.seal(table.b, turn, OTHER)
        else:
            time.pass_(hours=2)
            flow.apply_due(table.match)
        missed = 0 if turn == sealed else turn - (sealed or 0) if turn > (sealed or 0) else turn
        if missed < 3:
            assert (table.match.turn, table.match.status, table.b.missed) == (turn + 1, "playing", missed)
    assert table.match.outcome_json == {"scores": {"A": 1, "B": 0}, "reason": "resigned"}


@pytest.mark.parametrize("late", ["claim", "fill"])
def test_if_all_are_late_for_a_second_period_the_match_is_called_off(
    hurry: Any, time: Any, late: str
) -> None:
    table = hurry(late)
    time.pass_(hours=2)
    tick()
    assert table.match.status == "playing"
    time.pass_(hours=1, minutes=59)
    tick()
    assert table.match.status == "playing"
    time.pass_(minutes=1)
    tick()
    assert (table.match.status, table.match.outcome_json) == ("aborted", None)
    assert "no one there to play" in text(table.alice.get(table.a.get_absolute_url()))


def test_who_may_claim_is_waited_for_however_long_and_who_was_late_may_seal_until_then(
    hurry: Any, time: Any
) -> None:
    table = hurry("claim")
    flow.seal(table.a, 1, FIRST)
    for _ in range(20):
        time.pass_(hours=24)
        before = table.match.version
        tick()
    assert (table.match.status, table.match.version) == ("playing", before)
    assert flow.seal(table.b, 1, OTHER).revealed
    assert (table.match.turn, table.match.overdue) == (2, False)
    assert table.match.deadline > time.now()
    assert table.alice.do(table.a, "claim", seat="B").status_code == 409


def test_a_bot_wins_nothing_by_waiting(alice: Any, time: Any) -> None:
    alice.post("/play/", {"game": "pigs", "name": "Alice"})
    match = Match.objects.get()
    for late in ("forfeit", "fill", "claim"):
        Match.objects.update(
            status="playing", overdue=False, deadline_hours=2, late=late, due=time.now(), deadline=time.now()
        )
        for _ in range(4):
            tick()
            time.pass_(hours=2)
        match.refresh_from_db()
        assert match.status == "aborted", late


def test_time_in_which_the_site_was_down_is_given_back_once(hurry: Any, time: Any) -> None:
    table = hurry("forfeit")
    flow.seal(table.a, 1, FIRST)
    tick()
    deadline = table.match.deadline
    time.down(minutes=4)
    tick()
    assert table.match.deadline == deadline, "a short silence is no downtime"
    time.down(hours=7)
    assert tick() == 0 and tick() == 0
    assert table.match.deadline == deadline + timedelta(hours=7)
    time.pass_(hours=1, minutes=55)
    assert tick() == 0
    time.pass_(minutes=1)
    assert tick() == 1 and table.match.status == "over"


def test_whoever_looks_before_the_clocks_first_beat_finds_the_time_given_back(hurry: Any, time: Any) -> None:
    table = hurry("forfeit")
    flow.seal(table.a, 1, FIRST)
    deadline = table.match.deadline
    time.down(hours=7)
    assert table.bob.get(table.b.get_absolute_url()).status_code == 200
    assert (table.match.status, table.match.deadline) == ("playing", deadline + timedelta(hours=7))
    assert tick() == 0
    assert table.match.deadline == deadline + timedelta(hours=7)


def test_a_deadline_that_passed_before_the_site_went_down_has_passed(hurry: Any, time: Any) -> None:
    table = hurry("forfeit")
    flow.seal(table.a, 1, FIRST)
    time.pass_(hours=2)
    time.down(hours=3)
    assert tick() == 1
    assert table.match.status == "over"


def test_a_second_period_is_given_back_too_but_no_deadline_that_has_passed(hurry: Any, time: Any) -> None:
    table = hurry("claim")
    time.pass_(hours=3)
    tick()
    deadline = table.match.deadline
    time.down(hours=5)
    tick()
    assert (table.match.status, table.match.overdue, table.match.deadline) == ("playing", True, deadline)
    time.pass_(hours=1)
    tick()
    assert table.match.status == "aborted"


def test_with_weekends_off_time_is_given_back_on_working_days(hurry: Any, time: Any) -> None:
    time.present = datetime(2026, 11, 20, 20, tzinfo=UTC)  # a Friday
    Match.objects.update(weekends_off=True)
    table = hurry("claim")
    assert table.match.deadline == datetime(2026, 11, 20, 22, tzinfo=UTC)
    time.pass_(hours=1)
    time.down(hours=48)
    tick()
    assert table.match.deadline == datetime(2026, 11, 23, 1, tzinfo=UTC)


def test_two_clocks_give_the_time_back_once(hurry: Any, time: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table = hurry("claim")
    deadline = table.match.deadline
    time.down(hours=7)
    catch_up = heartbeat._catch_up

    def other_clock_first(*given: Any) -> Any:
        monkeypatch.setattr(heartbeat, "_catch_up", catch_up)
        tick()
        return catch_up(*given)

    monkeypatch.setattr(heartbeat, "_catch_up", other_clock_first)
    tick()
    assert table.match.deadline == deadline + timedelta(hours=7)


def test_clocks_that_are_an_hour_apart_give_that_hour_back_once(hurry: Any, time: Any) -> None:
    table = hurry("claim")
    deadline, right = table.match.deadline, time.present
    for second in range(1, 4):
        for apart in (timedelta(hours=1), timedelta()):
            time.present = right + apart + timedelta(seconds=second)
            tick()
            assert table.match.deadline == deadline + timedelta(hours=1, seconds=1)


def test_the_beat_of_a_clock_that_was_wrong_is_forgotten(
    hurry: Any, time: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry("claim")
    right = time.present
    time.present = right + timedelta(hours=1)
    tick()
    time.present, passed = right, 0.0
    monkeypatch.setattr(heartbeat, "monotonic", lambda: passed)
    for minutes, beat in ((0, right + timedelta(hours=1)), (4, right + timedelta(hours=1)), (6, right)):
        passed = minutes * 60.0
        tick()
        assert Heartbeat.objects.get().at == beat, minutes


def test_a_beat_moves_the_seats_that_pass_in_the_same_transaction(alice: Any, time: Any) -> None:
    """Whatever ends the process after the beat is committed, nobody loses a seat to an outage."""
    match = alice.make()
    tick()
    passes = time.now() + timedelta(hours=1)
    Match.objects.filter(pk=match.pk).update(handover_at=passes)
    time.present += timedelta(hours=3)
    assert heartbeat.beat(time.now(), alive=True) == timedelta(hours=3)
    assert Match.objects.get(pk=match.pk).handover_at == passes + timedelta(hours=3)


def test_one_pass_of_the_clock_looks_at_no_match_that_is_not_due(
    hurry: Any, django_assert_num_queries: Any
) -> None:
    hurry("claim")
    tick()
    with django_assert_num_queries(4) as asked:  # the last beat, this beat, what is due, which seats pass
        tick()
    on_sqlite = connection.vendor == "sqlite"
    for query, column in zip(asked.captured_queries[-2:], ("due", "handover_at"), strict=True):
        with connection.cursor() as cursor:
            if not on_sqlite:
                cursor.execute("SET LOCAL enable_seqscan = off")  # it reads a table of one row without any
            cursor.execute(f"EXPLAIN {'QUERY PLAN' if on_sqlite else ''} {query['sql']}")
            plan = str(cursor.fetchall())
        searched = f"SEARCH matches_match USING INDEX matches_match_{column}" if on_sqlite else "Index Scan"
        assert searched in plan and f"{column}<" in plan.replace(" ", ""), plan


def test_who_has_waited_longest_comes_first_whatever_for(alice: Any, time: Any) -> None:
    first, second, third = (alice.make() for _ in range(3))
    now = time.now()
    for match, due, handover in ((first, 3, None), (second, None, 5), (third, 1, 4)):
        Match.objects.filter(pk=match.pk).update(
            due=due and now - timedelta(hours=due), handover_at=handover and now - timedelta(hours=handover)
        )
    assert [match.pk for match in clock.due_matches(10)] == [second.pk, third.pk, first.pk]
    assert [match.pk for match in clock.due_matches(2, {third.pk})] == [second.pk, first.pk]
