"""Faults brought about on purpose, in short: `make faults` does the same at length, with figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.faults.drills import faults
from tests.faults.drills.site import Site, running

pytestmark = pytest.mark.more


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """Two of everything, on PostgreSQL and Redis."""
    with running(servers=True, webs=2, clocks=2, bots=2) as site:
        yield site


ON_SERVERS: dict[str, Callable[[Site], list[str]]] = {
    "a sender that hangs has its mail sent once more, no other twice": faults.sender,
    "others do the work of a clock or of bots that hang, once": faults.clock_and_bots,
    "who hangs in the middle of a write stops nobody for good": lambda site: faults.lock_of_a_match(site, 6),
    "where a web process hangs play goes on through the other": lambda site: faults.web_hangs(site, 1, 0),
    "PostgreSQL restarted is a 503 and all goes on by itself": lambda site: faults.restarts(site, 1),
    "killed processes lose nothing that was acknowledged": lambda site: faults.kills(
        site, [site.webs[0], site.clocks[0]], 2
    ),
    "pages are right again when Redis was away": faults.redis_gone,
}
SLOW = {faults.sender: [pytest.mark.slow], faults.redis_gone: [pytest.mark.slow, pytest.mark.browser]}


@pytest.mark.parametrize(
    "drill", [pytest.param(drill, id=name, marks=SLOW.get(drill, ())) for name, drill in ON_SERVERS.items()]
)
def test_nothing_is_lost_on_servers(site: Site, drill: Callable[[Site], list[str]]) -> None:
    print("\n".join(drill(site)))


def test_a_clock_that_is_wrong_puts_nobody_out_and_decides_nothing_twice() -> None:
    with running(servers=False, clocks=2, shifts=True) as site:
        print("\n".join(faults.wrong_clocks(site)))


@pytest.mark.parametrize("count", [6, pytest.param(20, marks=pytest.mark.slow)])
def test_a_killed_server_loses_nothing_that_it_acknowledged(count: int) -> None:
    with running(servers=False) as site:
        print("\n".join(faults.kills(site, site.processes, count)))


@pytest.mark.parametrize(
    "disk", [True, pytest.param(False, marks=pytest.mark.slow)], ids=["small disk", "limit"]
)
def test_a_full_disk_is_a_503_and_nothing_is_lost(disk: bool) -> None:
    """A tmpfs where one may be mounted; the limit needs no rights."""
    print("\n".join(faults.full_disk(disk=disk)))
