"""The record of a league, of one of tables and of a cup: it checks, and no lie about it is accepted."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest
from django.core.management import call_command

from robosite.leagues.arithmetic.bracket import bracket_of
from robosite.leagues.record.record import digest_of
from tests.leagues.seasons import faults_of, kinds_of
from tests.site.leagues.test_cups import Cup
from tests.site.leagues.test_leagues import Api, Group
from tests.site.leagues.test_leagues_of_tables import Tables, letter_of, with_place

pytestmark = pytest.mark.django_db


def of_league(api: Api) -> Any:
    """Of a league of six in which one has left late."""
    group = Group(api, 6)
    group.start()
    for against in (1, 3, 4):
        group.lose(2, against=against)
    api("DELETE", f"leagues/{group.key}/places/2", token=group.tokens[2], status=204)
    assert "once the league is over" in group.get("/record", status=409)["detail"]
    group.play_all()
    record = group.checked()
    assert [place["left"] for place in record["places"]].count("defaulted") == 1
    assert {one["decided"] for one in record["schedule"]} == {"play", "default"}
    return record


def of_tables(api: Api) -> Any:
    """Of a league of tables in which one has left late, by places."""
    group = Tables(api, 5, preset="bash", scoring="places")
    group.start()
    for one in with_place(group, 2)[:4]:
        group.win(one, letter_of(one, 2))
    api("DELETE", f"leagues/{group.key}/places/2", token=group.tokens[2], status=204)
    group.finish()
    return group.checked()


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
def test_of_a_thousand_lies_none_is_accepted(api: Api, made: Callable[[Api], Any]) -> None:
    record, chance = made(api), Random(5)
    paths = list(paths_of(record))
    for _ in range(1000):
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
    for path in chance.sample(paths, 150):
        changed = lie(record, path, chance)
        if changed != record:
            changed["digest"] = digest_of(changed) if "digest" in changed else ""
            assert faults_of(changed), path
            found += 1
            is_left_alone = path[-2:-1] in (("rows",), ("places",))
            is_left_alone = is_left_alone or (made is of_tables and path[-1] == "round")
            assert is_left_alone or kinds_of(changed), path
    assert found > 140


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
