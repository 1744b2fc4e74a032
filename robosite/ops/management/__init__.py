"""The base class of commands that read one record, from a file or from standard input."""

import json
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from games.record import LONGEST, Fault, load


class RecordCommand(BaseCommand):
    """Base class of commands that read one record and print JSON lines, which `look` yields from it.

    Exits with 1 if `is_fault` is True for a line; raises CommandError if the record cannot be read.
    """

    requires_system_checks: list[str] = []  # it needs no database and no site
    look: Callable[[Any], Iterable[dict[str, Any]]]

    def is_fault(self, line: dict[str, Any]) -> bool:
        return "error" in line

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", help="a file with one record, or - for standard input")

    def handle(self, *args: Any, file: str, **options: Any) -> None:
        faulty = False
        try:
            for line in self.look(load(read_file(file))):
                faulty = faulty or self.is_fault(line)
                self.stdout.write(json.dumps(line, ensure_ascii=False, separators=(", ", ": ")))
        except Fault as fault:
            raise CommandError(str(fault)) from None
        if faulty:
            sys.exit(1)


def read_file(file: str) -> str:
    """The first LONGEST characters of a file, or of standard input for “-”; raises CommandError."""
    try:
        if file == "-":
            return sys.stdin.read(LONGEST)
        with Path(file).open(encoding="utf-8", errors="surrogateescape") as text:
            return text.read(LONGEST)
    except (OSError, UnicodeDecodeError) as fault:
        raise CommandError(f"Cannot read {file}: {fault}.") from None
