"""Leagues by the API: from making one to the final table, with leavers, the last day, and the record."""

from __future__ import annotations

import json
from contextlib import suppress
from hashlib import sha256
from random import Random
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from robosite.leagues import flow as leagues
from robosite.leagues.models import Fixture, League, Place
from robosite.leagues.record.record import digest_of
from robosite.matches import flow
from robosite.matches.flow import pauses, takeback
from robosite.matches.history import state_of
from robosite.matches.models import Match, Program, Seat
from robosite.ops.verification import league_faults
from tests.clock import tick
from tests.leagues.seasons import faults_of

pytestmark = pytest.mark.django_db
NAMES = ("Ada", "Ben", "Clara", "Dora", "Emil", "Flora", "Gus", "Hanna", "Ida", "Jo", "Kim", "Lea")
CUP = {"format": "cup"}


class Api:
    """A program's client: each call with the token that it is given."""

    def __init__(self) -> None:
        self.client = Client()

    def __call__(self, how: str, path: str, data: Any = None, token: str = "", status: int = 200) -> Any:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        raw, kind = (b"", "") if data is None else (json.dumps(data).encode(), "application/json")
        answer = self.client.generic(how, f"/api/v1/{path}", raw, content_type=kind, headers=headers)
        assert answer.status_code == status, answer.content.decode()
        return answer.json() if answer.content else None


class Group:
    """A league that was made by its organiser Ada, and its tokens by place."""

    def __init__(self, api: Api, players: int, **terms: Any) -> None:
        self.api = api
        given = {"name": "Spring", "game": "pigs", "organiser": "Ada", "places": 12, **terms}
        self.made = api("POST", "leagues", given, status=201)
        self.key = self.made["league"]
        self.tokens = {1: self.made["token"]}
        for name in NAMES[1:players]:
            self.join(name)

    def join(self, name: str, status: int = 201, **more: Any) -> Any:
        given = {"name": name, "invite": self.made["invite"], **more}
        taken = self.api("POST", f"leagues/{self.key}/places", given, status=status)
        if status == 201:
            self.tokens[taken["place"]] = taken["token"]
        return taken

    def start(self, status: int = 200) -> Any:
        return self.api(
            "POST", f"leagues/{self.key}/start", token=self.made["organiser_token"], status=status
        )

    def get(self, what: str = "", status: int = 200) -> Any:
        return self.api("GET", f"leagues/{self.key}{what}", status=status)

    def checked(self) -> Any:
        """The record, as a reader gets it, in which nothing is wrong."""
        record = json.loads(json.dumps(self.get("/record")))
        assert faults_of(record) == [] == list(league_faults())
        return record

    @property
    def league(self) -> League:
        return League.objects.get(key=self.key)

    def matches(self) -> list[dict[str, Any]]:
        return self.get("/matches")["matches"]

    def lose(self, place: int, against: int) -> None:
        """The place resigns in its match against another one."""
        for one in self.matches():
            if set(one["seats"].values()) == {place, against} and one["status"] == "playing":
                self.api("POST", f"matches/{one['match']}/resign", token=self.tokens[place])

    def play_all(self, seed: int = 1) -> None:
        """Ends each running match by a resignation or a draw."""
        chance = Random(seed)
        for one in self.matches():
            if one["status"] != "playing":
                continue
            how, places = chance.choice("ABD"), one["seats"]
            if how == "D":
                for place in places.values():
                    path = f"matches/{one['match']}/draw"
                    self.api("POST", path, {"offer": True}, token=self.tokens[place])
            else:
                self.api("POST", f"matches/{one['match']}/resign", token=self.tokens[places[how]])


def settle() -> None:
    """As the clock does."""
    tick()
    while leagues.settle_some():
        pass


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
    names = {place["place"]: place["name"] for place in started["places"]}
    for one in matches:
        seats = api("GET", f"matches/{one['match']}")["seats"]
        match = Match.objects.get(key=one["match"])
        assert (match.deadline_hours, match.reserve_hours) == (24, 5)
        assert {letter: seat["name"] for letter, seat in seats.items()} == {
            letter: names[place] for letter, place in one["seats"].items()
        }


def test_a_place_acts_for_every_seat_of_its_matches(api: Api) -> None:
    group = Group(api, 3)
    group.start()
    for one in group.matches():
        for letter, place in one["seats"].items():
            assert api("GET", f"matches/{one['match']}", token=group.tokens[place])["you"] == letter
        (other,) = {1, 2, 3} - set(one["seats"].values())
        api("GET", f"matches/{one['match']}", token=group.tokens[other], status=401)
        order = {"turn": 0, "order": "F ^ TR v H"}
        api("PUT", f"matches/{one['match']}/order", order, token=group.tokens[one["seats"]["A"]])
    assert Program.objects.exclude(seal="").count() == 3


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
        api("DELETE", path, token=group.tokens[4], status=204)
    assert [place["place"] for place in group.get()["places"]] == [1, 2, 3]
    assert group.join("Dora")["place"] == 5, "no number comes again"
    api("DELETE", f"leagues/{group.key}/places/2", token=group.made["organiser_token"], status=204)
    api("DELETE", f"leagues/{group.key}/places/99", token=group.made["organiser_token"], status=404)


