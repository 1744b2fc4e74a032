from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from django.core.management.base import BaseCommand

from robosite.matches import clock


class Command(BaseCommand):
    help = "Applies deadlines of matches that nobody looks at; manage.py serve does so by itself."

    def handle(self, *args: Any, **options: Any) -> None:
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(clock.run())
