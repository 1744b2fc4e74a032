import io
import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from games.record import replay_lines


class Command(BaseCommand):
    help = "Replays records (one, or JSON Lines; - is standard input) and prints a JSON line for each."
    requires_system_checks: list[str] = []  # it needs no database and no site

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="a file of records, or - for standard input")

    def handle(self, *args: Any, file: str, **options: Any) -> None:
        if file == "-":
            faults = self._replay(io.TextIOWrapper(sys.stdin.buffer, "utf-8", errors="surrogateescape"))
        else:
            try:
                with Path(file).open(encoding="utf-8", errors="surrogateescape") as lines:
                    faults = self._replay(lines)
            except OSError as fault:
                raise CommandError(f"Cannot read {file}: {fault.strerror}.") from None
        if faults:
            sys.exit(1)

    def _replay(self, lines: Any) -> int:
        faults = 0
        for shown in replay_lines(lines):
            faults += shown.fault is not None
            self.stdout.write(json.dumps(shown.as_json(), separators=(", ", ": ")))
        return faults
