"""Cups by the API, and the record of a league of each kind: it checks, and no lie about it is accepted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction

from robosite.leagues import flow as leagues
from robosite.leagues.arithmetic.bracket import bracket_of, decider_seats
from robosite.leagues.models import Fixture, League
from robosite.leagues.record.record import digest_of
from robosite.matches.flow import arbiter
from robosite.matches.models import Match
from tests.games.cases import size
from tests.leagues.seasons import faults_of, kinds_of
from tests.site.api.test_api import Api
from tests.site.leagues.conftest import Cup, Group, letter_of, settle, with_forfeits_of_others


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
    rows = cup.rows()
    assert list(rows)[:2] == [third, first] and rows[third]["reach"] == [1, 1]
    cup.checked()


def test_a_level_tie_has_one_more_and_a_replay_then_the_better_seed_goes_on(api: Api) -> None:
    cup = Cup(api, 4)
    better, other = cup.seeds[0], cup.seeds[3]

    def tie() -> list[dict[str, Any]]:
        return cup.of_places(better, other)

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
    lied = faults_of(with_forfeits_of_others(record))
    assert sum("nobody had left" in fault for fault in lied) == 2
    assert sixth in cup.ranks()


def test_whoever_is_out_leaves_without_effect_and_a_moderator_closes_the_rest(api: Api) -> None:
    cup = Cup(api, 4)
    first, *_more, fourth = cup.seeds
    cup.lose_tie(fourth)
    before = cup.get()
    cup.leave(fourth)
    assert cup.get() == before
    row = Fixture.objects.all()[0]
    row.pk, row.match = None, None
    with pytest.raises(Exception, match=r"(?i)unique"), transaction.atomic():
        row.save()  # a second one for the same match
    leagues.close(cup.league)
    told = cup.get()
    assert told["status"] == "over" and not cup.going_on()
    assert cup.ranks()[fourth] == 3 and cup.ranks()[first] == 1
    settle()
    assert len(cup.matches()) == 4
    cup.checked()


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
    by_default = {eighth, cup.seeds[1], seventh}
    while going_on := cup.going_on():
        for one in going_on:
            if by_default.isdisjoint(one["seats"].values()):
                cup.resign(one, "B")
        cup.play(by_default)
        time.pass_(hours=25)
        settle()
    assert cup.get()["status"] == "over"
    ranks = cup.ranks()
    assert ranks[first] < ranks[eighth] == 5
    assert ranks[cup.seeds[1]] == ranks[seventh] == 5, "neither came"
    of_absent = [one["decided"] for one in cup.matches() if by_default & {*one["seats"].values()}]
    assert {*of_absent} == {"default", "nobody came"}
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
    one = cup.of_places(seventh)[0]
    cup.seal(one, letter_of(one, seventh))
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


def test_one_match_called_off_by_a_moderator_counts_for_neither(api: Api) -> None:
    cup = Cup(api, 4)
    loser = cup.seeds[0]
    one, other = cup.of_places(loser)
    arbiter.call_off(Match.objects.get(key=one["match"]))
    settle()
    cup.resign(other, letter_of(other, loser))
    assert cup.ranks()[loser] == 3
    cup.finish()
    cup.checked()


def of_league(api: Api) -> Any:
    """Of a league of six in which one has left late."""
    group = Group(api, 6)
    group.start()
    for against in (1, 3, 4):
        group.lose(2, against=against)
    group.leave(2)
    assert "once the league is over" in group.get("/record", status=409)["detail"]
    group.finish()
    record = group.checked()
    assert [place["left"] for place in record["places"]].count("defaulted") == 1
    assert {one["decided"] for one in record["schedule"]} == {"play", "default"}
    return record


def of_tables(api: Api) -> Any:
    """Of a league of tables in which one has left late, by places."""
    group = Group(api, 5, table_seats=3, preset="bash", scoring="places")
    group.start()
    for one in group.of_places(2)[:4]:
        group.win(one, letter_of(one, 2))
    group.leave(2)
    group.finish()
    record = group.checked()
    assert [place["left"] for place in record["places"]].count("defaulted") == 1
    return record


def of_cup(api: Api) -> Any:
    """Of a cup of seven, in which one has left and a tie was level."""
    cup = Cup(api, 7)
    for one in cup.going_on()[:2]:
        cup.draw(one)
    cup.leave(cup.seeds[2])
    cup.finish(2)
    record = cup.checked()
    assert record["competition"] == "cup"
    assert {one["stage"] for one in record["schedule"]} >= {"pair", "decider"}
    return record


every_kind = pytest.mark.parametrize("made", [of_league, of_tables, of_cup])


def paths_of(data: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of the fields of a record."""
    parts = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in parts:
        yield (*at, key)
        yield from paths_of(value, (*at, key))


