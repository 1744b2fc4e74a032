"""A clock of the machine that leaps changes and deletes nothing, until it has lasted or its host says so."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime, timedelta

import httpx
import pytest

from tests.faults.drills.faults import HOUR
from tests.faults.drills.services import wait_until
from tests.faults.drills.site import Site, running
from tests.faults.programs import Match
from tests.servers import PATIENCE, run

pytestmark = pytest.mark.more

YEAR = 365 * 24 * HOUR
KEPT = {
    "matches": "SELECT count(*) FROM matches_match WHERE status = 'open'",
    "sessions": "SELECT count(*) FROM django_session",
    "guests": "SELECT count(*) FROM people_guest",
    "forms": "SELECT count(*) FROM people_sentform",
    "answers": "SELECT count(*) FROM api_keptanswer",
    "leagues": "SELECT status, ends FROM leagues_league ORDER BY id",
}
"""All that a leap could delete, end or move."""


@pytest.fixture(scope="module")
def whole() -> Iterator[Site]:
    with running(servers=True, webs=2, clocks=1, shifts=True) as site:
        yield site


@pytest.fixture
def site(whole: Site) -> Iterator[Site]:
    yield whole
    shift(whole, 0)
    wait_until(lambda: ready(whole) == "ready", PATIENCE)


def shift(site: Site, seconds: int) -> None:
    for file in site.shifts:
        file.write_text(str(seconds))


def ready(site: Site, web: int = 0) -> str:
    return page(f"{site.urls[web]}/readyz")


def page(address: str) -> str:
    found = httpx.get(address, timeout=PATIENCE, trust_env=False)
    assert found.status_code == 200, found.text
    return found.text.strip()


def command(site: Site, *words: str) -> None:
    """Runs a command of manage.py in a process of its own, whose clock is as wrong as the others'."""
    run("-m", "tests.faults.drills.shifted", str(site.shifts[0]), *words, env=site.env)


def kept(site: Site) -> dict[str, object]:
    return {name: site.sql(question) for name, question in KEPT.items()}


def league(site: Site) -> str:
    with site.client() as client:
        made = client.league(3, ends_days=60)
        assert client.start(made).status_code == 200
    return made.key


def moved(site: Site, match: Match, deadline: datetime) -> float:
    """Seconds by which the match's deadline is later than it was."""
    return (site.deadline_of(match) - deadline).total_seconds()


@pytest.mark.parametrize("seconds", [YEAR, -56 * YEAR, 10 * HOUR], ids=["a year", "1970", "ten hours"])
def test_a_leap_changes_and_deletes_nothing_and_play_goes_on(site: Site, seconds: int) -> None:
    match, key = site.with_deadline(), league(site)
    with site.client() as client:
        assert client.ask("POST", "matches", {"game": "pigs", "name": "Alice"}).status_code == 201
    site.move_deadline(match, 30)
    deadline, before = site.deadline_of(match), kept(site)
    shift(site, seconds)
    time.sleep(2)
    backups = site.data / "backups"
    backups.mkdir(exist_ok=True)
    recent = backups / f"robosite-{datetime.now() - timedelta(days=2):%Y-%m-%d}.backup"
    recent.touch()
    command(site, "daily")
    assert recent.exists()
    assert kept(site) == before
    assert "leapt" in ready(site)
    page(f"{site.urls[1]}/l/{key}/")
    assert kept(site) == before
    site.leaves_alone(match)
    site.clock_works(minutes=-180)
    made_meanwhile = site.deadline_of(site.with_deadline())
    shift(site, 0)
    wait_until(lambda: ready(site) == "ready", PATIENCE)
    assert site.deadline_of(match) == deadline
    hours = (made_meanwhile - datetime.now(made_meanwhile.tzinfo)).total_seconds() / HOUR
    assert 23.9 < hours < 24.1, "what is made in the meantime goes by the right time"


def test_a_leap_that_lasts_is_a_downtime_whose_time_is_given_back(site: Site) -> None:
    """As when a machine was suspended: its monotonic clock stood still."""
    match, key = site.with_deadline(), league(site)
    ends = f"SELECT ends FROM leagues_league WHERE key = '{key}'"
    deadline, ((ended,),) = site.deadline_of(match), site.sql(ends)
    for hours, command_of_host in ((2, ()), (0, ("clock", "--believe"))):
        shift(site, hours * HOUR)
        if command_of_host:  # what was moved is moved back
            command(site, *command_of_host)
        wait_until(lambda hours=hours: abs(moved(site, match, deadline) - hours * HOUR) < 30, 150)  # type: ignore[misc]
        wait_until(lambda: ready(site) == "ready", 30)
        assert abs((site.sql(ends)[0][0] - ended).total_seconds() - hours * HOUR) < 30
        if hours:
            site.clock_works(minutes=-180)


def test_a_process_that_starts_while_the_clock_is_wrong_goes_by_the_others_time(site: Site) -> None:
    match = site.with_deadline()
    deadline = site.deadline_of(match)
    shift(site, YEAR)
    site.webs[1].stop()
    site.webs[1].start()
    site.leaves_alone(match)
    assert page(f"{site.urls[1]}/m/{match.key}/") and "leapt" in ready(site, 1)
    assert site.turn_of(match) == 0 and site.deadline_of(match) == deadline


def test_only_one_process_whose_clock_is_wrong_is_never_believed(site: Site) -> None:
    """Its machine has other processes, whose clocks are right."""
    match = site.with_deadline()
    deadline = site.deadline_of(match)
    site.shifts[0].write_text(str(3 * HOUR))
    time.sleep(75)
    site.leaves_alone(match)
    assert site.deadline_of(match) == deadline
