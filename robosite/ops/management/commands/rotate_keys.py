import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from robosite.matches import key_check, missing_keys
from robosite.ops.rotation import rotate


class Command(BaseCommand):
    help = (
        "Encrypts everything secret under the first of SEAL_KEYS. Put a new key in front and restart first."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--give-up-lost",
            action="store_true",
            help="a key is lost for good: players seal again, matches that cannot go on are called off",
        )

    def handle(self, *args: Any, give_up_lost: bool, **options: Any) -> None:
        found = rotate()
        self.stdout.write(f"{found.anew} encrypted anew, {found.new} were under the newest key already.")
        if not found.old:
            key_check.retire_older()
        if not found.old and not found.lost:
            key_check.give_up_missing()  # nothing is encrypted under the missing keys
        if give_up_lost:
            again, off = missing_keys.give_up()
            self.stdout.write(f"Asked to seal again in {again} matches; {off} matches are called off.")
        elif found.lost:
            self._tell_lost(found.lost)
        if found.old:
            self.stdout.write(
                "Some are written under an older key still: restart every process of the site with the new "
                "SEAL_KEYS, then run this again."
            )
            sys.exit(1)
        self.stdout.write("From now on the first of SEAL_KEYS is enough.")

    def _tell_lost(self, lost: int) -> None:
        """Exits with 1, unless all that no key decrypts was given up before."""
        fault = key_check.fault()
        if not fault and not missing_keys.matches():
            self.stdout.write(f"{lost} open under none of SEAL_KEYS; they were given up before.")
            return
        self.stdout.write(
            f"{lost} open under none of SEAL_KEYS. {fault or 'Is one missing?'} If it is lost for good, "
            "--give-up-lost asks the players to seal again."
        )
        sys.exit(1)
