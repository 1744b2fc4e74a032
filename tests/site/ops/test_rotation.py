"""New keys for what is encrypted at rest: everything, once, while people play."""

from __future__ import annotations

from io import StringIO
from itertools import count
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import models

from games.record import seal as seal_of
from robosite.matches import flow, seals
from robosite.matches.models import Match, Program
from robosite.ops import rotation
from robosite.ops.rotation import rotate
from tests.site.browsers import FIRST, OTHER, Table


def command(*args: str) -> str:
    out = StringIO()
    call_command("rotate_keys", *args, stdout=out)
    return out.getvalue()


def test_every_encrypted_column_is_known() -> None:
    """Every column of bytes is locked (`seals.encrypted`), or listed here with the reason why not."""
    # under the caller's own key and token, and under what was sent, for a day
    not_ours = {("KeptAnswer", "locked"), ("SentForm", "locked")}
    not_ours |= {("KeyCheck", "locked")}  # a text under each key: it tells which of them are needed
    found = {
        (model.__name__, field.name)
        for model in apps.get_models()
        if model.__module__.startswith("robosite")
        for field in model._meta.get_fields()
        if isinstance(field, models.BinaryField)
    }
    assert found - not_ours == {(model.__name__, column) for model, column in seals.ENCRYPTED}


def test_all_is_under_the_newest_key_and_reads_the_same(table: Table, settings: Any) -> None:
    settings.SEAL_KEYS = ["old"]
    table.play((FIRST, OTHER))
    receipt = flow.seal(table.a, 1, FIRST)
    flow.draft(table.b, 1, OTHER)
    settings.SEAL_KEYS = ["new", "old"]
    said = command()
    assert "2 encrypted anew, 0 were" in said and "the first of SEAL_KEYS is enough" in said
    assert "0 encrypted anew, 2 were" in command()  # again: nothing to do
    settings.SEAL_KEYS = ["new"]
    assert flow.order_of(table.match, table.a).order == FIRST
    assert flow.draft_of(table.match, table.b) == OTHER
    flow.seal(table.b, 1, OTHER)
    played = Program.objects.get(seat=table.a, turn=1)
    assert (played.seal, played.order) == (receipt.seal, FIRST)
    assert seal_of(table.key, 1, "A", played.nonce, FIRST) == receipt.seal


def test_receipts_of_the_api_are_under_the_newest_key(table: Table, settings: Any) -> None:
    settings.SEAL_KEYS = ["old"]
    token = table.alice.own_links(table.a)["seat"]
    ask: dict[str, Any] = {
        "path": f"/api/v1/matches/{table.key}/order",
        "data": {"turn": 0, "order": FIRST},
        "content_type": "application/json",
        "headers": {"Authorization": f"Bearer {token}"},
    }
    first = table.alice.put(**ask).json()
    settings.SEAL_KEYS = ["new", "old"]
    command()
    settings.SEAL_KEYS = ["new"]
    assert table.alice.put(**ask).json() == first


def test_it_can_be_stopped_anywhere_and_run_again(
    table: Table, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SEAL_KEYS = ["old"]
    pigs = table.match.game
    for _ in range(6):
        _match, taken, _invite = flow.create(pigs, pigs.read_options({}), 2, "Alice")
        flow.draft(taken.seat, 0, FIRST)
    settings.SEAL_KEYS = ["new", "old"]
    monkeypatch.setattr(rotation, "AT_A_TIME", 2)
    relock = rotation._relock

    calls = count()

    def stops(model: Any, column: str, pk: int, **more: Any) -> None:
        if next(calls) == 3:
            raise KeyboardInterrupt
        relock(model, column, pk, **more)

    with monkeypatch.context() as broken:
        broken.setattr(rotation, "_relock", stops)
        with pytest.raises(KeyboardInterrupt):
            rotate()
    found = rotate()
    assert found.anew and found.new and found.anew + found.new == 6 and not found.old
    settings.SEAL_KEYS = ["new"]
    drafts = {
        flow.draft_of(match, match.seats.get(letter="A")) for match in Match.objects.exclude(key=table.key)
    }
    assert drafts == {FIRST}


def test_a_key_that_is_missing_stops_it_and_nothing_is_given_up(table: Table, settings: Any) -> None:
    flow.seal(table.a, 0, FIRST)
    kept, settings.SEAL_KEYS = settings.SEAL_KEYS, ["another"]
    with pytest.raises(SystemExit):
        command()
    settings.SEAL_KEYS = kept
    assert flow.order_of(table.match, table.a).order == FIRST


def test_a_process_with_the_old_keys_alone_is_noticed(
    table: Table, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.SEAL_KEYS = ["old"]
    flow.draft(table.a, 0, FIRST)
    relock = rotation._relock

    def then_writes(*args: Any, **more: Any) -> None:
        relock(*args, **more)
        settings.SEAL_KEYS = ["old"]
        flow.draft(table.a, 0, OTHER)
        settings.SEAL_KEYS = ["new", "old"]

    settings.SEAL_KEYS = ["new", "old"]
    monkeypatch.setattr(rotation, "_relock", then_writes)
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("rotate_keys", stdout=out)
    assert "restart every process" in out.getvalue()
