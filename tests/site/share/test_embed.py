"""What is embedded elsewhere: frames, messages, well-formed pictures, and the strip of a finished match."""

from __future__ import annotations

import json
import re
from io import BytesIO
from random import Random
from typing import Any
from xml.etree import ElementTree

import pytest
from django.utils import translation
from PIL import Image

from games import GAMES, newest
from games.core import Event, play_turn
from robosite.matches import flow
from robosite.matches.history import film
from robosite.matches.models import Match, Seat
from robosite.people import offline
from robosite.play import highlights as chosen
from robosite.play.drawings import is_drawn
from robosite.play.film import Step
from robosite.play.highlights import Highlight, best, highlights
from robosite.share.comic import names_in
from robosite.share.pictures import boards, comic_strip, drawn_files
from robosite.share.pictures.boards import styles_of
from robosite.share.pictures.captions import People, people_of
from robosite.share.pictures.sketch import Sketch, drawing_of, on_page, svg
from robosite.share.pictures.styles import THEMES
from robosite.share.pictures.svg import bare, write
from robosite.share.template_functions import invitation, match_summary
from robosite.web.caches import made_once
from robosite.web.written_names import without_isolates
from tests.site.browsers import MORE_SHOTS, SHOTS, Browser, Table, guest, sit_down, text
from tests.site.routes import asks, some
from tests.site.share.test_pictures import ONLY_BROWSERS, references, size
from tests.site.world import undone, world


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
    wishes = {"Accept-Language": "de", "Cookie": "django_language=es"}
    for path in (f"/m/{over}/embed/", f"/oembed?url=http://testserver/m/{over}/"):
        shown = table.alice.get(path)
        assert "public" in shown["Cache-Control"] and "max-age=300" in shown["Cache-Control"]
        assert "Accept-Language" in shown["Vary"] and "Cookie" not in shown["Vary"] and not shown.cookies
        assert table.charlie.get(path, headers=wishes)["Content-Language"] == "de"


def test_oembed_gives_a_frame_of_the_size_that_is_asked_for_as_json_alone(over: str, table: Table) -> None:
    answer = oembed(table.charlie, f"http://testserver/m/{over}/comic/", maxwidth="300")
    told = json.loads(answer.content)
    assert (told["version"], told["type"], told["width"], told["height"]) == ("1.0", "rich", 300, 640)
    assert f'src="http://testserver/m/{over}/embed/" width="300"' in told["html"]
    assert answer["Access-Control-Allow-Origin"] == "*" and not answer.cookies
    found = table.charlie.get(f"/m/{over}/comic/").content.decode()
    assert f'href="/oembed?url=http%3A//testserver/m/{over}/"' in found
    elsewhere = f"http://elsewhere.example/m/{over}/"
    for url in ("", "http://testserver/", elsewhere, f"http://testserver/m/{over}x/"):
        assert oembed(table.charlie, url).status_code == 404, url
    assert oembed(table.charlie, f"http://testserver/m/{over}/", format="xml").status_code == 501


def test_a_name_cannot_leave_its_place_and_only_finished_matches_that_all_may_watch_are_shown(
    over: str, table: Table
) -> None:
    Match.objects.get(key=over).seats.filter(letter="A").update(name='"><script>alert(1)</script>')
    assert "<script" not in table.charlie.get(f"/m/{over}/embed/").content.decode()
    assert "<script" not in json.loads(oembed(table.charlie, f"http://testserver/m/{over}/").content)["html"]
    running = table.alice.make()
    assert table.alice.get(f"/m/{running.key}/embed/").status_code == 404
    Match.objects.filter(key=over).update(watched=False)
    for browser in (table.alice, table.charlie):
        assert browser.get(f"/m/{over}/embed/").status_code == 404
        assert oembed(browser, f"http://testserver/m/{over}/").status_code == 404


@pytest.mark.integration
@pytest.mark.fuzz
def test_what_is_public_is_the_same_for_every_reader() -> None:
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
def test_an_invitation_says_who_what_and_how_fast_or_at_what_hour(hours: float | None, says: str) -> None:
    assert invitation(Match(game_slug="pigs", rules=1, deadline_hours=hours), "Ada") == says
    hour = {"time": "20:00", "zone": "Europe/Madrid", "days": [0, 1, 2, 3, 4, 5, 6]}
    with translation.override("de"):
        assert invitation(Match(game_slug="pigs", rules=1, reveal_at=hour), "Ada") == (
            "Ada lädt dich zu Robo Battle Pigs ein, jeden Tag um 20:00 Uhr (Europe/Madrid):"
        )


