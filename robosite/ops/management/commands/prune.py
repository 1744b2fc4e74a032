from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.db import connection

from robosite.matches.time import heartbeat
from robosite.ops.periods import RETENTIONS, prune, warn
from robosite.talk.moved_messages import move_messages


class Command(BaseCommand):
    help = "Says what is older than it is kept (see /privacy/); with --yes it is deleted. For a daily timer."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--yes", action="store_true", help="delete it")

    def handle(self, *args: Any, yes: bool, **options: Any) -> None:
        heartbeat.follow()  # before the first look at the time
        if yes:
            move_messages(connection)
            warn()
        for retention in RETENTIONS:
            count = sum(prune(retention)) if yes else retention.due().count()
            period = f"{retention.days():g} days" if retention.days() else "for good"
            self.stdout.write(
                f"{'deleted' if yes else 'would delete'} {count:6} {retention.name} (kept {period})"
            )
        if not yes:
            self.stdout.write("Nothing was deleted. To do it: manage.py prune --yes")
