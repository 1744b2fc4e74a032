"""Every match can be replayed from what is stored; what was changed in the database is found."""

from __future__ import annotations

from collections.abc import Callable
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from games import GAMES
from games.record import seal as seal_of
from robosite.matches import flow
from robosite.matches.flow import takeback
from robosite.matches.models import Match, Program, TakenBack
from robosite.matches.seals import Secret, encrypt_secret, new_nonce
from robosite.ops.verification import Found, faults
from tests.site.browsers import FIRST, MORE_SHOTS, OTHER, SHOTS, Browser, Table, sit_down


@pytest.fixture
def over(table: Table) -> Table:
    table.play(SHOTS, MORE_SHOTS)
    assert table.match.status == "over"
    return table


def found() -> list[str]:
    return list(faults(Found()))


@pytest.mark.parametrize("slug", GAMES)
def test_every_game_is_as_it_was_played(alice: Browser, bob: Browser, charlie: Browser, slug: str) -> None:
    for turns in (3, 12):
        sit_down(alice, bob, charlie, slug).play_some(turns, seed=turns)
    last = Match.objects.get(pk=Match.objects.latest("pk").pk)
    flow.resign(last.seats.select_related("match").get(letter="A"))
    seen = Found()
    assert list(faults(seen)) == []
    assert (seen.over >= 1, seen.over + seen.others, seen.lost) == (True, 2, 0)
    assert seen.turns > 12 and seen.seals > 12


def test_who_resigned_after_sealing_has_played_nothing_else(table: Table) -> None:
    table.play(SHOTS)
    flow.seal(table.a, 1, FIRST)
    flow.resign(table.a)
    assert table.match.status == "over" and not found()


def test_a_turn_taken_back_is_checked_too(alice: Browser, bob: Browser, charlie: Browser) -> None:
    table = sit_down(alice, bob, charlie, "robble")
    table.play_some(2)
    before = table.match
    takeback.ask(table.b, before.turn, before.taken_back)
    takeback.answer_takeback(table.a, before.turn, before.taken_back, accept=True)
    assert not found()
    TakenBack.objects.update(order="a1" if TakenBack.objects.get().order != "a1" else "g7")
    (fault,) = found()
    assert "taken back" in fault


def change_order(match: Match) -> None:
    Program.objects.filter(turn=0, seat__letter="B").update(order=FIRST)


def change_order_and_seal(match: Match) -> None:
    one = Program.objects.get(turn=0, seat__letter="A")
    one.order = "TL TL TL TL TL"
    one.seal = seal_of(match.key, 0, "A", one.nonce, one.order)
    one.save()


def lose_a_turn(match: Match) -> None:
    Program.objects.filter(turn=0).delete()


def unseal(match: Match) -> None:
    Program.objects.filter(turn=0, seat__letter="B").update(seal="")


def change_the_outcome(match: Match) -> None:
    Match.objects.update(outcome_json={"scores": {"A": 0, "B": 1}, "reason": "destroyed"})


def change_the_setup(match: Match) -> None:
    Match.objects.update(given_options={"board": "no such board"})


@pytest.mark.parametrize(
    "deed",
    [change_order, change_order_and_seal, lose_a_turn, unseal, change_the_outcome, change_the_setup],
    ids=lambda deed: str(deed.__name__),
)
def test_what_was_changed_in_the_database_is_found(over: Table, deed: Callable[[Match], None]) -> None:
    assert not found()
    deed(over.match)
    assert found() and all(over.key in fault for fault in found())


def test_a_sealed_order_that_was_exchanged_is_found_before_it_is_played(table: Table) -> None:
    flow.seal(table.a, 0, FIRST)
    assert not found()
    Program.objects.update(secret=encrypt_secret(f"{table.key}/0/A", Secret(OTHER, new_nonce())))
    (fault,) = found()
    assert "turn 1, seat A" in fault


def test_the_command_says_what_it_found_and_fails_where_something_is_wrong(over: Table, table: Table) -> None:
    out = StringIO()
    call_command("verify", stdout=out)
    assert "1 matches that are over and 0 others, 2 turns, 4 seals: no faults." in out.getvalue()
    change_order(over.match)
    with pytest.raises(SystemExit) as fault:
        call_command("verify", stdout=out)
    assert fault.value.code == 1
    assert f"{over.key}: turn 1, seat B" in out.getvalue()


def test_secrets_that_no_key_opens_are_counted_and_are_no_fault(table: Table, settings: Any) -> None:
    flow.seal(table.a, 0, FIRST)
    settings.SEAL_KEYS = ["another"]
    seen = Found()
    assert list(faults(seen)) == []
    assert seen.lost == 1


def test_only_a_few_matches_are_in_memory_at_once(
    table: Table, monkeypatch: pytest.MonkeyPatch, django_assert_max_num_queries: Any
) -> None:
    monkeypatch.setattr("robosite.ops.verification.AT_A_TIME", 2)
    pigs = GAMES["pigs"][1]
    for _ in range(4):
        flow.create(pigs, pigs.read_options({}), 2, "Alice")
    seen = Found()
    with django_assert_max_num_queries(5 * 3 + 4):
        assert list(faults(seen)) == []
    assert seen.others == 5
