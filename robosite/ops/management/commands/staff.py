import secrets
from typing import Any

from django.contrib.auth.models import Group, User
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils import timezone

from robosite.moderation import second_factor
from robosite.trail.entries import note, subject_of
from robosite.web.transactions import lock_rows

GROUPS = ("moderator", "host")
NAME, GROUP, FACTOR = 16, 24, 14
"""The widths of the first three columns of the list, in characters."""


class Command(BaseCommand):
    help = (
        "Without a name: lists the staff. With a name and --group: makes somebody a moderator, a host, or "
        "both; a new name gets a first password, which is told once."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?", default="")
        parser.add_argument("--group", action="append", choices=GROUPS, dest="groups", default=[])
        parser.add_argument(
            "--remove",
            metavar="NAME",
            default="",
            help="takes everything away from an account; it stays, locked, since the audit trail tells of it",
        )
        parser.add_argument(
            "--reset-second-factor", action="store_true", dest="reset", help="for a phone that was lost"
        )
        parser.add_argument(
            "--new-password",
            action="store_true",
            dest="forgot",
            help="for a password that was forgotten: a new one, which is told once",
        )

    def handle(
        self,
        *args: Any,
        name: str,
        groups: list[str],
        remove: str,
        reset: bool,
        forgot: bool,
        **options: Any,
    ) -> None:
        if remove and (name or groups or reset or forgot):
            raise CommandError("--remove NAME goes with nothing else: manage.py staff --remove NAME")
        if (groups or reset or forgot) and not name:
            raise CommandError("Say whom you mean: manage.py staff NAME --group moderator")
        if remove:
            self._remove(remove)
        elif not name:
            self._list()
        elif not (groups or reset or forgot):
            raise CommandError(
                f"Say what {name} is to be: --group moderator, --group host, or both. To take everything "
                f"away: manage.py staff --remove {name}. For a lost phone: --reset-second-factor, for a "
                "forgotten password: --new-password."
            )
        if forgot:
            self._give_password(name)
        if reset:
            self._reset(name)
        if groups:
            self._make(name, sorted(set(groups)))

    def _list(self) -> None:
        staff = User.objects.filter(is_staff=True) | User.objects.filter(is_active=False)
        users = list(staff.distinct().order_by("username").prefetch_related("groups"))
        if not users:
            self.stdout.write("There is no staff yet: manage.py staff NAME --group moderator")
            return
        self.stdout.write(_row("Name", "Groups", "Second factor", "Last login"))
        for user in users:
            groups = [group.name for group in user.groups.all()] + ["superuser"] * user.is_superuser
            names = ", ".join(sorted(groups)) or "none"
            if not user.is_active:
                names = "removed"
            has_one = second_factor.factor_of(user) is not None
            login = timezone.localtime(user.last_login) if user.last_login else None
            last = f"{login:%Y-%m-%d %H:%M}" if login else "never"
            self.stdout.write(_row(user.get_username(), names, "yes" if has_one else "no", last))

    def _make(self, name: str, groups: list[str]) -> None:
        password = ""
        with transaction.atomic():
            user = lock_rows(User.objects.filter(username=name)).first()
            if new := user is None:
                password = secrets.token_urlsafe(12)
                user = self._new(name, password)
            elif not user.is_active:  # removed earlier: the old password must not work again
                password = secrets.token_urlsafe(12)
                user.is_active = user.is_staff = True
                user.set_password(password)
                user.save(update_fields=["is_active", "is_staff", "password"])
            elif not user.is_staff:
                user.is_staff = True
                user.save(update_fields=["is_staff"])
            assert user
            user.groups.set(_found(groups))
            note("command:staff", "staff", subject_of(user), groups=groups, new=new)
        self.stdout.write(f"{name} is {' and '.join(groups)}, at /admin/.")
        if password:
            self.stdout.write(f"First password: {password}")
            self.stdout.write("It can be changed at /admin/password_change/.")

    def _remove(self, name: str) -> None:
        """Takes all rights and the second factor from an account, and locks it; the audit trail names it."""
        with transaction.atomic():
            user = _known(name)
            if not user.is_active:
                raise CommandError(f"{name} was removed already.")
            user.is_active = user.is_staff = user.is_superuser = False
            user.set_unusable_password()
            user.save(update_fields=["is_active", "is_staff", "is_superuser", "password"])
            user.groups.clear()
            user.user_permissions.clear()
            second_factor.remove(user)
            note("command:staff", "staff-removed", subject_of(user))
        self.stdout.write(
            f"{name} may do nothing any more, and is logged out. "
            "The account stays, locked: the audit trail tells of it."
        )

    def _give_password(self, name: str) -> None:
        password = secrets.token_urlsafe(12)
        with transaction.atomic():
            user = _known(name)
            if not user.is_active:
                raise CommandError(f"{name} was removed: manage.py staff {name} --group … makes it anew.")
            user.set_password(password)
            user.save(update_fields=["password"])
            note("command:staff", "password-reset", subject_of(user))
        self.stdout.write(f"New password: {password}")
        self.stdout.write(f"{name} is logged out. It can be changed at /admin/password_change/.")

    def _reset(self, name: str) -> None:
        with transaction.atomic():
            user = _known(name)
            if not second_factor.remove(user):
                raise CommandError(f"{name} has no second factor.")
            note("command:staff", "second-factor-reset", subject_of(user))
        self.stdout.write(f"{name} logs in by the password alone until a new second factor is set up.")
        if second_factor.is_required():
            self.stdout.write("Nothing else opens before.")

    def _new(self, name: str, password: str) -> User:
        user = User(username=name, is_staff=True)
        user.set_password(password)
        try:
            user.full_clean()
        except ValidationError as fault:
            raise CommandError("; ".join(fault.messages)) from None
        user.save()
        return user


def _found(names: list[str]) -> list[Group]:
    groups = list(Group.objects.filter(name__in=names))
    if missing := set(names) - {group.name for group in groups}:
        raise CommandError(f"There is no group {' or '.join(sorted(missing))}: run manage.py migrate first.")
    return groups


def _known(name: str) -> User:
    user = lock_rows(User.objects.filter(username=name)).first()
    if user is None:
        raise CommandError(f"Nobody on the staff is called {name}. manage.py staff lists everybody.")
    return user


def _row(name: str, groups: str, factor: str, login: str) -> str:
    return f"{name:{NAME}} {groups:{GROUP}} {factor:{FACTOR}} {login}"
