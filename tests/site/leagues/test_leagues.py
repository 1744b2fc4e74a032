"""Leagues by the API: made, joined, started, left, and played to the final table or the last day."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from itertools import combinations
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from games.players import PLAYERS
from robosite.leagues import flow as leagues
from robosite.leagues.models import Fixture, League, Place
from robosite.leagues.record.record import digest_of
from robosite.matches import flow
from robosite.matches.flow import arbiter, pauses, takeback
from robosite.matches.history import state_of
from robosite.matches.models import Match, Program, Seat
from robosite.ops.verification import league_faults
from tests.leagues.seasons import faults_of
from tests.site.api.test_api import Api
from tests.site.browsers import text
from tests.site.leagues.conftest import NAMES, Cup, Group, Shown, letter_of, settle, with_forfeits_of_others

CUP = {"format": "cup"}


def seats_are_right(group: Group, started: dict[str, Any]) -> None:
    """In each match the players have the names of their places, and act by the tokens of these."""
    names = {place["place"]: place["name"] for place in started["places"]}
    for one in group.matches():
        path, seats = f"matches/{one['match']}", one["seats"]
        shown = group.api("GET", path)["seats"]
        assert {letter: seat["name"] for letter, seat in shown.items()} == {
            letter: names[place] for letter, place in seats.items()
        }
        for letter, place in seats.items():
            assert group.api("GET", path, token=group.tokens[place])["you"] == letter
        other = next(iter(group.tokens.keys() - set(seats.values())), None)
        if other:
            group.api("GET", path, token=group.tokens[other], status=401)


def test_a_league_is_made_joined_and_started(api: Api) -> None:
    group = Group(api, 4, name="  Our   league ", reserve_hours=5)
    before = group.get()
    assert (before["name"], before["status"], before["nonce"], before["ends"]) == (
        "Our league",
        "open",
        None,
        None,
    )
    assert [place["name"] for place in before["places"]] == ["Ada", "Ben", "Clara", "Dora"]
    assert before["reserve_hours"] == 5 and before["divisions"] == [] and before["matches"] == 0
    assert api("GET", "me/leagues", token=group.tokens[2])["leagues"] == [
        {"league": group.key, "name": "Our league", "game": "pigs", "status": "open", "place": 2}
    ]
    for token in ("", "nonsense"):
        api("GET", "me/leagues", token=token, status=401)
    started = group.start()
    assert (
        sha256(started["nonce"].encode()).hexdigest() == started["lot"] == before["lot"] == group.made["lot"]
    )
    order = sorted(range(1, 5), key=lambda n: sha256(f"{started['nonce']}\n{n}".encode()).hexdigest())
    assert started["divisions"] == [order]
    assert {place["place"]: place["number"] for place in started["places"]} == {
        place: number for number, place in enumerate(order, 1)
    }
    matches = group.matches()
    assert [(one["round"], *one["seats"].values()) for one in matches[:2]] == [
        (1, order[0], order[3]),
        (1, order[1], order[2]),
    ]
    assert len(matches) == 6 and {one["status"] for one in matches} == {"playing"}
    assert set(Match.objects.values_list("deadline_hours", "reserve_hours")) == {(24, 5)}
    seats_are_right(group, started)
    for one in matches:
        given = {"turn": 0, "order": "F ^ TR v H"}
        api("PUT", f"matches/{one['match']}/order", given, token=group.tokens[one["seats"]["A"]])
    assert Program.objects.exclude(seal="").count() == 6


@pytest.mark.parametrize(
    ("players", "seats", "matches", "meet"), [(7, 3, 7, 1), (4, 3, 4, 2), (5, 4, 5, 3), (4, 4, 4, 4)]
)
def test_at_tables_everybody_meets_everybody_as_often_as_was_told(
    api: Api, players: int, seats: int, matches: int, meet: int
) -> None:
    group = Group(api, players, table_seats=seats)
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
    seats_are_right(group, started)


def test_who_may_join(api: Api) -> None:
    group = Group(api, 2, places=4, names=["Zoe"])
    path = f"leagues/{group.key}/places"
    api("POST", path, {"name": "Max", "invite": "wrong"}, status=403)
    api("POST", path, {"name": "Max"}, status=403)
    assert "looks like" in group.join("Zoe", status=409)["detail"]
    assert group.join("Zoe", place=2)["place"] == 2
    group.join("Zoe", place=2, status=409)
    group.join("Max", place=9, status=422)
    group.join("Max")
    assert "taken" in group.join("Pia", status=409)["detail"]
    group.start()
    assert "started" in group.join("Pia", status=409)["detail"]


def test_leaving_before_the_start_frees_the_place(api: Api) -> None:
    group = Group(api, 4)
    path = f"leagues/{group.key}/places/4"
    api("DELETE", path, status=401)
    api("DELETE", path, token=group.tokens[2], status=403)
    for _ in range(2):
        group.leave(4)
    assert [place["place"] for place in group.get()["places"]] == [1, 2, 3]
    assert group.join("Dora")["place"] == 5, "no number comes again"
    group.remove(2)
    group.remove(99, status=404)


@pytest.mark.parametrize(
    ("terms", "least"), [({}, 3), ({"table_seats": 4}, 4), (CUP, 3)], ids=["league", "tables", "cup"]
)
def test_only_the_organiser_starts_once_and_only_with_enough(
    api: Api, terms: dict[str, Any], least: int
) -> None:
    group = Group(api, least - 1, **terms)
    assert group.get()["meetings"] is None
    assert f"at least {least}" in group.start(status=409)["detail"]
    group.join("Max")
    path = f"leagues/{group.key}/start"
    api("POST", path, status=401)
    api("POST", path, token=group.tokens[2], status=403)
    api("POST", path, token="no-such-token", status=401)
    other = Group(api, 1)
    api("POST", path, token=other.made["organiser_token"], status=403)
    first = group.start()
    made = Match.objects.count()
    assert group.start() == first and Match.objects.count() == made > 0


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        ({"places": 2}, "/places"),
        ({"places": 65}, "/places"),
        ({"deadline_hours": None}, "/deadline_hours"),
        ({"deadline_hours": 10_000}, "/deadline_hours"),
        ({"preset": "nonsense"}, "/preset"),
        ({"game": "chess"}, "/game"),
        ({"options": {"nonsense": 1}}, "/options/nonsense"),
        ({"legs": 3}, "/legs"),
        ({"name": " "}, "/name"),
        ({"name": "x" * 61}, "/name"),
        ({"organiser": None}, "/organiser"),
        ({"organiser": "Moderator"}, "/organiser"),
        ({"names": ["Ada"]}, "/names/0"),
        ({"names": list(NAMES[1:]), "places": 3}, "/names"),
        ({"every_days": 0}, "/every_days"),
        ({"ends_days": 0}, "/ends_days"),
        ({"ends_days": 0.9}, "/ends_days"),
        ({"ends_days": 62.9, "every_days": 7, "places": 10}, "/ends_days"),
        ({"reserve_hours": 721}, "/reserve_hours"),
        ({"nonsense": 1}, "/nonsense"),
        ({"table_seats": 5}, "/table_seats"),
        ({"table_seats": 9, "preset": "bash"}, "/table_seats"),
        ({"table_seats": 1}, "/table_seats"),
        ({"preset": "bash", "table_seats": 6, "places": 5}, "/places"),
        ({"scoring": "places", "table_seats": 3}, "/scoring"),
        ({"scoring": "ranks", "preset": "bash", "table_seats": 3}, "/scoring"),
        ({"table_seats": 3, "every_days": 7, "ends_days": 60, "places": 12}, "/ends_days"),
        ({**CUP, "places": 33}, "/places"),
        ({**CUP, "table_seats": 3}, "/table_seats"),
        ({**CUP, "legs": 2}, "/legs"),
        ({**CUP, "every_days": 7}, "/every_days"),
        ({**CUP, "preset": "continuous"}, "/preset"),
        ({**CUP, "places": 16, "ends_days": 3.9}, "/ends_days"),
        ({"format": "swiss"}, "/format"),
        ({"robots": True}, "/plays"),
        ({"bots": ["quick", "quick"]}, "/bots"),
        ({"bots": ["clever"]}, "/bots/0"),
        ({"places": 3, "bots": list(PLAYERS)}, "/bots"),
    ],
)
def test_bad_input_is_told_at_its_field(api: Api, given: Any, pointer: str) -> None:
    body = {"name": "Spring", "game": "pigs", "organiser": "Ada", **given}
    told = api("POST", "leagues", body, status=422)
    assert told["errors"][0]["pointer"] == pointer and told["detail"]
    assert not League.objects.exists()


def test_an_organiser_need_not_play_but_bots_alone_do_not_begin(api: Api) -> None:
    given = {"name": "Spring", "game": "pigs", "plays": False, "bots": ["random", "hasty", "quick"]}
    made = api("POST", "leagues", {**given, "names": ["Ben"]}, status=201)
    assert (made["place"], made["token"], made["place_url"]) == (None, None, None)
    path = f"leagues/{made['league']}"
    assert "Ben" in [place["name"] for place in api("GET", path)["places"]]
    answer = api("POST", f"{path}/start", token=made["organiser_token"], status=409)
    assert "bots" in answer["detail"]


def test_a_season_of_seven_at_tables_of_three(api: Api) -> None:
    group = Group(api, 7, table_seats=3)
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


def test_places_count_by_the_order_of_being_put_out(api: Api) -> None:
    group = Group(api, 4, table_seats=3, preset="bash", scoring="places")
    group.start()
    for one in group.matches():
        group.resign(one, "B")
        group.seal(one, "A", "C")
        assert api("GET", f"matches/{one['match']}")["status"] == "playing"
        group.resign(one, "A")
    assert group.get()["status"] == "over"
    assert set(Fixture.objects.values_list("finish", flat=True)) == {"C/A/B"}
    rows = group.rows().values()
    assert [(row["points"], row["wins"]) for row in rows] == [(3, 0)] * 4, "two, one and none for each"
    group.checked()
    Fixture.objects.filter(pk=Fixture.objects.first().pk).update(finish="A/B/C")
    assert any("order" in fault for fault in league_faults())


def test_a_win_before_all_have_sealed_twice_is_not_one_on_the_board(api: Api) -> None:
    group = Group(api, 3, game="robble")
    group.start()
    for one, sealed in zip(group.matches(), (1, 3, 4), strict=True):
        for turn in range(sealed):
            group.seal(one, "AB"[turn % 2])
        group.win(one, "A")
    rows = group.rows().values()
    assert (sum(row["won"] for row in rows), sum(row["wins"] for row in rows)) == (3, 1)
    assert list(Fixture.objects.order_by("pk").values_list("early", flat=True)) == [True, True, False]
    group.checked()


def test_players_of_a_league_cannot_take_back_pause_or_call_off(api: Api) -> None:
    group = Group(api, 3, game="robble")
    group.start()
    seat = Seat.objects.select_related("match").filter(letter="A").first()
    assert seat
    with pytest.raises(flow.Refused, match="paused"):
        pauses.ask_pause(seat)
    with pytest.raises(flow.Refused, match="cancelled"):
        flow.offer_ending(seat, flow.Ending.OFF, True)
    order = state_of(seat.match).view(seat.at).sample(seat.at, Random(1))
    flow.seal(seat, 0, order)
    assert not takeback.may_ask(seat.match, seat)
    with pytest.raises(flow.Refused, match="taken back"):
        takeback.ask(seat, 1, 0)
    one = next(one for one in group.matches() if one["match"] == seat.match.key)
    told = api("GET", f"matches/{seat.match.key}", token=group.tokens[one["seats"]["A"]])
    assert told["may_propose"] == ["draw"]


def test_names_that_nobody_claimed_are_left_out_and_erased_at_the_start(api: Api) -> None:
    group = Group(api, 3, names=["Zoe", "Max"])
    assert [place["taken"] for place in group.get()["places"]].count(False) == 2
    assert [place["name"] for place in group.start()["places"]] == ["Ada", "Ben", "Clara"]
    assert [place["name"] for place in group.get()["places"]] == ["Ada", "Ben", "Clara"]
    assert {place.name for place in group.league.places.filter(gone=True)} == {""}


THREE = {"table_seats": 3}
OF_TABLES = pytest.mark.parametrize("terms", [{}, THREE], ids=["of two", "of three"])


def third(one: Shown, *places: int) -> str:
    """The seat of somebody else in this match."""
    return next(letter for letter, place in one["seats"].items() if place not in places)


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
@pytest.mark.parametrize("plays", [True, False])
def test_the_match_with_an_organiser_who_plays_counts_for_nobody(
    api: Api, terms: dict[str, Any], *, plays: bool
) -> None:
    """Whether it is running or has not begun; all others get their points by default, as ever."""
    group = Group(api, 4, **terms)
    Place.objects.filter(number=1).update(organises=plays)
    group.start()
    group.remove(2)
    (own,), (other,) = group.of_places(1, 2), group.of_places(2, 3)
    assert other["decided"] == "default"
    assert (own["decided"], own["counts"]) == ((None, False) if plays else ("default", other["counts"]))
    assert not plays or own["status"] == ("aborted" if own["match"] else "over")


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
