from hashlib import sha256
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from robosite.share.referee import verify_page


class Command(BaseCommand):
    help = "Writes verify.html, which checks a match file without the site, and prints its SHA-256."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", nargs="?", default="verify.html", help="verify.html, if left out")

    def handle(self, *args: Any, **options: Any) -> None:
        page = verify_page().encode()
        Path(options["file"]).write_bytes(page)
        self.stdout.write(f"{sha256(page).hexdigest()}  {options['file']}")
