import json
from typing import Any

from django.core.management.base import BaseCommand

from robosite.matches import figures


class Command(BaseCommand):
    help = "Counts the figures of finished matches anew, now, and prints those that may be told."

    def handle(self, *args: Any, **options: Any) -> None:
        figures.count_all()
        for kind, tally in figures.published().items():
            about = kind._asdict()
            about["players"] = about.pop("seats")
            self.stdout.write(json.dumps({**about, **tally.as_json()}))
