import sys
from typing import Any

from django.core.management.base import BaseCommand

from robosite.matches import key_check
from robosite.ops.verification import Found, faults, league_faults


class Command(BaseCommand):
    help = (
        "Replays every match: do seals, turns and outcomes fit what is stored, and do the keys? "
        "Ends with 1 if not."
    )

    def handle(self, *args: Any, **options: Any) -> None:
        found = Found()
        for fault in faults(found):
            self.stdout.write(fault)
        for fault in league_faults():
            found.faults += 1
            self.stdout.write(fault)
        self.stdout.write(
            f"{found.over} matches that are over and {found.others} others, {found.turns} turns, "
            f"{found.seals} seals: {found.faults or 'no'} fault{'s' * (found.faults != 1)}."
        )
        if found.lost:
            self.stdout.write(
                f"{found.lost} secrets that no key opens. Is one of SEAL_KEYS missing? If it is lost for "
                "good: manage.py rotate_keys --give-up-lost asks their players to seal again."
            )
        if wrong := key_check.fault():
            self.stdout.write(wrong)
        if found.faults or found.lost or wrong:
            sys.exit(1)
