"""Cups by the API: from making one to its winner, with byes, leavers, the last day, and the record."""

from __future__ import annotations

from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.db import transaction

from robosite.leagues import flow as leagues
from robosite.leagues.arithmetic.bracket import decider_seats
from robosite.leagues.models import Fixture, League
from robosite.leagues.record.record import digest_of
from robosite.matches.flow import arbiter
from robosite.matches.models import Match
from tests.leagues.seasons import faults_of
from tests.site.leagues.test_leagues import Api, Group, play, settle

pytestmark = pytest.mark.django_db


class Cup(Group):
    """A cup that has started."""

    def __init__(self, api: Api, players: int, **terms: Any) -> None:
        super().__init__(api, players, format="cup", **terms)
        self.start()
        self.seeds: list[int] = self.get()["divisions"][0]

    def going_on(self) -> list[dict[str, Any]]:
        return [one for one in self.matches() if one["status"] == "playing"]

    def lose_tie(self, place: int) -> None:
        """The place resigns in all its matches."""
        for one in self.going_on():
            if place in one["seats"].values():
                self.api("POST", f"matches/{one['match']}/resign", token=self.tokens[place])

    def draw(self, match: dict[str, Any]) -> None:
        for place in match["seats"].values():
            self.api("POST", f"matches/{match['match']}/draw", {"offer": True}, token=self.tokens[place])

    def leave(self, place: int) -> None:
        self.api("DELETE", f"leagues/{self.key}/places/{place}", token=self.tokens[place], status=204)

    def finish(self, seed: int = 1) -> None:
        """Plays until nothing goes on."""
        while self.going_on():
            self.play_all(seed)
            seed += 1

    def ranks(self) -> dict[int, int]:
        return {row["place"]: row["rank"] for row in self.get("/table")["divisions"][0]["rows"]}


def test_a_cup_of_five_from_its_start_to_its_winner(api: Api) -> None:
    cup = Cup(api, 5)
    first, second, third, fourth, fifth = cup.seeds
    assert [(one["round"], one["tie"], one["stage"], one["seats"]) for one in cup.matches()] == [
        (1, 2, "pair", {"A": fourth, "B": fifth}),
        (1, 2, "pair", {"A": fifth, "B": fourth}),
        (2, 2, "pair", {"A": second, "B": third}),
        (2, 2, "pair", {"A": third, "B": second}),
    ], "three have byes, and two of them play at once"
    assert cup.ranks() == {first: 1, second: 1, third: 1, fourth: 4, fifth: 4}
    cup.lose_tie(fourth)
    cup.lose_tie(second)
    assert [sorted(one["seats"].values()) for one in cup.going_on()] == [sorted((first, fifth))] * 2
    cup.lose_tie(fifth)
    cup.lose_tie(first)
    told = cup.get()
    assert (told["format"], told["status"], told["matches"], told["played"]) == ("cup", "over", 8, 8)
    assert cup.ranks() == {third: 1, first: 2, second: 3, fifth: 3, fourth: 5}
    rows = cup.get("/table")["divisions"][0]["rows"]
    assert [row["place"] for row in rows][:2] == [third, first] and rows[0]["reach"] == [1, 1]
    cup.checked()


def test_a_level_tie_has_one_more_and_a_replay_then_the_better_seed_goes_on(api: Api) -> None:
    cup = Cup(api, 4)
    better, other = cup.seeds[0], cup.seeds[3]

    def tie() -> list[dict[str, Any]]:
        return [one for one in cup.matches() if set(one["seats"].values()) == {better, other}]

    for one in tie():
        cup.draw(one)
    *_, decider = tie()
    lot = decider_seats(cup.get()["nonce"], 1, (better, other))
    assert (decider["stage"], tuple(decider["seats"].values())) == ("decider", lot)
    cup.draw(decider)
    *_, replay = tie()
    assert (replay["stage"], tuple(replay["seats"].values())) == ("replay", lot[::-1])
    cup.draw(replay)
    assert cup.ranks()[other] == 3 and len(tie()) == 4
    cup.finish()
    cup.checked()


