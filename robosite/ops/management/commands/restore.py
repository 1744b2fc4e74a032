from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from robosite.ops import backups


class Command(BaseCommand):
    help = "Puts a backup in the place of the database, and migrates it. The site must stand still."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--with-keys", action="store_true", help="the site's keys too, from FILE.keys")
        parser.add_argument(
            "--overwrite",
            action="store_true",
            help="if there is an SQLite database already; it is moved aside",
        )

    def handle(self, *args: Any, file: Path, with_keys: bool, overwrite: bool, **options: Any) -> None:
        try:
            moved = backups.restore(file, with_keys=with_keys, overwrite=overwrite)
        except OSError as fault:
            raise CommandError(f"Cannot restore {file}: {fault.strerror}.") from None
        for path in moved:
            self.stdout.write(f"What was there before is kept as {path}.")
        self.stdout.write("Restored. Look at it once more: manage.py verify")
