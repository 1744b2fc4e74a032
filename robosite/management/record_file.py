"""Reading the record that a command was given."""

from __future__ import annotations

import sys
from pathlib import Path

from django.core.management.base import CommandError

from games.record import LONGEST


def read_file(file: str) -> str:
    """The text of a file with one record, or of standard input for -, up to the longest record."""
    try:
        if file == "-":
            return sys.stdin.read(LONGEST)
        with Path(file).open(encoding="utf-8", errors="surrogateescape") as text:
            return text.read(LONGEST)
    except (OSError, UnicodeDecodeError) as fault:
        raise CommandError(f"Cannot read {file}: {fault}.") from None
