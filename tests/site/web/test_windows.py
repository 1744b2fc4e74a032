"""Counting within windows of time: how much passes, when there is more, and a Redis that does not answer."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from time import monotonic
from typing import Any

import pytest
from cachetools import LRUCache

from robosite.web import limits, rate_windows
from robosite.web.bounds import BUCKETS, Bucket
from tests.site.conftest import Seconds


@pytest.fixture
def table(settings: Any) -> dict[str, Bucket]:
    settings.LIMITS = "on"
    settings.BUCKETS = {**BUCKETS, "talk": Bucket(2, 4), "cost": Bucket(2, 4, parts=1000)}
    made: dict[str, Bucket] = settings.BUCKETS
    return made


def test_so_many_pass_at_once_and_so_many_a_minute_in_the_long_run(
    table: dict[str, Bucket], seconds: Seconds
) -> None:
    assert [limits.wait("talk", "x") for _ in range(3)] == [0, 0, 31]  # a window of 30 seconds
    seconds.at += 29
    assert limits.wait("talk", "x") == 2
    seconds.at += 2
    assert [limits.wait("talk", "x") for _ in range(2)] == [0, 15]  # the next one 15 s after the window's end
    seconds.at += 15
    assert limits.wait("talk", "x") == 0
    with pytest.raises(limits.TooMany) as fault:
        limits.take(("talk", "x"))
    assert fault.value.seconds > 0 and limits.wait("talk", "y") == 0


def test_whoever_always_comes_as_soon_as_he_is_told_has_no_more_than_the_table_says(
    table: dict[str, Bucket], seconds: Seconds
) -> None:
    passed = 0
    began = seconds.at
    while seconds.at < began + 3600:
        if told := limits.wait("talk", "x"):
            seconds.at += told
        else:
            passed += 1
    assert 0.8 * 240 <= passed <= 240 + 2


def test_what_is_told_is_true(table: dict[str, Bucket], seconds: Seconds) -> None:
    """Somebody who comes back then is let in, and a moment earlier is not."""
    for pause in (0, 1, 7, 13, 22, 31, 44, 58):
        seconds.at += pause
        while not (told := limits.wait("talk", "x")):
            pass
        seconds.at += told - 1.01
        assert limits.wait("talk", "x")
        seconds.at += 1.01
        assert not limits.wait("talk", "x")


def test_what_was_used_counts_beyond_the_limit_too(table: dict[str, Bucket], seconds: Seconds) -> None:
    assert limits.charge("cost", "x", 1900, room=100) == 0
    told = limits.charge("cost", "x", 6100, room=100)  # 8 s where 2 in 30 s may: 3 windows' worth too much
    assert 30 < told <= 60
    seconds.at += told - 1.01
    assert limits.charge("cost", "x", 1, room=100)
    seconds.at += 3
    assert limits.charge("cost", "x", 1, room=100) == 0
    assert limits.charge("cost", "y", 1, room=100) == 0


def test_several_limits_count_all_or_none_and_the_longest_wait_is_told(
    table: dict[str, Bucket], seconds: Seconds
) -> None:
    table["test"] = Bucket(5, 1)
    assert limits.wait_for([("talk", "x"), ("test", "x"), ("test", "x")]) == 0
    assert limits.wait_for([("talk", "x"), *[("test", "x")] * 4]) == 301
    assert limits.wait_for([("talk", "x"), *[("test", "x")] * 3]) == 0
    told = limits.wait_for([("talk", "x"), ("test", "x")])
    assert told == 301, "and not the 31 seconds of the first"
    seconds.at += told + 60
    assert limits.wait_for([("talk", "x"), ("test", "x")]) == 0


@pytest.fixture(params=["process", "redis"])
def either(request: Any, table: dict[str, Bucket], settings: Any) -> Iterator[dict[str, Bucket]]:
    """Counts in this process, then in Redis."""
    settings.REDIS_URL = request.getfixturevalue("redis_url") if request.param == "redis" else ""
    settings.REDIS_PREFIX = "tests-windows-given-back"
    rate_windows.reset()
    yield table
    rate_windows.reset()


def test_what_is_given_back_was_never_counted(either: dict[str, Bucket]) -> None:
    both = [("talk", "x"), ("login", "x")]
    for _ in range(20):
        assert limits.wait_for(both) == 0
        limits.give_back(both)
    assert [limits.wait("talk", "x") for _ in range(3)][:2] == [0, 0]
    assert limits.wait("talk", "x")
    limits.give_back([("talk", "x")])
    assert limits.wait("talk", "x") == 0 and limits.wait("talk", "x")


def test_what_is_given_back_late_does_not_make_anybody_wait(
    table: dict[str, Bucket], seconds: Seconds
) -> None:
    assert limits.wait("talk", "x") == 0
    seconds.at += 31
    limits.give_back([("talk", "x")])
    seconds.at += 31
    assert limits.wait_for([("talk", "x")]) == 0


def test_a_process_keeps_so_many_windows_and_no_more(
    table: dict[str, Bucket], seconds: Seconds, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rate_windows.counter().storage, "_windows", LRUCache(50))
    for n in range(200):
        assert limits.wait("talk", f"{n}") == 0
    assert len(rate_windows.counter().storage) == 50
    assert [limits.wait("talk", "199") for _ in range(2)] == [0, 31]


def test_redis_counts_as_the_process_does(table: dict[str, Bucket], redis_url: str, settings: Any) -> None:
    settings.REDIS_URL, settings.REDIS_PREFIX = redis_url, "tests-windows"
    rate_windows.reset()
    assert [limits.wait("talk", "x") for _ in range(3)] in ([0, 0, 30], [0, 0, 31])
    assert limits.charge("cost", "x", 1900, room=100) == 0
    assert 30 < limits.charge("cost", "x", 6100, room=100) <= 60
    rate_windows.reset()
    assert limits.wait("talk", "x") == 0
    rate_windows.reset()


CONNECT, ANSWER = rate_windows.CONNECT, rate_windows.ANSWER


@pytest.fixture(params=["nobody there", "silent"])
def dead_redis(request: Any, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A Redis that takes no connection, or takes them and says nothing; waited for as the site does."""
    monkeypatch.setattr(rate_windows, "CONNECT", CONNECT)
    monkeypatch.setattr(rate_windows, "ANSWER", ANSWER)
    with socket.socket() as there:
        there.bind(("127.0.0.1", 0))
        if request.param == "silent":
            there.listen(100)
        settings.REDIS_URL = f"redis://127.0.0.1:{there.getsockname()[1]}/0"
        rate_windows.reset()
        yield
    settings.REDIS_URL = ""
    rate_windows.reset()