def summary(table: Table) -> str:
    return without_isolates(match_summary(table.match, names_in(table.match.seats.all())))


def test_a_match_that_was_resigned_or_drawn_counts_its_one_point(table: Table, robble: Table) -> None:
    flow.resign(table.a)
    assert summary(table) == "Robo Battle Pigs · Alice 0–1 Bob"
    flow.offer_draw(robble.a, offer=True)
    flow.offer_draw(robble.b, offer=True)
    assert summary(robble) == "Robble · Alice ½–½ Bob"


def test_a_line_says_who_won_and_how_wild_each_round_was_and_is_offered_at_the_end(table: Table) -> None:
    table.play(SHOTS, MORE_SHOTS)
    line = summary(table)
    assert line.startswith("Robo Battle Pigs · Alice 5–0 Bob · 2 rounds played ")
    assert len(line.split()[-1]) == 2 and set(line.split()[-1]) <= set("▁▂▃▄▅▆▇") and "▇" in line
    page = text(table.alice.get(f"/m/{table.key}/A/"))
    assert "Alice 5–0 Bob · 2 rounds played" in page
    assert f"http://testserver/m/{table.key}/</textarea>" in page
    Match.objects.filter(pk=table.match.pk).update(watched=False)  # players among themselves
    assert "</textarea>" not in text(table.alice.get(f"/m/{table.key}/A/")).partition('class="share"')[2]


DRAWN = [slug for slug in GAMES if is_drawn(slug)]
TURNS = 25


@pytest.mark.parametrize("slug", DRAWN)
def test_every_step_of_every_phase_can_become_a_picture_in_every_theme(slug: str) -> None:
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
            steps = [Step(n, not n, view.drawing(), [], []) for n, view in enumerate(views)]
            ElementTree.fromstring(boards.sketch_of(slug, steps, "paper").page)
        for theme in THEMES:
            drawing = drawing_of(boards.sketch_of(slug, steps, theme))
            drawn = write(bare(drawing.finish(drawing.take())))
            assert not [word for word in ONLY_BROWSERS if word in drawn]
            assert references(drawn) <= set(re.findall(r'\bid="([^"]+)"', drawn))


@pytest.fixture(autouse=True)
def none_kept() -> None:
    drawn_files.clear()


@pytest.fixture
def beaten(table: Table) -> Table:
    """Alice has hit Bob until he was destroyed."""
    table.play(SHOTS, MORE_SHOTS)
    assert table.match.status == "over"
    return table


def events(match: Match, one: Highlight) -> list[Event]:
    return film(match, one.turn)[one.step].events


