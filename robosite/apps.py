"""What every process of the site begins with."""

from __future__ import annotations

from asgiref.sync import SyncToAsync
from django.apps import AppConfig

from robosite.engine.one_thread import THREAD


class RobositeConfig(AppConfig):
    name = "robosite"

    def ready(self) -> None:
        """Before anything is handed to a thread: one that is replaced would leave its connection open."""
        SyncToAsync.single_thread_executor = THREAD  # type: ignore[assignment]
