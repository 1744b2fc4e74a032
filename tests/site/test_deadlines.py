"""A deadline is a stored time: whoever looks, or the clock, moves the match on."""

from __future__ import annotations

from typing import Any

import pytest

from games.record import replay
from robosite.matches import clock, flow
from robosite.matches.models import Match, Program
from tests.site.browsers import FIRST, OTHER, Table, text


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
    bob.accept(alice.links(match.seats.get(letter="A"))["invite"])
    match.refresh_from_db()
    assert (match.deadline - time.now()).total_seconds() == 2 * 3600
    time.pass_(hours=1)
    for letter in "AB":
        flow.seal(match.seats.select_related("match").get(letter=letter), 0, OTHER)
    match.refresh_from_db()
    assert match.turn == 1
    assert (match.deadline - time.now()).total_seconds() == 2 * 3600


@pytest.mark.parametrize("late", ["claim", "fill", "forfeit"])
def test_nothing_happens_before_the_deadline(hurry: Any, time: Any, late: str) -> None:
    table = hurry(late)
    before = table.match.version
    time.pass_(hours=1, minutes=59)
    flow.look(table.match)
    assert clock.tick() == 0
    assert (table.match.version, table.match.turn, table.match.overdue) == (before, 1, False)


def test_a_claim_ends_the_waiting_for_who_is_late(hurry: Any, time: Any) -> None:
    table = hurry("claim")
    flow.seal(table.a, 1, FIRST)
    assert table.alice.do(table.a, "claim", seat="B").status_code == 409
    time.pass_(hours=2)
    before = table.match.version
    assert "Stop waiting for Bob" in text(table.alice.get(table.a.get_absolute_url()))
    assert table.match.version == before + 1 and table.match.overdue
    assert table.alice.do(table.a, "claim", seat="B").status_code == 302
    assert table.match.outcome_json == {"scores": {"A": 1, "B": 0}, "reason": "resigned"}


def test_a_passed_deadline_is_noted_once(hurry: Any, time: Any) -> None:
    table = hurry("claim")
    before = table.match.version
    time.pass_(hours=2)
    for _ in range(3):
        flow.look(table.match)
        clock.tick()
        table.charlie.get(f"/m/{table.key}/")
    assert table.match.version == before + 1


def test_who_owes_a_program_claims_nothing(hurry: Any, time: Any) -> None:
    table = hurry("claim")
    time.pass_(hours=3)
    for claims, other in ((table.a, "B"), (table.a, "A")):
        assert table.alice.do(claims, "claim", seat=other).status_code == 409
    assert table.alice.do(table.a, "claim", seat="H").status_code == 404
    flow.seal(table.a, 1, FIRST)
    assert table.bob.do(table.b, "claim", seat="A").status_code == 409
    assert table.match.status == "playing"


def test_who_was_late_may_seal_while_nobody_has_claimed(hurry: Any, time: Any) -> None:
    table = hurry("claim")
    flow.seal(table.a, 1, FIRST)
    time.pass_(hours=3)
    assert flow.seal(table.b, 1, OTHER).revealed
    assert (table.match.turn, table.match.overdue) == (2, False)
    assert table.match.deadline > time.now()
    assert table.alice.do(table.a, "claim", seat="B").status_code == 409


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
    record = table.charlie.get(f"/m/{table.key}/record/").json()
    assert record["seals"][1]["B"]["by"] == "deadline" and "by" not in record["seals"][1]["A"]
    assert replay(record).fault is None


@pytest.mark.parametrize("draft", [None, "F F", "R R R R R"])
def test_without_one_some_legal_program_is_played(hurry: Any, time: Any, draft: str | None) -> None:
    table = hurry("fill")
    if draft is not None:
        table.bob.draft(table.b, draft)
    time.pass_(hours=2)
    flow.look(table.match)
    assert table.match.turn == 2
    orders = list(Program.objects.filter(turn=1).values_list("order", flat=True))
    assert len(orders) == 2 and all(len(order.split()) == 5 for order in orders)
    assert draft not in orders


def test_who_is_late_forfeits(hurry: Any, time: Any) -> None:
    table = hurry("forfeit")
    flow.seal(table.b, 1, FIRST)
    time.pass_(hours=2)
    flow.look(table.match)
    assert table.match.outcome_json == {"scores": {"A": 0, "B": 1}, "reason": "resigned"}
    assert table.match.deadline is None


def test_if_all_are_late_all_forfeit(hurry: Any, time: Any) -> None:
    table = hurry("forfeit")
    time.pass_(hours=2)
    flow.look(table.match)
    assert table.match.outcome_json == {"scores": {"A": 0.5, "B": 0.5}, "reason": "resigned"}


def test_at_one_instant_the_seal_or_the_deadline_but_not_both(hurry: Any, time: Any) -> None:
    table = hurry("forfeit")
    flow.seal(table.b, 1, FIRST)
    time.pass_(hours=2)
    assert table.alice.seal(table.a, FIRST, 1).status_code == 422
    assert (
        table.match.status == "over"
        and not Program.objects.filter(seat=table.a, turn=1, order=FIRST).exists()
    )


# The clock


def test_the_clock_moves_matches_on_that_nobody_looks_at(hurry: Any, time: Any) -> None:
    table = hurry("forfeit")
    time.pass_(hours=2)
    assert clock.tick() == 1
    assert table.match.status == "over"
    assert clock.tick() == 0


def test_two_clocks_at_once_move_a_match_once(hurry: Any, time: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table = hurry("fill")
    time.pass_(hours=2)
    look = flow.look
    ticked: list[Any] = []

    def other_clock_first(match: Match) -> Match:
        if not ticked:
            ticked.append(True)
            assert clock.tick() == 1
        return look(match)

    monkeypatch.setattr(flow, "look", other_clock_first)
    assert clock.tick() == 1  # it had found the match before the other one moved it
    assert table.match.turn == 2
    assert Program.objects.filter(turn=1).count() == 2 and not Program.objects.filter(turn=2).exists()


def test_a_match_that_fails_stops_no_other_ones_time(
    hurry: Any, time: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = hurry("forfeit")
    broken = Match.objects.create(
        game_slug="pigs", rules=99, status="playing", deadline=time.now(), late="forfeit"
    )
    time.pass_(hours=3)
    monkeypatch.setattr("robosite.matches.clock.log.exception", lambda *args: None)
    assert clock.tick() == 2
    assert table.match.status == "over"
    broken.refresh_from_db()
    assert broken.status == "playing"
