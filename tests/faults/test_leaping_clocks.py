"""A clock of the machine that leaps changes and deletes nothing, until it has lasted or its host says so.

Two web processes and a clock on PostgreSQL and Redis, whose wall clocks are wrong (`drills/shifted.py`).
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta

import httpx
import pytest

from tests.faults import programs
from tests.faults.drills import work
from tests.faults.drills.clocks import deadline_of, is_left_alone, late_ones_move_on_once
from tests.faults.drills.services import wait_until
from tests.faults.drills.site import Site, running
from tests.servers import PATIENCE, ROOT

pytestmark = pytest.mark.more

HOUR = 3600
YEAR = 365 * 24 * HOUR
SINCE_1970 = 56 * YEAR


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with running(servers=True, webs=2, clocks=1, shifts=True) as site:
        yield site


@pytest.fixture(autouse=True)
def _right_again(site: Site) -> Iterator[None]:
    yield
    shift(site, 0)
    wait_until(lambda: ready(site) == "ready", PATIENCE)


def shift(site: Site, seconds: int) -> None:
    for one in site.processes:
        one.shift.write_text(str(seconds))


def ready(site: Site) -> str:
    return page(f"{site.urls[0]}/readyz")


def page(address: str) -> str:
    found = httpx.get(address, timeout=PATIENCE, trust_env=False)
    assert found.status_code == 200, found.text
    return found.text.strip()


def command(site: Site, *words: str) -> str:
    """Runs a command of manage.py in a process of its own, whose clock is as wrong as the others'."""
    file = str(site.processes[0].shift)
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.drills.shifted", file, *words],
        cwd=ROOT,
        env=site.env,
        capture_output=True,
        text=True,
        timeout=PATIENCE * 2,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def kept(site: Site) -> dict[str, object]:
    """All that a leap could delete, end or move."""
    questions = {
        "matches": "SELECT count(*) FROM matches_match WHERE status = 'open'",
        "sessions": "SELECT count(*) FROM django_session",
        "guests": "SELECT count(*) FROM people_guest",
        "forms": "SELECT count(*) FROM people_sentform",
        "answers": "SELECT count(*) FROM api_keptanswer",
        "leagues": "SELECT status, ends FROM leagues_league ORDER BY id",
    }
    return {name: site.ask(question) for name, question in questions.items()}


def league(site: Site) -> str:
    with programs.Site(site.urls[1]) as client:
        made = client.league(3, ends_days=60)
        assert client.start(made).status_code == 200
    return made.key


def league_of(site: Site, key: str) -> tuple[str, datetime]:
    status, ends = site.ask(f"SELECT status, ends FROM leagues_league WHERE key = '{key}'")[0]
    return status, ends


@pytest.mark.parametrize("seconds", [YEAR, -SINCE_1970, 10 * HOUR], ids=["a year", "1970", "ten hours"])
def test_a_leap_changes_and_deletes_nothing_and_play_goes_on(site: Site, seconds: int) -> None:
    match, key = work.with_deadline(site), league(site)
    with programs.Site(site.urls[0]) as client:
        assert client.ask("POST", "matches", work.GAME).status_code == 201
    work.move_deadline(site, match, 30)
    deadline, before = deadline_of(site, match), kept(site)
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
    is_left_alone(site, match)
    late_ones_move_on_once(site)
    made_meanwhile = deadline_of(site, work.with_deadline(site))
    shift(site, 0)
    wait_until(lambda: ready(site) == "ready", PATIENCE)
    assert deadline_of(site, match) == deadline
    hours = (made_meanwhile - datetime.now(made_meanwhile.tzinfo)).total_seconds() / HOUR
    assert 23.9 < hours < 24.1, "what is made in the meantime goes by the right time"


def test_a_leap_that_lasts_is_a_downtime_whose_time_is_given_back(site: Site) -> None:
    """As when a machine was suspended: its monotonic clock stood still."""
    match, key = work.with_deadline(site), league(site)
    deadline, ends = deadline_of(site, match), league_of(site, key)[1]
    shift(site, 2 * HOUR)
    wait_until(lambda: deadline_of(site, match) != deadline, 150)
    wait_until(lambda: ready(site) == "ready", 30)
    assert abs((deadline_of(site, match) - deadline).total_seconds() - 2 * HOUR) < 30
    assert abs((league_of(site, key)[1] - ends).total_seconds() - 2 * HOUR) < 30
    late_ones_move_on_once(site)
    shift(site, 0)
    command(site, "clock", "--believe")
    wait_until(lambda: deadline_of(site, match) != deadline and ready(site) == "ready", 30)
    assert abs((deadline_of(site, match) - deadline).total_seconds()) < 30, "what was moved is moved back"
    assert abs((league_of(site, key)[1] - ends).total_seconds()) < 30


def test_a_host_may_say_that_the_clock_is_right(site: Site) -> None:
    match = work.with_deadline(site)
    deadline = deadline_of(site, match)
    shift(site, YEAR)
    wait_until(lambda: "leapt" in ready(site), 30)
    command(site, "clock", "--believe")
    wait_until(lambda: (deadline_of(site, match) - deadline).days == 365, 30)
    shift(site, 0)
    command(site, "clock", "--believe")
    wait_until(lambda: (deadline_of(site, match) - deadline).days < 1, 30)


def test_a_process_that_starts_while_the_clock_is_wrong_goes_by_the_others_time(site: Site) -> None:
    match = work.with_deadline(site)
    deadline = deadline_of(site, match)
    shift(site, YEAR)
    web = site.webs[1]
    web.stop()
    web.start()
    is_left_alone(site, match)
    with programs.Site(web.url) as client:
        assert client.see(match, "A")["turn"] == 0
    assert "leapt" in page(f"{web.url}/readyz")
    assert deadline_of(site, match) == deadline


def test_only_one_process_whose_clock_is_wrong_is_never_believed(site: Site) -> None:
    """Its machine has other processes, whose clocks are right."""
    match = work.with_deadline(site)
    deadline = deadline_of(site, match)
    site.webs[0].shift.write_text(str(3 * HOUR))
    time.sleep(75)
    is_left_alone(site, match)
    assert deadline_of(site, match) == deadline
