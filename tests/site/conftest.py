"""The people of the site's tests, and their clock."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import datetime, timedelta
from importlib import import_module
from inspect import isfunction
from itertools import count, groupby
from types import CodeType, SimpleNamespace
from typing import Any

import pytest
from django.apps import apps
from django.core.cache.backends.redis import RedisCache
from django.db import connection
from django.test import Client
from django.utils import timezone
from django.utils.translation import deactivate

from robosite.matches import key_check
from robosite.matches.site_models import Heartbeat
from robosite.people import cost, shares
from robosite.trail import entries, guards
from robosite.web import later, rate_windows
from tests import kept
from tests.games.cases import size
from tests.servers import DATABASE, SERVERS, ready
from tests.site import locked_writes
from tests.site.browsers import Browser, Table, sit_down
from tests.site.sameness import same

__all__ = ["same"]


ALIKE = ("examples", "languages", "lightness", "names", "setting_urls", "things")
"""Files on rules, words and drawings: whatever they ask of PostgreSQL and Redis, other files ask too."""
EACH_VALUE = ("engine", "matches", "admission", "limits", "odd_values", "sent_forms")
"""Folders and files on limits, races and odd values: a database may treat each in its own way."""
OWN_WAYS = {
    *("atomic", "execute_wrapper", "locks", "cursor", "vendor"),
    *("IntegrityError", "OperationalError", "DatabaseError"),
    *("Thread", "ThreadPoolExecutor", "gather", "WebsocketCommunicator"),
    *("order_by", "annotate", "aggregate"),
}
"""Names in a test or its helpers that show: it is about locks, races, faults, channels, order or sums."""
FEW, EVERY = size(4, 1_000), size(5, 1)
"""The number of values of any other test that run there, and the step from one such test to the next."""


def is_about_the_services(item: Any) -> bool:
    """Tell whether each of its values asks for what each database does in its own way."""
    database = item.get_closest_marker("django_db")
    return bool(
        item.get_closest_marker("postgres")
        or item.get_closest_marker("redis")
        or {*item.path.parts, item.path.stem.removeprefix("test_")} & {*EACH_VALUE}
        or {"transactional_db", *SERVERS} & {*item.fixturenames}
        or (database and database.kwargs.get("transaction"))
        or named_by(item.function, item.module) & OWN_WAYS
    )


def named_by(function: Any, module: Any) -> set[str]:
    """The names in a test, in functions inside it, and in all functions of its module that it calls."""
    named: set[str] = set()
    unread = [function.__code__]
    while unread:
        code = unread.pop()
        unread += [inner for inner in code.co_consts if isinstance(inner, CodeType)]
        new = {*code.co_names} - named
        named |= new
        unread += [one.__code__ for name in new if isfunction(one := vars(module).get(name))]
    return named


def here_again(items: list[pytest.Item]) -> list[pytest.Item]:
    """The tests that may say something else on PostgreSQL and Redis than in memory; in the short form a part.

    Of those that are not about the services every fifth of a file runs; of one with many values the first,
    the last and some between.
    """
    asked = [item for item in items if item.path.stem.removeprefix("test_") not in ALIKE]
    here = [item for item in asked if is_about_the_services(item)]
    values: dict[str, list[pytest.Item]] = {}
    for item in asked:
        values.setdefault(item.nodeid.partition("[")[0], []).append(item)
    some = {one[n * (len(one) - 1) // (FEW - 1)] for one in values.values() for n in range(FEW)}
    others = sorted(some - {*here}, key=lambda item: (item.path, item.nodeid))
    by_file = groupby(others, lambda item: item.path)
    return [*here, *(item for _, of_file in by_file for item in [*of_file][::EVERY])]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not os.environ.get("ON_SERVERS"):
        return
    here = set(here_again(items))
    config.hook.pytest_deselected(items=[item for item in items if item not in here])
    items[:] = [item for item in items if item in here]


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings: None) -> Iterator[None]:
    """The tests' database begins as a copy of the one that is kept, with all migrations done."""
    if connection.vendor != "sqlite":
        connection.settings_dict["TEST"]["TEMPLATE"] = kept.postgres(os.environ["TEST_POSTGRES_URL"])
        yield
        return
    made = ready()
    assert made is not None
    creation: Any = connection.creation
    name = creation._get_test_db_name()
    with closing(sqlite3.connect(name, uri=True)) as memory:  # it is there as long as it is open somewhere
        with closing(sqlite3.connect(made / DATABASE)) as file:
            file.backup(memory)
        yield


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """The trail without its guards: after a test with transactions of its own all tables are emptied.

    At the end PostgreSQL hangs up on threads that tests have left behind, since it drops no database in use.
    """
    with django_db_blocker.unblock():
        guards.drop_triggers(connection)
    yield
    if connection.vendor == "postgresql":
        with django_db_blocker.unblock(), connection.cursor() as cursor:
            cursor.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )


