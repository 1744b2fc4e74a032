"""A page that was left open for a round, or garbled: told in plain words, with the board as it is now."""

from __future__ import annotations

import re
from typing import Any

import pytest

from robosite.matches import flow
from robosite.matches.models import Match
from tests.games.sizes import size
from tests.site.browsers import FIRST, OTHER, Browser, Table, sit_down, text
from tests.site.learn.test_lessons import TAUGHT

pytestmark = pytest.mark.django_db

GARBLED = ["", "x", "-1", "1.5", "٣", "9" * 30, "0x1", "1e3"]
UNREADABLE = "This request can’t be read. Nothing was changed; look at the board."
PLAYED = "This round has already been played; look at the board."
HTMX = {"HX-Request": "true"}


def deeds(turn: object) -> list[tuple[str, dict[str, object]]]:
    """Everything that a page sends for a turn: where, and what."""
    at = {"turn": turn, "taken_back": 0}
    return [
        ("plan", {**at, "choose": "F"}),
        ("plan", {**at, "choose": "no such choice"}),
        ("plan", {**at, "typed": "F F", "use": "1"}),
        ("plan", {**at, "typed": "", "seal": "1"}),
        ("reopen", at),
        ("take-back", {**at, "do": "ask"}),
        ("take-back", {**at, "do": "withdraw"}),
        ("take-back", {**at, "do": "accept"}),
        ("take-back", {**at, "do": "decline"}),
    ]


@pytest.fixture
def later(table: Table) -> Table:
    """One round has been played since the page was made."""
    table.play((FIRST, OTHER))
    return table


def refused(browser: Browser, table: Table, deed: str, given: dict[str, object]) -> str:
    """The page that answers a deed: the present one, with what is wrong; nothing was changed by it."""
    before = table.match.version
    answer = browser.do(table.a, deed, **given)
    assert answer.status_code in (409, 422), (deed, given)
    shown = text(answer)
    assert "Round 2" in shown and 'id="planner"' in shown, "the board as it is now"
    assert browser.post(f"{table.a.get_absolute_url()}{deed}/", given, headers=HTMX).status_code == 200
    assert table.match.version == before
    return shown


@pytest.mark.parametrize("n", range(len(deeds(0))))
def test_what_is_meant_for_a_round_that_was_played_is_told_so(later: Table, n: int) -> None:
    deed, given = deeds(0)[n]
    assert PLAYED in refused(later.alice, later, deed, given)


@pytest.mark.fuzz
@pytest.mark.parametrize("n", range(len(deeds(0))))
def test_a_turn_that_is_none_is_told_in_plain_words(later: Table, n: int) -> None:
    for garbled in size(GARBLED[n % 4 :: 4], GARBLED):
        deed, given = deeds(garbled)[n]
        assert UNREADABLE in refused(later.alice, later, deed, given)
    deed, given = deeds(1)[n]
    assert UNREADABLE in refused(later.alice, later, deed, {**given, "taken_back": "x"})


def test_another_program_for_a_round_that_was_played_is_told_as_such(later: Table) -> None:
    given = {"turn": 0, "typed": OTHER, "seal": "1"}
    shown = refused(later.alice, later, "plan", given)
    assert "This round was played with another program; look at the board." in shown


def test_a_turn_to_come_is_told_so(later: Table) -> None:
    deed, given = deeds(7)[0]
    assert "This round hasn’t started yet; look at the board." in refused(later.alice, later, deed, given)


@pytest.mark.parametrize("slug", TAUGHT)
def test_each_game_says_it_in_its_own_words(
    alice: Browser, bob: Browser, charlie: Browser, slug: str
) -> None:
    table = sit_down(alice, bob, charlie, slug)
    table.play_some(1)
    called = "round" if slug == "pigs" else "turn"
    with pytest.raises(flow.Refused, match=f"This {called} has already been played; look at the board"):
        flow.draft(table.a, 0, "")
    with pytest.raises(flow.Refused, match=f"This {called} hasn’t started yet; look at the board"):
        flow.draft(table.a, 7, "")


