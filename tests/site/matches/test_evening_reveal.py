"""The evening reveal: turns are played at one hour of the day, and at no other.

Alice and Bob play at 20:00 in Madrid, which is 19:00 UTC in November. It is Monday noon there at first.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from django.utils import timezone

from games import newest
from robosite.matches import flow
from robosite.matches.flow import orders, pauses, replies, takeback
from robosite.matches.models import Match, Program, Seat
from robosite.matches.time import evenings
from robosite.people.zones import zone_named
from tests.at_once import tick
from tests.site.api.test_api import Api, problem
from tests.site.browsers import FIRST, OTHER, Browser, Table, sit_down, text
from tests.site.conftest import Time
from tests.site.matches.test_pauses import guest_of
from tests.site.replaced import replace_in_flow
from tests.site.sameness import same_numbers

NOON = datetime(2026, 11, 23, 11, tzinfo=UTC)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
TONIGHT = NOON + 8 * HOUR
MADRID: dict[str, Any] = {"time": "20:00", "zone": "Europe/Madrid", "days": [0, 1, 2, 3, 4, 5, 6]}


@pytest.fixture
def evening(table: Table, time: Time) -> Table:
    """Alice and Bob have sat down at Monday noon; late turns are filled."""
    return begin(table, time)


def begin(
    table: Table, time: Time, *, late: str = "fill", hour: str = "20:00", days: Sequence[int] = range(7)
) -> Table:
    time.present = NOON
    terms = evenings.terms_of(hour, "Europe/Madrid", days)
    Match.objects.filter(key=table.key).update(late=late, **terms)
    with flow.locked_match(table.match) as match:
        flow.mark_changed(match)
    tick()
    return table


def at(time: Time, moment: datetime) -> None:
    """It is that moment now, and the site was up all the while."""
    time.pass_(seconds=(moment - time.present).total_seconds())
    tick()


def seal(table: Table, letter: str, order: str = OTHER) -> None:
    flow.seal(table.seat(letter), table.match.turn, order)


def hours(table: Table) -> tuple[datetime | None, datetime | None]:
    return table.match.due, table.match.deadline


def test_turn_is_played_at_the_hour_and_changed_until_then(evening: Table, time: Time) -> None:
    assert hours(evening) == (TONIGHT, TONIGHT)
    seal(evening, "A")
    seal(evening, "B")
    seal(evening, "A", FIRST)
    flow.reopen(evening.b, 0)
    assert flow.owing(evening.match) == ["B"]
    flow.seal(evening.b, 0, FIRST)
    at(time, TONIGHT - timedelta(seconds=1))
    assert evening.match.turn == 0
    time.pass_(seconds=1)
    with pytest.raises(flow.Refused):
        flow.seal(evening.a, 0, OTHER)
    assert evening.match.turn == 0, "a refused write applies nothing"
    flow.apply_due(evening.match)
    match = evening.match
    assert (match.turn, match.revealed_at, match.revealed_turn) == (1, TONIGHT, 0)
    assert hours(evening) == (TONIGHT + DAY, TONIGHT + DAY)
    assert set(Program.objects.filter(turn=0).values_list("order", flat=True)) == {FIRST}
    with pytest.raises(flow.Refused):
        flow.reopen(evening.b, 0)
    assert tick() == 0 and evening.match.turn == 1


def test_whoever_owes_at_the_hour_is_late_by_the_rule_of_the_table(table: Table, time: Time) -> None:
    begin(table, time)
    seal(table, "A")
    flow.draft(table.b, 0, OTHER)
    at(time, TONIGHT)
    assert table.match.turn == 1 and table.b.missed == 1
    assert Program.objects.get(turn=0, seat=table.b).by == "deadline"
    Match.objects.filter(key=table.key).update(late="forfeit")
    seal(table, "A")
    at(time, TONIGHT + DAY)
    assert table.match.outcome_json == {"scores": {"A": 1, "B": 0}, "reason": "resigned"}


def test_claim_waits_for_nobody_but_plays_no_turn_between_hours(table: Table, time: Time) -> None:
    begin(table, time, late="claim")
    seal(table, "A")
    at(time, TONIGHT)
    assert (table.match.turn, table.match.overdue) == (0, True)
    assert flow.standing_of(table.match).claimable("A") == ["B"]  # type: ignore[arg-type]
    at(time, TONIGHT + HOUR)
    seal(table, "B")
    assert table.match.turn == 0 and not table.match.overdue, "nobody is late any more"
    at(time, TONIGHT + DAY)
    assert table.match.turn == 1
    flow.resign(table.a)
    assert table.match.status == Match.Status.OVER, "resigning waits for no hour"


@pytest.mark.parametrize("all_sealed", [False, True])
def test_hour_soon_after_a_turn_began_makes_nobody_late_and_plays_if_all_have_sealed(
    table: Table, time: Time, all_sealed: bool
) -> None:
    begin(table, time, hour="12:30")
    soon = NOON + HOUR / 2
    assert hours(table) == (soon, soon + DAY)
    seal(table, "A")
    if all_sealed:
        seal(table, "B")
    at(time, soon)
    assert (table.match.turn, table.b.missed) == (int(all_sealed), 0)
    assert hours(table) == (soon + DAY, soon + DAY)


def test_pause_at_the_hour_moves_it_to_the_next_one(evening: Table, time: Time) -> None:
    for seat in (evening.a, evening.b):
        pauses.ask_pause(seat)
    assert hours(evening) == (None, None)
    seal(evening, "A")
    seal(evening, "B")
    at(time, TONIGHT + HOUR)
    assert evening.match.turn == 0
    pauses.play_on(evening.a)
    assert evening.match.turn == 0
    assert hours(evening) == (TONIGHT + DAY, TONIGHT + DAY)
    at(time, TONIGHT + DAY)
    assert evening.match.turn == 1


def test_holiday_of_who_owes_moves_the_hour_behind_it_and_days_without_are_left_out(
    evening: Table, time: Time
) -> None:
    day = TONIGHT.date()
    madrid = zone_named("Europe/Madrid")
    pauses.begin(guest_of(evening.bob), first=day, last=day + DAY, zone=madrid, now=time.now())
    assert hours(evening) == (TONIGHT + 2 * DAY, TONIGHT + 2 * DAY)
    seal(evening, "B")
    assert hours(evening)[0] == TONIGHT, "a holiday of who owes nothing holds nothing up"
    flow.reopen(evening.b, 0)
    at(time, TONIGHT)
    assert evening.match.turn == 0
    assert hours(evening) == (TONIGHT + 2 * DAY, TONIGHT + 2 * DAY)
    begin(evening, time, days=[5])
    saturday = datetime(2026, 11, 28, 19, tzinfo=UTC)
    assert hours(evening) == (saturday, saturday)
    assert evening.match.deadline_hours == 7 * 24


def test_downtime_over_the_hour_moves_it_to_the_next_one_and_makes_nobody_late(
    evening: Table, time: Time
) -> None:
    time.down(hours=5)
    tick()
    assert hours(evening) == (TONIGHT, TONIGHT)
    time.down(hours=2, minutes=30)
    tick()
    assert hours(evening) == (TONIGHT, TONIGHT + DAY)
    seal(evening, "A")
    seal(evening, "B")
    time.down(hours=2)
    tick()
    assert evening.match.turn == 0
    assert hours(evening) == (TONIGHT + DAY, TONIGHT + DAY)
    Match.objects.filter(key=evening.key).update(due=TONIGHT + 2 * HOUR)  # by a release without such hours
    at(time, TONIGHT + 2 * HOUR)
    assert (evening.match.turn, evening.match.due) == (0, TONIGHT + DAY), "no hour of the match"


def test_ending_waits_for_no_hour_and_a_rematch_keeps_it(evening: Table) -> None:
    seal(evening, "A")
    for seat in (evening.a, evening.b):
        flow.offer_draw(seat, offer=True)
    assert evening.match.outcome_json["reason"] == "agreed"
    made = flow.rematch(evening.match, evening.a, guest_of(evening.alice))
    assert made
    assert made[0].reveal_at == evening.match.reveal_at and made[0].late == "fill"


@pytest.fixture
def stones(alice: Any, bob: Any, charlie: Any, time: Time) -> Table:
    """Robble, in which one acts after the other: Alice has placed on d4, and it is Bob's evening."""
    table = begin(sit_down(alice, bob, charlie, "robble"), time)
    seal(table, "A", "d4")
    at(time, TONIGHT)
    assert table.match.turn == 1
    return table