def test_only_the_organiser_starts_and_only_with_three(api: Api) -> None:
    group = Group(api, 2)
    assert "at least 3" in group.start(status=409)["detail"]
    path = f"leagues/{group.key}/start"
    api("POST", path, status=401)
    api("POST", path, token=group.tokens[2], status=403)
    api("POST", path, token="no-such-token", status=401)
    other = Group(api, 1)
    api("POST", path, token=other.made["organiser_token"], status=403)


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
    ],
)
def test_bad_input_is_told_at_its_field(api: Api, given: Any, pointer: str) -> None:
    body = {"name": "Spring", "game": "pigs", "organiser": "Ada", **given}
    told = api("POST", "leagues", body, status=422)
    assert told["errors"][0]["pointer"] == pointer and told["detail"]
    assert not League.objects.exists()


def test_an_organiser_need_not_play(api: Api) -> None:
    given = {"name": "Spring", "game": "robble", "plays": False, "names": ["Ben"]}
    made = api("POST", "leagues", given, status=201)
    assert (made["place"], made["token"], made["place_url"]) == (None, None, None)
    assert [place["name"] for place in api("GET", f"leagues/{made['league']}")["places"]] == ["Ben"]


def test_results_make_the_table(api: Api) -> None:
    group = Group(api, 3)
    group.start()
    group.lose(2, against=1)
    group.lose(3, against=1)
    group.lose(3, against=2)
    rows = group.get("/table")["divisions"][0]["rows"]
    assert [(row["rank"], row["name"], row["points"], row["reach"]) for row in rows] == [
        (1, "Ada", 2, [1, 1]),
        (2, "Ben", 1, [2, 2]),
        (3, "Clara", 0, [3, 3]),
    ]
    told = group.get()
    assert (told["status"], told["matches"], told["played"]) == ("over", 3, 3)
    assert {one["decided"] for one in group.matches()} == {"play"}


def test_a_win_before_all_have_sealed_twice_is_not_one_on_the_board(api: Api) -> None:
    group = Group(api, 3, game="robble")
    group.start()
    for one, sealed in zip(group.matches(), (1, 3, 4), strict=True):
        seats = {seat.letter: seat for seat in Match.objects.get(key=one["match"]).seats.all()}
        for turn in range(sealed):
            seat = seats["AB"[turn % 2]]
            seat.match.refresh_from_db()
            order = state_of(seat.match).view(seat.at).sample(seat.at, Random(turn))
            flow.seal(seat, turn, order)
        api("POST", f"matches/{one['match']}/resign", token=group.tokens[one["seats"]["B"]])
    rows = group.get("/table")["divisions"][0]["rows"]
    assert sum(row["won"] for row in rows) == 3
    assert sum(row["wins"] for row in rows) == 1
    assert list(Fixture.objects.order_by("pk").values_list("early", flat=True)) == [True, True, False]
    group.checked()


def test_whoever_leaves_early_is_withdrawn_and_whoever_leaves_late_loses_the_rest(api: Api) -> None:
    group = Group(api, 5)
    group.start()
    group.lose(1, against=2)
    group.lose(2, against=3)
    group.lose(2, against=5)
    for place in (1, 2):
        for _ in range(2):
            api("DELETE", f"leagues/{group.key}/places/{place}", token=group.tokens[place], status=204)
    assert [place["left"] for place in group.get()["places"]] == ["withdrawn", "defaulted", None, None, None]
    rows = {row["name"]: row for row in group.get("/table")["divisions"][0]["rows"]}
    assert (rows["Ada"]["rank"], rows["Ada"]["counts"], rows["Ada"]["strength"]) == (None, False, None)
    assert [rows[name]["points"] for name in ("Ben", "Clara", "Dora", "Emil")] == [0, 1, 1, 1]
    assert [rows[name]["wins"] for name in ("Clara", "Dora", "Emil")] == [0, 0, 0]
    counting = [one["counts"] for one in group.matches()]
    assert counting.count(True) == 3, "three of Ben's; nothing of Ada's, and the rest goes through"


