from typing import Any

from django.contrib.auth.management.commands import createsuperuser
from django.contrib.auth.models import User
from django.db.models.signals import post_save

from robosite.trail.entries import note, subject_of


def _note_in_trail(instance: User, created: bool, **_signal: Any) -> None:
    if created:
        note("command:createsuperuser", "superuser", subject_of(instance))


class Command(createsuperuser.Command):
    def handle(self, *args: Any, **options: Any) -> None:
        # Not in one transaction, since the command waits for somebody to type.
        post_save.connect(_note_in_trail, sender=User)
        try:
            super().handle(*args, **options)
        finally:
            post_save.disconnect(_note_in_trail, sender=User)
