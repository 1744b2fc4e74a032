import sys
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser

from robosite.ops.to_postgres import move


class Command(BaseCommand):
    help = (
        "Copies the site's SQLite database into the PostgreSQL database of DATABASE_URL, compares every row, "
        "and sets the SQLite file aside. Stop the site first: a database that is in use is refused."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file",
            type=Path,
            nargs="?",
            help="an SQLite backup instead; without it: robosite.sqlite3 in DATA_DIR",
        )

    def handle(self, *args: Any, file: Path | None, **options: Any) -> None:
        try:
            moved = move(file)
        except OSError as fault:
            raise CommandError(f"The SQLite database cannot be set aside: {fault}.") from None
        for table, count in sorted(moved.rows.items()):
            if count:
                self.stdout.write(f"{count:9,} {table}")
        self.stdout.write(f"{sum(moved.rows.values()):9,} rows, each as it was.")
        if moved.kept:
            self.stdout.write(f"The SQLite database is kept as {moved.kept}; nothing reads or writes it now.")
        sys.stdout.flush()
        call_command("verify")
        call_command("audit", verify=True)
