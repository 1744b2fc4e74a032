"""Records that an editor has saved: with a byte-order mark, with line ends of Windows, over many lines."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from robosite.matches.flow import imports
from robosite.matches.models import Match
from tests.servers import ROOT, Server
from tests.site.api.test_api import WALK, Api
from tests.site.api.test_api import api as api  # noqa: PLC0414  # a fixture
from tests.site.browsers import MORE_SHOTS, SHOTS, Browser, Table

pytestmark = pytest.mark.django_db
MARK = b"\xef\xbb\xbf"


def on_one_line(record: dict[str, Any]) -> bytes:
    return json.dumps(record).encode()


def on_many(record: dict[str, Any]) -> bytes:
    return json.dumps(record, indent=1).replace("\n", "\r\n").encode() + b"\r\n"


SAVED: dict[str, Callable[[dict[str, Any]], bytes]] = {
    "a mark": lambda record: MARK + on_one_line(record),
    "a mark and an end of line": lambda record: MARK + on_one_line(record) + b"\r\n",
    "Windows": on_many,
    "a mark and Windows": lambda record: MARK + on_many(record),
    "a mark on a line of its own": lambda record: MARK + b"\r\n" + on_many(record),
}
saved = pytest.mark.parametrize("way", SAVED)


@pytest.fixture
def record(table: Table) -> dict[str, Any]:
    table.play(SHOTS, MORE_SHOTS)
    return dict(json.loads(table.alice.get(f"/m/{table.key}/record/").content))


def printed(data: Path, command: str, file: str, given: bytes = b"") -> tuple[int, list[dict[str, Any]]]:
    done = subprocess.run(
        [sys.executable, "manage.py", command, file],
        cwd=ROOT,
        env=Server(data).env,
        input=given,
        capture_output=True,
        timeout=300,
    )
    assert not done.stderr, done.stderr
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def called(command: str, file: Path) -> list[dict[str, Any]]:
    """The output of a command for a file, in this process."""
    out = StringIO()
    call_command(command, str(file), stdout=out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


@saved
@pytest.mark.parametrize("command", ["replay", "review", "check_bots"])
def test_commands_read_it(tmp_path: Path, record: dict[str, Any], way: str, command: str) -> None:
    plain, file = tmp_path / "plain.json", tmp_path / "saved.json"
    plain.write_bytes(on_one_line(record))
    file.write_bytes(SAVED[way](record))
    told = [called(command, one) for one in (plain, file)]
    assert told[0] and told[1] == told[0]


@pytest.mark.parametrize(
    "command", ["replay", *[pytest.param(one, marks=pytest.mark.more) for one in ("review", "check_bots")]]
)
def test_commands_read_it_from_standard_input(tmp_path: Path, record: dict[str, Any], command: str) -> None:
    file = tmp_path / "plain.json"
    file.write_bytes(on_one_line(record))
    given = SAVED["a mark and Windows"](record)
    assert printed(tmp_path, command, "-", given) == (0, called(command, file))


def test_each_of_many_records_may_begin_with_a_mark(tmp_path: Path, record: dict[str, Any]) -> None:
    given = (MARK + on_one_line(record) + b"\r\n\r\n") * 3 + MARK + b"\r\n"
    status, told = printed(tmp_path, "replay", "-", given)
    assert status == 0 and len(told) == 3 and not any("error" in one for one in told)


@saved
def test_the_page_imports_it(record: dict[str, Any], charlie: Browser, way: str) -> None:
    answer = charlie.post("/import/", {"record": SAVED[way](record).decode()})
    assert answer.status_code == 302
    assert Match.objects.get(key=answer["Location"].split("/")[2]).outcome_json == record["result"]


@saved
def test_the_api_imports_it(record: dict[str, Any], api: Api, way: str) -> None:
    answer = api.ask("POST", "records", SAVED[way](record))
    assert answer.status_code == 201 and answer.json()["outcome"] == record["result"]


def test_line_ends_of_windows_do_not_make_a_record_too_long(record: dict[str, Any]) -> None:
    """A browser sends every line of a form with two signs at its end."""
    short = json.dumps(record)
    lines = short.replace("{", "{" + "\n" * (imports.LONGEST - len(short)), 1)
    assert imports.read_text(lines.replace("\n", "\r\n")) == record


def test_every_body_of_the_api_may_begin_with_a_mark(api: Api) -> None:
    key, ada, _ben = api.table()
    body = MARK + json.dumps({"turn": 0, "order": WALK}).encode()
    assert api.ask("PUT", f"matches/{key}/draft", body, ada).status_code == 204
    assert api.ask("PUT", f"matches/{key}/order", body, ada).json()["order"] == WALK
    assert api.ask("PUT", f"matches/{key}/order", MARK + body, ada).status_code == 400
    assert api.ask("POST", "matches", MARK + b'{"game": "pigs", "name": "Ada"}').status_code == 201
