"""What is embedded elsewhere: frames, messages, well-formed pictures."""

from __future__ import annotations

import json
import re
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest
from django.test import Client
from django.utils import translation

from games import GAMES, newest
from games.core import play_turn
from robosite.learn.puzzles import puzzles
from robosite.matches import flow
from robosite.matches.models import Match
from robosite.people import offline
from robosite.play import film
from robosite.play.drawings import is_drawn
from robosite.share.comic import names_in
from robosite.share.pictures import boards
from robosite.share.template_functions import invitation, match_summary
from robosite.web.written_names import without_isolates
from tests.site.browsers import MORE_SHOTS, SHOTS, Browser, Table, guest, sit_down, text
from tests.site.routes import asks, some
from tests.site.world import undone, world

pytestmark = pytest.mark.django_db


@pytest.fixture
def over(table: Table) -> str:
    """The key of a match that Bob has resigned."""
    table.bob.post(f"{table.b.get_absolute_url()}resign/", {"sure": "1"})
    assert Match.objects.get(key=table.key).status == Match.Status.OVER
    return table.key


def oembed(browser: Browser, url: str, **more: str) -> Any:
    return browser.get("/oembed", {"url": url, **more})


def test_it_shows_who_played_and_how_it_ended_to_everybody_alike(over: str, table: Table) -> None:
    shown = table.charlie.get(f"/m/{over}/embed/")
    told = text(shown)
    assert "Alice" in told and "Bob" in told and "Alice won." in told
    assert f'src="/m/{over}/comic.gif"' in shown.content.decode()
    assert shown.content == table.alice.get(f"/m/{over}/embed/").content
    assert "public" in shown["Cache-Control"] and not shown.cookies and "Cookie" not in shown.get("Vary", "")


def test_only_finished_matches_that_everybody_may_watch(over: str, table: Table) -> None:
    running = table.alice.make()
    assert table.alice.get(f"/m/{running.key}/embed/").status_code == 404
    Match.objects.filter(key=over).update(watched=False)
    for browser in (table.alice, table.charlie):
        assert browser.get(f"/m/{over}/embed/").status_code == 404
        assert oembed(browser, f"http://testserver/m/{over}/").status_code == 404


def test_oembed_gives_a_frame_of_the_size_that_is_asked_for(over: str, table: Table) -> None:
    answer = oembed(table.charlie, f"http://testserver/m/{over}/comic/", maxwidth="300")
    told = json.loads(answer.content)
    assert (told["version"], told["type"], told["width"], told["height"]) == ("1.0", "rich", 300, 640)
    assert f'src="http://testserver/m/{over}/embed/" width="300"' in told["html"]
    assert answer["Access-Control-Allow-Origin"] == "*" and not answer.cookies
    found = table.charlie.get(f"/m/{over}/comic/").content.decode()
    assert f'href="/oembed?url=http%3A//testserver/m/{over}/"' in found


@pytest.mark.parametrize(
    "url", ["", "http://testserver/", "http://elsewhere.example/m/{key}/", "http://testserver/m/{key}x/"]
)
def test_other_addresses_are_not_found(over: str, table: Table, url: str) -> None:
    assert oembed(table.charlie, url.format(key=over)).status_code == 404


def test_there_is_json_alone(over: str, table: Table) -> None:
    assert oembed(table.charlie, f"http://testserver/m/{over}/", format="xml").status_code == 501


def test_a_name_cannot_leave_its_place(over: str, table: Table) -> None:
    Match.objects.get(key=over).seats.filter(letter="A").update(name='"><script>alert(1)</script>')
    assert "<script" not in table.charlie.get(f"/m/{over}/embed/").content.decode()
    assert "<script" not in json.loads(oembed(table.charlie, f"http://testserver/m/{over}/").content)["html"]


@pytest.mark.integration
@pytest.mark.fuzz
def test_what_is_public_is_the_same_for_every_reader(db: Any) -> None:
    """The answers of all addresses to somebody whom nobody knows, and to a guest with all cookies."""
    there = world()
    anyone, alice = there.people["anyone"], there.people["Alice"]
    alice.cookies["offline"] = offline.tag_of(guest("Alice"))
    alice.cookies["django_language"], alice.cookies["zone"] = "de", "Asia/Seoul"
    found = set()
    read = [one for one in asks(there) if one.method == "GET" and not one.name.startswith("admin:")]
    for ask in some(read, "over"):
        plain = undone(anyone, lambda: anyone.get(ask.path, headers=ask.headers))  # noqa: B023
        if "public" in plain.get("Cache-Control", ""):
            found.add(ask.name)
            own = undone(alice, lambda: alice.get(ask.path, headers=ask.headers))  # noqa: B023
            assert own.getvalue() == plain.getvalue(), ask.path
            assert dict(own.items()) == dict(plain.items()), ask.path
            assert not own.cookies and "Cookie" not in own.get("Vary", ""), ask.path
    assert {"embed", "oembed", "comic-strip", "match-card"} <= found


@pytest.mark.parametrize(
    ("hours", "says"),
    [
        (None, "Ada invites you to Robo Battle Pigs:"),
        (24, "Ada invites you to Robo Battle Pigs, up to a day per turn:"),
        (168, "Ada invites you to Robo Battle Pigs, up to a week per turn:"),
        (0.25, "Ada invites you to Robo Battle Pigs, 15\xa0minutes per turn:"),
    ],
)
def test_an_invitation_says_who_what_and_how_fast(hours: float | None, says: str) -> None:
    assert invitation(Match(game_slug="pigs", rules=1, deadline_hours=hours), "Ada") == says


