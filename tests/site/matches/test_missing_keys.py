"""A key that is missing is said in words; once it is lost for good, nothing hangs for it."""

from __future__ import annotations

from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from robosite.matches import flow, history, key_check, missing_keys
from robosite.matches.models import Program
from robosite.ops.verification import Found, faults
from tests.site.browsers import FIRST, OTHER, Browser, Table, sit_down, text


@pytest.fixture
def boxing(alice: Browser, bob: Browser, charlie: Browser) -> Table:
    """A fight in its fourth turn: both robots' layouts are secret still."""
    table = sit_down(alice, bob, charlie, "roboxing")
    table.play_some(3, seed=4)
    assert table.match.status == "playing"
    assert Program.objects.filter(order="", turn=0).exclude(seal="").count() == 2
    return table


def forget(settings: Any, *keys: str) -> None:
    """The processes start anew, with these keys."""
    settings.SEAL_KEYS = list(keys)
    history._kept.clear()


def lose(settings: Any, *keys: str) -> None:
    """As `forget`, and the keys before are known to be lost, but nobody was asked to seal again."""
    forget(settings, *keys)
    key_check.write_anew()


def give_up() -> str:
    out = StringIO()
    call_command("rotate_keys", "--give-up-lost", stdout=out)
    return out.getvalue()


AGAIN = "Please plan and seal it again"


def test_a_match_whose_key_is_missing_says_so_on_every_page(boxing: Table, settings: Any) -> None:
    kept = settings.SEAL_KEYS
    forget(settings, "another")
    turn = boxing.match.turn
    for browser, path in ((boxing.charlie, ""), (boxing.alice, "A/"), (boxing.bob, "B/")):
        answer = browser.get(f"/m/{boxing.key}/{path}")
        assert answer.status_code == 503 and "a key of the site is missing" in text(answer)
        assert answer["Retry-After"]
    answer = boxing.alice.get(f"/api/v1/matches/{boxing.key}")
    assert answer.status_code == 503 and "key of this site is missing" in answer.json()["detail"]
    for path in ("/", "/mine/"):
        assert boxing.alice.get(path).status_code == 200
    assert (boxing.match.status, boxing.match.turn) == ("playing", turn)
    forget(settings, "another", *kept)  # it was only forgotten
    assert boxing.alice.get(f"/m/{boxing.key}/A/").status_code == 200
    boxing.play_some(1)
    assert boxing.match.turn == turn + 1


def test_a_process_with_the_keys_of_another_site_changes_no_match(table: Table, settings: Any) -> None:
    """It would take what others have sealed for lost, and seal what nobody can open."""
    kept = settings.SEAL_KEYS
    sealed = flow.seal(table.a, 0, FIRST)
    forget(settings, "those of another site")
    answer = table.bob.seal(table.b, OTHER)
    assert answer.status_code == 503 and "a key of the site is missing" in text(answer)
    forget(settings, *kept)
    assert flow.order_of(table.match, table.a).seal == sealed.seal
    assert flow.owing(table.match) == ["B"]
    assert flow.seal(table.b, 0, OTHER).revealed


def test_what_was_given_up_is_no_fault_any_more(table: Table, settings: Any) -> None:
    flow.seal(table.a, 0, FIRST)
    forget(settings, "another")
    found = Found()
    assert list(faults(found)) == [] and found.lost == 1
    assert "Asked to seal again in 1 matches" in give_up()
    found = Found()
    assert list(faults(found)) == [] and found.lost == 0
    assert AGAIN in text(table.alice.get(f"/m/{table.key}/A/"))


