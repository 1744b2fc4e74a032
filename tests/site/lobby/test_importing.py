"""Records that are imported and saved."""

from __future__ import annotations

import html
import json
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.utils import timezone

from games.record import replay
from robosite.matches import figures, flow
from robosite.matches.flow import imports, seat_requests
from robosite.matches.models import Hold, Match, Program
from robosite.matches.site_models import Figures
from robosite.ops.periods import RETENTIONS, prune
from robosite.share.pictures import boards, cards, comic_strip
from robosite.share.pictures.captions import people_of
from robosite.share.pictures.sketch import reel, svg
from robosite.standings.results import friends_of
from tests.servers import ROOT, Server
from tests.site.api.test_api import WALK, Api
from tests.site.browsers import FIRST, MORE_SHOTS, OTHER, SHOTS, Browser, Table, text
from tests.site.standings.test_results import guest_at

RECORD: dict[str, Any] = {
    "format": "robosite/1",
    "game": "pigs",
    "seats": ["A", "B"],
    "turns": [{"A": FIRST, "B": OTHER}],
    "names": {"A": "Ada", "B": "Ben"},
}


def sent(browser: Browser, record: Any) -> Any:
    given = record if isinstance(record, str) else json.dumps(record)
    return browser.post("/import/", {"record": given})


def imported(browser: Browser, record: Any = RECORD) -> Match:
    answer = sent(browser, record)
    assert answer.status_code == 302, text(answer)
    return Match.objects.get(key=answer["Location"].split("/")[2])


def posted(browser: Browser, record: Any) -> Any:
    return browser.post("/api/v1/records", json.dumps(record), "application/json")


def test_a_record_of_this_site_comes_back_as_a_match(table: Table, record: dict[str, Any]) -> None:
    match = imported(table.charlie, record)
    assert (match.status, match.outcome_json) == ("over", record["result"])
    again = json.loads(table.charlie.get(f"/m/{match.key}/record/").content)
    assert (again["turns"], again["names"], again["imported"]) == (record["turns"], record["names"], True)
    assert "seals" not in again and "match" not in again
    assert replay({**again, "seals": record["seals"], "match": table.key}).fault is None
    page = text(table.charlie.get(f"/m/{match.key}/"))
    assert "This match wasn’t played here" in page and "Alice" in page
    assert table.charlie.get(f"/m/{match.key}/?at=1.2").status_code == 200
    assert table.charlie.get(f"/m/{match.key}/1.2.svg").status_code in (200, 404)


