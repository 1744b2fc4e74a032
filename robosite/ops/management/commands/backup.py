from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from robosite.ops import backups
from robosite.ops.models import JobRun


class Command(BaseCommand):
    help = "Copies the database into FILE while the site runs. Keys are not in it, unless asked for."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument("--with-keys", action="store_true", help="the site's keys too, in FILE.keys")
        parser.add_argument("--overwrite", action="store_true", help="replace a file of that name")

    def handle(self, *args: Any, file: Path, with_keys: bool, overwrite: bool, **options: Any) -> None:
        try:
            size = backups.backup(file, with_keys=with_keys, overwrite=overwrite)
        except OSError as fault:
            raise CommandError(f"Cannot write {file}: {fault.strerror}.") from None
        JobRun.note("backup")
        self.stdout.write(f"{file}: {size:,} bytes.")
        if with_keys:
            keys = backups.keys_beside(file)
            self.stdout.write(f"{keys}: the keys. With both, everything sealed can be read: keep them apart.")
        else:
            self.stdout.write("The keys are not in it (--with-keys): keep SEAL_KEYS somewhere else.")