@pytest.mark.parametrize("turn", ["0", *GARBLED])
def test_words_and_notes_of_an_old_page_are_told_too_and_stay_typed(later: Table, turn: str) -> None:
    answer = later.alice.do(later.a, "notes", turn=turn, word="Look!")
    said = UNREADABLE if turn != "0" else ("This round was played without this message; look at the board.")
    assert answer.status_code == 422 and said in text(answer) and 'value="Look!"' in text(answer)
    answer = later.alice.do(later.a, "notes", turn=turn, note="Mind his fist.")
    assert answer.status_code == (302 if turn == "0" else 422)


@pytest.mark.parametrize("at", [*GARBLED, "0", "0.0", "2", "1.x", "1.99", "99.1", "-1.-1", "1.1.1", "."])
def test_a_link_to_a_step_that_is_none_shows_the_board(later: Table, at: str) -> None:
    for browser, path in ((later.alice, later.a.get_absolute_url()), (later.charlie, f"/m/{later.key}/")):
        for headers in ({}, HTMX, {**HTMX, "HX-Target": "film"}):
            answer = browser.get(path, {"at": at}, headers=headers)
            assert answer.status_code == 200 and "data-film" in text(answer)


def test_messages_before_a_time_that_is_none_are_the_last_ones(later: Table) -> None:
    for before in (*GARBLED, "99999999999999999999"):
        assert later.alice.get(f"{later.a.get_absolute_url()}talk/", {"before": before}).status_code == 200
        assert later.alice.get(f"{later.a.get_absolute_url()}notes/", {"before": before}).status_code == 200


def test_a_seal_cannot_be_reopened_by_a_page_from_before_a_turn_was_taken_back(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    table = sit_down(alice, bob, charlie)
    flow.seal(table.a, 0, FIRST)
    Match.objects.update(taken_back=1)
    shown = text(alice.do(table.a, "reopen", turn="0", taken_back="0"))
    assert "A turn has been taken back in the meantime." in shown and flow.order_of(table.match, table.a)


def test_the_api_says_it_with_409(later: Table, client: Any) -> None:
    secret = later.alice.own_links(later.a)["seat"]
    token = {"Authorization": f"Bearer {secret}"}

    def put(what: str, turn: object) -> Any:
        path = f"/api/v1/matches/{later.key}/{what}"
        given = {"turn": turn, "order": OTHER}
        return client.put(path, given, content_type="application/json", headers=token)

    assert put("draft", 0).json()["detail"] == PLAYED
    assert put("order", 0).json()["detail"] == (
        "This round was played with another program; look at the board."
    )
    assert put("draft", 0).status_code == put("order", 0).status_code == put("order", 2).status_code == 409
    for turn in (-1, -(10**30)):
        assert put("draft", turn).json()["detail"] == put("order", turn).json()["detail"] == UNREADABLE
    assert put("order", 10**30).json()["detail"] == "This round hasn’t started yet; look at the board."
    assert put("order", "0").status_code == 400


def test_an_early_seal_says_what_is_missing_and_keeps_the_draft(later: Table) -> None:
    later.alice.do(later.a, "plan", turn=1, choose="F")
    refused = later.alice.do(later.a, "plan", turn=1, seal="1")
    assert refused.status_code == 422 and 'role="alert"' in text(refused)
    assert "slots are still free." in text(refused) and 'id="error"' not in text(refused)
    tapped = later.alice.post(f"{later.a.get_absolute_url()}plan/", {"turn": 1, "seal": "1"}, headers=HTMX)
    assert tapped.status_code == 200 and text(tapped).startswith('<form id="plan"')
    assert 'role="alert"' in text(tapped) and flow.draft_of(later.match, later.a).startswith("F")


def test_a_seal_after_the_end_or_of_somebody_who_is_out_is_refused_in_words(later: Table) -> None:
    flow.resign(later.b)
    for turn in (1, 2):
        refused = later.alice.do(later.a, "plan", turn=turn, seal="1")
        assert refused.status_code == 422 and re.search('id="error">[A-Z].*[.]<', text(refused))
