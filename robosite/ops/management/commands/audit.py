import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from robosite.trail.entries import ChainCheck, newest


class Command(BaseCommand):
    help = "Prints the newest entries of the audit trail; --verify walks it, and ends with 1 where it breaks."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--verify", action="store_true", help="is every entry as it was written?")
        parser.add_argument("--head", default="", metavar="HASH", help="is this hash, as mailed, in it?")
        parser.add_argument("--count", type=int, default=20, help="how many entries to print")

    def handle(self, *args: Any, verify: bool, head: str, count: int, **options: Any) -> None:
        if not (verify or head):
            for entry in newest(count):
                facts = f" {entry.facts}" if entry.facts != "{}" else ""
                self.stdout.write(
                    f"{entry.number:6} {entry.at:%F %T} {entry.who}: {entry.action} {entry.subject}{facts}"
                )
            return
        seeks = head.strip().lower()
        check = ChainCheck(seeks)
        if check.fault:
            self.stdout.write(f"Broken at entry {check.fault}")
            sys.exit(1)
        self.stdout.write(f"{check.count} entries, each as it was written. Head: {check.head}")
        if not seeks:
            return
        if check.found is None:
            self.stdout.write(
                f"But no entry has the hash {seeks}: the trail was written anew since somebody saw it."
            )
            sys.exit(1)
        self.stdout.write(f"The hash {seeks} is that of entry {check.found}.")