def test_a_match_whose_key_is_lost_is_called_off_in_words(boxing: Table, settings: Any) -> None:
    flow.seal(boxing.a, 3, _some(boxing, "A")) if "A" in flow.owing(boxing.match) else None
    forget(settings, "another")
    assert "1 matches are called off" in give_up()
    assert (boxing.match.status, boxing.match.turn) == ("aborted", 0)
    for browser, path in ((boxing.charlie, ""), (boxing.alice, "A/"), (boxing.charlie, "?at=1.2")):
        shown = text(browser.get(f"/m/{boxing.key}/{path}"))
        assert "This match was called off. The site has lost the key" in shown
    assert boxing.charlie.get(f"/m/{boxing.key}/record/").json()["turns"] == []
    seen = boxing.charlie.get(f"/api/v1/matches/{boxing.key}").json()
    assert (seen["status"], seen["turn"]) == ("aborted", 0)
    with pytest.raises(flow.Refused, match="over"):
        flow.seal(boxing.b, 3, FIRST)
    assert boxing.alice.get("/mine/").status_code == 200
    assert list(faults(Found())) == []
    assert "0 matches are called off" in give_up()


def _some(table: Table, letter: Any) -> str:
    from random import Random

    state = history.state_of(table.match)
    return str(state.view(letter).sample(letter, Random(1)))


def test_who_has_sealed_under_a_lost_key_is_told_and_seals_again(table: Table, settings: Any) -> None:
    flow.seal(table.a, 0, FIRST)
    assert AGAIN not in text(table.alice.get(f"/m/{table.key}/A/"))
    forget(settings, "another")
    shown = text(table.alice.get(f"/m/{table.key}/A/"))
    assert AGAIN in shown and "Reopen it" in shown
    assert AGAIN not in text(table.bob.get(f"/m/{table.key}/B/"))
    assert "Asked to seal again in 1 matches; 0 matches are called off" in give_up()
    assert set(flow.owing(table.match)) == {"A", "B"}
    shown = text(table.alice.get(f"/m/{table.key}/A/"))
    assert AGAIN in shown and 'id="planner"' in shown
    assert flow.seal(table.a, 0, OTHER).seal
    assert AGAIN not in text(table.alice.get(f"/m/{table.key}/A/"))
    assert flow.seal(table.b, 0, OTHER).revealed


def test_at_the_reveal_the_page_says_why_it_asks_again(table: Table, settings: Any) -> None:
    flow.seal(table.a, 0, FIRST)
    lose(settings, "another")
    assert not flow.seal(table.b, 0, OTHER).revealed
    assert AGAIN in text(table.alice.get(f"/m/{table.key}/A/"))
    assert AGAIN not in text(table.bob.get(f"/m/{table.key}/B/"))
    assert flow.seal(table.a, 0, FIRST).revealed


def test_a_draft_that_was_lost_is_told_too(table: Table, settings: Any) -> None:
    flow.draft(table.a, 0, FIRST)
    lose(settings, "another")
    assert AGAIN in text(table.alice.get(f"/m/{table.key}/A/"))
    table.alice.draft(table.a, OTHER)
    assert AGAIN not in text(table.alice.get(f"/m/{table.key}/A/"))


def test_the_log_says_at_the_start_that_a_key_is_missing(
    table: Table, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    monkeypatch.setattr(missing_keys.log, "error", lambda text, *facts: said.append(text % facts))
    flow.seal(table.a, 0, FIRST)
    missing_keys.warn()  # and the key is noted
    assert not said
    forget(settings, "another")
    missing_keys.warn()
    assert len(said) == 2 and said[1].startswith("1 matches hold seals")
    assert said[0].startswith("None of SEAL_KEYS is a key of this database")


def test_the_api_seals_again_under_a_lost_key(table: Table, settings: Any) -> None:
    """Its receipt was kept under the old key: the same order gets a new one."""
    token = table.alice.own_links(table.a)["seat"]
    ask: dict[str, Any] = {
        "path": f"/api/v1/matches/{table.key}/order",
        "data": {"turn": 0, "order": FIRST},
        "content_type": "application/json",
        "headers": {"Authorization": f"Bearer {token}"},
    }
    first = table.alice.put(**ask)
    lose(settings, "another")
    second = table.alice.put(**ask)
    assert (first.status_code, second.status_code) == (200, 200)
    assert first.json()["seal"] != second.json()["seal"]