def test_a_cup_starts_with_three_once(api: Api) -> None:
    group = Group(api, 2, format="cup")
    assert "at least 3" in group.start(status=409)["detail"]
    group.join("Clara")
    first = group.start()
    assert group.start() == first and Match.objects.count() == 2
    seeds = group.get()["divisions"][0]
    assert {place for one in group.matches() for place in one["seats"].values()} == set(seeds[1:])


def test_a_leaver_loses_the_tie_that_is_played_or_waited_for(api: Api) -> None:
    cup = Cup(api, 6)
    first, _second, third, fourth, fifth, sixth = cup.seeds
    cup.leave(first)  # waits for a winner
    assert Match.objects.count() == 4 and cup.get()["status"] == "playing"
    cup.leave(third)  # plays
    cup.leave(third)
    cup.lose_tie(fifth)
    undone = [one for one in cup.matches() if one["match"] is None]
    assert [one["decided"] for one in undone] == ["default"] * 2, "nobody plays against a leaver"
    assert set(undone[0]["seats"].values()) == {first, fourth}
    assert [place["left"] for place in cup.get()["places"]].count("defaulted") == 2
    cup.finish()
    assert (cup.ranks()[first], cup.ranks()[third]) == (3, 5)
    record = cup.checked()
    for one in record["schedule"]:
        if one["forfeit"]:
            one["forfeit"] = "AB".replace(one["forfeit"], "")
    record["digest"] = digest_of(record)
    assert sum("nobody had left" in fault for fault in faults_of(record)) == 2
    assert sixth in cup.ranks()


def test_whoever_is_out_leaves_without_effect(api: Api) -> None:
    cup = Cup(api, 4)
    cup.lose_tie(cup.seeds[3])
    before = cup.get()
    cup.leave(cup.seeds[3])
    assert cup.get() == before


def test_if_both_have_left_the_next_opponent_has_a_bye(api: Api) -> None:
    cup = Cup(api, 4)
    first, second, third, fourth = cup.seeds
    for place in (first, second):
        cup.leave(place)
    assert [sorted(one["seats"].values()) for one in cup.going_on()] == [sorted((third, fourth))] * 2
    cup.finish()
    cup.checked()

    cup = Cup(api, 5)
    first, second, third, fourth, fifth = cup.seeds
    cup.leave(second)
    cup.leave(first)
    cup.leave(third)  # who waits in the final
    assert cup.get()["status"] == "playing"
    cup.lose_tie(fourth)
    assert cup.get()["status"] == "over" and cup.ranks()[fifth] == 1
    cup.checked()


@pytest.mark.integration
def test_players_who_never_appear_lose_and_two_of_them_leave_a_bye(api: Api, time: Any) -> None:
    cup = Cup(api, 8, game="robble")
    first, *_more, sixth, seventh, eighth = cup.seeds
    for _ in range(30):
        play(cup, {eighth, cup.seeds[1], seventh})
        time.pass_(hours=25)
        settle()
    assert cup.get()["status"] == "over"
    ranks = cup.ranks()
    assert ranks[first] < ranks[eighth] == 5
    assert ranks[cup.seeds[1]] == ranks[seventh] == 5, "neither came"
    semi = [one for one in cup.matches() if one["round"] == 2]
    assert {one["tie"] for one in semi} == {1}, "their next opponent has a bye"
    assert sixth in ranks
    cup.checked()


def test_if_nobody_comes_at_all_the_cup_ends_without_a_winner(api: Api, time: Any) -> None:
    cup = Cup(api, 4)
    for _ in range(3):
        time.pass_(hours=25)
        settle()
    assert cup.get()["status"] == "over" and len(cup.matches()) == 4
    assert set(cup.ranks().values()) == {3}
    cup.checked()