def test_a_record_that_stops_before_the_end_in_which_nobody_sits(alice: Browser, bob: Browser) -> None:
    match = imported(alice)
    assert replay(json.loads(alice.get(f"/m/{match.key}/record/").content)).fault is None
    assert match.status == Match.Status.ABORTED and match.turn == 1
    page = text(alice.get(f"/m/{match.key}/"))
    assert "The match file ends here" in page and "called off" not in page
    assert not Hold.objects.filter(seat__match=match).exists()
    assert {seat.link_hash for seat in match.seats.all()} == {""}
    assert not Program.objects.filter(seat__match=match).exclude(seal="").exists()
    assert alice.get(f"/m/{match.key}/A/").status_code == 403
    assert alice.post(f"/m/{match.key}/A/rematch/").status_code == 403
    assert bob.post(f"/m/{match.key}/A/ask/", {"name": "Ada"}).status_code in (403, 404, 409, 422)
    assert match.key not in text(alice.get("/mine/"))
    with pytest.raises(flow.Refused):
        seat_requests.check_may_be_asked_for(match, match.seats.get(letter="A"))
    assert alice.get(f"/report/{match.key}/").status_code == 200
    flow.close(match)  # a moderator takes it down
    for at in (f"/m/{match.key}/", f"/m/{match.key}/record/", f"/api/v1/matches/{match.key}"):
        assert alice.get(at).status_code == 403
    with pytest.raises(flow.Refused):
        flow.close(match)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"turns": [{"A": FIRST, "B": "F F"}]}, "Turn 1, seat B:"),
        ({"turns": [{"A": FIRST, "B": OTHER}, {"A": FIRST}]}, "Turn 2, seat B:"),
        ({"turns": [{"A": FIRST, "B": OTHER, "C": OTHER}]}, "Turn 1:"),
        ({"names": {"A": "Ada", "B": "Adа"}}, "Seat B:"),  # a Cyrillic letter
        ({"names": {"A": "Ada", "B": "ADA"}}, "Seat B:"),
        ({"names": {"A": "\u202eAda"}}, "Seat A:"),
        ({"names": {"A": 7}}, "Seat A:"),
        ({"names": {"C": "Cleo"}}, "“names” isn’t an object that maps seats to names"),
        ({"names": ["Ada"]}, "“names” isn’t an object that maps seats to names"),
        ({"game": "chess"}, "“game” is none of pigs"),
        (
            {"result": {"scores": {"A": 1, "B": 0}, "reason": "destroyed"}},
            "The match file’s result is not the one",
        ),
        ({"options": {"ends": "{evil}"}}, "Option “ends”"),
        ({"turns": [{}] * 2001}, "This file has 2001 turns"),
        (
            {"seats": list("ABCDEFGH"), "names": {}, "turns": [dict.fromkeys("ABCDEFGH", "H")] * 501},
            "This file has 4008 orders",
        ),
    ],
)
def test_faults_are_told_by_turn_and_seat(alice: Browser, change: dict[str, Any], told: str) -> None:
    answer = sent(alice, {**RECORD, **change})
    shown = " ".join(text(answer).split())
    assert answer.status_code == 422 and told in shown, shown
    assert not Match.objects.exists()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        *(
            (given, 'role="alert"')
            for given in ("", "no JSON", "[" * 5000, "NaN", '{"format": 1}', "x" * 60_001)
        ),
        ('{"options": {"\\ud800": 1}}', "characters that aren’t text"),
        ('{"turns": [{"\\ud800": "x"}]}', "characters that aren’t text"),
        ('["\\ud800"]', "characters that aren’t text"),
    ],
)
def test_what_is_no_record_is_refused_in_words(alice: Browser, given: str, told: str) -> None:
    answer = sent(alice, given)
    assert answer.status_code == 422 and told in text(answer)


def test_it_counts_in_no_result_and_no_figure(table: Table, record: dict[str, Any]) -> None:
    before = friends_of(guest_at(table.a))
    for _ in range(3):
        imported(table.alice, record)
    assert friends_of(guest_at(table.a)) == before
    figures.count_all()
    row = Figures.objects.get(name=figures.TOLD)
    assert [one["matches"] for one in row.data.values()] == [1]


def test_by_the_api(alice: Browser) -> None:
    made = posted(alice, RECORD)
    assert made.status_code == 201
    told = made.json()
    assert told["status"] == "aborted" and told["outcome"] is None
    assert told["url"].endswith(f"/m/{told['match']}/")
    seen = alice.get(f"/api/v1/matches/{told['match']}").json()
    assert (seen["turn"], seen["you"], seen["to_act"]) == (1, None, [])
    assert seen["seats"]["A"] == {"name": "Ada", "kind": "human"}
    for length, status in ((30_000, 201), (70_000, 413)):  # as much as a page; other calls keep their 16 kB
        assert posted(alice, {**RECORD, "comment": "x" * length}).status_code == status


@pytest.mark.parametrize(
    ("change", "status", "pointer"),
    [
        ({"turns": [{"A": FIRST, "B": "F F"}]}, 422, "/turns/0/B"),
        ({"turns": [{"A": FIRST, "B": 5}]}, 400, "/turns/0/B"),
        ({"names": {"A": "Ada", "B": "ada"}}, 422, "/names/B"),
        ({"rules": 99}, 422, ""),
        ({"format": "other/1"}, 422, "/format"),
    ],
)
def test_the_api_points_at_the_fault(alice: Browser, change: Any, status: int, pointer: str) -> None:
    answer = posted(alice, {**RECORD, **change})
    assert answer.status_code == status
    assert [fault["pointer"] for fault in answer.json()["errors"]] == [pointer]


