"""The SQLite database backend of the site. The setting `ENGINE` names this package."""

from django.db.backends.sqlite3 import base
from django.db.utils import OperationalError

WAITS = 2_000
"""Milliseconds of each of the two attempts to begin a transaction, as `busy_timeout` in the settings."""
WAITS_AGAIN = 100
"""The same after a transaction could not begin, until one begins: waiting blocks all other requests."""


class DatabaseWrapper(base.DatabaseWrapper):
    """Django's own backend, except for how long a transaction waits to begin (WAITS, WAITS_AGAIN)."""

    waits = WAITS
    """Milliseconds that a transaction waits to begin; `transactions.wait_briefly` may shorten it."""
    in_vain = False
    """A flag: True if the latest transaction could not begin, although it waited."""

    def connect(self) -> None:
        self.in_vain = False
        super().connect()

    def _start_transaction_under_autocommit(self) -> None:
        """Begins a transaction, if need be at a second attempt; after that raises OperationalError (503)."""
        try:
            try:
                self._begin()
            except OperationalError:  # nobody comes again: not a request, or one that has committed something
                self._set_busy_timeout(WAITS_AGAIN if self.in_vain else WAITS)
                self._begin()
                self._set_busy_timeout(self.waits)
        except BaseException:  # or `later.Locked`: the request comes again
            self._wait(in_vain=True)
            raise
        self._wait(in_vain=False)

    def _begin(self) -> None:
        super()._start_transaction_under_autocommit()  # type: ignore[misc]

    def _wait(self, *, in_vain: bool) -> None:
        if in_vain or self.in_vain:
            self.in_vain = in_vain
            self._set_busy_timeout(self.waits * WAITS_AGAIN // WAITS if in_vain else self.waits)

    def _set_busy_timeout(self, milliseconds: int) -> None:
        self.connection.execute(f"PRAGMA busy_timeout = {milliseconds}")
