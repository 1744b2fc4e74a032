"""Reviews the record of a finished match (- is standard input): what each order cost, and how to mix."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from games.record import LONGEST, Fault, load
from games.review import review


class Command(BaseCommand):
    help = "Checks the record of a finished match and prints what each order cost, a JSON line a turn."
    requires_system_checks: list[str] = []  # it needs no database and no site

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="a file with one record, or - for standard input")

    def handle(self, *args: Any, file: str, **options: Any) -> None:
        faulty = False
        try:
            for line in review(load(self._read(file))):
                faulty = faulty or "error" in line
                self.stdout.write(json.dumps(line, ensure_ascii=False, separators=(", ", ": ")))
        except Fault as fault:
            raise CommandError(str(fault)) from None
        if faulty:
            sys.exit(1)

    def _read(self, file: str) -> str:
        try:
            if file == "-":
                return sys.stdin.read(LONGEST)
            with Path(file).open(encoding="utf-8", errors="surrogateescape") as text:
                return text.read(LONGEST)
        except (OSError, UnicodeDecodeError) as fault:
            raise CommandError(f"Cannot read {file}: {fault}.") from None
