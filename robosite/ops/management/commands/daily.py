import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
from django.utils import timezone

from robosite.matches.time import heartbeat
from robosite.ops.models import JobRun


class Command(BaseCommand):
    help = (
        "Once a day: a backup in DATA_DIR/backups, prune --yes, verify, audit --verify. One job that fails "
        "does not stop the others; ends with 1 then."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--keep", type=int, default=14, help="for how many days backups are kept (14)")

    def handle(self, *args: Any, keep: int, **options: Any) -> None:
        with suppress(DatabaseError):  # each job says so itself
            heartbeat.follow()  # before the first look at the time
        failed = [name for name, job in _jobs(max(1, keep)).items() if not self._is_done(name, job)]
        if failed:
            self.stderr.write(self.style.ERROR(f"Failed: {', '.join(failed)}."))
            sys.exit(1)

    def _is_done(self, name: str, job: Callable[[], object]) -> bool:
        self.stdout.write(f"{name}:")
        self.stdout.flush()
        try:
            job()
            JobRun.note(name)
        except CommandError as fault:
            self.stderr.write(str(fault))
            return False
        except SystemExit as ended:
            return not ended.code
        except Exception as fault:
            self.stderr.write(f"{type(fault).__name__}: {fault}")
            return False
        return True


def _jobs(keep: int) -> dict[str, Callable[[], object]]:
    return {
        "backup": lambda: _back_up(settings.DATA_DIR / "backups", timezone.now(), keep),
        "prune": lambda: call_command("prune", yes=True),
        "verify": lambda: call_command("verify"),
        "audit": lambda: call_command("audit", verify=True),
    }


def _back_up(folder: Path, now: datetime, keep: int) -> None:
    """Writes a backup named by date (and time, if there is one); keeps those of the last `keep` days."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    file = _file(folder, f"{now:%Y-%m-%d}")
    call_command("backup", str(_file(folder, f"{now:%Y-%m-%dT%H%M%S}") if file.exists() else file))
    oldest = _file(folder, f"{now - timedelta(days=keep - 1):%Y-%m-%d}").stem
    for old in (
        *folder.glob("robosite-????-??-??.backup"),
        *folder.glob("robosite-????-??-??T??????.backup"),
    ):
        if old.stem < oldest:
            old.unlink()


def _file(folder: Path, when: str) -> Path:
    return folder / f"robosite-{when}.backup"
