"""Keys that are missing or lost for good, the check of them at the start, and heartbeats of processes."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from datetime import timedelta
from io import StringIO
from random import Random
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from games import GAMES
from robosite.matches import clock, flow, history, key_check, missing_keys
from robosite.matches.models import Match, Program
from robosite.matches.seals import KeyMissing
from robosite.matches.site_models import KeyCheck, ProcessHeartbeat
from robosite.ops.management.commands import rotate_keys
from robosite.ops.verification import Found, faults
from robosite.web import health
from tests import at_once
from tests.receivers import until
from tests.servers import DATABASE, Server, manage
from tests.site.browsers import FIRST, OTHER, Table, text
from tests.site.web.test_seeing import figures


@pytest.fixture
def boxing(boxing: Table) -> Table:
    """A fight in its fourth turn: both robots' layouts are secret still."""
    boxing.play_some(3, seed=4)
    assert boxing.match.status == "playing"
    assert Program.objects.filter(order="", turn=0).exclude(seal="").count() == 2
    return boxing


def forget(settings: Any, *keys: str) -> None:
    """The processes start anew, with these keys."""
    settings.SEAL_KEYS = list(keys)
    history._kept.clear()


def lose(settings: Any, *keys: str) -> None:
    """As `forget`, and the keys before are known to be lost, but nobody was asked to seal again."""
    forget(settings, *keys)
    key_check.give_up_missing()


def give_up() -> str:
    out = StringIO()
    call_command("rotate_keys", "--give-up-lost", stdout=out)
    return out.getvalue()


AGAIN = "Please plan and seal it again"
STAYS = "It stays sealed"


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


def half_rotated(table: Table, settings: Any, monkeypatch: pytest.MonkeyPatch) -> str:
    """Alice has sealed under the key "old", Bob has a draft under "new"; rotate_keys could not finish.

    Returns Alice's seal.
    """
    forget(settings, "old")
    sealed = flow.seal(table.a, 0, FIRST).seal
    forget(settings, "new", "old")
    flow.draft(table.b, 0, OTHER)
    relock = rotate_keys._relock

    def busy(model: Any, column: str, pk: int, **more: Any) -> None:
        if model is Program:  # as rows that somebody else has locked
            more["found"].old += 1
        else:
            relock(model, column, pk, **more)

    with monkeypatch.context() as broken:
        broken.setattr(rotate_keys, "_relock", busy)
        with pytest.raises(SystemExit):
            call_command("rotate_keys", stdout=StringIO())
    return sealed


def test_a_key_removed_after_half_a_rotation_loses_no_seal(
    table: Table, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    sealed = half_rotated(table, settings, monkeypatch)
    forget(settings, "new")
    answer = table.bob.seal(table.b, OTHER)
    assert answer.status_code == 503 and "a key of the site is missing" in text(answer)
    token = table.bob.own_links(table.b)["seat"]
    called = table.bob.put(
        f"/api/v1/matches/{table.key}/order",
        data={"turn": 0, "order": OTHER},
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}"},
    )
    assert called.status_code == 503 and "key of this site is missing" in called.json()["detail"]
    forget(settings, "new", "old")
    assert flow.order_of(table.match, table.a).seal == sealed
    assert flow.seal(table.b, 0, OTHER).revealed


def test_the_time_in_which_a_key_is_missing_is_given_back(
    table: Table, settings: Any, monkeypatch: pytest.MonkeyPatch, time: Any
) -> None:
    end = time.now() + timedelta(hours=2)
    Match.objects.update(late="forfeit", deadline_hours=2, deadline=end, due=end)
    half_rotated(table, settings, monkeypatch)
    clock.due_matches(10)
    forget(settings, "new")
    with pytest.raises(KeyMissing):
        clock.due_matches(10)
    time.down(hours=3)
    with pytest.raises(KeyMissing):
        clock.due_matches(10)
    forget(settings, "new", "old")
    assert clock.due_matches(10) == [] and table.match.due == end + timedelta(hours=3)
    assert flow.seal(table.b, 0, OTHER).revealed


