"""Fixtures that all tests share: a data folder, real servers, and the services that this machine has."""

from __future__ import annotations

import gc
import os
import re
from collections.abc import Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

import pytest
from jinja2 import pass_context
from jinja2.runtime import Context

from tests.games.cases import size
from tests.servers import ROOT, SERVERS, Server, ready


def pytest_configure(config: pytest.Config) -> None:
    """Static files get their hashed names, as on a real site; no test's client reads them all first.

    Passwords of staff and phrases of guests are hashed in no time: a phrase took a third of a second.

    Each part of a page that is said again is made anew too, and must be the same.

    Hypothesis uses no clock, as how long an example takes is no failure, and in the short form no chance.
    """
    from hypothesis import settings as of_hypothesis

    gc.set_threshold(50_000, 20, 50)
    of_hypothesis.register_profile(
        "tests", deadline=None, max_examples=size(8, 60), derandomize=size(True, False)
    )
    of_hypothesis.load_profile("tests")
    if not getattr(config.option, "collectonly", False):
        from django.conf import settings
        from django.contrib.auth import hashers

        settings.WHITENOISE_AUTOREFRESH = True
        kinds = ("MD5", "Scrypt")
        settings.PASSWORD_HASHERS = [f"django.contrib.auth.hashers.{kind}PasswordHasher" for kind in kinds]
        hashers.ScryptPasswordHasher.work_factor = 2  # type: ignore[attr-defined]
        made = ready()
        assert made is not None
        settings.STATIC_ROOT.symlink_to(made / "static")
        (settings.DATA_DIR / "templates").symlink_to(made / "templates")
        if not os.environ.get("ON_SERVERS"):  # which part hangs on what is the same on every database
            kept_is_fresh()


def kept_is_fresh() -> None:
    """Templates get functions that hold what is kept against what would be made now."""
    from robosite.jinja import functions
    from robosite.matches import template_functions as of_matches

    for name, module in (("kept", functions), ("cached", functions), ("of_match", of_matches)):
        setattr(module, name, checked(getattr(module, name)))
    entries_are_fresh()


def entries_are_fresh() -> None:
    """Lists of games hold the entries that they kept against new ones, unless queries are being counted."""
    from django.db import connection
    from django.utils import timezone

    from robosite.lobby import game_lists

    keeps = game_lists.entries_of

    def checking(games: Any) -> Any:
        entries = keeps(games)
        if not connection.queries_logged:
            new = game_lists.draw_entries(games, timezone.now())
            assert entries == new, "the key of an entry does not say on what it hangs"
        return entries

    game_lists.entries_of = checking


def checked(keeps: Callable[..., str]) -> Callable[..., str]:
    @wraps(keeps)
    @pass_context
    def checking(context: Context, *parts: Any, caller: Callable[[], str]) -> str:
        made = []

        def make() -> str:
            made.append(caller())
            return made[-1]

        said = keeps(context, *parts, caller=make)
        assert made or said == caller(), f"{parts} does not say on what this part of the page hangs"
        return said

    return checking


def pytest_collection_finish() -> None:
    """Exempts imported objects from garbage collection, which would take a fifteenth of the time."""
    gc.collect()
    gc.freeze()


def service(name: str, variable: str) -> str:
    """The address of a service that some tests need. Without it they are skipped, unless it must be there."""
    address = os.environ.get(variable, "")
    if not address:
        if os.environ.get("REQUIRE_SERVICES"):
            pytest.fail(f"{name} must be reachable here: set {variable}.")
        pytest.skip(f"no {name}: {variable} is not set")
    return address


@pytest.fixture
def postgres_url() -> str:
    return service("PostgreSQL", "TEST_POSTGRES_URL")


@pytest.fixture
def redis_url() -> str:
    return service("Redis", "TEST_REDIS_URL")


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A real server process with an empty database, on a free port of this machine."""
    with Server(tmp_path) as running:
        yield running


APART = ("browser", "engines", "faults")
"""Folders of integration tests."""
WAIT = ("browser", "engines", "faults", "test_own_addresses.py", "test_served.py")
"""Folders and files of tests that wait for browsers and servers more than they compute."""
LONG_FILES = (
    "every_address",
    "contract",
    "own_addresses",
    "nothing_leaks",
    "fuzz",
    "pairs",
    "every_page",
    "leagues_in_engines",
)
"""Files that take a worker ten seconds and more each: begun last, they would keep it alone at the end."""


SAYS_SO = re.compile(r"pytest\.mark\.integration|\b(?:server|servers|production|site): ")
"""What the text of a file with integration tests has, outside of the folders of such tests."""


def is_apart(path: Path) -> bool:
    return not {*path.relative_to(ROOT).parts}.isdisjoint(APART)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leaves out files of which a run takes no test: to import them all takes each worker many seconds."""
    wanted = config.option.markexpr
    if wanted.startswith("not integration") and is_apart(collection_path):
        return True
    if wanted.startswith("integration") and collection_path.suffix == ".py" and not is_apart(collection_path):
        return not SAYS_SO.search(collection_path.read_text(encoding="utf-8")) or None
    return None


def spread(items: list[pytest.Item]) -> list[pytest.Item]:
    """The tests in an order in which files that wait stand among files that compute.

    Several workers that take file after file then keep the cores busy all the time; pytest-django alone would
    put all browser tests last. No file that waits stands in the last fifth, or others would wait for it.
    Long files come first, for the same reason.
    """
    files = list(dict.fromkeys(item.path for item in items))
    waits = {file: bool({*file.relative_to(ROOT).parts} & {*WAIT}) for file in files}
    place: dict[Path, float] = {}
    for kind, until in ((True, 0.8), (False, 1.0)):
        alike = [file for file in files if waits[file] == kind]
        place |= {file: until * n / len(alike) for n, file in enumerate(alike)}
    long = {file for file in files if file.stem.removeprefix("test_") in LONG_FILES}
    return sorted(items, key=lambda item: (item.path not in long, place[item.path]))


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> Iterator[None]:
    """Marks tests of Hypothesis as `fuzz`, those of processes as `integration`, and spreads the files."""
    apart = {path: is_apart(path) for path in {item.path for item in items}}
    for item in items:
        if apart[item.path] or {*getattr(item, "fixturenames", ())} & SERVERS:
            item.add_marker(pytest.mark.integration)
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker(pytest.mark.fuzz)
    silent = {item.path for item in items if item.get_closest_marker("integration") and not apart[item.path]}
    for path in silent:
        if not SAYS_SO.search(path.read_text(encoding="utf-8")):
            raise pytest.UsageError(f"make test-integration does not see that {path} has tests for it")
    yield
    items[:] = spread(items)


@pytest.fixture(autouse=True)
def _leaks_are_told_here(request: pytest.FixtureRequest) -> Iterator[None]:
    """A socket that an integration test leaves open fails that test, not another one."""
    yield
    if request.node.get_closest_marker("integration"):
        gc.collect()