def test_it_is_forgotten_after_its_period(alice: Browser, table: Table, settings: Any) -> None:
    match = imported(alice)
    kept = next(one for one in RETENTIONS if one.name == "imports")
    assert list(prune(kept)) == []
    old = timezone.now() - timedelta(days=settings.KEEP_IMPORTS_DAYS + 1)
    Match.objects.update(created_at=old)
    assert list(prune(kept)) == []  # it has changed since
    Match.objects.update(changed_at=old)
    assert list(prune(kept)) == [1]
    assert not Match.objects.filter(pk=match.pk).exists() and table.match


def test_the_work_is_bounded(alice: Browser, settings: Any) -> None:
    settings.LIMITS, may = "on", settings.BUCKETS["import"].capacity
    answers = [sent(alice, "{}").status_code for _ in range(may + 2)]
    assert answers[:may] == [422] * may and answers[-1] == 429
    assert posted(alice, RECORD).status_code == 429


NOTES = {
    "en": "Imported, not played here",
    "es": "Importada, no jugada aquí",
    "de": "Importiert, nicht hier gespielt",
}


@pytest.fixture
def record(table: Table) -> dict[str, Any]:
    """Of a match of Alice and Bob that is over."""
    table.play(SHOTS, MORE_SHOTS)
    return dict(json.loads(table.alice.get(f"/m/{table.key}/record/").content))


@pytest.fixture
def over(table: Table, record: dict[str, Any]) -> tuple[str, str]:
    """The keys of a match that was played here, and of the one made from its record."""
    return table.key, imported(table.charlie, record).key


@pytest.mark.parametrize("language", NOTES)
def test_embed_oembed_and_previews_say_that_it_was_not_played_here(
    over: tuple[str, str], charlie: Browser, language: str
) -> None:
    for key, marked in zip(over, (False, True), strict=True):
        where = f"http://testserver/m/{key}/"
        for path in (f"/m/{key}/embed/", f"/oembed?url={where}", f"/m/{key}/", f"/m/{key}/comic/"):
            answer = charlie.get(path, headers={"Accept-Language": language})
            told = answer.content.decode()
            if path.startswith("/oembed"):
                assert (NOTES[language] in answer.json()["title"]) is marked
                assert (NOTES[language] in answer.json()["html"]) is marked
                continue
            if not path.endswith("/embed/"):
                told = told.partition('property="og:title"')[2].partition(">")[0]
                assert "Alice and Bob" in told or language != "en"
                assert "\n" not in told and "&amp;" not in told
            assert (NOTES[language] in html.unescape(told)) is marked, path


def test_pictures_say_that_it_was_not_played_here(over: tuple[str, str]) -> None:
    for key, marked in zip(over, (False, True), strict=True):
        match = Match.objects.get(key=key)
        people = people_of(match, "testserver")
        made = [
            svg(comic_strip.strip(match, people)),
            *reel(comic_strip.reel(match, people)),
            svg(cards.of_match(match)),
            svg(boards.step(match, 1, 1, "paper", people) or pytest.fail("there is no such step")),
        ]
        for picture in made:
            assert (NOTES["en"] in picture) is marked
    names = [people_of(Match.objects.get(key=key), "testserver").tag for key in over]
    assert names[0] != names[1]


def test_the_api_says_so_too(over: tuple[str, str], alice: Browser) -> None:
    played, made = (alice.get(f"/api/v1/matches/{key}").json() for key in over)
    assert (played["imported"], made["imported"]) == (False, True)
    assert posted(alice, RECORD).json()["imported"] is True
    described = alice.get("/api/v1/openapi.json").json()["components"]["schemas"]
    for name in ("Match", "Imported"):
        assert described[name]["properties"]["imported"]["type"] == "boolean"


MARK = b"\xef\xbb\xbf"


def on_one_line(record: dict[str, Any]) -> bytes:
    return json.dumps(record).encode()


def on_many(record: dict[str, Any]) -> bytes:
    return json.dumps(record, indent=1).replace("\n", "\r\n").encode() + b"\r\n"


