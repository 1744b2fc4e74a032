"""Whoever leaves a league, is removed, never comes, or has not finished on the last day: by the API."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from robosite.leagues import flow as leagues
from robosite.leagues.models import Fixture, League, Place
from robosite.leagues.record.record import digest_of
from robosite.matches.flow import arbiter
from robosite.matches.models import Match
from tests.leagues.seasons import faults_of
from tests.site.browsers import text
from tests.site.leagues.conftest import Api, Cup, Group, Shown, letter_of, settle

pytestmark = pytest.mark.django_db

THREE = {"table_seats": 3}
OF_TABLES = pytest.mark.parametrize("terms", [{}, THREE], ids=["of two", "of three"])


def third(one: Shown, *places: int) -> str:
    """The seat of somebody else in this match."""
    return next(letter for letter, place in one["seats"].items() if place not in places)


def with_forfeits_of_others(record: dict[str, Any]) -> dict[str, Any]:
    """A lie: each match of two that was given up was given up by the other one."""
    for one in record["schedule"]:
        if one["forfeit"]:
            one["forfeit"] = "AB".replace(one["forfeit"], "")
    record["digest"] = digest_of(record)
    return record


def test_whoever_leaves_early_is_withdrawn_and_whoever_leaves_late_loses_the_rest(api: Api) -> None:
    group = Group(api, 5)
    group.start()
    group.lose(1, against=2)
    group.lose(2, against=3)
    group.lose(2, against=5)
    for place in (1, 2):
        for _ in range(2):
            group.leave(place)
    assert [place["left"] for place in group.get()["places"]] == ["withdrawn", "defaulted", None, None, None]
    rows = group.rows()
    assert (rows[1]["rank"], rows[1]["counts"], rows[1]["strength"]) == (None, False, None)
    assert [rows[place]["points"] for place in (2, 3, 4, 5)] == [0, 1, 1, 1]
    assert [rows[place]["wins"] for place in (3, 4, 5)] == [0, 0, 0]
    counting = [one["counts"] for one in group.matches()]
    assert counting.count(True) == 3, "three of Ben's; nothing of Ada's, and the rest goes through"


def test_whoever_leaves_resigns_at_each_table_and_the_others_play_on(api: Api) -> None:
    group = Group(api, 7, **THREE)
    group.start()
    gone = group.of_places(2)
    for _ in range(2):
        group.leave(2)
    assert [one["status"] for one in group.of_places(2)] == ["playing"] * 3
    assert [place["left"] for place in group.get()["places"]][1] == "withdrawn"
    for one in gone:
        there = [letter for letter, place in one["seats"].items() if place != 2]
        group.seal(one, *there)
        match = api("GET", f"matches/{one['match']}")
        assert match["turn"] == 1 and match["status"] == "playing", "the turn went on without them"
        group.resign(one, there[0])
    over = group.of_places(2)
    assert [(one["status"], one["decided"], one["counts"]) for one in over] == [("over", "play", True)] * 3
    rows = group.rows()
    assert (rows[2]["rank"], rows[2]["counts"], rows[2]["played"]) == (None, False, 0)
    assert sum(row["points"] for row in rows.values()) == 9
    group.finish()
    record = group.checked()
    given_up = [one["forfeit"] for one in record["schedule"] if one["forfeit"]]
    assert sorted(given_up) == sorted(letter_of(one, 2) for one in gone)


def test_whoever_leaves_tables_late_loses_the_rest(api: Api) -> None:
    group = Group(api, 7, **THREE)
    group.start()
    first, second, last = group.of_places(2)
    for one in (first, second):
        group.win(one, letter_of(one, 2))
    group.leave(2)
    assert group.get()["places"][1]["left"] == "defaulted"
    group.resign(last, third(last, 2))
    group.finish()
    row = group.rows()[2]
    assert (row["points"], row["won"], row["lost"], row["wins"]) == (6, 2, 1, 0)
    group.checked()


def test_the_last_who_stays_at_a_table_wins_by_default(api: Api) -> None:
    group = Group(api, 4, **THREE)
    group.start()
    for place in (1, 2):
        group.leave(place)
    both = group.of_places(1, 2)
    assert [(one["status"], one["decided"], one["counts"]) for one in both] == [
        ("over", "default", False)
    ] * 2
    group.finish()
    rows = group.rows()
    assert [rows[place]["rank"] for place in (1, 2)] == [None] * 2
    assert [rows[place]["played"] for place in (3, 4)] == [2, 2]
    group.checked()


def test_who_was_put_out_before_leaving_has_played_to_the_end(api: Api, time: Any) -> None:
    """Somebody who resigned a match by themselves, while the others play on, has not left that match."""
    group = Group(api, 4, **THREE)
    group.start()
    for one in group.of_places(1)[:2]:
        own = letter_of(one, 1)
        group.resign(one, own)
        group.seal(one, *(letter for letter in one["seats"] if letter != own))
        assert api("GET", f"matches/{one['match']}")["turn"] == 1
    group.leave(1)
    assert group.get()["places"][0]["left"] == "defaulted", "two of three were played to the end"
    group.finish()
    assert [one["forfeit"] for one in group.checked()["schedule"]].count(None) == 3
    assert group.rows()[1]["rank"] is not None


@pytest.mark.more
@pytest.mark.parametrize(("players", "terms"), [(8, {"game": "robble"}), (7, THREE)])
def test_two_who_never_play_leave_by_themselves_and_the_league_ends(
    api: Api, time: Any, players: int, terms: dict[str, Any]
) -> None:
    """Without anything that the organiser does."""
    group = Group(api, players, **terms)
    group.start()
    absent = {2, 5}
    for _ in range(30):
        group.play(absent)
        time.pass_(hours=25)
        settle()
        if group.get()["status"] == "over":
            break
    told = group.get()
    assert told["status"] == "playing" or told["played"] == told["matches"]
    assert {place["place"] for place in told["places"] if place["left"] == "withdrawn"} == absent
    time.pass_(days=61)
    settle()
    assert group.get()["status"] == "over"
    rows = group.rows()
    assert {place for place, row in rows.items() if row["rank"] is None} == absent
    if players == 8:
        assert [one["counts"] for one in group.matches()].count(True) == 15
        assert all(row["strength"] for place, row in rows.items() if place not in absent), "of five results"
    group.checked()


@pytest.mark.parametrize(
    "terms", [{}, THREE, {"game": "roboxing"}, {"game": "robosoccer"}], ids=lambda terms: str(terms)
)
def test_a_match_to_which_nobody_came_counts_for_nobody(api: Api, time: Any, terms: dict[str, Any]) -> None:
    seats = terms.get("table_seats", 2)
    group = Group(api, seats + 1, **terms)
    group.start()
    for _ in range(5):
        time.pass_(hours=25)
        settle()
    assert {(one["status"], one["decided"], one["counts"]) for one in group.matches()} == {
        ("aborted", "nobody came", True)
    }
    rows = group.rows().values()
    assert [(row["rank"], row["points"], row["lost"]) for row in rows] == [(1, 0, seats)] * (seats + 1)
    group.checked()


def test_rounds_begin_one_after_the_other(api: Api, time: Any) -> None:
    group = Group(api, 4, every_days=7, ends_days=63, places=64)  # it just fits
    group.start()
    assert [one["status"] for one in group.matches()] == ["playing"] * 2 + ["waiting"] * 4
    time.pass_(days=7, minutes=1)
    settle()
    assert [one["match"] is None for one in group.matches()] == [False] * 4 + [True] * 2


def test_what_has_not_begun_is_decided_without_a_match(api: Api, time: Any) -> None:
    group = Group(api, 4, every_days=3)
    group.start()
    group.leave(2)
    lost = group.of_places(2)
    assert [one["decided"] for one in lost] == ["default"] * 3
    assert sorted(one["match"] is None for one in lost) == [False, True, True]
    assert {one["status"] for one in lost} == {"over"} and Match.objects.count() == 2
    for row in Fixture.objects.filter(match=None, decided="default"):
        assert Place.objects.get(pk=row.seats[row.forfeit]).number == 2
    League.objects.update(ends=timezone.now())
    settle()
    assert Match.objects.count() == 2 and group.get()["status"] == "over"
    undone = [one for one in group.matches() if one["match"] is None]
    assert sorted(one["decided"] for one in undone) == ["default"] * 2 + ["last day"] * 2
    rows = group.rows()
    assert {place: row["points"] for place, row in rows.items() if row["counts"]} == {1: 1, 3: 1, 4: 1}
    faults = faults_of(with_forfeits_of_others(group.checked()))
    assert sum("nobody had left" in fault for fault in faults) == 2


def test_who_leaves_before_a_round_of_tables_resigns_as_it_begins(api: Api, time: Any) -> None:
    group = Group(api, 4, every_days=3, **THREE)
    group.start()
    assert [one["match"] is None for one in group.matches()] == [False, True, True, True]
    group.leave(2)
    for number in range(2, 5):
        time.pass_(days=3, minutes=1)
        settle()
        one = group.matches()[number - 1]
        if 2 in one["seats"].values():
            assert [letter_of(one, 2)] == arbiter.still_in(Match.objects.get(key=one["match"]))[1]
    group.finish()
    assert group.get()["status"] == "over"
    group.checked()


def test_a_table_that_all_but_one_leave_before_it_begins_is_decided_without_a_match(api: Api) -> None:
    group = Group(api, 4, every_days=3, **THREE)
    group.start()
    for place in (1, 2, 3):
        group.leave(place)
    assert Match.objects.count() == 1
    decided = [(one["match"] is None, one["decided"]) for one in group.matches()]
    assert decided[1:] == [(True, "default")] * 3 and group.get()["status"] == "over"
    group.checked()


def test_tables_that_have_not_begun_are_shared_on_the_last_day(api: Api) -> None:
    group = Group(api, 4, every_days=3, **THREE)
    group.start()
    League.objects.update(ends=timezone.now())
    settle()
    assert Match.objects.count() == 1 and group.get()["status"] == "over"
    assert [row["points"] for row in group.rows().values()] == pytest.approx([3] * 4)
    group.checked()


@OF_TABLES
def test_on_the_last_day_what_is_unfinished_goes_to_who_missed_fewest_deadlines(
    api: Api, time: Any, terms: dict[str, Any]
) -> None:
    group = Group(api, 4, ends_days=1.5, late="claim", **terms)
    group.start()
    one, other, last, *_more = group.matches()
    group.seal(one, "B")
    group.seal(other, "A", "B")
    leaver = 0
    if terms:  # somebody so leaves two others at each table
        leaver = last["seats"]["C"]
        group.resign(last, "C")
        group.leave(leaver)
    time.pass_(hours=30)
    settle()
    assert group.get()["status"] == "playing"
    time.pass_(hours=7)
    settle()
    assert group.get()["status"] == "over"
    shown = {match["match"]: match for match in group.matches()}
    assert {match["decided"] for match in shown.values()} == {"last day"}
    one_sealed = one["seats"]["B"] != leaver
    scores = shown[one["match"]]["outcome"]["scores"]
    assert scores["B"] == (1 if one_sealed else pytest.approx(1 / 3))
    group.checked()
    if terms:
        assert group.rows()[leaver]["rank"] is None
        played = sum(row["points"] for row in group.rows().values())
        assert played == pytest.approx(12), "who had left has no part in a draw"
    else:
        assert shown[other["match"]]["outcome"]["scores"] == {"A": 0.5, "B": 0.5}
        assert shown[last["match"]]["outcome"]["scores"] == {"A": 0.5, "B": 0.5}


@pytest.mark.parametrize(
    "terms", [{}, {**THREE, "preset": "bash", "scoring": "places"}], ids=["of two", "of three by places"]
)
def test_a_moderator_closes_a_league(api: Api, terms: dict[str, Any]) -> None:
    group = Group(api, 4, **terms)
    group.start()
    first, *others = group.matches()
    group.win(first, "A")
    leagues.close(group.league)
    told = group.get()
    assert (told["status"], told["played"]) == ("over", told["matches"])
    decided = [one["decided"] for one in group.matches()]
    assert decided == ["play", *[None] * len(others)]
    assert [one["decided"] for one in Fixture.objects.order_by("pk").values("decided")].count("void") == len(
        others
    )
    points = {place: row["points"] for place, row in group.rows().items()}
    assert max(points.values()) == points[first["seats"]["A"]] > 0
    assert "doesn’t count" in text(Client().get(group.league.get_absolute_url()))
    group.checked()


@pytest.mark.parametrize("terms", [{}, {"every_days": 7, "ends_days": 90}])
def test_the_match_with_the_organiser_counts_for_nobody(api: Api, terms: dict[str, Any]) -> None:
    """Whether it is running or has not begun; all others get their points by default, as ever."""
    group = Group(api, 4, **terms)
    group.start()
    group.remove(2)
    (own,), (other,) = group.of_places(1, 2), group.of_places(2, 3)
    assert (own["decided"], own["counts"]) == (None, False)
    assert own["status"] == ("aborted" if own["match"] else "over")
    assert other["decided"] == "default"


def test_an_organiser_who_does_not_play_leaves_the_points_to_the_others(api: Api) -> None:
    group = Group(api, 4)
    Place.objects.update(organises=False)
    group.start()
    group.remove(2)
    assert group.of_places(1, 2)[0]["decided"] == "default"


def test_the_table_and_the_record_hold_without_the_match(api: Api) -> None:
    """Even where the removed player has played so much that all their results count."""
    group = Group(api, 6)
    group.start()
    for place in (3, 4, 5):
        group.lose(place, against=2)
    group.remove(2)
    assert [place["removed"] for place in group.get()["places"]] == [False, True, *[False] * 4]
    rows = group.rows()
    assert (rows[1]["points"], rows[1]["played"]) == (0, 0)
    assert (rows[2]["points"], rows[6]["points"]) == (3, 1)
    group.leave(3)
    group.finish()
    record = group.checked()
    assert [one["removed"] for one in record["places"]] == [False, True, *[False] * 4]
    record["places"][3]["removed"] = True
    record["digest"] = digest_of(record)
    assert faults_of(record) == ["Place 4: it was removed, but not left."]


def test_at_a_table_of_more_the_organiser_resigns_too(api: Api) -> None:
    group = Group(api, 7, **THREE)
    group.start()
    together = group.of_places(1, 2)
    apart = [one for one in group.of_places(2) if one not in together]
    group.remove(2)
    for one in together:
        group.seal(one, third(one, 1, 2))
    shown = {one["match"]: one for one in group.matches()}
    assert {shown[one["match"]]["decided"] for one in together} == {"default"}
    assert {shown[one["match"]]["status"] for one in apart} == {"playing"}
    rows = group.rows()
    assert rows[1]["points"] == 0 and sum(row["points"] for row in rows.values()) == 3 * len(together)
    group.finish()
    forfeits = {one["match"]: one["forfeit"] for one in group.checked()["schedule"]}
    for one in together:
        assert forfeits[one["match"]] == "".join(sorted((letter_of(one, 1), letter_of(one, 2))))


def test_with_nobody_else_left_at_the_table_it_counts_for_nobody(api: Api) -> None:
    group = Group(api, 7, **THREE)
    group.start()
    (one,) = group.of_places(1, 2)
    group.resign(one, third(one, 1, 2))
    group.seal(one, letter_of(one, 1), letter_of(one, 2))
    assert api("GET", f"matches/{one['match']}")["turn"] == 1
    group.remove(2)
    (shown,) = group.of_places(1, 2)
    assert (shown["status"], shown["decided"], shown["counts"]) == ("aborted", None, False)
    group.finish()
    group.checked()


def test_in_a_cup_an_organiser_removes_nobody_whom_they_may_meet_next(api: Api) -> None:
    cup = Cup(api, 4)
    seeds = cup.seeds
    own = 0 if seeds.index(1) in (0, 3) else 1
    halves = [{seeds[0], seeds[3]}, {seeds[1], seeds[2]}]
    (rival,), (loser, other) = halves[own] - {1}, halves[1 - own]
    before = cup.matches()
    cup.remove(rival, status=409)
    cup.lose_tie(loser)
    cup.remove(other, status=409)  # waits for the organiser or the rival
    assert [one["match"] for one in cup.matches()] == [one["match"] for one in before]
    cup.lose_tie(1)
    cup.remove(other)  # the final is the rival's
    cup.finish()
    assert cup.ranks()[rival] == 1
    cup.checked()