def lie(data: Any, at: tuple[Any, ...], chance: Random) -> Any:
    """The record with another value in one place."""
    data = json.loads(json.dumps(data))
    *way, last = at
    inner = data
    for key in way:
        inner = inner[key]
    value = inner[last]
    if isinstance(value, bool):
        inner[last] = not value
    elif isinstance(value, int | float):
        inner[last] = value + chance.choice((-1, 1, 0.5))
    elif isinstance(value, str):
        inner[last] = chance.choice((value + "x", value[::-1] + "y", ""))
    elif value is None:
        inner[last] = chance.choice(("withdrawn", 1))
    elif chance.random() < 0.5 and value:
        value.popitem() if isinstance(value, dict) else value.pop()
    else:
        del inner[last]
    return data


@pytest.mark.parametrize(("made", "field", "wrong"), [(of_league, "points", 9), (of_cup, "rank", 2)])
def test_a_command_checks_it(
    api: Api, made: Callable[[Api], Any], field: str, wrong: int, tmp_path: Any, capsys: Any
) -> None:
    record, file = made(api), tmp_path / "league.json"
    file.write_text(json.dumps(record))
    call_command("league", str(file))
    record["table"]["divisions"][0]["rows"][0][field] = wrong
    file.write_text(json.dumps(record))
    with pytest.raises(SystemExit) as stop:
        call_command("league", str(file))
    assert stop.value.code == 1 and field in capsys.readouterr().out


@pytest.mark.integration
@every_kind
def test_of_many_lies_none_is_accepted(api: Api, made: Callable[[Api], Any]) -> None:
    record, chance = made(api), Random(5)
    paths = list(paths_of(record))
    for _ in range(size(250, 1000)):
        changed = lie(record, chance.choice(paths), chance)
        assert changed == record or faults_of(changed)


@every_kind
def test_lies_about_results_are_found_without_the_digest(api: Api, made: Callable[[Api], Any]) -> None:
    """A liar who makes the digest anew must still lie about what follows from the matches.

    Only by whom a place was left follows from nothing.
    """
    record, chance = made(api), Random(6)
    heads = {"nonce", "lot", "schedule", "table", "places"}
    heads |= {"table_seats", "scoring"} if made is of_tables else set()
    heads |= {"competition"} if made is of_cup else set()
    paths = [path for path in paths_of(record) if path[0] in heads and path[-1] != "removed"]
    found = 0
    for path in chance.sample(paths, tried := size(60, 150)):
        changed = lie(record, path, chance)
        if changed != record:
            changed["digest"] = digest_of(changed) if "digest" in changed else ""
            assert faults_of(changed), path
            found += 1
            is_left_alone = path[-2:-1] in (("rows",), ("places",))
            is_left_alone = is_left_alone or (made is of_tables and path[-1] == "round")
            assert is_left_alone or kinds_of(changed), path
    assert found > tried * 0.9


def test_both_referees_write_numbers_alike_in_the_digest(api: Api) -> None:
    """A strength of -0.0 once made the page of an honest site raise an alarm."""
    chance = Random(1)
    numbers = [-0.0, 0.0, 8.0, 8, 1e-5, -1.5e-7, 1e15, 1e16, 1 / 3]
    numbers += [round(chance.uniform(-400, 400), n % 4) for n in range(100)]
    record = {**of_cup(api), "numbers": numbers}
    record["digest"] = digest_of(record)
    assert "digest" not in kinds_of(record)


def test_another_bracket_is_a_lie(api: Api) -> None:
    """A pair that belongs to no tie, with matches that were really played."""
    record = of_cup(api)
    places = [place["place"] for place in record["places"]]
    assert len(bracket_of(record["nonce"], places, {}).rounds) == 3
    for one in record["schedule"]:
        if one["round"] == 1:
            one["tie"] = 5 - one["tie"]
    record["digest"] = digest_of(record)
    assert "The matches are not those of the bracket." in faults_of(record)
