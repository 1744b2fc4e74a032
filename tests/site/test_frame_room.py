"""Calls at any depth ask the system for no memory: each new page of it is a fault that the system counts."""

from __future__ import annotations

import resource
from collections.abc import Callable

import pytest

from robosite.engine.frame_room import with_room
from robosite.engine.one_thread import OneThread

CALLS, DEEP = 50, 400


def nothing() -> None:
    """Called again and again."""


def faults(depth: int) -> int:
    """New pages of memory for so many calls at that depth."""
    if depth:
        return faults(depth - 1)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(CALLS):
        nothing()
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before


def test_no_depth_is_dear_where_there_is_room() -> None:
    def most() -> int:
        return max(min(faults(depth) for _ in range(3)) for depth in range(DEEP))

    assert with_room(most)() < CALLS


def test_the_thread_of_requests_keeps_its_room_between_them() -> None:
    """Nothing that was mapped for one is given back before the next: no call of many asks for new pages."""

    def deep(left: int = 200) -> int:
        return deep(left - 1) if left else resource.getrusage(resource.RUSAGE_SELF).ru_minflt

    def asked() -> int:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
        return deep() - before

    thread = OneThread()
    new = [thread.submit(asked).result() for _ in range(20)]
    thread.shutdown()
    assert min(new[5:]) == 0, new


def test_a_function_with_room_is_the_same_function() -> None:
    def joined(one: str, *, two: str) -> str:
        """Says both."""
        return one + two

    same: Callable[..., str] = with_room(joined)
    assert (same("a", two="b"), same.__name__, same.__doc__) == ("ab", "joined", "Says both.")
    with pytest.raises(ZeroDivisionError):
        with_room(lambda: 1 // 0)()
