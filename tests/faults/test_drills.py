"""Faults brought about on purpose, in short: `make faults` does the same at length, with figures.

PostgreSQL and Redis are the run's own here, so nothing is skipped: who lacks their programs is told so.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.faults.drills import clocks, full, hangs, kills, redis_gone, restarts, senders
from tests.faults.drills.services import Postgres, Redis
from tests.faults.drills.site import Site, running

pytestmark = pytest.mark.more

KILLS = 2


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    """Two of everything, on PostgreSQL and Redis."""
    tables = kills.PLAYERS * kills.needed(KILLS) + 2
    with running(servers=True, webs=2, clocks=2, bots=2, mail=True, tables=tables) as site:
        yield site


def told(found: list[str]) -> None:
    """Shown if a test fails later on, or with `-rP`."""
    print("\n".join(found))


def test_services_of_ones_own_leave_nothing_behind() -> None:
    postgres, redis = Postgres(), Redis()

    def fail_beside_them() -> None:
        with postgres, redis:
            assert postgres.folder.exists() and redis.folder.exists()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_beside_them()
    for one in (postgres, redis):
        assert one.process and one.process.poll() is not None
        assert not one.folder.exists()


@pytest.mark.slow
def test_a_sender_that_hangs_has_its_mail_sent_once_more_and_no_other_twice(site: Site) -> None:
    told(senders.drill(site))


def test_where_a_clock_or_bots_hang_others_do_their_work_once(site: Site) -> None:
    told(hangs.clock_and_bots(site))


def test_who_hangs_in_the_middle_of_a_write_stops_nobody_for_good(site: Site) -> None:
    told(hangs.lock_of_a_match(site, seconds=6))


def test_where_a_web_process_hangs_play_goes_on_through_the_other(site: Site) -> None:
    told(hangs.web(site, 1, talks=False))


def test_postgres_restarted_is_a_503_and_everything_goes_on_by_itself(site: Site) -> None:
    told(restarts.drill(site, 1, talks=False))


@pytest.mark.slow
@pytest.mark.browser
def test_pages_are_right_again_when_redis_was_away(site: Site) -> None:
    told(redis_gone.drill(site, whole=False))


def test_a_clock_that_is_wrong_puts_nobody_out_and_decides_nothing_twice() -> None:
    with running(servers=False, clocks=2, shifts=True) as site:
        told(clocks.drill(site))


def test_killed_processes_lose_nothing_that_was_acknowledged(site: Site) -> None:
    told(kills.on(site, [site.webs[0], site.clocks[0]], KILLS))


@pytest.mark.parametrize("count", [6, pytest.param(20, marks=pytest.mark.slow)])
def test_a_killed_server_loses_nothing_that_it_acknowledged(count: int) -> None:
    told(kills.drill(count, servers=False))


@pytest.mark.parametrize(
    "disk", [None, pytest.param(False, marks=pytest.mark.slow)], ids=["small disk", "limit"]
)
def test_a_full_disk_is_a_503_and_nothing_is_lost(disk: bool | None) -> None:
    """A tmpfs where one may be mounted; the limit needs no rights."""
    told(full.drill(disk=disk))
