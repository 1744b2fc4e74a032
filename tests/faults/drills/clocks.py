"""Clocks of the machine that jump by an hour, and processes whose clocks are an hour apart."""

from __future__ import annotations

from datetime import datetime

from tests.faults import programs
from tests.faults.drills import work
from tests.faults.drills.services import wait_until
from tests.faults.drills.site import Alone, Beside, Site, Web

HOUR = 3600
LEFT = 30.0
"""Minutes that are left to the players of a match, whom no wrong clock may put out."""


def drill(site: Site, times: int = 1) -> list[str]:
    """A match with half an hour left is looked at by everybody; others, which are late, move on once each."""
    match = work.with_deadline(site)
    lines = []
    web, first = site.webs[0], site.clocks[0]
    wrong: list[tuple[str, list[Alone | Web | Beside], int]] = [
        ("all clocks an hour ahead", site.processes, HOUR),
        ("all clocks an hour behind", site.processes, -HOUR),
        ("one of two clocks an hour ahead", [first], HOUR),
        ("one of two clocks an hour behind", [first], -HOUR),
        ("the web process an hour ahead", [web], HOUR),
        ("the web process an hour behind", [web], -HOUR),
    ]
    moved = 0
    for name, whose, by in wrong * times:
        work.move_deadline(site, match, LEFT)
        before = deadline_of(site, match)
        for shift in (by, 0):
            for one in whose:
                one.shift.write_text(str(shift))
            for _ in range(3):
                late_ones_move_on_once(site)
                moved += 1
                is_left_alone(site, match)
        later = (deadline_of(site, match) - before).total_seconds() / 60
        lines.append(f"{name}, and right again: nobody timed out, the deadline is {later:.0f} minutes later")
        assert -0.01 <= later < 61, lines[-1]
        # as minutes later, when all that was wrong is forgotten
        site.tell(f"UPDATE matches_heartbeat SET at = {work.moment(site, 0)}")
    work.move_deadline(site, match, -1)
    wait_until(lambda: work.turn_of(site, match), work.SOON)
    assert (work.turn_of(site, match), work.by_deadline(site, match)) == (1, 2)
    return [*lines, f"{moved} late matches meanwhile, and at last this one, moved on once each"]


def deadline_of(site: Site, match: programs.Match) -> datetime:
    found = site.ask(f"SELECT deadline FROM matches_match WHERE key = '{match.key}'")[0][0]
    return found if isinstance(found, datetime) else datetime.fromisoformat(found)


def late_ones_move_on_once(site: Site) -> None:
    """Late whatever the clocks show, so who moves it on has ticked since they were set."""
    match = work.with_deadline(site)
    work.move_deadline(site, match, -180)
    wait_until(lambda: work.turn_of(site, match), work.SOON)
    assert (work.turn_of(site, match), work.by_deadline(site, match)) == (1, 2)


def is_left_alone(site: Site, match: programs.Match) -> None:
    """A look at its page applies deadlines too."""
    with programs.Site(site.urls[0]) as client:
        seen = client.see(match, "A")
    assert (seen["turn"], seen["to_act"], seen["claimable"]) == (0, ["A", "B"], []), seen
    assert work.by_deadline(site, match) == 0
