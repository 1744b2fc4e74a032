"""Checks by which `/readyz` tells how the site stands; apps add theirs from `ready`."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import NamedTuple

log = logging.getLogger("robosite")

Finds = Callable[[], str]
"""A sentence that says what is wrong; "" if nothing is."""


class Report(NamedTuple):
    """Sentences: `faults` keep this process from serving, `warnings` do not."""

    faults: list[str]
    warnings: list[str]


class Draining:
    """A flag: `begun` once this process is about to end, and takes no new work."""

    begun = False


draining = Draining()

_needed: list[Finds] = []
_watched: list[Finds] = []


def add_check(finds: Finds, *, needed: bool) -> None:
    """Adds a check: if `needed`, this process cannot serve when it fails; otherwise it only warns."""
    checks = _needed if needed else _watched
    if finds not in checks:
        checks.append(finds)


def report() -> Report:
    """The findings of all checks now."""
    if draining.begun:
        return Report(["this process is about to end"], [])
    faults, warnings = (
        [finding for finds in checks if (finding := finds())] for checks in (_needed, _watched)
    )
    return Report(faults, warnings)


class Told:
    """The faults that the log was told last, and whether it was told of warnings."""

    faults = ""
    warned = False


told = Told()


def tell(found: Report) -> None:
    """Logs why this process cannot serve, or what it warns of, once when that turns; not at every look."""
    faults, warnings = "; ".join(found.faults), "; ".join(found.warnings)
    if faults != told.faults and not draining.begun:
        if faults:
            log.error("/readyz answers 503: %s", faults)
        else:
            log.warning("/readyz answers 200 again")
        told.faults = faults
    if bool(warnings) != told.warned and not faults:
        log.warning("/readyz warns: %s", warnings or "of nothing any more")
        told.warned = bool(warnings)
