import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from robosite.matches.site_models import ProcessHeartbeat


class Command(BaseCommand):
    help = (
        "Ends with 1 if that part has not been heard of for two minutes: clock, bots or sender (of notices)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("part", choices=ProcessHeartbeat.PARTS)

    def handle(self, *args: Any, part: str, **options: Any) -> None:
        age = ProcessHeartbeat.ages().get(part)
        if age is not None and age <= ProcessHeartbeat.LATE.total_seconds():
            self.stdout.write(f"Alive: {part}.")
            return
        self.stdout.write(f"Nothing heard of the {part}{f' for {age:.0f} s' if age is not None else ''}.")
        sys.exit(1)