def test_reply_is_a_draft_until_the_hour_at_which_it_is_played(stones: Table, time: Time) -> None:
    replies.put(stones.a, 1, [["c4", "d5"]])
    seal(stones, "B", "c4")
    at(time, TONIGHT + DAY)
    waits = Program.objects.get(turn=2, seat=stones.a)
    assert (stones.match.turn, waits.sealed) == (2, False)
    page = text(stones.alice.get(stones.a.get_absolute_url()))
    assert "Your planned reply is in the planner." in page
    at(time, TONIGHT + 2 * DAY)
    played = Program.objects.get(turn=2, seat=stones.a)
    assert (stones.match.turn, played.by, played.order) == (3, "reply", "d5")
    assert stones.a.missed == 0
    takeback.ask(stones.a, 3, 0)
    takeback.answer_takeback(stones.b, 3, 0, accept=True)
    assert stones.match.turn == 2
    assert hours(stones) == (TONIGHT + 3 * DAY, TONIGHT + 3 * DAY), "played again at the next hour"


@pytest.mark.parametrize("how", ["another draft", "another order"])
def test_reply_that_its_player_changes_is_no_reply_any_more(stones: Table, time: Time, how: str) -> None:
    replies.put(stones.a, 1, [["c4", "d5"]])
    seal(stones, "B", "c4")
    at(time, TONIGHT + DAY)
    if how == "another draft":
        flow.draft(stones.a, 2, "g7")
    else:
        flow.seal(stones.a, 2, "g7")
    at(time, TONIGHT + 2 * DAY)
    played = Program.objects.get(turn=2, seat=stones.a)
    assert (played.by, played.order) == ("deadline" if how == "another draft" else "", "g7")


