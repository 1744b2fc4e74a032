"""Sends signals about a change within the transaction that makes the change."""

import logging
from typing import Any

from django.db import transaction
from django.dispatch import Signal

log = logging.getLogger("robosite")


def send_to_all(signal: Signal, sender: type, key: str, **facts: Any) -> None:
    """Sends a signal to all receivers, which write in savepoints of their own, and logs their exceptions.

    One that has rolled back the whole transaction (a full disk on SQLite) is raised instead.
    """
    for _listener, fault in signal.send_robust(sender, **facts):
        if fault and transaction.get_rollback():
            raise fault
        if fault:
            log.error("match %s: a listener failed", key, exc_info=fault)
