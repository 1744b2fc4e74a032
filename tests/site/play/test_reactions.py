"""Signs that players give to steps of played turns: who may, who sees them, and when they go."""

from __future__ import annotations

import re
from typing import Any

import pytest

from robosite.matches import flow
from robosite.matches.flow import reactions, seat_offers, takeback
from robosite.matches.models import Match
from robosite.matches.personal_data import export
from robosite.matches.site_models import Reaction
from robosite.moderation import measures
from robosite.web.bounds import BUCKETS
from tests.site.api.test_api import Api, problem
from tests.site.browsers import FIRST, OTHER, Browser, Table, guest, sit_down, text
from tests.site.matches.test_who_may_act import as_read
from tests.site.routes import HTMX

pytestmark = pytest.mark.django_db


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


def test_beside_the_film_it_takes_the_place_of_the_signs_alone(played: Table) -> None:
    version = played.match.version
    part = text(react(played, played.alice, "A", "love", headers=HTMX))
    assert part.startswith('<div class="reactions"') and "Lovely!" in part and 'name="step" value="2"' in part
    assert played.match.version == version + 1, "open pages fetch it"


def test_the_signs_come_once_somebody_reacts(played: Table) -> None:
    path = f"/m/{played.key}/A/"
    assert "Bravo!" not in text(played.alice.get(f"{path}?at=1.2"))
    asked = played.alice.get(f"{path}react/?turn=1&step=2")
    assert asked["Location"] == f"{path}?at=1.2&react#film"
    assert "Bravo!" in text(played.alice.get(asked["Location"]))
    part = text(played.alice.get(f"{path}react/?turn=1&step=2", headers=HTMX))
    assert part.startswith('<div class="reactions"') and part.count('name="sign"') == 7


def test_only_players_give_signs_and_only_where_there_is_something_to_see(played: Table) -> None:
    button = 'class="react"'
    assert button in text(played.alice.get(f"/m/{played.key}/A/?at=1.2"))
    assert button not in text(played.charlie.get(f"/m/{played.key}/?at=1.2"))
    assert react(played, played.bob, "A", "wow").status_code == 403
    assert react(played, played.charlie, "B", "wow").status_code == 403
    for at in ("2.1", "1.0", "1.6", "0.1", "x.y"):
        assert react(played, played.alice, "A", "wow", at).status_code == 409, at
    assert not Reaction.objects.exists()


def test_nobody_learns_of_a_sign_in_a_match_for_its_players(played: Table) -> None:
    react(played, played.alice, "A", "wow")
    Match.objects.update(watched=False)
    assert played.charlie.get(f"/m/{played.key}/?at=1.2").status_code == 403
    assert played.charlie.get(f"/api/v1/matches/{played.key}/reactions").status_code == 403
    assert seen(played.bob.get(f"/m/{played.key}/B/?at=1.2")) == ["Wow!", "Alice"]


@pytest.mark.parametrize("orders", [(FIRST, ""), (OTHER, ""), ("", "")])
def test_what_is_sealed_for_the_next_turn_changes_no_answer(played: Table, orders: tuple[str, str]) -> None:
    if orders[0]:
        flow.seal(played.a, 1, orders[0])
    refused = react(played, played.bob, "B", "wow", "2.1", headers=HTMX)
    assert "This step isn’t there any more." in text(refused) and not Reaction.objects.exists()
    assert react(played, played.bob, "B", "wow", "1.1").status_code == 302


def test_signs_go_with_a_turn_that_is_taken_back(alice: Browser, bob: Browser, charlie: Browser) -> None:
    table = sit_down(alice, bob, charlie, "robble")
    flow.seal(table.a, 0, "d4")
    flow.seal(table.b, 1, "d5")
    for turn in (0, 1):
        reactions.react(table.a, turn, 1, "boom")
    takeback.ask(table.b, 2, 0)
    takeback.answer_takeback(table.a, 2, 0, accept=True)
    assert reactions.reactions_of(table.match) == [(0, 1, "A", "boom")]


def test_signs_go_with_who_gave_them(played: Table) -> None:
    for seat in (played.a, played.b):
        reactions.react(seat, 0, 1, "bravo")
    secret = seat_offers.offer(as_read(played, "B"))
    seat_offers.accept(secret, "Cleo", lambda: None)
    assert reactions.reactions_of(played.match) == [(0, 1, "A", "bravo")], "not in Cleo’s name"
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
