"""A client that a generator makes of the description is typed, and plays against a real server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.servers import Server

pytestmark = pytest.mark.more

PLAYS = """
import sys

from robosite_client import AuthenticatedClient, Client
from robosite_client.api.default import join, make, match, name_program, order, record, resign
from robosite_client.models import Join, Made, Match, NamedAs, NewMatch, NewProgram
from robosite_client.models import Order, Receipt, Record, Seated

url = sys.argv[1]


def named(name: str) -> AuthenticatedClient:
    program = name_program.sync(client=Client(url), body=NewProgram(name=name))
    assert isinstance(program, NamedAs), program
    return AuthenticatedClient(url, program.token)


def made_by(client: AuthenticatedClient) -> Made:
    made = make.sync(client=client, body=NewMatch(game="pigs", name="Ada"))
    assert isinstance(made, Made), made
    return made


ada, ben = named("Ada"), named("Ben")
made = made_by(ada)
seated = join.sync(made.match, client=ben, body=Join(name="Ben", invite=made.invite))
assert isinstance(seated, Seated), seated


def seen_by(client: AuthenticatedClient) -> Match:
    seen = match.sync(made.match, client=client, legal=True)
    assert isinstance(seen, Match), seen
    return seen


for client in (ada, ben):
    seen = seen_by(client)
    text = seen.legal[0] if seen.legal else "F ^ TR v H"
    receipt = order.sync(made.match, client=client, body=Order(turn=seen.turn, order=text))
    assert isinstance(receipt, Receipt), receipt
    sealed: str = receipt.seal
played = seen_by(ada)
kinds: list[str] = [event.kind for turn in played.events for event in turn]
assert played.turn == 1 and kinds and seen_by(ben).you == "B"
assert isinstance(resign.sync(made.match, client=ben), Match)
kept = record.sync(made.match, client=ben)
assert isinstance(kept, Record), kept
names: dict[str, str] = kept.turns[0].additional_properties
assert list(names) == ["A", "B"] and sealed
print(played.position)
"""


def run(*args: str, cwd: Path) -> str:
    env = {"PATH": os.environ.get("PATH", ""), "PYTHONPATH": str(cwd)}
    done = subprocess.run(
        [sys.executable, *args], cwd=cwd, env=env, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def test_a_generated_client_is_typed_and_plays(tmp_path: Path) -> None:
    (data := tmp_path / "data").mkdir()
    (tmp_path / "config.json").write_text(json.dumps({"post_hooks": []}))
    (tmp_path / "plays.py").write_text(PLAYS)
    with Server(data) as server:
        described = httpx.get(f"{server.url}/api/v1/openapi.json").text
        (tmp_path / "openapi.json").write_text(described)
        options = ("--path", "openapi.json", "--config", "config.json", "--meta", "none")
        told = run(
            *("-m", "openapi_python_client", "generate", *options),
            *("--output-path", "robosite_client", "--fail-on-warning"),
            cwd=tmp_path,
        )
        assert "arning" not in told, told
        run("-m", "mypy", "--strict", "--config-file=", "robosite_client", "plays.py", cwd=tmp_path)
        assert "A=" in run("plays.py", server.url, cwd=tmp_path)