SAVED: dict[str, Callable[[dict[str, Any]], bytes]] = {
    "a mark": lambda record: MARK + on_one_line(record),
    "a mark and an end of line": lambda record: MARK + on_one_line(record) + b"\r\n",
    "Windows": on_many,
    "a mark and Windows": lambda record: MARK + on_many(record),
    "a mark on a line of its own": lambda record: MARK + b"\r\n" + on_many(record),
}
saved = pytest.mark.parametrize("way", SAVED)


def printed(data: Path, command: str, file: str, given: bytes = b"") -> tuple[int, list[dict[str, Any]]]:
    done = subprocess.run(
        [sys.executable, "manage.py", command, file],
        cwd=ROOT,
        env=Server(data).env,
        input=given,
        capture_output=True,
        timeout=300,
    )
    assert not done.stderr, done.stderr
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def called(command: str, file: Path | str) -> list[dict[str, Any]]:
    """The output of a command for a file, in this process."""
    out = StringIO()
    call_command(command, str(file), stdout=out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


@pytest.mark.parametrize(
    ("way", "command"),
    [
        pytest.param(way, command, marks=pytest.mark.more if command == "review" and n else ())
        for n, way in enumerate(SAVED)  # a review takes a second
        for command in ("replay", "review", "check_bots")
    ],
)
def test_commands_read_it(tmp_path: Path, record: dict[str, Any], way: str, command: str) -> None:
    plain, file = tmp_path / "plain.json", tmp_path / "saved.json"
    plain.write_bytes(on_one_line(record))
    file.write_bytes(SAVED[way](record))
    told = [called(command, one) for one in (plain, file)]
    assert told[0] and told[1] == told[0]


@pytest.mark.parametrize(
    "command", ["replay", *[pytest.param(one, marks=pytest.mark.more) for one in ("review", "check_bots")]]
)
def test_commands_read_it_from_standard_input(tmp_path: Path, record: dict[str, Any], command: str) -> None:
    file = tmp_path / "plain.json"
    file.write_bytes(on_one_line(record))
    given = SAVED["a mark and Windows"](record)
    assert printed(tmp_path, command, "-", given) == (0, called(command, file))


def test_each_of_many_records_may_begin_with_a_mark(
    monkeypatch: pytest.MonkeyPatch, record: dict[str, Any]
) -> None:
    given = (MARK + on_one_line(record) + b"\r\n\r\n") * 3 + MARK + b"\r\n"
    monkeypatch.setattr(sys, "stdin", TextIOWrapper(BytesIO(given), encoding="utf-8"))
    told = called("replay", "-")
    assert len(told) == 3 and not any("error" in one for one in told)


@saved
def test_the_page_and_the_api_import_it(record: dict[str, Any], charlie: Browser, api: Api, way: str) -> None:
    given = SAVED[way](record)
    assert imported(charlie, given.decode()).outcome_json == record["result"]
    answer = api.ask("POST", "records", given)
    assert answer.status_code == 201 and answer.json()["outcome"] == record["result"]


def test_line_ends_of_windows_do_not_make_a_record_too_long(record: dict[str, Any]) -> None:
    """A browser sends every line of a form with two signs at its end."""
    short = json.dumps(record)
    lines = short.replace("{", "{" + "\n" * (imports.LONGEST - len(short)), 1)
    assert imports.read_text(lines.replace("\n", "\r\n")) == record


def test_every_body_of_the_api_may_begin_with_a_mark(api: Api) -> None:
    key, ada, _ben = api.table()
    body = MARK + json.dumps({"turn": 0, "order": WALK}).encode()
    assert api.ask("PUT", f"matches/{key}/draft", body, ada).status_code == 204
    assert api.ask("PUT", f"matches/{key}/order", body, ada).json()["order"] == WALK
    assert api.ask("PUT", f"matches/{key}/order", MARK + body, ada).status_code == 400
    assert api.ask("POST", "matches", MARK + b'{"game": "pigs", "name": "Ada"}').status_code == 201