def test_a_redis_that_does_not_answer_limits_nobody_and_is_not_waited_for(
    table: dict[str, Bucket], dead_redis: None, caplog: pytest.LogCaptureFixture
) -> None:
    rate_windows._query_pause.until = 0.0
    began = monotonic()
    assert [limits.wait("talk", "x") for _ in range(200)] == [0] * 200
    assert monotonic() - began < rate_windows.QUIET  # and not 200 times half a second
    assert [line.levelname for line in caplog.records if line.name == "robosite"].count("WARNING") <= 2
    assert "no limits are kept" in caplog.text


@pytest.mark.integration
def test_a_redis_that_is_back_is_asked_again(
    table: dict[str, Bucket], dead_redis: None, redis_url: str, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert [limits.wait("talk", "x") for _ in range(3)] == [0, 0, 0]
    settings.REDIS_URL, settings.REDIS_PREFIX = redis_url, "tests-windows-back"
    assert [limits.wait("talk", "x") for _ in range(3)] == [0, 0, 0]  # not yet
    later = monotonic() + rate_windows.QUIET
    monkeypatch.setattr(rate_windows, "now", lambda: later)
    assert [limits.wait("talk", "x") for _ in range(2)] == [0, 0]
    assert limits.wait("talk", "x") > 0
    rate_windows.reset()
