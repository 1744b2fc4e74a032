"""Reviews the record of a finished match (- is standard input): what each order cost, and how to mix."""

from __future__ import annotations

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from games.record import Fault, load
from games.review import review
from robosite.management.record_file import read_file


class Command(BaseCommand):
    help = "Checks the record of a finished match and prints what each order cost, a JSON line a turn."
    requires_system_checks: list[str] = []  # it needs no database and no site

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="a file with one record, or - for standard input")

    def handle(self, *args: Any, file: str, **options: Any) -> None:
        faulty = False
        try:
            for line in review(load(read_file(file))):
                faulty = faulty or "error" in line
                self.stdout.write(json.dumps(line, ensure_ascii=False, separators=(", ", ": ")))
        except Fault as fault:
            raise CommandError(str(fault)) from None
        if faulty:
            sys.exit(1)
