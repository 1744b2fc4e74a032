"""Leagues of tables of three to eight by the API: from the link to the final table, leavers, the record."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from itertools import combinations
from random import Random
from typing import Any

import pytest
from django.utils import timezone

from robosite.leagues import flow as leagues
from robosite.leagues.models import Fixture, League
from robosite.matches import flow
from robosite.matches.flow import arbiter
from robosite.matches.history import state_of
from robosite.matches.models import Match
from robosite.ops.verification import league_faults
from tests.site.leagues.test_leagues import Api, Group, settle

pytestmark = pytest.mark.django_db


class Tables(Group):
    """A league of tables; matches end by resignations."""

    def __init__(self, api: Api, players: int, seats: int = 3, **terms: Any) -> None:
        super().__init__(api, players, **{"table_seats": seats, **terms})

    def resign(self, one: dict[str, Any], *letters: str) -> None:
        for letter in letters:
            token = self.tokens[one["seats"][letter]]
            self.api("POST", f"matches/{one['match']}/resign", token=token)

    def win(self, one: dict[str, Any], letter: str) -> None:
        self.resign(one, *(other for other in one["seats"] if other != letter))

    def finish(self, seed: int = 1) -> None:
        """Each running match is won by chance, or drawn among those still in it."""
        chance = Random(seed)
        for one in self.matches():
            if one["status"] != "playing":
                continue
            match = Match.objects.get(key=one["match"])
            still, _leaving = arbiter.still_in(match)
            if chance.random() < 0.3 and len(still) == len(one["seats"]):
                for letter in still:
                    path, token = f"matches/{one['match']}/draw", self.tokens[one["seats"][letter]]
                    self.api("POST", path, {"offer": True}, token=token)
            else:
                won = chance.choice(still)
                self.resign(one, *(letter for letter in still if letter != won))

    def rows(self) -> dict[int, dict[str, Any]]:
        (division,) = self.get("/table")["divisions"]
        return {row["place"]: row for row in division["rows"]}

    def seal(self, one: dict[str, Any], *letters: str) -> None:
        """Seals some legal order at these seats."""
        match = Match.objects.get(key=one["match"])
        for letter in letters:
            seat = match.seats.get(letter=letter)
            order = state_of(match).view(seat.at).sample(seat.at, Random(match.pk * 1000 + match.turn))
            with suppress(flow.Refused):
                flow.seal(seat, match.turn, order)


def with_place(group: Tables, place: int) -> list[dict[str, Any]]:
    return [one for one in group.matches() if place in one["seats"].values()]


def letter_of(one: dict[str, Any], place: int) -> str:
    return next(letter for letter, at in one["seats"].items() if at == place)


@pytest.mark.parametrize(
    ("players", "seats", "matches", "meet"),
    [(7, 3, 7, 1), (5, 3, 10, 3), (4, 3, 4, 2), (5, 4, 5, 3), (4, 4, 4, 4), (9, 3, 12, 1)],
)
def test_everybody_meets_everybody_as_often_as_was_told(
    api: Api, players: int, seats: int, matches: int, meet: int
) -> None:
    group = Tables(api, players, seats)
    told = group.get()
    assert (told["table_seats"], told["scoring"]) == (seats, "shares")
    assert told["meetings"] == {
        "places": players,
        "matches": matches * seats // players,
        "least": meet,
        "most": meet,
    }
    started = group.start()
    (order,) = started["divisions"]
    pairings = group.matches()
    assert len(pairings) == matches == started["matches"] and started["meetings"] == told["meetings"]
    met = Counter(frozenset(pair) for one in pairings for pair in combinations(one["seats"].values(), 2))
    assert set(met.values()) == {meet} and len(met) == players * (players - 1) // 2
    if (players, seats) == (7, 3):
        blocks = [[order.index(place) for place in one["seats"].values()] for one in pairings]
        assert blocks == [[shift, (1 + shift) % 7, (3 + shift) % 7] for shift in range(7)]
    for one in pairings:
        match = api("GET", f"matches/{one['match']}")
        names = {place["place"]: place["name"] for place in started["places"]}
        assert {letter: seat["name"] for letter, seat in match["seats"].items()} == {
            letter: names[place] for letter, place in one["seats"].items()
        }
        for letter, place in one["seats"].items():
            assert api("GET", f"matches/{one['match']}", token=group.tokens[place])["you"] == letter


def test_too_few_for_a_table_are_told_how_many_are_needed(api: Api) -> None:
    group = Tables(api, 3, 4)
    assert group.get()["meetings"] is None
    assert "at least 4 players" in group.start(status=409)["detail"]
    group.join("Emil")
    assert group.start()["matches"] == 4


def test_a_season_of_seven_at_tables_of_three(api: Api) -> None:
    group = Tables(api, 7)
    group.start()
    first, *others = group.matches()
    group.resign(first, "A")
    assert group.matches()[0]["status"] == "playing", "the others play on"
    group.resign(first, "B")
    for one in others:
        group.win(one, "B")
    told = group.get()
    assert (told["status"], told["matches"], told["played"]) == ("over", 7, 7)
    assert {one["decided"] for one in group.matches()} == {"play"}
    rows = group.rows()
    won = Counter([first["seats"]["C"], *(one["seats"]["B"] for one in others)])
    assert {place: row["points"] for place, row in rows.items()} == {
        place: 3.0 * won[place] for place in range(1, 8)
    }
    assert {row["sonneborn_berger"] for row in rows.values()} == {0}
    assert all(row["reach"] == [row["rank"]] * 2 and row["played"] == 3 for row in rows.values())
    record = group.checked()
    assert (record["table_seats"], record["scoring"]) == (3, "shares")


def test_shared_wins_are_shared_and_strengths_follow(api: Api) -> None:
    group = Tables(api, 5)
    group.start()
    for one in group.matches():
        for letter in "ABC":
            token = group.tokens[one["seats"][letter]]
            api("POST", f"matches/{one['match']}/draw", {"offer": True}, token=token)
    rows = group.rows().values()
    assert [(row["rank"], row["points"], row["drawn"], row["wins"]) for row in rows] == [(1, 6, 6, 0)] * 5
    assert [abs(row["strength"]["elo"]) for row in rows] == [0] * 5, "each has six results"


def test_whoever_leaves_resigns_at_each_table_and_the_others_play_on(api: Api) -> None:
    group = Tables(api, 7)
    group.start()
    gone = with_place(group, 2)
    for _ in range(2):
        api("DELETE", f"leagues/{group.key}/places/2", token=group.tokens[2], status=204)
    assert [one["status"] for one in with_place(group, 2)] == ["playing"] * 3
    assert [place["left"] for place in group.get()["places"]][1] == "withdrawn"
    for one in gone:
        there = [letter for letter, place in one["seats"].items() if place != 2]
        group.seal(one, *there)
        match = api("GET", f"matches/{one['match']}")
        assert match["turn"] == 1 and match["status"] == "playing", "the turn went on without them"
        group.resign(one, there[0])
    over = with_place(group, 2)
    assert [(one["status"], one["decided"], one["counts"]) for one in over] == [("over", "play", True)] * 3
    rows = group.rows()
    assert (rows[2]["rank"], rows[2]["counts"], rows[2]["played"]) == (None, False, 0)
    assert sum(row["points"] for row in rows.values()) == 9
    group.finish()
    record = group.checked()
    given_up = [one["forfeit"] for one in record["schedule"] if one["forfeit"]]
    assert sorted(given_up) == sorted(letter_of(one, 2) for one in gone)


def test_whoever_leaves_late_loses_the_rest(api: Api) -> None:
    group = Tables(api, 7)
    group.start()
    first, second, third = with_place(group, 2)
    for one in (first, second):
        group.win(one, letter_of(one, 2))
    api("DELETE", f"leagues/{group.key}/places/2", token=group.tokens[2], status=204)
    assert group.get()["places"][1]["left"] == "defaulted"
    rest = next(letter for letter, place in third["seats"].items() if place != 2)
    group.resign(
        third, *(letter for letter, place in third["seats"].items() if place != 2 and letter != rest)
    )
    group.finish()
    row = group.rows()[2]
    assert (row["points"], row["won"], row["lost"], row["wins"]) == (6, 2, 1, 0)
    group.checked()


def test_the_last_who_stays_at_a_table_wins_by_default(api: Api) -> None:
    group = Tables(api, 4)
    group.start()
    for place in (1, 2):
        api("DELETE", f"leagues/{group.key}/places/{place}", token=group.tokens[place], status=204)
    both = [one for one in group.matches() if {1, 2} <= set(one["seats"].values())]
    assert len(both) == 2
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
    group = Tables(api, 4)
    group.start()
    mine = with_place(group, 1)
    for one in mine[:2]:
        own = letter_of(one, 1)
        group.resign(one, own)
        group.seal(one, *(letter for letter in one["seats"] if letter != own))
        assert api("GET", f"matches/{one['match']}")["turn"] == 1
    api("DELETE", f"leagues/{group.key}/places/1", token=group.tokens[1], status=204)
    assert group.get()["places"][0]["left"] == "defaulted", "two of three were played to the end"
    group.finish()
    assert [one["forfeit"] for one in group.checked()["schedule"]].count(None) == 3
    assert group.rows()[1]["rank"] is not None


@pytest.mark.more
def test_two_who_never_play_leave_by_themselves_and_the_league_ends(api: Api, time: Any) -> None:
    group = Tables(api, 7)
    group.start()
    absent = {2, 5}
    for _ in range(30):
        for one in group.matches():
            match = Match.objects.get(key=one["match"])
            if match.status == Match.Status.PLAYING:
                owing = [letter for letter in flow.owing(match) if one["seats"][letter] not in absent]
                group.seal(one, *owing)
        time.pass_(hours=25)
        settle()
        if group.get()["status"] == "over":
            break
    told = group.get()
    assert told["status"] == "playing" or told["played"] == 7
    assert {place["place"] for place in told["places"] if place["left"] == "withdrawn"} == absent
    time.pass_(days=61)
    settle()
    assert group.get()["status"] == "over"
    rows = group.rows()
    assert {place for place, row in rows.items() if row["rank"] is None} == absent
    group.checked()


def test_who_leaves_before_a_round_resigns_as_it_begins(api: Api, time: Any) -> None:
    group = Tables(api, 4, every_days=3)
    group.start()
    assert [one["match"] is None for one in group.matches()] == [False, True, True, True]
    api("DELETE", f"leagues/{group.key}/places/2", token=group.tokens[2], status=204)
    for number in range(2, 5):
        time.pass_(days=3, minutes=1)
        settle()
        one = group.matches()[number - 1]
        if 2 in one["seats"].values():
            match = Match.objects.get(key=one["match"])
            assert [at for at, place in one["seats"].items() if place == 2] == arbiter.still_in(match)[1]
    group.finish()
    assert group.get()["status"] == "over"
    group.checked()


def test_a_table_that_all_but_one_leave_before_it_begins_is_decided_without_a_match(api: Api) -> None:
    group = Tables(api, 4, every_days=3)
    group.start()
    for place in (1, 2, 3):
        api("DELETE", f"leagues/{group.key}/places/{place}", token=group.tokens[place], status=204)
    assert Match.objects.count() == 1
    decided = [(one["match"] is None, one["decided"]) for one in group.matches()]
    assert decided[1:] == [(True, "default")] * 3 and group.get()["status"] == "over"
    group.checked()


def test_on_the_last_day_a_table_goes_to_who_missed_fewest_deadlines(api: Api, time: Any) -> None:
    group = Tables(api, 4, ends_days=1.5, late="claim")
    group.start()
    one, other, third, _fourth = group.matches()
    group.seal(one, "B")
    group.seal(other, "A", "B")
    group.resign(third, "C")
    leaver = third["seats"]["C"]  # who so leaves two others at each table
    api("DELETE", f"leagues/{group.key}/places/{leaver}", token=group.tokens[leaver], status=204)
    time.pass_(hours=30)
    settle()
    assert group.get()["status"] == "playing"
    time.pass_(hours=7)
    settle()
    assert group.get()["status"] == "over"
    by_match = {match["match"]: match for match in group.matches()}
    assert {match["decided"] for match in by_match.values()} == {"last day"}
    only_one_sealed = one["seats"]["B"] != leaver
    assert by_match[one["match"]]["outcome"]["scores"]["B"] == (
        1 if only_one_sealed else pytest.approx(1 / 3)
    )
    group.checked()
    assert group.rows()[leaver]["rank"] is None
    played = sum(row["points"] for row in group.rows().values())
    assert played == pytest.approx(12), "who had left has no part in a draw"


def test_what_has_not_begun_is_shared_on_the_last_day(api: Api) -> None:
    group = Tables(api, 4, every_days=3)
    group.start()
    League.objects.update(ends=timezone.now())
    settle()
    assert Match.objects.count() == 1 and group.get()["status"] == "over"
    assert [row["points"] for row in group.rows().values()] == pytest.approx([3] * 4)
    group.checked()


def test_places_count_by_the_order_of_being_put_out(api: Api) -> None:
    group = Tables(api, 4, preset="bash", scoring="places")
    group.start()
    for one in group.matches():
        group.resign(one, "B")
        group.seal(one, "A", "C")
        assert api("GET", f"matches/{one['match']}")["status"] == "playing"
        group.resign(one, "A")
    assert group.get()["status"] == "over"
    assert set(Fixture.objects.values_list("finish", flat=True)) == {"C/A/B"}
    assert [row["points"] for row in group.rows().values()] == [3] * 4, "two, one and none for each"
    assert [row["wins"] for row in group.rows().values()] == [0] * 4
    group.checked()
    Fixture.objects.filter(pk=Fixture.objects.first().pk).update(finish="A/B/C")
    assert any("order" in fault for fault in league_faults())


@pytest.mark.integration
def test_bots_play_a_whole_league_by_places(api: Api, time: Any) -> None:
    """Everybody plays random programs to the end: the record has every step again."""
    group = Tables(api, 4, 4, preset="bash", scoring="places")
    group.start()
    for one in group.matches():
        match = Match.objects.get(key=one["match"])
        while match.status == Match.Status.PLAYING and match.turn < 40:
            group.seal(one, *flow.owing(match))
            match.refresh_from_db()
        if match.status == Match.Status.PLAYING:
            group.resign(one, *arbiter.still_in(match)[0][1:])
    group.checked()
    assert sum(row["points"] for row in group.rows().values()) == pytest.approx(16)


def test_a_start_that_is_killed_in_the_middle_makes_no_match_twice(api: Api, monkeypatch: Any) -> None:
    group = Tables(api, 7)
    makes, made = arbiter.begin_together, list[Match]()
    for moment in range(7):
        made.clear()

        def fails(*given: Any, dies_at: int = moment, **more: Any) -> Any:
            if len(made) == dies_at:
                raise KeyboardInterrupt
            made.append(makes(*given, **more))
            return made[-1]

        monkeypatch.setattr(arbiter, "begin_together", fails)
        with pytest.raises(KeyboardInterrupt):
            leagues.start(group.league)
        assert Match.objects.count() == 0 and group.get()["status"] == "open"
    monkeypatch.undo()
    first = group.start()
    assert group.start() == first
    tables = [tuple(fixture.seats.values()) for fixture in Fixture.objects.all()]
    assert Match.objects.count() == 7 == len(set(tables))