def test_an_invitation_names_the_hour_of_the_turns() -> None:
    hour = {"time": "20:00", "zone": "Europe/Madrid", "days": [0, 1, 2, 3, 4, 5, 6]}
    says = "Ada lädt dich zu Robo Battle Pigs ein, jeden Tag um 20:00 Uhr (Europe/Madrid):"
    with translation.override("de"):
        assert invitation(Match(game_slug="pigs", rules=1, reveal_at=hour), "Ada") == says


def summary(table: Table) -> str:
    return without_isolates(match_summary(table.match, names_in(table.match.seats.all())))


def test_a_line_says_who_won_by_how_much_and_how_wild_each_round_was(table: Table) -> None:
    table.play(SHOTS, MORE_SHOTS)
    line = summary(table)
    assert line.startswith("Robo Battle Pigs · Alice 5–0 Bob · 2 rounds played ")
    assert len(line.split()[-1]) == 2 and set(line.split()[-1]) <= set("▁▂▃▄▅▆▇") and "▇" in line


def test_a_match_that_was_resigned_or_drawn_counts_its_one_point(table: Table) -> None:
    flow.resign(table.a)
    assert summary(table) == "Robo Battle Pigs · Alice 0–1 Bob"


def test_a_draw_is_half_a_point_each(table: Table) -> None:
    flow.offer_draw(table.a, offer=True)
    flow.offer_draw(table.b, offer=True)
    assert summary(table) == "Robo Battle Pigs · Alice ½–½ Bob"


def test_the_end_offers_the_line_before_it_is_sent_unless_players_are_among_themselves(table: Table) -> None:
    table.play(SHOTS, MORE_SHOTS)
    page = text(table.alice.get(f"/m/{table.key}/A/"))
    assert "Alice 5–0 Bob · 2 rounds played" in page
    assert f"http://testserver/m/{table.key}/</textarea>" in page
    Match.objects.filter(pk=table.match.pk).update(watched=False)
    assert "</textarea>" not in text(table.alice.get(f"/m/{table.key}/A/")).partition('class="share"')[2]


DRAWN = [slug for slug in GAMES if is_drawn(slug)]
TURNS = 25


def drawings(page: str) -> list[str]:
    """The outermost drawings of a page."""
    found, depth, began = [], 0, 0
    for tag in re.finditer(r"<svg\b|</svg>", page):
        if tag[0] == "</svg>":
            depth -= 1
            if depth == 0:
                found.append(page[began : tag.end()])
        else:
            began = began if depth else tag.start()
            depth += 1
    return found


def assert_is_xml(page: str, of: str) -> int:
    for drawing in drawings(page):
        try:
            ElementTree.fromstring(drawing.replace("&nbsp;", "&#160;"))
        except ElementTree.ParseError as fault:
            line, column = fault.position
            near = drawing.splitlines()[line - 1][max(column - 60, 0) : column + 20]
            pytest.fail(f"{of}: {fault}: {near}")
    return len(drawings(page))


@pytest.mark.parametrize("slug", DRAWN)
def test_every_step_of_every_phase_can_become_a_picture(slug: str) -> None:
    game, rng = newest(slug), Random(7)
    for preset in game.presets.values():
        options, seats = game.read_options(preset.options), preset.seats[-1]
        state = game.state.start(options, seats, game.draw(options, seats, rng, {}))
        for _turn in range(TURNS):
            if state.outcome():
                break
            orders = {seat: state.view(seat).sample(seat, rng) for seat in sorted(state.to_act())}
            positions = [state, *play_turn(state, orders)]
            state = positions[-1]
            views = [position.view(None) for position in positions]
            steps = [film.Step(n, not n, view.drawing(), [], []) for n, view in enumerate(views)]
            ElementTree.fromstring(boards.sketch_of(slug, steps, "paper").page)


@pytest.mark.parametrize("slug", DRAWN)
def test_every_page_of_a_match_draws_xml(slug: str, alice: Browser, bob: Browser, charlie: Browser) -> None:
    table = sit_down(alice, bob, charlie, game=slug)
    for _turn in range(3):
        _look_at_the_match(table)
        table.play_some(1)
    if table.match.status == "playing":
        flow.resign(table.a)
    _look_at_the_match(table)
    for path in ("comic/", "embed/"):
        assert_is_xml(charlie.get(f"/m/{table.key}/{path}").content.decode(), path)


def _look_at_the_match(table: Table) -> None:
    for browser, path in ((table.alice, "A/"), (table.bob, "B/"), (table.charlie, "")):
        answer: Any = browser.get(f"/m/{table.key}/{path}")
        assert answer.status_code == 200
        assert assert_is_xml(answer.content.decode(), f"{path} of turn {table.match.turn}")


@pytest.mark.parametrize("slug", DRAWN)
def test_every_lesson_example_and_puzzle_draws_xml(slug: str, client: Client, db: None) -> None:
    game = newest(slug)
    paths = [f"/learn/{slug}/{n}/" for n in range(1, len(game.lesson.exercises) + 1)]
    paths += [f"/rules/{slug}/", f"/rules/{slug}/things/", f"/rules/{slug}/paper/", f"/new/{slug}/", "/"]
    paths += [f"/puzzles/{slug}/{n}/" for n, _one in zip(range(1, 9), puzzles(slug), strict=False)]
    seen = 0
    while paths:
        path = paths.pop()
        answer: Any = client.get(path)
        assert answer.status_code == 200, path
        page = answer.content.decode()
        assert_is_xml(page, path)
        seen += 1
        if path == f"/rules/{slug}/":
            paths += sorted(
                set(re.findall(rf'"(/rules/{slug}/examples/[\w-]+/|/learn/{slug}/[\w-]+/)"', page))
            )
    assert seen > 8
