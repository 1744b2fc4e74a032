"""Caches in a process's memory are bounded by bytes, and say the same as what is made anew."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.test import Client

from robosite.api import schemas, serializers
from robosite.matches import flow, history, records
from robosite.matches.models import Match
from robosite.web.caches import BoundedCache
from tests.site.browsers import FIRST, OTHER, Browser, Table, sit_down


def test_what_was_not_used_for_longest_goes_once_there_is_too_much() -> None:
    kept: BoundedCache[str, str] = BoundedCache(10, len)
    for key in "abc":
        kept[key] = key * 3
    assert kept.get("a") == "aaa"
    kept["d"] = "dddd"
    assert [kept.get(key) for key in "abcd"] == ["aaa", None, "ccc", "dddd"] and kept.currsize == 10
    kept["a"] = "a" * 9
    assert kept.get("a") == "a" * 9 and kept.currsize == 9 and len(kept) == 1


def test_what_is_too_large_is_not_kept_and_costs_the_others_nothing() -> None:
    kept: BoundedCache[str, str] = BoundedCache(10, len)
    kept["a"], kept["b"] = "aaa", "bbb"
    kept["a"] = "a" * 11
    assert list(kept) == ["b"] and kept.currsize == 3


def test_threads_that_use_a_cache_at_once_find_what_is_there_or_nothing() -> None:
    kept: BoundedCache[int, int] = BoundedCache(8)

    def use(thread: int) -> None:
        for n in range(4_000):
            key = (n * 7 + thread) % 12
            assert kept.get(key, key) == key
            kept[key] = key
            kept.pop(key + 1, None)
            list(kept)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(use, range(4)))
    assert len(kept) == kept.currsize <= 8


@pytest.fixture
def films(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The turns that are played through again to be told."""
    told: list[int] = []

    def listens(match: Match, turn: int) -> Any:
        told.append(turn)
        return history.film(match, turn)

    monkeypatch.setattr(serializers, "film", listens)
    return told


def ask(table: Table, more: str = "") -> Any:
    return Client().get(f"/api/v1/matches/{table.key}{more}")


def test_a_turn_is_told_once_however_often_and_long_the_match_is_asked_for(
    table: Table, films: list[int]
) -> None:
    table.play((OTHER, OTHER), (OTHER, OTHER))
    first = ask(table)
    assert films == [0, 1]
    assert ask(table).content == first.content
    table.play((OTHER, OTHER))
    assert len(ask(table).json()["events"]) == 3
    assert ask(table, "?since=2").json()["turns"] == [{"A": OTHER, "B": OTHER}]
    assert films == [0, 1, 2]


def test_the_kept_answer_is_byte_for_byte_what_its_shape_writes(table: Table) -> None:
    table.play((FIRST, FIRST), (OTHER, OTHER))
    flow.draft(table.a, 2, 'a "draft": [], ♥')
    flow.seal(table.b, 2, OTHER)
    for more in ("", "?since=1", "?since=9", "?legal=1"):
        for _ in range(2):
            text = ask(table, more).content.decode()
            assert schemas.Match.model_validate_json(text).model_dump_json() == text


def test_kept_turns_are_dropped_for_what_is_used_and_made_again(
    table: Table, films: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    table.play((OTHER, OTHER))
    first = ask(table).content
    monkeypatch.setattr(serializers, "_kept_played", BoundedCache(10, lambda played: played.size))
    assert ask(table).content == ask(table).content == first
    assert films == [0, 0, 0]
    assert len(serializers._kept_played) == 0


def test_a_record_is_written_once_until_something_in_it_is_another(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.play((OTHER, OTHER))
    written: list[int] = []

    def listens(match: Match, write: Any = records.record_of) -> Any:
        written.append(match.turn)
        return write(match)

    monkeypatch.setattr(records, "record_of", listens)
    for path in (f"/api/v1/matches/{table.key}/record", f"/m/{table.key}/record/"):
        written.clear()
        first = Client().get(path)
        assert Client().get(path).content == first.content
        assert written == [table.match.turn]
        table.match.seats.filter(letter="A").update(name=f"Ada {path[1]}")
        assert f"Ada {path[1]}" in Client().get(path).content.decode()
        table.play((OTHER, OTHER))
        assert len(Client().get(path).json()["turns"]) == table.match.turn
    flow.resign(table.a)
    assert Client().get(path).json()["result"]["scores"] == {"A": 0, "B": 1}


@pytest.mark.django_db(transaction=True)
def test_long_matches_replayed_are_kept_as_long_as_they_are_not_too_many_positions(
    alice: Browser, bob: Browser, charlie: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "_kept", history._cache(5, 5))
    tables = [sit_down(alice, bob, charlie) for _ in range(3)]
    for table in tables:
        table.play((OTHER, OTHER), (OTHER, OTHER))
    assert list(history._kept) == [tables[-1].key]
    tables[0].play((OTHER, OTHER), (OTHER, OTHER), (OTHER, OTHER))
    assert list(history._kept) == [tables[0].key], "the last one is kept however long it is"