_tests = count(1)


@pytest.fixture(autouse=True)
def each_test_begins_anew(db: None, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The database may be asked, nothing is limited, and what is kept in memory is of no other test.

    Waits for a Redis on a busy machine where a test counts all the same, or it would limit nobody. Nor may a
    test clear the cache: Redis would lose what another one counts.
    """
    later._taken.set(None)  # a request that a test has begun in this thread's context
    rate_windows._here.storage.reset()
    cost.reset()
    shares.reset()  # the primary keys of a test's guests come again in the next one
    entries._waiting.clear()  # or an answer of this test writes down what failed in another one
    settings.LIMITS = "off"
    settings.REDIS_PREFIX += f"-{os.getpid()}-{next(_tests)}"
    settings.CACHES = {"default": {**settings.CACHES["default"], "KEY_PREFIX": settings.REDIS_PREFIX}}
    monkeypatch.delattr(RedisCache, "clear")
    monkeypatch.setattr(rate_windows, "CONNECT", 30)
    monkeypatch.setattr(rate_windows, "ANSWER", 30)
    usual = tuple(settings.SEAL_KEYS)
    key_check._fitting.add(usual)  # as in a process that has asked before, whichever test is the first
    with locked_writes.watched():
        yield
    key_check._fitting.intersection_update({usual})
    deactivate()  # the language of a test's last request stays in the thread


@pytest.fixture
def staff_groups() -> None:
    """The groups of staff: migrations make them, and tests with transactions of their own erase them."""
    for name in ("0002_groups", "0007_hosts_answer_letters", "0008_rights_to_leagues"):
        migration = import_module(f"robosite.moderation.migrations.{name}")
        migration.make(apps, SimpleNamespace(connection=connection))


@pytest.fixture
def api(client: Client) -> Any:
    from tests.site.api.test_api import Api

    return Api(client)


def browser_of(name: str) -> Any:
    @pytest.fixture(name=name.lower())
    def browser() -> Browser:
        return Browser(name)

    return browser


alice, bob, charlie, dora = map(browser_of, ("Alice", "Bob", "Charlie", "Dora"))


@pytest.fixture
def table(alice: Browser, bob: Browser, charlie: Browser) -> Table:
    """Alice and Bob have sat down; nobody has sealed."""
    return sit_down(alice, bob, charlie)


@pytest.fixture
def robble(alice: Browser, bob: Browser, charlie: Browser) -> Table:
    """Alice and Bob have sat down at Robble, where one acts after the other."""
    return sit_down(alice, bob, charlie, "robble")


@pytest.fixture
def boxing(alice: Browser, bob: Browser, charlie: Browser) -> Table:
    return sit_down(alice, bob, charlie, "roboxing")


@pytest.fixture
def three(alice: Browser, bob: Browser, charlie: Browser, dora: Browser) -> Table:
    """Alice, Bob and Dora play, Charlie watches."""
    match = alice.make(3)
    invite = alice.own_links(match.seats.get(letter="A"))["invite"]
    bob.join(invite)
    dora.join(invite)
    return Table(match.key, alice, bob, charlie, invite)


@pytest.fixture
def limited(settings: Any) -> Iterator[Any]:
    """The settings of a site that limits, whose rows a test may change."""
    settings.LIMITS = "on"
    settings.BUCKETS, settings.MOST = dict(settings.BUCKETS), dict(settings.MOST)
    rate_windows.reset()
    yield settings
    rate_windows.reset()


class Seconds:
    """The clock by which limits are counted in this process; it stands still until a test moves `at`."""

    at = 1000.0

    def __call__(self) -> float:
        return self.at


@pytest.fixture
def seconds(settings: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Seconds]:
    """Counts limits in this process, by a clock that stands still."""
    settings.REDIS_URL = ""
    clock = Seconds()
    monkeypatch.setattr(rate_windows, "now", clock)
    rate_windows.reset()
    yield clock
    rate_windows.reset()


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