def play(group: Group, absent: set[int]) -> None:
    """Seals for everybody who is there, in each match, until nobody there owes an order."""
    for one in group.matches():
        match = Match.objects.get(key=one["match"])
        while match.status == Match.Status.PLAYING:
            owing = [letter for letter in flow.owing(match) if one["seats"][letter] not in absent]
            if not owing:
                break
            for letter in owing:
                seat = match.seats.get(letter=letter)
                order = state_of(match).view(seat.at).sample(seat.at, Random(match.pk * 1000 + match.turn))
                with suppress(flow.Refused):
                    flow.seal(seat, match.turn, order)
            match.refresh_from_db()


@pytest.mark.more
def test_eight_two_of_whom_never_play(api: Api, time: Any) -> None:
    """28 matches, of which 15 count and 13 do not, without anything that the organiser does."""
    group = Group(api, 8, game="robble")
    group.start()
    absent = {2, 5}
    for _ in range(5):
        play(group, absent)
        time.pass_(hours=25)
        settle()
    told = group.get()
    assert told["status"] == "over"
    matches = group.matches()
    assert len(matches) == 28
    assert sum(one["counts"] for one in matches) == 15
    assert [place["left"] for place in told["places"]].count("withdrawn") == 2
    rows = group.get("/table")["divisions"][0]["rows"]
    assert [row["rank"] is None for row in rows] == [False] * 6 + [True] * 2
    assert all(row["strength"] for row in rows[:6]), "each has five results"


def test_on_the_last_day_what_is_unfinished_goes_to_who_missed_fewer_deadlines(api: Api, time: Any) -> None:
    group = Group(api, 3, ends_days=1.5, late="claim")
    group.start()
    one, other, _third = group.matches()
    for match, letters in ((one, "A"), (other, "AB")):
        for letter in letters:
            token = group.tokens[match["seats"][letter]]
            api("PUT", f"matches/{match['match']}/order", {"turn": 0, "order": "F ^ TR v H"}, token=token)
    time.pass_(hours=30)
    settle()
    assert group.get()["status"] == "playing"
    time.pass_(hours=7)
    settle()
    told = group.get()
    assert told["status"] == "over"
    first, second, last = group.matches()
    assert [match["decided"] for match in (first, second, last)] == ["last day"] * 3
    assert first["outcome"]["scores"] == {"A": 1, "B": 0}
    assert second["outcome"]["scores"] == {"A": 0.5, "B": 0.5} == last["outcome"]["scores"]


@pytest.mark.parametrize("seats", [2, 3])
def test_a_match_to_which_nobody_came_counts_for_nobody(api: Api, time: Any, seats: int) -> None:
    group = Group(api, seats + 1, table_seats=seats)
    group.start()
    for _ in range(2):
        time.pass_(hours=25)
        settle()
    assert {(one["status"], one["decided"], one["counts"]) for one in group.matches()} == {
        ("aborted", "nobody came", True)
    }
    rows = group.get("/table")["divisions"][0]["rows"]
    assert [(row["rank"], row["points"], row["lost"]) for row in rows] == [(1, 0, seats)] * (seats + 1)
    group.checked()


def test_rounds_begin_one_after_the_other(api: Api, time: Any) -> None:
    group = Group(api, 4, every_days=3)
    group.start()
    assert [one["status"] for one in group.matches()] == ["playing"] * 2 + ["waiting"] * 4
    time.pass_(days=3, minutes=1)
    settle()
    assert [one["match"] is None for one in group.matches()] == [False] * 4 + [True] * 2
    api("DELETE", f"leagues/{group.key}/places/1", token=group.tokens[1], status=204)
    mine = [one for one in group.matches() if 1 in one["seats"].values()]
    assert {one["decided"] for one in mine} >= {"default"} and all(one["match"] for one in mine[:2])
    time.pass_(days=3)
    settle()
    undone = Fixture.objects.get(match=None)
    assert undone.decided == "default" and Place.objects.get(pk=undone.seats[undone.forfeit]).number == 1


def test_players_of_a_league_cannot_take_back_pause_or_call_off(api: Api) -> None:
    group = Group(api, 3, game="robble")
    group.start()
    seat = Seat.objects.select_related("match").filter(letter="A").first()
    assert seat
    with pytest.raises(flow.Refused, match="paused"):
        pauses.ask(seat)
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


def test_own_leagues_by_token(api: Api) -> None:
    group = Group(api, 3)
    told = api("GET", "me/leagues", token=group.tokens[2])["leagues"]
    assert told == [{"league": group.key, "name": "Spring", "game": "pigs", "status": "open", "place": 2}]
    api("GET", "me/leagues", status=401)
    api("GET", "me/leagues", token="nonsense", status=401)


