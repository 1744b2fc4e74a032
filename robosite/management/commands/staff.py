"""Makes somebody a moderator, a host, or both."""

from __future__ import annotations

import secrets
from typing import Any

from django.contrib.auth.models import Group, User
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from robosite.trail.entries import note, subject_of

GROUPS = ("moderator", "host")


class Command(BaseCommand):
    help = (
        "Makes somebody a moderator, a host, or both. A new name gets a first password, which is told once."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name")
        parser.add_argument("--group", action="append", choices=GROUPS, required=True, dest="groups")

    def handle(self, *args: Any, name: str, groups: list[str], **options: Any) -> None:
        password = ""
        with transaction.atomic():
            user = User.objects.filter(username=name).first()
            if new := user is None:
                password = secrets.token_urlsafe(12)
                user = self._new(name, password)
            elif not user.is_staff:
                user.is_staff = True
                user.save(update_fields=["is_staff"])
            assert user
            user.groups.set(Group.objects.filter(name__in=groups))
            note("command:staff", "staff", subject_of(user), groups=sorted(set(groups)), new=new)
        self.stdout.write(f"{name} is {' and '.join(sorted(set(groups)))}, at /admin/.")
        if password:
            self.stdout.write(f"First password: {password}")
            self.stdout.write("It can be changed at /admin/password_change/.")

    def _new(self, name: str, password: str) -> User:
        user = User(username=name, is_staff=True)
        user.set_password(password)
        try:
            user.full_clean()
        except ValidationError as fault:
            raise CommandError("; ".join(fault.messages)) from None
        user.save()
        return user
