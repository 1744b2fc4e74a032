"""Slots in lines, sockets and streams go round as fairly as turns: nobody can fill what others need."""

from __future__ import annotations

from random import Random

import pytest

from robosite.web import limits, rate_windows
from robosite.web.addresses import counted
from robosite.web.admission import Admission, HeldSlot, Owner
from robosite.web.bounds import BUCKETS

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


def test_the_last_of_whoever_has_most_goes_out_and_is_told() -> None:
    line = Line(most=6)
    for address in ("10.1.0.1", "10.2.0.1", "10.2.0.1", "10.2.0.1", "10.3.0.1", "10.3.0.1"):
        assert line.comes(address)
    assert line.comes("10.4.0.1") and line.out == [Owner("10.2.0.1")]
    assert line.admission.put_out == 1 and len(line.admission) == 6
    assert line.comes("10.5.0.1")  # the newest of those who have two
    assert line.out[1:] == [Owner("10.3.0.1")]


def test_who_has_as_much_puts_nobody_out() -> None:
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


def test_a_guest_of_long_standing_is_not_put_out_by_newcomers_of_the_address() -> None:
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


def test_nor_by_others_because_of_what_newcomers_of_the_address_have() -> None:
    line, home = Line(most=6, of_one=6), "203.0.113.7"
    assert line.comes(Owner(home, "old", settled=True))
    for n in range(5):
        assert line.comes(Owner(home, f"new {n}"))
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
def test_no_network_uses_up_what_all_together_may_have(settings: object, name: str, kind: str) -> None:
    settings.LIMITS = "on"  # type: ignore[attr-defined]
    rate_windows.reset()
    for n in range(255):
        for _ in range(3):
            limits.wait_for(limits.of_all(name, counted(kind.format(n=n))))
    assert limits.wait_for(limits.of_all(name, counted(kind.format(n=1))))
    assert not limits.wait_for(limits.of_all(name, "198.51.100.7"))
    rate_windows.reset()
