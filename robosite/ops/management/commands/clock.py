import asyncio
import contextlib
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils import timezone

from robosite.matches import clock
from robosite.matches.time import heartbeat
from robosite.notices import sender
from robosite.trail import head_of_day
from robosite.web import health
from robosite.web.logs import begin_process, runs


class Command(BaseCommand):
    help = (
        "Applies deadlines of matches that nobody looks at, sends notices, and tells the head of the audit "
        "trail once a day, as manage.py serve does."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--believe", action="store_true", help="only say that this machine's clock is right after a leap"
        )

    def handle(self, *args: Any, believe: bool, **options: Any) -> None:
        if believe:
            heartbeat.believe()
            self.stdout.write(f"The site goes by this machine's clock: {timezone.now():%F %T %Z}.")
            return
        begin_process(self, runs("clock and notices"), warning=health.alone_warning())
        with contextlib.suppress(KeyboardInterrupt):
            asyncio.run(_run())


async def _run() -> None:
    await asyncio.gather(clock.run(), sender.run(), head_of_day.run())
