from typing import Any

from django.conf import settings
from django.core.management.commands import check


class Command(check.Command):
    def handle(self, *labels: Any, **options: Any) -> None:
        super().handle(*labels, **options)
        for line in settings.MISSPELT:
            self.stderr.write(self.style.WARNING(line))
