"""The checks behind `/readyz`, which apps register in `AppConfig.ready`."""

import logging
from collections.abc import Callable
from typing import NamedTuple

log = logging.getLogger("robosite")

Finds = Callable[[], str]


class Report(NamedTuple):
    """Sentences on checks that failed: with `faults` the process cannot serve."""

    faults: list[str]
    warnings: list[str]


class Draining:
    """A flag: `begun` is True as soon as this process is shutting down and accepts no new work."""

    begun = False


draining = Draining()

_needed: list[Finds] = []
_watched: list[Finds] = []


def add_check(finds: Finds, *, needed: bool) -> None:
    """Registers `finds`, a check that returns a sentence about a fault, or "" if there is none."""
    checks = _needed if needed else _watched
    if finds not in checks:
        checks.append(finds)


def report() -> Report:
    """Runs all checks; a process that is shutting down is unready without them."""
    if draining.begun:
        return Report(["this process is about to end"], [])
    faults, warnings = (
        [finding for finds in checks if (finding := finds())] for checks in (_needed, _watched)
    )
    return Report(faults, warnings)


class LastLogged:
    """The state that was logged last: the faults, joined by semicolons, and whether there were warnings."""

    faults = ""
    warned = False


last_logged = LastLogged()


def log_changes(found: Report) -> None:
    """Logs faults when they change, and warnings when they begin or end, not at every `/readyz`."""
    faults, warnings = "; ".join(found.faults), "; ".join(found.warnings)
    if faults != last_logged.faults and not draining.begun:
        if faults:
            log.error("/readyz answers 503: %s", faults)
        else:
            log.warning("/readyz answers 200 again")
        last_logged.faults = faults
    if bool(warnings) != last_logged.warned and not faults:
        log.warning("/readyz warns: %s", warnings or "of nothing any more")
        last_logged.warned = bool(warnings)
