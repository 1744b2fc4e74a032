"""Films, the reactions to their steps, and the boards of one's own."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from games.core import Seat as Letter
from games.pigs import steps
from robosite.matches import flow
from robosite.matches.flow import handover, signs, takeback
from robosite.matches.models import Match
from robosite.matches.personal_data import export
from robosite.matches.site_models import Reaction
from robosite.moderation import measures
from robosite.play.film import Film, rendered_turns, show_film
from robosite.web.bounds import BUCKETS
from tests.site.api.test_api import Api, problem
from tests.site.browsers import FIRST, OTHER, Browser, Table, guest, sit_down, text
from tests.site.matches.test_who_may_act import as_read
from tests.site.routes import HTMX

A, B = Letter("A"), Letter("B")


def seen_by(table: Table, viewer: Letter | None, turn: int) -> Film:
    return show_film(table.match, viewer, {A: "Alice", B: "Bob"}, turn=turn, at=None)


@pytest.fixture
def fresh() -> Any:
    rendered_turns.clear()
    yield
    rendered_turns.clear()


def told(film: Film, *but: str) -> list[str]:
    """The content of a film, step by step, without these parts of its drawings."""
    return [
        repr(
            (
                [(key, part) for key, part in step.drawing.items() if key not in but],
                step.sentences,
                step.words,
            )
        )
        for step in film.steps
    ] + [repr(film.rows), repr(film.otherwise)]


@pytest.mark.django_db(transaction=True)  # what is not committed is not kept
def test_a_players_own_plan_is_beside_no_steps_but_his(table: Table, fresh: None) -> None:
    table.play_some(6)
    films = {(who, turn): seen_by(table, who, turn) for turn, who in product(range(6), (A, None, B))}
    planned = {key: [step.drawing.get("planned") for step in film.steps] for key, film in films.items()}
    laid = [key for key, steps in planned.items() if any(steps)]
    assert laid and all(who for who, _turn in laid)
    for (who, turn), film in films.items():
        watched = films[None, turn]
        for mine, other, plan in zip(film.steps, watched.steps, planned[who, turn], strict=True):
            assert (mine.kept is other.kept) is (plan is None)
        assert told(film, "planned")[:-1] == told(watched, "planned")[:-1]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("game", ["pigs", "roboxing", "robosoccer", "robble"])
def test_whoever_looked_before_one_sees_the_same(game: str, fresh: None) -> None:
    table = sit_down(Browser("Alice"), Browser("Bob"), Browser("Charlie"), game)
    table.play_some(4)
    for turn, who in product(range(table.match.turn), (A, B, None)):
        rendered_turns.clear()
        own = told(seen_by(table, who, turn))
        for other in (A, B, None):
            rendered_turns.clear()
            seen_by(table, other, turn)
            assert told(seen_by(table, who, turn)) == own


def test_a_robot_s_move_and_what_came_of_it_are_read_as_one_sentence(boxing: Table, fresh: None) -> None:
    boxing.play_some(6)
    pages = [text(boxing.charlie.get(f"/m/{boxing.key}/?at={turn}.1")) for turn in range(1, 6)]
    words = " ".join(re.sub("<[^>]+>", "", " ".join(pages)).split())
    assert re.search(r"squares?, moved", words) and " , moved" not in words


def test_the_timeline_has_what_both_did_at_each_step(table: Table) -> None:
    table.alice.seal(table.a, "F TL ^ H F")
    table.bob.seal(table.b, "TR F ^ ^ v")
    page = text(table.charlie.get(f"/m/{table.key}/"))
    (timeline,) = re.findall(r'<ol class="ticks">.*?</ol>', page, re.DOTALL)
    ticks = re.findall(r'<span class="did" aria-hidden="true">(.*?)</span> *</a>', timeline, re.DOTALL)
    told = [re.findall(r'class="side-(\w)">(?:<svg.*?href="#([\w-]+)"|(\w))', tick) for tick in ticks]
    signs = (
        ["fire", "turn-left", "forward", "punch", "fire"],
        ["turn-right", "fire", "forward", "forward", "back"],
    )
    assert told == [[("a", f"cmd-{a}", ""), ("b", f"cmd-{b}", "")] for a, b in zip(*signs, strict=True)]


def test_each_command_of_a_pig_has_its_sign() -> None:
    drawn = Path("templates/games/pigs/symbols.svg").read_text()
    named = {name.replace(" ", "-") for name in steps.NAMES.values()}
    assert set(re.findall(r'id="cmd-([\w-]+)"', drawn)) == named


def test_a_timeline_of_turns_or_of_more_than_two_has_no_symbols(table: Table, robble: Table) -> None:
    robble.play_some(2)
    assert not seen_by(robble, None, 1).commands
    table.play_some(1)
    two = seen_by(table, None, 0)
    assert two.commands and not replace(two, rows=[*two.rows, two.rows[0]]).commands


WALL = "6x8 " + " ".join(f"{file}4|{file}5" for file in "abcdef")
GIVEN = {"game": "robosoccer", "name": "Alice", "preset": "standard", "board-own": "1"}


def test_a_tap_sends_the_whole_form_back_with_the_board_drawn_anew(client: Client) -> None:
    assert "Draw a board" in text(client.get("/new/robosoccer/"))
    assert "Draw a board" not in text(client.get("/new/pigs/"))
    for slug in ("pigs", "chess"):
        assert client.post(f"/new/{slug}/board/", {"board-own": "1"}).status_code == 404
    given = {**GIVEN, "deadline": "24", "board": "6x8", "board-tap": "c3|c4", "board-at": "c3"}
    page = text(client.post("/new/robosoccer/board/", given))
    assert "6x8\nc3|c4</textarea>" in page and 'value="Alice"' in page
    assert 'value="24" checked' in " ".join(page.split())
    given = {**GIVEN, "board": "6x8", "board-tap": "at c3"}
    page = text(client.post("/new/robosoccer/board/", given, headers={"HX-Request": "true"}))
    assert page.lstrip().startswith("<fieldset") and "A line between c3 and c4" in page
    assert not Match.objects.exists()


def test_a_fault_and_who_can_never_win_are_told_before_the_match_is_made(client: Client) -> None:
    response = client.post("/matches/", {**GIVEN, "board": "6x8\nc3|c9"})
    assert response.status_code == 422 and "Line 2, column 1: c9 is not on this board." in text(response)
    assert "6x8\nc3|c9</textarea>" in text(response), "what was typed stays"
    drawn = text(client.post("/new/robosoccer/board/", {**GIVEN, "board": WALL}))
    assert "No one can ever win by a goal on this board" in drawn
    response = client.post("/matches/", {**GIVEN, "board": WALL})
    assert response.status_code == 422 and "No one can ever win" in text(response)
    assert not Match.objects.exists()
    assert client.post("/matches/", {**GIVEN, "board": WALL, "board-anyway": "1"}).status_code == 302


def test_the_board_is_kept_in_the_setup_and_arrows_by_lot_are_drawn_for_it(client: Client) -> None:
    assert client.post("/matches/", {**GIVEN, "board": "7x6\nc3|c4 a2>a3"}).status_code == 302
    board = {"columns": 7, "rows": 6, "lines": [["c3", "c4"]], "arrows": [["a2", "a3"]]}
    assert Match.objects.get().setup == {"board": board}
    given = {**GIVEN, "preset": "custom", "board": "6x8 a1>a2 f8>f7"}
    response = client.post("/matches/", {**given, "wish-custom": "hand"})
    assert response.status_code == 422 and "you draw the arrows yourself" in text(response)
    assert client.post("/matches/", given).status_code == 302
    assert Match.objects.latest("pk").setup["arrows"] in ("++", "--")


@pytest.fixture
def played(table: Table) -> Table:
    table.play((FIRST, OTHER))
    return table


def react(table: Table, browser: Browser, letter: str, sign: str, at: str = "1.2", **more: Any) -> Any:
    turn, step = at.split(".")
    given = {"turn": turn, "step": step, "sign": sign}
    return browser.post(f"/m/{table.key}/{letter}/react/", given, **more)


def seen(page: Any) -> list[str]:
    """The signs and names on the step that a page shows."""
    (shown,) = re.findall(r'<p class="reacted current".*?</p>', text(page), re.DOTALL) or [""]
    return re.sub(r"<[^>]*>", " ", shown).split()


def test_a_sign_is_seen_by_whoever_may_see_the_step(played: Table) -> None:
    answer = react(played, played.alice, "A", "wow")
    assert answer.status_code == 302 and answer["Location"] == f"/m/{played.key}/A/?at=1.2#film"
    for browser, page in ((played.alice, "A/"), (played.bob, "B/"), (played.charlie, "")):
        path = f"/m/{played.key}/{page}"
        assert seen(browser.get(f"{path}?at=1.2")) == ["Wow!", "Alice"]
        assert seen(browser.get(f"{path}?at=1.3")) == []
    react(played, played.bob, "B", "ouch")
    react(played, played.alice, "A", "haha")
    assert seen(played.charlie.get(f"/m/{played.key}/?at=1.2")) == ["Ha", "ha!", "Alice", "Ouch!", "Bob"]
    react(played, played.alice, "A", "")
    assert seen(played.bob.get(f"/m/{played.key}/B/?at=1.2")) == ["Ouch!", "Bob"]


def test_the_signs_come_once_somebody_reacts_and_take_the_place_of_the_signs_alone(played: Table) -> None:
    path = f"/m/{played.key}/A/"
    assert "Bravo!" not in text(played.alice.get(f"{path}?at=1.2"))
    asked = played.alice.get(f"{path}react/?turn=1&step=2")
    assert asked["Location"] == f"{path}?at=1.2&react#film"
    assert "Bravo!" in text(played.alice.get(asked["Location"]))
    part = text(played.alice.get(f"{path}react/?turn=1&step=2", headers=HTMX))
    assert part.startswith('<div class="reactions"') and part.count('name="sign"') == 7
    version = played.match.version
    part = text(react(played, played.alice, "A", "love", headers=HTMX))
    assert part.startswith('<div class="reactions"') and "Lovely!" in part and 'name="step" value="2"' in part
    assert played.match.version == version + 1, "open pages fetch it"
    Match.objects.update(watched=False)
    assert played.charlie.get(f"/m/{played.key}/?at=1.2").status_code == 403
    assert played.charlie.get(f"/api/v1/matches/{played.key}/reactions").status_code == 403
    assert seen(played.bob.get(f"/m/{played.key}/B/?at=1.2")) == ["Lovely!", "Alice"]


def test_only_players_give_signs_and_only_where_there_is_something_to_see(played: Table) -> None:
    button = 'class="react"'
    assert button in text(played.alice.get(f"/m/{played.key}/A/?at=1.2"))
    assert button not in text(played.charlie.get(f"/m/{played.key}/?at=1.2"))
    assert react(played, played.bob, "A", "wow").status_code == 403
    assert react(played, played.charlie, "B", "wow").status_code == 403
    for at in ("2.1", "1.0", "1.6", "0.1", "x.y"):
        assert react(played, played.alice, "A", "wow", at).status_code == 409, at
    assert not Reaction.objects.exists()


def test_signs_go_with_a_turn_that_is_taken_back(robble: Table) -> None:
    flow.seal(robble.a, 0, "d4")
    flow.seal(robble.b, 1, "d5")
    for turn in (0, 1):
        signs.react(robble.a, turn, 1, "boom")
    takeback.ask(robble.b, 2, 0)
    takeback.answer_takeback(robble.a, 2, 0, accept=True)
    assert signs.reactions_of(robble.match) == [(0, 1, "A", "boom")]


def test_signs_go_with_who_gave_them(played: Table) -> None:
    for seat in (played.a, played.b):
        signs.react(seat, 0, 1, "bravo")
    secret = handover.offer(as_read(played, "B"))
    handover.accept(secret, "Cleo", lambda: None)
    assert signs.reactions_of(played.match) == [(0, 1, "A", "bravo")], "not in Cleo’s name"
    alice = guest("Alice")
    assert export(alice)[0]["reactions"] == [{"turn": 0, "step": 1, "sign": "bravo"}]
    flow.forget(played.a, alice)
    assert not Reaction.objects.exists()


def test_who_may_not_write_gives_no_signs_and_nobody_many(played: Table, limited: Any) -> None:
    token = {"Authorization": f"Bearer {played.bob.own_links(played.b)['seat']}"}
    measures.take("mute", None, guest=guest("Bob"))
    assert react(played, played.bob, "B", "wow").status_code == 403
    path, sign = f"/api/v1/matches/{played.key}/reactions", {"turn": 0, "step": 1, "sign": "wow"}
    barred = played.charlie.put(path, sign, content_type="application/json", headers=token)
    assert barred.status_code == 403 and not Reaction.objects.exists()
    answers = [react(played, played.alice, "A", "wow") for _ in range(BUCKETS["talk"].capacity + 1)]
    assert [one.status_code for one in answers][-2:] == [302, 429]


def test_programs_give_and_read_them(api: Api) -> None:
    made = api.make()
    ben = api.join(made)
    key, path = made["match"], f"matches/{made['match']}/reactions"
    for token, order in ((made["token"], FIRST), (ben["token"], OTHER)):
        assert api.ask("PUT", f"matches/{key}/order", {"turn": 0, "order": order}, token).status_code == 200
    sign = {"turn": 0, "step": 1, "sign": "wow"}
    assert api.ask("PUT", path, sign, ben["token"]).status_code == 204
    assert api.get(path).json() == {"reactions": [{**sign, "seat": "B"}]}
    assert api.ask("PUT", path, {**sign, "turn": 1}, ben["token"]).status_code == 409
    assert problem(api.ask("PUT", path, {**sign, "sign": "love you"}, ben["token"]), 422)
    assert api.ask("PUT", path, {**sign, "sign": None}, ben["token"]).status_code == 204
    assert api.get(path).json() == {"reactions": []}
