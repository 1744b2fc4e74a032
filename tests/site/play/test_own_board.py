"""A board of one's own on the page that makes a match: drawn by taps without JavaScript, checked, kept."""

from __future__ import annotations

import pytest
from django.test import Client

from robosite.matches.models import Match
from tests.site.browsers import text

WALL = "6x8 " + " ".join(f"{file}4|{file}5" for file in "abcdef")
GIVEN = {"game": "robosoccer", "name": "Alice", "preset": "standard", "board-own": "1"}

pytestmark = pytest.mark.django_db


def test_a_tap_sends_the_whole_form_back_with_the_board_drawn_anew(client: Client) -> None:
    assert "Draw a board" in text(client.get("/new/robosoccer/"))
    assert "Draw a board" not in text(client.get("/new/pigs/"))
    given = {**GIVEN, "deadline": "24", "board": "6x8", "board-tap": "c3|c4", "board-at": "c3"}
    page = text(client.post("/new/robosoccer/board/", given))
    assert "6x8\nc3|c4</textarea>" in page and 'value="Alice"' in page
    assert 'value="24" checked' in " ".join(page.split())
    assert not Match.objects.exists()


def test_with_htmx_the_drawing_alone_comes_back(client: Client) -> None:
    given = {**GIVEN, "board": "6x8", "board-tap": "at c3"}
    page = text(client.post("/new/robosoccer/board/", given, headers={"HX-Request": "true"}))
    assert page.lstrip().startswith("<fieldset") and "A line between c3 and c4" in page


def test_the_board_is_kept_in_the_setup_of_the_match(client: Client) -> None:
    assert client.post("/matches/", {**GIVEN, "board": "7x6\nc3|c4 a2>a3"}).status_code == 302
    board = {"columns": 7, "rows": 6, "lines": [["c3", "c4"]], "arrows": [["a2", "a3"]]}
    assert Match.objects.get().setup == {"board": board}


def test_a_fault_is_told_by_line_and_column_and_makes_no_match(client: Client) -> None:
    response = client.post("/matches/", {**GIVEN, "board": "6x8\nc3|c9"})
    assert response.status_code == 422 and "Line 2, column 1: c9 is not on this board." in text(response)
    assert "6x8\nc3|c9</textarea>" in text(response), "what was typed stays"
    assert not Match.objects.exists()


def test_who_can_never_win_is_said_before_the_match_is_made(client: Client) -> None:
    drawn = text(client.post("/new/robosoccer/board/", {**GIVEN, "board": WALL}))
    assert "No one can ever win by a goal on this board" in drawn
    response = client.post("/matches/", {**GIVEN, "board": WALL})
    assert response.status_code == 422 and "No one can ever win" in text(response)
    assert not Match.objects.exists()
    assert client.post("/matches/", {**GIVEN, "board": WALL, "board-anyway": "1"}).status_code == 302


def test_arrows_by_lot_are_drawn_for_that_board_and_none_are_set_by_hand_on_it(client: Client) -> None:
    given = {**GIVEN, "preset": "custom", "board": "6x8 a1>a2 f8>f7"}
    response = client.post("/matches/", {**given, "wish-custom": "hand"})
    assert response.status_code == 422 and "you draw the arrows yourself" in text(response)
    assert client.post("/matches/", given).status_code == 302
    assert Match.objects.get().setup["arrows"] in ("++", "--")


@pytest.mark.parametrize("slug", ["pigs", "chess"])
def test_no_other_game_has_boards_to_draw(client: Client, slug: str) -> None:
    assert client.post(f"/new/{slug}/board/", {"board-own": "1"}).status_code == 404