def test_the_blow_that_ends_it_is_the_best_of_all_and_only_so_many_turns_are_searched(
    beaten: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = highlights(beaten.match)
    assert list(found) == sorted(found) and 3 <= len(found) <= chosen.PANELS
    assert best(beaten.match) == found[-1]
    assert "destroyed" in [event["kind"] for event in events(beaten.match, found[-1])]
    assert {one.turn for one in found} == {0, 1}  # each turn has its best step, then the next best ones
    monkeypatch.setattr(chosen, "SEARCHED", 1)
    made_once.clear()
    assert {one.turn for one in highlights(beaten.match)} == {1}
    made_once.clear()


def test_a_match_that_nobody_fought_has_its_end(table: Table) -> None:
    flow.resign(table.b)
    (only,) = highlights(table.match)
    assert (only.turn, only.step) == (0, 1)
    assert "Bob resigns." in text(table.charlie.get(f"/m/{table.key}/comic/"))


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


def test_the_page_says_who_how_it_ended_and_whose_site_it_is(beaten: Table) -> None:
    page = text(beaten.charlie.get(f"/m/{beaten.key}/comic/"))
    told = " ".join(re.sub(r"<[^>]*>", " ", page).split())
    assert "Alice won." in told and "Bob is destroyed!" in told and "testserver" in told
    assert f'<meta property="og:image" content="http://testserver/m/{beaten.key}/comic.png">' in page
    assert 'name="robots" content="noindex"' in page
    assert beaten.b.get_absolute_url() in text(
        beaten.bob.get(f"/m/{beaten.key}/comic/")
    )  # in a player's own film
    for browser, where in ((beaten.alice, "A/"), (beaten.charlie, "")):
        ending = text(browser.get(f"/m/{beaten.key}/{where}"))
        assert f'href="/m/{beaten.key}/comic/"' in ending[ending.index('id="ending"') :]


def test_there_is_none_before_the_end(table: Table) -> None:
    table.play(SHOTS)
    every = "comic/", "comic.png", "comic.gif"
    assert {table.alice.get(f"/m/{table.key}/{at}").status_code for at in every} == {404}
    flow.resign(table.b)
    assert table.charlie.get(f"/m/{table.key}/comic/").status_code == 200


def test_players_who_are_among_themselves_share_none(beaten: Table) -> None:
    Match.objects.filter(key=beaten.key).update(watched=False)
    for at in ("comic/", "comic.png", "comic.gif"):
        assert beaten.charlie.get(f"/m/{beaten.key}/{at}").status_code == 403
    page = text(beaten.alice.get(f"/m/{beaten.key}/comic/"))
    assert "comic.png" not in page and "Bob is destroyed!" in page


def test_the_strip_is_a_png_of_the_size_that_messengers_show_and_the_reel_moves(beaten: Table) -> None:
    answer = beaten.charlie.get(f"/m/{beaten.key}/comic.png")
    assert answer["Content-Type"] == "image/png" and size(answer.content) == (1200, 630)
    assert len(answer.content) < 250_000
    assert "public" in answer["Cache-Control"] and not answer.cookies
    answer = beaten.charlie.get(f"/m/{beaten.key}/comic.gif")
    assert answer["Content-Type"] == "image/gif" and len(answer.content) < 700_000
    moving: Any = Image.open(BytesIO(answer.content))
    assert moving.n_frames == 2 * len(highlights(beaten.match))
    assert moving.info["loop"] == 0 and moving.size[0] == comic_strip.REEL


def test_a_player_who_was_forgotten_is_in_no_new_picture(beaten: Table) -> None:
    def strip() -> bytes:
        return bytes(beaten.charlie.get(f"/m/{beaten.key}/comic.png").content)

    before = strip()
    tag = people_of(beaten.match, "x").tag
    assert beaten.bob.post("/me/forget/", {"sure": "1"}).status_code == 302
    assert people_of(beaten.match, "x").tag != tag
    assert "Bob" not in str(people_of(beaten.match, "x").names.values())
    assert strip() != before


def test_a_name_is_written_in_pictures_and_never_as_markup_or_told_by_its_seat(beaten: Table) -> None:
    Seat.objects.filter(match__key=beaten.key, letter="B").update(name='<svg id="x"> & Co')
    drawn = svg(comic_strip.strip(beaten.match, people_of(beaten.match, "x")))
    assert "&lt;svg id=" in drawn and '<svg id="x">' not in drawn and "&amp; Co" in drawn
    shown = beaten.charlie.get(f"/m/{beaten.key}/1.2.svg").content.decode()
    assert "&lt;svg id=" in shown and '<svg id="x">' not in shown
    Seat.objects.filter(match__key=beaten.key, letter="B").update(name="Ζωή")  # letters of another script
    people = people_of(beaten.match, "x")
    assert people.names == {"A": "Alice", "B": ""}
    assert "Ζωή" not in svg(comic_strip.strip(beaten.match, people))


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


def test_the_picture_of_a_step_has_names_and_address_and_of_the_last_one_the_result(table: Table) -> None:
    def step(at: str) -> str:
        return text(table.charlie.get(f"/m/{table.key}/{at}.svg"))

    table.play(SHOTS)
    assert "won" not in step("1.5")
    table.play(MORE_SHOTS)
    for at in ("1.2", "1.5"):
        shown = step(at)
        assert "Alice" in shown and "Bob" in shown and "testserver" in shown and "won" not in shown
    assert "Alice won." in step(f"2.{len(film(table.match, 1)) - 1}")
