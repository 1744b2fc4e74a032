"""Signals that inform the site's parts of a change in its own transaction."""

from __future__ import annotations

import logging
from typing import Any

from django.db import transaction
from django.dispatch import Signal

log = logging.getLogger("robosite")


def send_to_all(signal: Signal, sender: type, key: str, **facts: Any) -> None:
    """Tells all listeners; `key` is that of the match. One that fails is logged and holds nothing up.

    If it has lost the whole transaction, as SQLite does when the disk is full, its fault is raised: nothing
    that follows could be kept. Listeners write in savepoints of their own.
    """
    for _listener, fault in signal.send_robust(sender, **facts):
        if fault and transaction.get_rollback():
            raise fault
        if fault:
            log.error("match %s: a listener failed", key, exc_info=fault)
