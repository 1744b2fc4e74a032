import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from robosite.matches.time import process_heartbeats


class Command(BaseCommand):
    help = (
        "Ends with 1 if that part has not been heard of for two minutes: clock, bots or sender (of notices)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("part", choices=process_heartbeats.PARTS)

    def handle(self, *args: Any, part: str, **options: Any) -> None:
        if process_heartbeats.is_alive(part):
            self.stdout.write(f"Alive: {part}.")
            return
        age = process_heartbeats.ages().get(part)
        self.stdout.write(f"Nothing heard of the {part}{f' for {age:.0f} s' if age is not None else ''}.")
        sys.exit(1)
