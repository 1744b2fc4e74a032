"""Databases of either kind, and two server processes on one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.conftest import service
from tests.servers import Server, new_database

Env = dict[str, Any]
KINDS = ["SQLite", pytest.param("PostgreSQL", marks=[pytest.mark.postgres, pytest.mark.redis])]


@pytest.fixture
def empty_postgres(postgres_url: str) -> Iterator[str]:
    with new_database(postgres_url) as address:
        yield address


@pytest.fixture(scope="module", params=KINDS)
def database(request: pytest.FixtureRequest) -> Iterator[Env]:
    """The environment of a server on SQLite, or on an empty PostgreSQL and a Redis."""
    if request.param == "SQLite":
        yield {}
        return
    redis = service("Redis", "TEST_REDIS_URL")
    with new_database(service("PostgreSQL", "TEST_POSTGRES_URL")) as postgres:
        yield {"DATABASE_URL": postgres, "REDIS_URL": redis}


@pytest.fixture(scope="module")
def running(database: Env, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, Server]]:
    """Two processes that serve the same matches, for all tests of a file."""
    with Server(tmp_path_factory.mktemp("data"), **database) as one, one.beside() as other:
        yield one, other


@pytest.fixture
def servers(running: tuple[Server, Server]) -> tuple[Server, Server]:
    """Those two, whose log begins with the test."""
    for server in running:
        server.hush()
    return running