def test_a_moderator_closes_a_league(api: Api) -> None:
    group = Group(api, 3)
    group.start()
    group.lose(2, against=1)
    leagues.close(group.league)
    told = group.get()
    assert (told["status"], told["played"]) == ("over", 3)
    assert sorted(str(one["decided"]) for one in group.matches()) == ["None", "None", "play"]
    assert [row["points"] for row in group.get("/table")["divisions"][0]["rows"]] == [1, 0, 0]


@pytest.mark.parametrize("game", ["roboxing", "robosoccer"])
def test_a_league_to_which_nobody_came_has_a_record_too(api: Api, time: Any, game: str) -> None:
    group = Group(api, 4, game=game)
    group.start()
    group.lose(2, against=3)
    for _ in range(5):
        time.pass_(hours=25)
        settle()
    record = group.checked()
    assert sorted(one["decided"] for one in record["schedule"]) == ["nobody came"] * 5 + ["play"]


def test_whom_the_organiser_removed_is_recorded(api: Api) -> None:
    group = Group(api, 4)
    group.start()
    path, organiser = f"leagues/{group.key}/places", group.made["organiser_token"]
    api("DELETE", f"{path}/2", token=organiser, status=204)
    api("DELETE", f"{path}/3", token=group.tokens[3], status=204)
    assert [place["removed"] for place in group.get()["places"]] == [False, True, False, False]
    group.play_all()
    record = group.get("/record")
    assert [place["removed"] for place in record["places"]] == [False, True, False, False]
    assert faults_of(record) == []
    record["places"][3]["removed"] = True
    record["digest"] = digest_of(record)
    assert faults_of(record) == ["Place 4: it was removed, but not left."]


def test_the_rounds_fit_before_the_last_day(api: Api) -> None:
    assert Group(api, 3, ends_days=63, every_days=7, places=64).get()["status"] == "open"


def test_names_that_nobody_claimed_are_left_out_and_erased_at_the_start(api: Api) -> None:
    group = Group(api, 3, names=["Zoe", "Max"])
    assert [place["taken"] for place in group.get()["places"]].count(False) == 2
    assert [place["name"] for place in group.start()["places"]] == ["Ada", "Ben", "Clara"]
    assert [place["name"] for place in group.get()["places"]] == ["Ada", "Ben", "Clara"]
    assert {place.name for place in group.league.places.filter(gone=True)} == {""}


def test_what_has_not_begun_is_decided_without_a_match(api: Api, time: Any) -> None:
    group = Group(api, 4, every_days=3)
    group.start()
    api("DELETE", f"leagues/{group.key}/places/2", token=group.tokens[2], status=204)
    lost = [one for one in group.matches() if 2 in one["seats"].values()]
    assert [one["decided"] for one in lost] == ["default"] * 3
    assert sorted(one["match"] is None for one in lost) == [False, True, True]
    assert {one["status"] for one in lost} == {"over"} and Match.objects.count() == 2
    League.objects.update(ends=timezone.now())
    settle()
    assert Match.objects.count() == 2 and group.get()["status"] == "over"
    undone = [one for one in group.matches() if one["match"] is None]
    assert sorted(one["decided"] for one in undone) == ["default"] * 2 + ["last day"] * 2
    rows = group.get("/table")["divisions"][0]["rows"]
    assert {row["place"]: row["points"] for row in rows if row["counts"]} == {1: 1, 3: 1, 4: 1}
    record = group.checked()
    for one in record["schedule"]:
        if one["forfeit"]:
            one["forfeit"] = "AB".replace(one["forfeit"], "")
    record["digest"] = digest_of(record)
    assert sum("nobody had left" in fault for fault in faults_of(record)) == 2


def of_many(api: Api, players: int, **terms: Any) -> League:
    """A league with so many places that has not started."""
    league = Group(api, 1, places=64, **terms).league
    for number in range(2, players + 1):
        leagues.join(league, f"Dora {number}", invite=None)
    return league


def test_a_big_league_starts_in_steps(api: Api, django_capture_on_commit_callbacks: Any) -> None:
    league = of_many(api, 22, open=True)
    with django_capture_on_commit_callbacks() as then:
        leagues.start(league)
    assert Match.objects.count() == leagues.STEP == 45 and league.status == "playing"
    pairings = Fixture.objects.count()
    assert pairings == 28 + 21 + 21
    told: list[list[Match]] = []

    def hear(sender: Any, matches: list[Match], **more: Any) -> None:
        told.append(matches)

    leagues.begun.connect(hear)
    try:
        settle()
    finally:
        leagues.begun.disconnect(hear)
    assert Match.objects.count() == pairings and not Fixture.objects.filter(match=None).exists()
    assert [len(matches) for matches in told] == [pairings], "each is told once, of all"
    for one in then:
        one()
    settle()
    assert Match.objects.count() == pairings
