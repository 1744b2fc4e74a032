"""Checks that the bots of a match, from its record (- is standard input), played what they play."""

from __future__ import annotations

import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from games.fairness import check
from games.record import Fault, load
from robosite.management.record_file import read_file


class Command(BaseCommand):
    help = "Has the bots of a record's match play again, and prints each order that is another one."
    requires_system_checks: list[str] = []  # it needs no database and no site

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="a file with one record, or - for standard input")

    def handle(self, *args: Any, file: str, **options: Any) -> None:
        faulty = False
        try:
            for line in check(load(read_file(file))):
                faulty = faulty or "checked" not in line
                self.stdout.write(json.dumps(line, ensure_ascii=False, separators=(", ", ": ")))
        except Fault as fault:
            raise CommandError(str(fault)) from None
        if faulty:
            sys.exit(1)