def test_readyz_verify_and_the_log_name_the_key_that_is_missing(
    table: Table, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    half_rotated(table, settings, monkeypatch)
    forget(settings, "new")
    gone, there = key_check.fingerprint_of("old"), key_check.fingerprint_of("new")
    says = f"the database needs {gone}, and SEAL_KEYS has {there}."
    answer = table.alice.get("/readyz")
    assert answer.status_code == 503 and says in answer.content.decode()
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("verify", stdout=out)
    assert says in out.getvalue()
    with pytest.raises(SystemExit):
        call_command("rotate_keys", stdout=out)
    assert out.getvalue().count(says) == 2
    forget(settings, "new", "old")
    assert table.alice.get("/readyz").status_code == 200
    call_command("rotate_keys", stdout=out)
    forget(settings, "new")
    assert table.alice.get("/readyz").status_code == 200


def test_a_key_that_nothing_needs_is_forgotten_and_any_may_be_needed_at_the_first_start(
    table: Table, settings: Any
) -> None:
    """As one that was put in front by mistake; a database of an earlier release noted one key alone."""
    kept = settings.SEAL_KEYS
    forget(settings, "Something went wrong", *kept)
    assert key_check.fits()
    forget(settings, *kept)
    assert key_check.fingerprint_of("Something went wrong") in key_check.fault()
    call_command("rotate_keys", stdout=StringIO())
    assert not key_check.fault()
    forget(settings, "old", *kept)
    flow.seal(table.a, 0, FIRST)
    forget(settings, "new", "old")
    KeyCheck.objects.exclude(pk=key_check.FIRST).delete()
    KeyCheck.objects.update(locked=key_check._locked("new"))  # that is as far as it was rotated
    assert key_check.fits()
    forget(settings, "new")
    assert key_check.fingerprint_of("old") in key_check.fault()


def test_a_key_lost_for_good_is_forgotten_with_what_it_had_sealed(
    table: Table, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    half_rotated(table, settings, monkeypatch)
    forget(settings, "new")
    assert "Asked to seal again in 1 matches; 0 matches are called off." in give_up()
    assert not key_check.fault()
    assert flow.owing(table.match) == ["A", "B"] and flow.draft_of(table.match, table.b) == OTHER
    out = StringIO()
    call_command("rotate_keys", stdout=out)
    assert "1 open under none of SEAL_KEYS; they were given up before." in out.getvalue()


def test_the_clock_leaves_a_match_with_an_unreadable_seal_alone_and_says_so_once(
    table: Table, settings: Any, time: Any, caplog: pytest.LogCaptureFixture
) -> None:
    end = time.now() + timedelta(hours=2)
    Match.objects.update(late="fill", deadline_hours=2, deadline=end, due=end)
    flow.seal(table.a, 0, FIRST)
    lose(settings, "another")
    time.pass_(hours=2)
    with caplog.at_level(logging.ERROR, "robosite"):
        assert not clock.move_on(table.match) and not clock.move_on(table.match)
    (said,) = [one for one in caplog.records if table.key in one.getMessage()]
    assert "none of SEAL_KEYS opens" in said.getMessage() and not said.exc_info
    assert flow.owing(table.match) == ["B"]
    Match.objects.update(deadline_hours=None, deadline=None, due=None)
    flow.resign(table.a)
    assert table.match.status == "over", "who sealed under it can still resign"


def test_a_bot_that_would_be_the_last_to_seal_waits_for_the_key(settings: Any) -> None:
    pigs = GAMES["pigs"][1]
    _match, taken, _invite = flow.create(pigs, pigs.read_options({}), 2, "Alice")
    flow.add_bot(taken.seat, "B", "random")
    taken.seat.refresh_from_db()
    sealed = flow.seal(taken.seat, 0, FIRST).seal
    kept = settings.SEAL_KEYS
    lose(settings, "another")
    with pytest.raises(KeyMissing):
        at_once.answer_all()
    forget(settings, *kept)
    KeyCheck.objects.all().delete()
    assert Program.objects.get(seat=taken.seat).seal == sealed
    assert at_once.answer_all()
    assert Program.objects.get(seat=taken.seat, turn=0).order == FIRST


def test_a_match_whose_key_is_lost_is_called_off_in_words(boxing: Table, settings: Any) -> None:
    flow.seal(boxing.a, 3, _some(boxing, "A")) if "A" in flow.owing(boxing.match) else None
    forget(settings, "another")
    assert "1 matches are called off" in give_up()
    assert (boxing.match.status, boxing.match.turn) == ("aborted", 0)
    for browser, path in ((boxing.charlie, ""), (boxing.alice, "A/"), (boxing.charlie, "?at=1.2")):
        shown = text(browser.get(f"/m/{boxing.key}/{path}"))
        assert "This match was cancelled. The site has lost the key" in shown
    assert boxing.charlie.get(f"/m/{boxing.key}/record/").json()["turns"] == []
    seen = boxing.charlie.get(f"/api/v1/matches/{boxing.key}").json()
    assert (seen["status"], seen["turn"]) == ("aborted", 0)
    with pytest.raises(flow.Refused, match="over"):
        flow.seal(boxing.b, 3, FIRST)
    assert boxing.alice.get("/mine/").status_code == 200
    assert list(faults(Found())) == []
    assert "0 matches are called off" in give_up()


def _some(table: Table, letter: Any) -> str:
    state = history.state_of(table.match)
    return str(state.view(letter).sample(letter, Random(1)))


def test_who_has_sealed_under_a_lost_key_is_told_and_seals_again(
    table: Table, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    logged: list[str] = []
    monkeypatch.setattr(missing_keys.log, "error", lambda text, *facts: logged.append(text % facts))
    flow.seal(table.a, 0, FIRST)
    missing_keys.warn()  # as a process begins; and the key is noted
    assert not logged and AGAIN not in text(table.alice.get(f"/m/{table.key}/A/"))
    forget(settings, "another")
    missing_keys.warn()
    assert len(logged) == 2 and logged[1].startswith("1 matches hold seals")
    assert logged[0].startswith("None of SEAL_KEYS is a key of this database")
    assert AGAIN not in text(table.alice.get(f"/m/{table.key}/A/"))
    found = Found()
    assert list(faults(found)) == [] and found.lost == 1
    assert "Asked to seal again in 1 matches; 0 matches are called off" in give_up()
    found = Found()
    assert list(faults(found)) == [] and found.lost == 0, "no fault any more"
    assert set(flow.owing(table.match)) == {"A", "B"}
    shown = text(table.alice.get(f"/m/{table.key}/A/"))
    assert AGAIN in shown and 'id="planner"' in shown
    assert flow.seal(table.a, 0, OTHER).seal
    assert AGAIN not in text(table.alice.get(f"/m/{table.key}/A/"))
    assert flow.seal(table.b, 0, OTHER).revealed


def test_the_last_seal_gives_none_up_that_cannot_be_read(table: Table, settings: Any) -> None:
    sealed, kept = flow.seal(table.a, 0, FIRST), settings.SEAL_KEYS
    lose(settings, "another")
    answer = table.bob.seal(table.b, OTHER)
    assert answer.status_code == 503 and "a key of the site is missing" in text(answer)
    shown = text(table.alice.get(f"/m/{table.key}/A/"))
    assert STAYS in shown and AGAIN not in shown and "Reopen" not in shown
    assert STAYS not in text(table.bob.get(f"/m/{table.key}/B/"))
    forget(settings, "another", *kept)
    assert flow.order_of(table.match, table.a).seal == sealed.seal
    assert flow.seal(table.b, 0, OTHER).revealed


def test_a_draft_that_was_lost_is_told_too(table: Table, settings: Any) -> None:
    flow.draft(table.a, 0, FIRST)
    lose(settings, "another")
    assert flow.draft_of(table.match, table.a) == ""
    assert AGAIN in text(table.alice.get(f"/m/{table.key}/A/"))
    table.alice.draft(table.a, OTHER)
    assert AGAIN not in text(table.alice.get(f"/m/{table.key}/A/"))
    assert table.alice.seal(table.a, OTHER).status_code == 302
    assert flow.order_of(table.match, table.a).order == OTHER


def test_the_api_seals_again_once_a_lost_key_was_given_up(table: Table, settings: Any) -> None:
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
    refused = table.alice.put(**ask)
    assert refused.status_code == 503 and "key of this site is missing" in refused.json()["detail"]
    give_up()
    second = table.alice.put(**ask)
    assert (first.status_code, second.status_code) == (200, 200)
    assert first.json()["seal"] != second.json()["seal"]


@pytest.fixture(autouse=True)
def _no_beat_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ProcessHeartbeat, "last", {})
    monkeypatch.setattr(health, "last_logged", health.LastLogged())  # later tests begin without warnings


def alive(part: str) -> tuple[int, str]:
    """The status with which the command ends, and what it says."""
    out = StringIO()
    try:
        call_command("alive", part, stdout=out)
    except SystemExit as ended:
        return int(str(ended.code)), out.getvalue()
    return 0, out.getvalue()


def test_a_part_that_falls_silent_is_told_and_takes_nobody_from_those_who_can_play(
    django_assert_num_queries: Any,
) -> None:
    assert alive("clock") == (1, "Nothing heard of the clock.\n"), "it never ran"
    assert Client().get("/readyz").content == b"ready\n"
    for part in ProcessHeartbeat.PARTS:
        ProcessHeartbeat.beat(part)
        assert alive(part) == (0, f"Alive: {part}.\n")
        with django_assert_num_queries(0):
            ProcessHeartbeat.beat(part)  # it writes its row now and then
    assert Client().get("/readyz").content == b"ready\n"
    ProcessHeartbeat.objects.filter(part="bots").update(at=timezone.now() - timedelta(minutes=3))
    answer = Client().get("/readyz")
    assert answer.status_code == 200 and b"nothing heard of the bots for 180 s" in answer.content
    assert alive("bots")[0] == 1 and alive("clock")[0] == 0


def test_figures_tell_ages_version_and_keys(settings: Any) -> None:
    settings.METRICS_FOR = ["127.0.0.1"]
    ProcessHeartbeat.beat("clock")
    shown = figures(Client().get("/metrics"))
    assert 0 <= shown['robosite_part_age_seconds{part="clock"}'] < 60
    assert shown[f'robosite_seal_key{{fingerprint="{key_check.fingerprint()}"}}'] == 1
    assert shown["robosite_keys_fit"] == 1 and shown["robosite_oldest_due_notice_seconds"] == 0
    assert any(name.startswith("robosite_version{") for name in shown)


def test_wrong_keys_at_the_first_start_of_this_version_are_noted_as_wrong(
    table: Table, settings: Any
) -> None:
    flow.seal(table.a, 0, FIRST)
    KeyCheck.objects.all().delete()
    kept, settings.SEAL_KEYS = settings.SEAL_KEYS, ["a key of another site, long enough to be one"]
    assert not key_check.fits() and not KeyCheck.objects.exists()
    settings.SEAL_KEYS = kept
    assert key_check.fits() and KeyCheck.objects.exists()


@pytest.mark.integration
@pytest.mark.django_db(transaction=True)
def test_a_server_with_clock_and_bots_writes_their_heartbeats(server: Server) -> None:
    with closing(sqlite3.connect(server.data / DATABASE, timeout=60)) as database:
        written = "SELECT part FROM matches_processheartbeat"
        until(lambda: {part for (part,) in database.execute(written)} >= set(ProcessHeartbeat.PARTS))
    assert "Alive" in manage("alive", "bots", env=server.env)
