"""Databases of either kind, and two server processes on one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from tests.servers import Server, new_database

Env = dict[str, Any]
KINDS = ["SQLite", pytest.param("PostgreSQL", marks=[pytest.mark.postgres, pytest.mark.redis])]


@pytest.fixture
def empty_postgres(postgres_url: str) -> Iterator[str]:
    with new_database(postgres_url) as address:
        yield address


def address_of(variable: str) -> str:
    """As the fixtures of services do it, which live too short for servers that several tests share."""
    address = os.environ.get(variable, "")
    if not address and os.environ.get("REQUIRE_SERVICES"):
        pytest.fail(f"{variable} is not set.")
    return address or pytest.skip(f"{variable} is not set")


@pytest.fixture(scope="module", params=KINDS)
def database(request: pytest.FixtureRequest) -> Iterator[Env]:
    """The environment of a server on SQLite, or on an empty PostgreSQL and a Redis."""
    if request.param == "SQLite":
        yield {}
        return
    redis = address_of("TEST_REDIS_URL")
    with new_database(address_of("TEST_POSTGRES_URL")) as postgres:
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