def test_on_the_last_day_each_tie_is_decided_up_to_the_final(api: Api, time: Any) -> None:
    cup = Cup(api, 7, ends_days=6, late="claim", deadline_hours=12)
    first, second, third, fourth, fifth, sixth, seventh = cup.seeds
    cup.lose_tie(fourth)
    cup.leave(sixth)
    one = next(one for one in cup.going_on() if seventh in one["seats"].values())
    order = {"turn": 0, "order": "F ^ TR v H"}
    api("PUT", f"matches/{one['match']}/order", order, token=cup.tokens[seventh])
    League.objects.update(ends=time.now() + timedelta(hours=18))
    time.pass_(hours=17)
    settle()
    assert cup.get()["status"] == "playing"
    time.pass_(hours=1, minutes=1)
    settle()
    assert cup.get()["status"] == "over"
    ranks = cup.ranks()
    assert ranks[first] == 1 and ranks[second] == 5, "the seventh missed fewer deadlines than the second"
    assert ranks[third] == 2 and ranks[seventh] == ranks[fifth] == 3
    record = cup.checked()
    assert {one["decided"] for one in record["schedule"]} == {"play", "default", "last day"}
    started = Match.objects.count()
    settle()
    assert Match.objects.count() == started


def test_each_match_is_made_once_wherever_it_breaks_off(api: Api, monkeypatch: Any) -> None:
    cup = Cup(api, 8)
    chance, makes = Random(3), arbiter.begin_together

    class Cut(Exception):
        pass

    while going_on := cup.going_on():
        one = chance.choice(going_on)
        left = [chance.randrange(3)]

        def fails(*given: Any, left: list[int] = left, **more: Any) -> Any:
            left[0] -= 1
            if left[0] < 0:
                raise Cut
            return makes(*given, **more)

        monkeypatch.setattr(arbiter, "begin_together", fails)
        cup.lose_tie(one["seats"]["A"])
        monkeypatch.undo()
        for _ in range(2):
            settle()
        matches = cup.matches()
        assert len({(m["round"], m["tie"], m["stage"], m["seats"]["A"]) for m in matches}) == len(matches)
        assert all(m["match"] or m["decided"] for m in matches)
    assert cup.get()["status"] == "over" and len(cup.matches()) == Match.objects.count() == 14
    cup.checked()


def test_a_second_row_for_the_same_match_is_refused(api: Api) -> None:
    cup = Cup(api, 4)
    row = Fixture.objects.all()[0]
    row.pk, row.match = None, None
    with pytest.raises(Exception, match=r"(?i)unique"), transaction.atomic():
        row.save()
    assert len(cup.matches()) == 4


def test_a_moderator_closes_a_cup(api: Api) -> None:
    cup = Cup(api, 4)
    cup.lose_tie(cup.seeds[0])
    leagues.close(cup.league)
    told = cup.get()
    assert told["status"] == "over" and not cup.going_on()
    assert cup.ranks()[cup.seeds[0]] == 3 and cup.ranks()[cup.seeds[3]] == 1
    settle()
    assert len(cup.matches()) == 4
    cup.checked()


def test_one_match_called_off_by_a_moderator_counts_for_neither(api: Api) -> None:
    cup = Cup(api, 4)
    one, other = (m for m in cup.going_on() if cup.seeds[0] in m["seats"].values())
    arbiter.call_off(Match.objects.get(key=one["match"]))
    settle()
    loser = cup.seeds[0]
    api("POST", f"matches/{other['match']}/resign", token=cup.tokens[loser])
    assert cup.ranks()[loser] == 3
    cup.finish()
    cup.checked()


def test_a_bot_may_win_a_cup(api: Api) -> None:
    group = Group(api, 3, format="cup")
    leagues.add_bot(group.league, "random", lambda _league: True)
    group.start()
    bot = group.league.places.get(player="random")
    while group.get()["status"] == "playing":
        for one in group.matches():
            if one["status"] == "playing":
                loser = next(place for place in one["seats"].values() if place != bot.number)
                api("POST", f"matches/{one['match']}/resign", token=group.tokens[loser])
    rows = group.get("/table")["divisions"][0]["rows"]
    assert (rows[0]["place"], rows[0]["rank"]) == (bot.number, 1)
    record = group.checked()
    assert [place.get("bot") for place in record["places"]].count("random") == 1
