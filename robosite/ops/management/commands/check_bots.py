from typing import Any

from games.fairness import check
from robosite.ops.management import RecordCommand


class Command(RecordCommand):
    help = "Has the bots of a record's match play again, and prints each order that is another one."
    look = staticmethod(check)

    def is_fault(self, line: dict[str, Any]) -> bool:
        return "checked" not in line or "other_versions" in line
