"""Lines and windows of time."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from cachetools import LRUCache

from robosite.web import limits, rate_windows
from robosite.web.addresses import counted
from robosite.web.admission import Admission, HeldSlot, Owner
from robosite.web.bounds import BUCKETS, Bucket
from tests.site.conftest import Seconds

MOST, OF_ONE = 20, 3


class Line:
    """A line, and who was put out of it, in order."""

    def __init__(self, most: float = MOST, of_one: float = OF_ONE, about: float = 99) -> None:
        self.out: list[Owner] = []
        self.there: list[HeldSlot] = []
        self.admission = Admission(lambda: most, lambda: of_one, lambda: about)

    def comes(self, owner: Owner | str, about: str = "") -> bool:
        of = owner if isinstance(owner, Owner) else Owner(counted(owner))
        slot = self.admission.take(of, about, put_out=lambda: self.out.append(of))
        if slot:
            self.there.append(slot)
        return slot is not None


def fills(line: Line, addresses: list[str]) -> None:
    for _ in range(OF_ONE):
        for address in addresses:
            line.comes(address)


@pytest.mark.parametrize(
    "addresses",
    [
        [f"2001:db8:0:{n:x}::7" for n in range(256)],
        [f"2001:db8:0:{n:x}00::7" for n in range(200)],
        [f"2001:db8:{n:x}::7" for n in range(200)],
        [f"203.0.113.{n}" for n in range(200)],
        [f"203.0.{n}.7" for n in range(200)],
        ["198.51.100.1", "192.0.2.1", "203.0.113.1", "100.64.0.1", "2001:db8::1", "2001:db9::1", "10.0.0.1"],
    ],
)
def test_a_newcomers_first_goes_in_whoever_fills_the_line(addresses: list[str]) -> None:
    line = Line()
    fills(line, addresses)
    there = len(line.admission)
    assert there <= MOST
    assert line.comes("172.16.0.1") and line.comes("172.17.0.1")
    assert len(line.admission) == min(there + 2, MOST) and "172.16.0.1" not in {o.address for o in line.out}


def test_the_last_of_whoever_has_most_goes_out_and_is_told_and_who_has_as_much_puts_nobody_out() -> None:
    line = Line(most=6)
    for address in ("10.1.0.1", "10.2.0.1", "10.2.0.1", "10.2.0.1", "10.3.0.1", "10.3.0.1"):
        assert line.comes(address)
    assert line.comes("10.4.0.1") and line.out == [Owner("10.2.0.1")]
    assert line.admission.put_out == 1 and len(line.admission) == 6
    assert line.comes("10.5.0.1")  # the newest of those who have two
    assert line.out[1:] == [Owner("10.3.0.1")]
    line = Line(most=4)
    for n in range(4):
        assert line.comes(f"10.{n}.0.1")
    assert not line.comes("10.9.0.1") and not line.comes("10.1.0.1") and not line.out


def test_a_place_given_back_is_free_and_one_that_was_taken_is_given_back_once() -> None:
    line = Line(most=2)
    assert line.comes("10.1.0.1") and line.comes("10.1.0.1") and line.comes("10.2.0.1")
    for slot in line.there:
        line.admission.leave(slot)
        line.admission.leave(slot)
    assert not len(line.admission) and not line.admission._all.within


def test_a_guest_of_long_standing_is_not_put_out_by_newcomers_of_the_address_or_because_of_them() -> None:
    line, home = Line(of_one=4), "203.0.113.7"
    old, friend = Owner(home, "old", settled=True), Owner(home, "friend", settled=True)
    for n in range(4):
        assert line.comes(Owner(home, f"new {n}"))
    assert line.comes(old) and line.comes(old) and [o.guest for o in line.out] == ["new 3", "new 2"]
    assert not line.comes(Owner(home, "new 9")) and not line.comes(Owner(home))
    assert line.comes(friend) and len(line.out) == 3
    for n in range(MOST):
        line.comes(f"10.{n}.0.1")
    assert line.out[3].guest.startswith("new")  # first, once others need the address's slots
    line = Line(most=6, of_one=6)
    for owner in (old, *(Owner(home, f"new {n}") for n in range(5))):
        assert line.comes(owner)
    for n in range(9):
        line.comes(f"10.{n}.0.1")
    assert "old" not in {o.guest for o in line.out}


def test_a_table_is_as_fair_as_the_line() -> None:
    line = Line(most=20, of_one=6, about=4)
    for _ in range(4):
        assert line.comes("10.1.0.1", "table")
    assert not line.comes("10.1.0.1", "table") and line.comes("10.1.0.1", "another")
    assert line.comes("10.2.0.1", "table") and line.out == [Owner("10.1.0.1")]
    assert len(line.admission._about["table"].slots) == 0 and line.admission._about["table"].size == 4


def test_whatever_comes_and_goes_the_bounds_hold_and_nobody_has_two_more_than_who_was_refused() -> None:
    rng = Random(7)
    line = Line(most=12, of_one=5, about=6)
    addresses = [counted(f"{a}.{b}.{c}.1") for a in (10, 11, 12) for b in (1, 2) for c in (1, 2)]
    for _ in range(4000):
        owner = Owner(rng.choice(addresses), str(rng.randrange(3)), rng.random() < 0.3)
        there = [p for p in line.there if p in line.admission._all.find(p.owner.path).slots]
        line.there = there
        if there and rng.random() < 0.3:
            line.admission.leave(rng.choice(there))
        elif not line.comes(owner, rng.choice(["", "one", "two"])):
            assert len(there) == len(line.admission)
        assert len(line.admission) <= 12
        for about in ("one", "two"):
            assert (line.admission._about.get(about) is None) or line.admission._about[about].size <= 6
    for slot in line.there:
        line.admission.leave(slot)
    assert not len(line.admission) and not line.admission._about


@pytest.mark.parametrize("name", sorted(name.partition("/")[0] for name in BUCKETS if name.endswith("/all")))
@pytest.mark.parametrize(
    "kind", ["2001:db8:0:{n:x}00::1", "2001:db8:{n:x}::1", "203.0.{n}.1", "2001:db8:0:{n:x}::1"]
)
def test_no_network_uses_up_what_all_together_may_have(limited: Any, name: str, kind: str) -> None:
    for n in range(255):
        for _ in range(3):
            limits.wait_for(limits.of_all(name, counted(kind.format(n=n))))
    assert limits.wait_for(limits.of_all(name, counted(kind.format(n=1))))
    assert not limits.wait_for(limits.of_all(name, "198.51.100.7"))
    rate_windows.reset()


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
    settings.REDIS_URL = redis_url
    *passed, told = (limits.wait("talk", "x") for _ in range(3))
    assert passed == [0, 0] and 0 < told <= 31
    assert limits.charge("cost", "x", 1900, room=100) == 0
    assert 30 < limits.charge("cost", "x", 6100, room=100) <= 60
    rate_windows.reset()
    assert limits.wait("talk", "x") == 0
    rate_windows.reset()


CONNECT, ANSWER = rate_windows.CONNECT, rate_windows.ANSWER


@pytest.fixture(params=["nobody there", "silent"])
def dead_redis(
    request: Any, seconds: Seconds, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
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
    table: dict[str, Bucket],
    dead_redis: None,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked, counter = list[str](), rate_windows.counter

    def counted() -> Any:
        asked.append("once")
        return counter()

    monkeypatch.setattr(rate_windows, "counter", counted)
    assert [limits.wait("talk", "x") for _ in range(200)] == [0] * 200
    assert asked == ["once"]  # and half a second is not waited 200 times
    assert [line.levelname for line in caplog.records if line.name == "robosite"].count("WARNING") <= 2
    assert "no limits are kept" in caplog.text


@pytest.mark.integration
def test_a_redis_that_is_back_is_asked_again(
    table: dict[str, Bucket],
    seconds: Seconds,
    dead_redis: None,
    redis_url: str,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert [limits.wait("talk", "x") for _ in range(3)] == [0, 0, 0]
    settings.REDIS_URL = redis_url
    monkeypatch.setattr(rate_windows, "ANSWER", 30)
    assert [limits.wait("talk", "x") for _ in range(3)] == [0, 0, 0]  # not yet
    seconds.at += rate_windows.QUIET
    assert [limits.wait("talk", "x") for _ in range(2)] == [0, 0]
    assert limits.wait("talk", "x") > 0
    rate_windows.reset()
