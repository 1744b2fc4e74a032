"""Secrets are encrypted at rest; a seal can be checked by anybody."""

from __future__ import annotations

import hashlib
import html
import json
import re
from datetime import timedelta
from functools import partial
from io import StringIO
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.management import call_command

from games import GAMES
from games.record import replay
from robosite.matches import flow, key_check, seals
from robosite.matches.flow import orders
from robosite.matches.flow.lock import locked_match
from robosite.matches.flow.orders import text_of, write
from robosite.matches.history import state_of
from robosite.matches.models import Match, Program
from robosite.matches.seals import KeyMissing, Secret, decrypt_secret, encrypt_secret
from tests.site.browsers import FIRST, MORE_SHOTS, OTHER, SHOTS, Browser, Table, sit_down

# At rest


def test_a_secret_opens_at_its_own_place_only_and_never_looks_the_same() -> None:
    locked = encrypt_secret("abc/0/A", Secret(FIRST, "n"))
    assert decrypt_secret("abc/0/A", locked) == (FIRST, "n")
    for other in ("abc/0/B", "abc/1/A", "abd/0/A", "abc/0/A ", ""):
        with pytest.raises(KeyMissing):
            decrypt_secret(other, locked)
    assert encrypt_secret("abc/0/A", Secret(FIRST, "n")) != locked
    changed = bytearray(locked)
    changed[len(locked) // 2] ^= 1
    with pytest.raises(KeyMissing):
        decrypt_secret("abc/0/A", bytes(changed))


def test_all_secrets_have_one_length() -> None:
    nonce = seals.new_nonce()
    texts = ["", "F", FIRST, "x" * 2_000, '"' * 2_000, "\n" * 2_000, "\U0001f437" * 2_000, "\0" * 1_900]
    lengths = {
        len(encrypt_secret(f"abcdefghjkmn/{turn}/A", Secret(t, n)))
        for t in texts
        for n in ("", nonce)
        for turn in (0, 999)
    }
    assert len(lengths) == 1


@pytest.mark.parametrize("game", GAMES)
def test_what_a_seat_keeps_is_short_and_of_one_length(
    alice: Browser, bob: Browser, charlie: Browser, game: str
) -> None:
    table = sit_down(alice, bob, charlie, game)
    seat = next(seat for seat in (table.a, table.b) if seat.at in state_of(table.match).to_act())
    room = state_of(table.match).max_order_length(seat.at)
    lengths = set()
    for text in ("", "x" * room, "\0" * room, "\U0001f437" * room, '"' * room):
        program = Program.objects.filter(seat=seat).first() or Program(seat=seat, turn=0)
        with locked_match(table.match) as match:
            write(match, seat, program, Secret(text, orders.new_reopening()))
        lengths.add(len(bytes(program.secret or b"")))
        assert text_of(table.match, seat, program) == text
    assert len(lengths) == 1 and lengths.pop() < 4_000


def test_keys_for_seals_are_not_the_key_for_cookies(settings: Any) -> None:
    assert settings.SECRET_KEY not in settings.SEAL_KEYS
    locked = encrypt_secret("p", Secret(FIRST))
    settings.SECRET_KEY = Fernet.generate_key().decode()
    assert decrypt_secret("p", locked).text == FIRST


def test_the_database_holds_order_and_nonce_from_the_reveal_on_and_nothing_encrypted(table: Table) -> None:
    flow.seal(table.a, 0, FIRST)
    program = Program.objects.get()
    assert (program.order, program.nonce) == ("", "")
    nonce = decrypt_secret(f"{table.key}/0/A", program.secret or b"").nonce
    everything = repr(Program.objects.values()) + repr(bytes(program.secret or b""))
    assert FIRST not in everything and nonce not in everything
    flow.seal(table.b, 0, OTHER)
    assert all(p.secret is None and p.order and p.nonce for p in Program.objects.all())


def give_up_lost() -> None:
    call_command("rotate_keys", "--give-up-lost", stdout=StringIO())


def test_a_seal_whose_key_is_missing_is_neither_replaced_nor_taken_back_before_the_host_gives_it_up(
    table: Table, settings: Any
) -> None:
    sealed = flow.seal(table.a, 0, FIRST)
    kept, settings.SEAL_KEYS = settings.SEAL_KEYS, ["another"]
    key_check.give_up_missing()  # so that nothing but this seal tells of it
    assert table.alice.get(table.a.get_absolute_url()).status_code == 200
    for change in (flow.reopen, partial(flow.seal, text=FIRST), partial(flow.seal, text=OTHER)):
        with pytest.raises(KeyMissing):
            change(table.a, 0)
    settings.SEAL_KEYS = [*settings.SEAL_KEYS, *kept]
    assert flow.seal(table.a, 0, FIRST).seal == sealed.seal
    settings.SEAL_KEYS = ["another"]
    give_up_lost()
    assert flow.draft_of(table.match, table.a) == ""
    assert flow.seal(table.a, 0, FIRST).order == FIRST
    assert flow.seal(table.b, 0, OTHER).revealed


@pytest.mark.parametrize("late", ["claim", "fill", "forfeit"])
def test_nobody_is_late_while_a_key_is_missing_for_the_others_seal(
    table: Table, settings: Any, time: Any, late: str
) -> None:
    end = time.now() + timedelta(hours=2)
    Match.objects.update(late=late, deadline_hours=2, deadline=end, due=end)
    flow.seal(table.a, 0, FIRST)
    settings.SEAL_KEYS = ["another"]
    key_check.give_up_missing()  # so that nothing but this seal tells of it
    with pytest.raises(KeyMissing):
        flow.seal(table.b, 0, OTHER)
    time.pass_(hours=2)
    with pytest.raises(KeyMissing):
        flow.apply_due(table.match)
    match = table.match
    assert (match.status, match.turn, match.overdue) == ("playing", 0, False)
    give_up_lost()
    assert flow.owing(table.match) == ["A", "B"] and not table.match.overdue
    assert not flow.seal(table.b, 0, OTHER).revealed
    assert flow.seal(table.a, 0, FIRST).revealed


def test_a_new_seal_has_a_new_nonce_and_a_reopened_program_neither(table: Table) -> None:
    nonces, all_seals = set(), set()
    for _ in range(3):
        all_seals.add(flow.seal(table.a, 0, FIRST).seal)
        nonces.add(decrypt_secret(f"{table.key}/0/A", Program.objects.get().secret or b"").nonce)
        flow.reopen(table.a, 0)
    assert len(nonces) == len(all_seals) == 3
    assert all(re.fullmatch("[0-9a-f]{64}", nonce) for nonce in nonces)
    program = Program.objects.get()
    assert (program.seal, program.sealed_at) == ("", None)
    nonce = decrypt_secret(f"{table.key}/0/A", program.secret or b"").nonce
    assert orders.reopening_of(nonce) == nonce


def hashes(answer: Any) -> list[str]:
    return re.findall(r"<code[^>]*>([0-9a-f]{64})</code>", answer.content.decode())


def test_anybody_can_recompute_every_seal_from_page_and_record(table: Table) -> None:
    table.alice.seal(table.a, SHOTS[0])
    (own,) = hashes(table.alice.get(f"{table.a.get_absolute_url()}more/"))
    receipts = {("A", 0): own, ("B", 0): flow.seal(table.b, 0, SHOTS[1]).seal}
    page = table.charlie.get(f"/m/{table.key}/more/")
    texts = re.findall(r'<pre[^>]* class="seal-text"[^>]*>([^<]*)</pre>', page.content.decode())
    recomputed = [hashlib.sha256(html.unescape(text).encode()).hexdigest() for text in texts]
    assert recomputed == hashes(page) == [*receipts.values()]
    table.play(MORE_SHOTS)
    record = json.loads(table.charlie.get(f"/m/{table.key}/record/").content)
    seen = {}
    for turn, (played, sealed) in enumerate(zip(record["turns"], record["seals"], strict=True)):
        assert played.keys() == sealed.keys() == {"A", "B"}
        for seat, order in played.items():
            lines = "robosite-seal/1", record["match"], str(turn), seat, sealed[seat]["nonce"], order
            seen[seat, turn] = hashlib.sha256("\n".join(lines).encode()).hexdigest()
            assert seen[seat, turn] == sealed[seat]["seal"]
    assert receipts.items() <= seen.items()


@pytest.mark.parametrize("ending", ["destroyed", "resigned", "agreed", "running"])
def test_the_record_replays_without_fault_unless_one_sign_is_changed(table: Table, ending: str) -> None:
    table.play(SHOTS)
    if ending == "destroyed":
        table.play(MORE_SHOTS)
    elif ending == "resigned":
        flow.seal(table.b, 1, MORE_SHOTS[1])
        flow.resign(table.a)
    elif ending == "agreed":
        flow.seal(table.b, 1, MORE_SHOTS[1])
        flow.offer_draw(table.a, True)
        flow.offer_draw(table.b, True)
    record = table.charlie.get(f"/m/{table.key}/record/").json()
    shown = replay(record)
    assert shown.fault is None
    assert record["names"] == {"A": "Alice", "B": "Bob"}
    if ending == "running":
        assert "result" not in record and len(record["turns"]) == 1
        record["turns"][0]["B"] = FIRST
        fault = replay(record).fault
        assert (fault.turn, fault.seat) == (0, "B")
    else:
        assert record["result"]["reason"] == ending == shown.outcome.reason
