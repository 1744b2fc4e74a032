"""The SQLite database backend of the site. The setting `ENGINE` names this package."""

from __future__ import annotations

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

WAITS = 2_000
"""Milliseconds that an attempt to begin a transaction waits while another process writes.

There are at most two attempts. The `busy_timeout` in the settings is the same number.
"""
WAITS_AGAIN = 100
"""Milliseconds used instead of WAITS after a transaction could not begin, until a later one has begun.

A transaction that waits blocks all other requests of its process, even those that only read.
"""


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's own backend, except for how long a transaction waits to begin (WAITS, WAITS_AGAIN)."""

    in_vain = False
    """A flag: True if the latest transaction could not begin, although it waited."""

    def connect(self) -> None:
        self.in_vain = False
        super().connect()

    def _start_transaction_under_autocommit(self) -> None:
        """Begins a transaction, at a second attempt if necessary.

        Raises OperationalError if the second attempt fails too, so that the site responds with 503.
        """
        try:
            try:
                self._begin()
            except OperationalError:
                self._begin()
        except OperationalError:
            self._wait(in_vain=True)
            raise
        self._wait(in_vain=False)

    def _begin(self) -> None:
        super()._start_transaction_under_autocommit()  # type: ignore[misc]

    def _wait(self, *, in_vain: bool) -> None:
        if in_vain != self.in_vain:
            self.in_vain = in_vain
            self.connection.execute(f"PRAGMA busy_timeout = {WAITS_AGAIN if in_vain else WAITS}")
