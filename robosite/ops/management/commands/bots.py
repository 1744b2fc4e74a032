import asyncio
import contextlib
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from robosite.bots import runner
from robosite.web import health
from robosite.web.logs import begin_process, runs


class Command(BaseCommand):
    help = "Plays for bots, beside several web processes; manage.py serve does so by itself."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--processes", default=settings.BOT_PROCESSES or 1, type=int, help="how many think at a time"
        )

    def handle(self, *args: Any, processes: int, **options: Any) -> None:
        begin_process(self, runs("bots"), warning=health.alone_warning())
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(runner.run(max(1, processes)))
