"""The strip of a finished match: its most dramatic steps as a page, a PNG and a GIF."""

from __future__ import annotations

import re
from io import BytesIO
from typing import Any

import pytest
from django.test import Client
from PIL import Image

from games import GAMES
from games.core import Event
from robosite.matches import flow
from robosite.matches.history import film
from robosite.matches.models import Match, Seat
from robosite.play import highlights as chosen
from robosite.play.highlights import Highlight, best, highlights
from robosite.share.pictures import comic_strip, drawn_files
from robosite.share.pictures.boards import styles_of
from robosite.share.pictures.captions import People, people_of
from robosite.share.pictures.sketch import Sketch, drawing_of, on_page, svg
from robosite.web.caches import made_once
from tests.site.browsers import MORE_SHOTS, SHOTS, Browser, Table, sit_down, text

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def none_kept() -> None:
    drawn_files.clear()


@pytest.fixture
def over(table: Table) -> Table:
    """Alice has hit Bob until he was destroyed."""
    table.play(SHOTS, MORE_SHOTS)
    assert table.match.status == "over"
    return table


def events(match: Match, one: Highlight) -> list[Event]:
    return film(match, one.turn)[one.step].events


def size(png: bytes) -> tuple[int, int]:
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


def test_the_blow_that_ends_it_is_the_best_of_all(over: Table) -> None:
    found = highlights(over.match)
    assert list(found) == sorted(found) and 3 <= len(found) <= chosen.PANELS
    assert best(over.match) == found[-1]
    assert "destroyed" in [event["kind"] for event in events(over.match, found[-1])]
    assert {one.turn for one in found} == {0, 1}  # each turn has its best step, then the next best ones


def test_a_match_that_nobody_fought_has_its_end(table: Table) -> None:
    flow.resign(table.b)
    (only,) = highlights(table.match)
    assert (only.turn, only.step) == (0, 1)
    assert "Bob resigns." in text(table.charlie.get(f"/m/{table.key}/comic/"))


def test_only_so_many_of_the_last_turns_are_searched(over: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chosen, "SEARCHED", 1)
    made_once.clear()
    assert {one.turn for one in highlights(over.match)} == {1}
    made_once.clear()


@pytest.mark.parametrize("slug", GAMES)
def test_every_game_has_a_strip(slug: str, alice: Browser, bob: Browser, charlie: Browser) -> None:
    there = sit_down(alice, bob, charlie, slug)
    there.play_some(12, seed=4)
    if there.match.status != "over":
        flow.resign(there.b)
    page = text(charlie.get(f"/m/{there.key}/comic/"))
    found = highlights(there.match)
    assert page.count('<svg class="board') == len(found)
    for one in found:
        assert f'href="/m/{there.key}/?at={one.turn + 1}.{one.step}"' in page
    drawn = svg(comic_strip.strip(there.match, people_of(there.match, "robosite.example")))
    for word in ("Alice", "Bob", "robosite.example", there.match.game.name):
        assert word in drawn
    assert "var(" not in drawn and "NaN" not in drawn
    assert {*re.findall(r'href="#([^"]+)"', drawn)} <= {*re.findall(r'\bid="([^"]+)"', drawn)}


def test_the_page_says_who_how_it_ended_and_whose_site_it_is(over: Table) -> None:
    page = text(over.charlie.get(f"/m/{over.key}/comic/"))
    told = " ".join(re.sub(r"<[^>]*>", " ", page).split())
    assert "Alice won." in told and "Bob is destroyed!" in told and "testserver" in told
    assert f'<meta property="og:image" content="http://testserver/m/{over.key}/comic.png">' in page
    assert 'name="robots" content="noindex"' in page
    assert over.b.get_absolute_url() in text(over.bob.get(f"/m/{over.key}/comic/"))  # in a player's own film
    for browser, where in ((over.alice, "A/"), (over.charlie, "")):
        ending = text(browser.get(f"/m/{over.key}/{where}"))
        assert f'href="/m/{over.key}/comic/"' in ending[ending.index('id="ending"') :]


def test_there_is_none_before_the_end(table: Table) -> None:
    table.play(SHOTS)
    for at in ("comic/", "comic.png", "comic.gif"):
        assert table.alice.get(f"/m/{table.key}/{at}").status_code == 404
    flow.resign(table.b)
    for at in ("comic/", "comic.png", "comic.gif"):
        assert table.charlie.get(f"/m/{table.key}/{at}").status_code == 200


