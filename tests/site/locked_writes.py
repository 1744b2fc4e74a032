"""Holds, seats and programs are written inside a match's lock alone: seen at every statement of the tests."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection

from robosite.matches import locks
from tests.servers import ROOT

_WRITES = re.compile(
    r'^(?:INSERT INTO|UPDATE|DELETE FROM) "matches_(?:hold|seat|program|replies)"', re.IGNORECASE
)
_SEEN = re.compile(r'^UPDATE "matches_hold" SET "seen_turn" = \S+ WHERE', re.IGNORECASE)
"""Notes of what a player has looked at: they decide nothing of who may act."""
SITE = str(ROOT / "robosite")
WHOLE_MATCHES = (
    f"{SITE}/ops/periods.py",  # deletes matches with all that is theirs
    f"{SITE}/ops/management/commands/rotate_keys.py",  # locks secrets anew under another key
    f"{SITE}/people/current_guest.py",  # deletes a guest, whose seats were given up before
)


class Unlocked(AssertionError):
    """The site wrote who may act, or what was sealed, outside of the lock."""


def _is_the_sites_own() -> bool:
    """Tell whether the statement comes from the site's code, and not from a test that sets something up."""
    frame: Any = sys._getframe(2)
    while frame is not None:
        file = frame.f_code.co_filename
        if file.startswith(WHOLE_MATCHES):
            return False
        if file.startswith(SITE) and not file.startswith((f"{SITE}/web/transactions", f"{SITE}/engine")):
            return "/migrations/" not in file
        if file.startswith(str(ROOT / "tests")) and file != __file__:
            return False
        frame = frame.f_back
    return False


def _look(execute: Callable[..., Any], sql: str, params: Any, many: bool, context: Any) -> Any:
    if _WRITES.match(sql) and not _SEEN.match(sql) and not locks.is_locked() and _is_the_sites_own():
        raise Unlocked(sql)
    return execute(sql, params, many, context)


@contextmanager
def watched() -> Iterator[None]:
    with connection.execute_wrapper(_look):
        yield