def test_reply_that_fits_tells_nobody_before_its_own_hour(
    time: Time, same: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two worlds, with and without it: the same pages, answers and sealed seats for everybody else."""
    monkeypatch.setattr(timezone, "now", time.now)
    told = []
    for lines in ([["c4", "d5"]], []):
        with transaction.atomic():
            same("world")
            same_numbers()
            alice, bob, charlie = (Browser(name) for name in ("Alice", "Bob", "Charlie"))
            table = begin(sit_down(alice, bob, charlie, "robble"), time)
            seal(table, "A", "d4")
            at(time, TONIGHT)
            if lines:
                replies.put(table.a, 1, lines)
            same("planned ahead")  # keeping a reply draws bytes, of which nobody is told
            seal(table, "B", "c4")
            at(time, TONIGHT + DAY)
            same("looked at")
            key = table.key
            token = {"Authorization": f"Bearer {table.bob.own_links(table.b)['seat']}"}
            paths = (f"/m/{key}/", f"/m/{key}/B/", f"/m/{key}/time/", f"/m/{key}/B/time/", "/mine/")
            answers = [text(who.get(path)) for who in (table.bob, table.charlie) for path in paths]
            path = f"/api/v1/matches/{key}"
            answers += [text(Browser("").get(path)), text(table.bob.get(path, headers=token))]
            told.append((answers, table.match.version, flow.owing(table.match)))
            transaction.set_rollback(True)
    assert told[0] == told[1]


def test_hour_that_comes_while_an_order_is_sealed_is_not_lost(
    evening: Table, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    seal(evening, "A")
    time.pass_(seconds=(TONIGHT - time.present).total_seconds() - 1)
    check = orders.legal_order

    def slowly(*given: Any) -> Any:
        time.pass_(seconds=2)
        return check(*given)

    replace_in_flow(monkeypatch, "legal_order", slowly)
    seal(evening, "B", FIRST)
    monkeypatch.undo()
    monkeypatch.setattr(timezone, "now", time.now)
    assert (evening.match.turn, evening.match.due) == (0, TONIGHT)
    tick()
    assert (evening.match.turn, evening.match.revealed_at) == (1, TONIGHT)
    assert Program.objects.get(turn=0, seat=evening.b).order == FIRST


def test_form_of_a_match_asks_for_the_hour(alice: Browser) -> None:
    hour: dict[str, Any] = {"deadline": "hour", "hour": "19:30", "days": "01234", "zone": "Europe/Madrid"}
    match = alice.make_by_page(**hour, reserve="24", late="claim", weekends="1")
    assert match.reveal_at == {"time": "19:30", "zone": "Europe/Madrid", "days": [0, 1, 2, 3, 4]}
    assert (match.late, match.reserve_hours, match.weekends_off) == ("draft", 0, False)
    again = text(alice.get("/new/pigs/"))
    assert 'value="19:30"' in again and '<option value="01234" selected' in again
    refused = alice.post("/matches/", {"game": "pigs", "seats": 2, "name": "Alice", **hour, "hour": "late"})
    assert refused.status_code == 422 and "Please enter a time" in text(refused)


def test_pages_tell_the_hour_and_let_a_seal_be_taken_back(evening: Table) -> None:
    path = evening.a.get_absolute_url()
    seal(evening, "B")
    shown = text(evening.alice.get(path))
    assert "This turn is played:" in shown and "Seal yours to reveal" not in shown
    evening.alice.seal(evening.a, FIRST)
    shown = text(evening.alice.get(path))
    assert "Everyone has sealed." in shown and "You can reopen it until it’s played." in shown
    evening.alice.do(evening.a, "reopen", turn=0, taken_back=0)
    assert flow.owing(evening.match) == ["A"]
    shown = text(evening.alice.get(f"{path}time/"))
    assert "Turns are played every day at 20:00 (Europe/Madrid), never earlier." in shown


def test_match_of_the_api_tells_the_hour_and_takes_replacements_until_then(api: Api, time: Time) -> None:
    time.present = NOON
    tick()
    made = api.make(reveal_at=MADRID)
    assert api.match(made["match"])["reveals"] is None
    key, ada, ben = made["match"], made["token"], api.join(made)["token"]
    seen = api.match(key)
    assert seen["reveals"] == seen["deadline"] == "2026-11-23T19:00:00.000Z"
    assert (seen["late"], seen["reveal_at"], seen["reserve_hours"]) == ("fill", MADRID, 0)
    api.seal(key, ada, OTHER)
    assert not api.seal(key, ben, OTHER).json()["revealed"]
    assert not api.seal(key, ben, FIRST).json()["revealed"]
    time.pass_(hours=8)
    seen = api.match(key)
    assert seen["turn"] == 1 and seen["turns"] == [{"A": OTHER, "B": FIRST}]
    assert seen["reveals"] == "2026-11-24T19:00:00.000Z"


@pytest.mark.parametrize(
    ("wish", "pointer"),
    [
        ({"deadline_hours": 24}, "/deadline_hours"),
        ({"reserve_hours": 24}, "/reserve_hours"),
        ({"reveal_at": {**MADRID, "time": "8pm"}}, "/reveal_at/time"),
        ({"reveal_at": {**MADRID, "time": "24:00"}}, "/reveal_at/time"),
        ({"reveal_at": {**MADRID, "zone": "Europe/Atlantis"}}, "/reveal_at/zone"),
        ({"reveal_at": {**MADRID, "days": []}}, "/reveal_at/days"),
        ({"reveal_at": {**MADRID, "days": [1, 1]}}, "/reveal_at/days"),
        ({"reveal_at": {**MADRID, "days": [7]}}, "/reveal_at/days/0"),
        ({"reveal_at": {"time": "20:00"}}, "/reveal_at/zone"),
    ],
)
def test_hour_that_cannot_be_had_is_refused(api: Api, wish: dict[str, Any], pointer: str) -> None:
    of_match = {"game": "pigs", "name": "Ada", "reveal_at": MADRID, **wish}
    problem(api.ask("POST", "matches", of_match), 422, pointer)
    of_league = {"name": "Ours", "game": "pigs", "organiser": "Ada", "reveal_at": MADRID, **wish}
    problem(api.ask("POST", "leagues", of_league), 422, pointer)


def test_bot_seals_and_the_hour_plays(time: Time) -> None:
    time.present = NOON
    game = newest("pigs")
    options = game.read_options(game.presets["standard"].options)
    match, taken, _ = flow.create(
        game,
        options,
        2,
        "Ada",
        bots={"B": "random"},
        late="fill",
        **evenings.terms_of("20:00", "Europe/Madrid", range(7)),
    )
    bot = Seat.objects.select_related("match").get(match=match, letter="B")
    assert flow.seal_for_bot(bot, 0, OTHER)
    flow.seal(taken.seat, 0, OTHER)
    assert Match.objects.get(pk=match.pk).turn == 0
    time.pass_(hours=8)
    tick()
    assert Match.objects.get(pk=match.pk).turn == 1


def test_two_clocks_at_once_play_the_turn_once(
    evening: Table, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    seal(evening, "A")
    time.pass_(hours=8)
    look = flow.apply_due
    ticked: list[int] = []

    def other_clock_first(match: Match) -> Match:
        if not ticked:
            ticked.append(0)
            ticked.append(tick())
        return look(match)

    replace_in_flow(monkeypatch, "apply_due", other_clock_first)
    assert tick() == 1 and ticked == [0, 1]
    assert (evening.match.turn, Program.objects.filter(turn=0).count()) == (1, 2)


def test_moment_that_is_no_hour_of_the_match_plays_nothing(evening: Table, time: Time) -> None:
    """A release that knows of no such hours may have set it."""
    seal(evening, "A")
    seal(evening, "B")
    Match.objects.filter(key=evening.key).update(due=TONIGHT - HOUR)
    at(time, TONIGHT - HOUR)
    assert (evening.match.turn, evening.match.due) == (0, TONIGHT)


def test_matches_of_a_league_are_played_at_its_hour(api: Api, time: Time) -> None:
    time.present = NOON
    tick()
    body = {"name": "Ours", "game": "pigs", "organiser": "Ada", "reveal_at": MADRID}
    made = api.ask("POST", "leagues", body).json()
    for name in ("Ben", "Cleo"):
        joined = api.ask("POST", f"leagues/{made['league']}/places", {"name": name, "invite": made["invite"]})
        assert joined.status_code == 201
    league = api.ask("POST", f"leagues/{made['league']}/start", token=made["organiser_token"]).json()
    assert (league["reveal_at"], league["deadline_hours"], league["late"]) == (MADRID, None, "fill")
    assert set(Match.objects.values_list("due", flat=True)) == {TONIGHT}