def test_players_who_are_among_themselves_share_none(over: Table) -> None:
    Match.objects.filter(key=over.key).update(watched=False)
    for at in ("comic/", "comic.png", "comic.gif"):
        assert over.charlie.get(f"/m/{over.key}/{at}").status_code == 403
    page = text(over.alice.get(f"/m/{over.key}/comic/"))
    assert "comic.png" not in page and "Bob is destroyed!" in page


def test_the_strip_is_a_png_of_the_size_that_messengers_show(over: Table) -> None:
    answer = over.charlie.get(f"/m/{over.key}/comic.png")
    assert answer["Content-Type"] == "image/png" and size(answer.content) == (1200, 630)
    assert len(answer.content) < 250_000
    assert "public" in answer["Cache-Control"] and not answer.cookies


def test_the_reel_moves_and_begins_again(over: Table) -> None:
    answer = over.charlie.get(f"/m/{over.key}/comic.gif")
    assert answer["Content-Type"] == "image/gif" and len(answer.content) < 700_000
    moving: Any = Image.open(BytesIO(answer.content))
    assert moving.n_frames == 2 * len(highlights(over.match))
    assert moving.info["loop"] == 0 and moving.size[0] == comic_strip.REEL


def test_a_player_who_was_forgotten_is_in_no_new_picture(over: Table) -> None:
    def strip() -> bytes:
        return bytes(over.charlie.get(f"/m/{over.key}/comic.png").content)

    before = strip()
    tag = people_of(over.match, "x").tag
    assert over.bob.post("/me/forget/", {"sure": "1"}).status_code == 302
    assert people_of(over.match, "x").tag != tag
    assert "Bob" not in str(people_of(over.match, "x").names.values())
    assert strip() != before


def test_a_name_in_other_letters_is_told_by_its_seat(over: Table) -> None:
    Seat.objects.filter(match__key=over.key, letter="B").update(name="Ζωή")
    people = people_of(over.match, "x")
    assert people.names == {"A": "Alice", "B": ""}
    assert "Ζωή" not in svg(comic_strip.strip(over.match, people))


def test_a_name_is_written_in_pictures_and_never_as_markup(over: Table) -> None:
    Seat.objects.filter(match__key=over.key, letter="B").update(name='<svg id="x"> & Co')
    drawn = svg(comic_strip.strip(over.match, people_of(over.match, "x")))
    assert "&lt;svg id=" in drawn and '<svg id="x">' not in drawn and "&amp; Co" in drawn
    shown = over.charlie.get(f"/m/{over.key}/1.2.svg").content.decode()
    assert "&lt;svg id=" in shown and '<svg id="x">' not in shown


def test_a_plate_has_its_sides_colour_in_that_game() -> None:
    card = '<svg><g class="side-b"><rect class="card-plate"/></g></svg>'

    def colour(slug: str) -> str | None:
        page = on_page(slug, "", '<svg class="board" viewBox="0 0 1 1"></svg>')
        drawn = drawing_of(Sketch(page, styles_of(slug), "paper")).read(card)
        return drawn[0][0].get("fill")

    assert colour("robble") == "#27304d" != colour("pigs")


def test_many_and_long_names_stand_in_rows_without_touching() -> None:
    names: Any = dict.fromkeys("ABCDEFGH", "Wilhelmina the Conqueror")
    people = People(names, dict.fromkeys(names, "a"), "", "robosite.example")
    plates = people.plates(x=24, y=0, width=752)
    assert people.rows() == 2 and {plate.y for plate in plates} == {0, 56}
    assert all(len(plate.name) < 12 and plate.name.endswith("…") for plate in plates)


def step(browser: Client, table: Table, at: str) -> str:
    return text(browser.get(f"/m/{table.key}/{at}.svg"))


def test_the_picture_of_a_step_has_names_and_address_and_of_the_last_one_the_result(over: Table) -> None:
    for at in ("1.2", "1.5"):
        shown = step(over.charlie, over, at)
        assert "Alice" in shown and "Bob" in shown and "testserver" in shown and "won" not in shown
    assert "Alice won." in step(over.charlie, over, f"2.{len(film(over.match, 1)) - 1}")


def test_while_a_match_goes_on_no_step_says_a_result(table: Table) -> None:
    table.play(SHOTS)
    assert "won" not in step(table.charlie, table, "1.5")
