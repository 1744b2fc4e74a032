"""Checks that the clock and the bots work: each is given something to do, and watched from outside."""

from __future__ import annotations

from tests.faults import programs
from tests.faults.drills.services import wait_until
from tests.faults.drills.site import Site

GAME = {"game": "pigs", "name": "Alice"}
SOON = 60.0


def with_deadline(site: Site, late: str = "fill", hours: float = 24) -> programs.Match:
    """A match of two that has begun and waits for both."""
    with programs.Site(site.urls[0]) as client:
        made = client.ask("POST", "matches", {**GAME, "deadline_hours": hours, "late": late})
        assert made.status_code == 201, made.text
        key, invite = made.json()["match"], made.json()["invite"]
        joined = client.ask("POST", f"matches/{key}/seats", {"name": "Bob", "invite": invite})
        assert joined.status_code == 201, joined.text
    return programs.Match(key, {"A": made.json()["token"], "B": joined.json()["token"]})


def move_deadline(site: Site, match: programs.Match, minutes: float) -> None:
    """Its time is over in so many minutes from now, or was."""
    at = moment(site, minutes)
    site.tell(f"UPDATE matches_match SET due = {at}, deadline = {at} WHERE key = '{match.key}'")


def moment(site: Site, minutes: float) -> str:
    """The time that many minutes from now, as the database writes it."""
    if site.postgres:
        return f"now() + interval '{minutes} minutes'"
    return f"strftime('%Y-%m-%d %H:%M:%f000', 'now', '{minutes:+} minutes')"


def turn_of(site: Site, match: programs.Match) -> int:
    """Read in the database: whoever looks at a match by a page moves it on himself."""
    return int(site.ask(f"SELECT turn FROM matches_match WHERE key = '{match.key}'")[0][0])


def by_deadline(site: Site, match: programs.Match) -> int:
    """The number of orders that the site has given for absent players."""
    return int(
        site.ask(
            "SELECT count(*) FROM matches_program p JOIN matches_seat s ON s.id = p.seat_id "
            f"JOIN matches_match m ON m.id = s.match_id WHERE m.key = '{match.key}' AND p.by <> ''"
        )[0][0]
    )


def clock_works(site: Site) -> float:
    """Seconds until a match whose time is over has moved on, once."""
    match = with_deadline(site)
    move_deadline(site, match, -1)
    took = wait_until(lambda: turn_of(site, match), SOON)
    assert (turn_of(site, match), by_deadline(site, match)) == (1, 2)
    return took


def bots_work(site: Site) -> float:
    """Seconds until a bot has sealed its first order."""
    with programs.Site(site.urls[0]) as client:
        made = client.ask("POST", "matches", {**GAME, "bots": {"B": "random"}})
        assert made.status_code == 201, made.text
    key = made.json()["match"]
    sealed = (
        "SELECT count(*) FROM matches_program p JOIN matches_seat s ON s.id = p.seat_id "
        f"JOIN matches_match m ON m.id = s.match_id WHERE m.key = '{key}' AND p.seal <> ''"
    )
    return wait_until(lambda: site.ask(sealed)[0][0] == 1, SOON)
