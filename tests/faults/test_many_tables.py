"""Of ten open tables that one guest lists at once, five are listed, whether new or to wait on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.servers import Server, run

EXPECTED = {"made": {"302": 5, "422": 5}, "listed": 5, "renewed": {"302": 5, "409": 5}, "listed again": 5}


def many_tables(data: Path, **given: Any) -> dict[str, object]:
    server = Server(data, OPEN_TABLES="1", **given)
    server.fill()
    return dict(json.loads(run("-m", "tests.faults.many_tables", env=server.env)))


@pytest.mark.more
def test_five_of_ten_are_listed_on_sqlite(tmp_path: Path) -> None:
    assert many_tables(tmp_path) == EXPECTED


@pytest.mark.more
@pytest.mark.postgres
def test_five_of_ten_are_listed_on_postgres(empty_postgres: str, tmp_path: Path) -> None:
    assert many_tables(tmp_path, DATABASE_URL=empty_postgres) == EXPECTED
