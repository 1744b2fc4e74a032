"""Leagues of every kind by the API: made, joined, started, and played to the final table."""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from itertools import combinations
from random import Random
from typing import Any

import pytest

from games.players import PLAYERS
from robosite.leagues.models import Fixture, League
from robosite.matches import flow
from robosite.matches.flow import arbiter, holidays, takeback
from robosite.matches.history import state_of
from robosite.matches.models import Match, Program, Seat
from robosite.ops.verification import league_faults
from tests.site.leagues.conftest import NAMES, Api, Group

pytestmark = pytest.mark.django_db
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
    ("players", "seats", "matches", "meet"),
    [(7, 3, 7, 1), (5, 3, 10, 3), (4, 3, 4, 2), (5, 4, 5, 3), (4, 4, 4, 4), (9, 3, 12, 1)],
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
        ({"ends_days": 62.9, "every_days": 7, "places": 64}, "/ends_days"),
        ({"reserve_hours": 721}, "/reserve_hours"),
        ({"nonsense": 1}, "/nonsense"),
        ({"table_seats": 5}, "/table_seats"),
        ({"table_seats": 9, "preset": "bash"}, "/table_seats"),
        ({"table_seats": 1}, "/table_seats"),
        ({"game": "robble", "table_seats": 3}, "/table_seats"),
        ({"preset": "bash", "table_seats": 6, "places": 5}, "/places"),
        ({"scoring": "places", "table_seats": 3}, "/scoring"),
        ({"scoring": "places", "preset": "bash"}, "/scoring"),
        ({"scoring": "ranks", "preset": "bash", "table_seats": 3}, "/scoring"),
        ({"table_seats": 3, "every_days": 7, "ends_days": 60, "places": 12}, "/ends_days"),
        ({**CUP, "places": 33}, "/places"),
        ({**CUP, "table_seats": 3}, "/table_seats"),
        ({**CUP, "legs": 2}, "/legs"),
        ({**CUP, "every_days": 7}, "/every_days"),
        ({**CUP, "preset": "continuous"}, "/preset"),
        ({**CUP, "options": {"mode": "continuous"}}, "/options"),
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


def test_results_make_the_table(api: Api) -> None:
    group = Group(api, 3)
    group.start()
    group.lose(2, against=1)
    group.lose(3, against=1)
    group.lose(3, against=2)
    assert [(row["rank"], row["name"], row["points"], row["reach"]) for row in group.rows().values()] == [
        (1, "Ada", 2, [1, 1]),
        (2, "Ben", 1, [2, 2]),
        (3, "Clara", 0, [3, 3]),
    ]
    told = group.get()
    assert (told["status"], told["matches"], told["played"]) == ("over", 3, 3)
    assert {one["decided"] for one in group.matches()} == {"play"}


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


def test_shared_wins_are_shared_and_strengths_follow(api: Api) -> None:
    group = Group(api, 5, table_seats=3)
    group.start()
    for one in group.matches():
        group.draw(one)
    rows = group.rows().values()
    assert [(row["rank"], row["points"], row["drawn"], row["wins"]) for row in rows] == [(1, 6, 6, 0)] * 5
    assert [abs(row["strength"]["elo"]) for row in rows] == [0] * 5, "each has six results"


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


@pytest.mark.integration
def test_bots_play_a_whole_league_by_places(api: Api, time: Any) -> None:
    """Everybody plays random programs to the end: the record has every step again."""
    group = Group(api, 4, table_seats=4, preset="bash", scoring="places")
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
        holidays.ask_pause(seat)
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
