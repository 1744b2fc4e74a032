from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from games.record import Fault, load
from robosite.leagues.record.record import faults_of
from robosite.leagues.record.season_record import came_faults
from robosite.ops.management import RecordCommand, read_file


class Command(RecordCommand):
    help = "Checks the record of a league, and says what differs from what its matches lead to."

    previous = ""

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--previous", default="", metavar="FILE", help="the record of the season before, to compare with"
        )

    def handle(self, *args: Any, file: str, previous: str = "", **options: Any) -> None:
        self.previous = previous
        super().handle(*args, file=file, **options)

    def look(self, data: Any) -> Iterator[dict[str, Any]]:
        if not isinstance(data, dict):
            raise Fault("This is not the file of a league.")
        wrong = list(faults_of(data))
        if self.previous and not wrong:
            wrong = list(self._compared(data))
        for fault in wrong:
            yield {"error": fault}
        if not wrong:
            yield {"league": data["league"], "matches": len(data["matches"]), "checked": True}

    def _compared(self, data: Any) -> Iterator[str]:
        before = load(read_file(self.previous))
        wrong = [f"The season before: {fault}" for fault in faults_of(before)]
        if not wrong and "season" not in data:
            wrong = ["This is the record of a first season: there is none before."]
        yield from wrong or came_faults(data, before)
