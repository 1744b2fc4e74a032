"""Who is there in the site's tests, and their clock."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from robosite.matches.models import Heartbeat
from robosite.trail import guards
from tests.site.browsers import Browser, Table, sit_down
from tests.site.sameness import same

__all__ = ["same"]


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """The trail without its guards: after a test with transactions of its own all tables are emptied.

    At the end PostgreSQL hangs up on threads that tests have left behind, since it drops no database in use.
    """
    with django_db_blocker.unblock():
        guards.take_down(connection)
    yield
    if connection.vendor == "postgresql":
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )


@pytest.fixture(autouse=True)
def no_limits(settings: Any) -> None:
    settings.LIMITS = "off"


@pytest.fixture(autouse=True)
def quick_passwords(settings: Any) -> None:
    """Staff's passwords are hashed in no time; recovery phrases (scrypt) as they always are."""
    settings.PASSWORD_HASHERS = [
        "django.contrib.auth.hashers.MD5PasswordHasher",
        "django.contrib.auth.hashers.ScryptPasswordHasher",
    ]


@pytest.fixture
def alice(db: Any) -> Browser:
    return Browser("Alice")


@pytest.fixture
def bob(db: Any) -> Browser:
    return Browser("Bob")


@pytest.fixture
def charlie(db: Any) -> Browser:
    return Browser("Charlie")


@pytest.fixture
def table(alice: Browser, bob: Browser, charlie: Browser) -> Table:
    """Alice and Bob have sat down; nobody has sealed."""
    return sit_down(alice, bob, charlie)


class Time:
    """The site's clock, which stands still until somebody moves it."""

    def __init__(self) -> None:
        self.present = timezone.now()

    def now(self) -> datetime:
        return self.present

    def pass_(self, **given: float) -> None:
        """Time goes by, and the site is up all the while."""
        self.present += timedelta(**given)
        Heartbeat.objects.update(at=self.present)

    def down(self, **given: float) -> None:
        """Time goes by, and the site is down all the while."""
        Heartbeat.objects.get_or_create(pk=1, defaults={"at": self.present})
        self.present += timedelta(**given)


@pytest.fixture
def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    stands = Time()
    monkeypatch.setattr(timezone, "now", stands.now)
    return stands
