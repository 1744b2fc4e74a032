"""Pictures to share stand alone, show what a spectator may see, and nothing before its time."""

from __future__ import annotations

import json
import re
from operator import itemgetter
from pathlib import Path
from runpy import run_path
from typing import Any
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
from django.conf import settings
from django.test import Client
from PIL import Image, ImageChops

from games import GAMES, newest
from games.core import Seat, play_turn
from robosite.matches import flow
from robosite.matches.models import Match
from robosite.play import film
from robosite.play.drawings import is_drawn
from robosite.share.pictures import animation, boards, cards, drawn_files
from robosite.share.pictures.sketch import WIDTH, drawing_of, svg
from robosite.share.pictures.styles import THEMES, StyleSheet
from robosite.share.pictures.svg import Drawing
from tests.site.browsers import SHOTS, Browser, Table, text

ICONS, IMAGES, draw = itemgetter("ICONS", "IMAGES", "draw")(run_path(str(settings.BASE_DIR / ".ci/icons.py")))
DRAWN = [slug for slug in GAMES if is_drawn(slug)]
SVG = "{http://www.w3.org/2000/svg}"
ONLY_BROWSERS = ("var(", "light-dark(", "calc(", " class=", " style=", "NaN", "<script")


@pytest.fixture(autouse=True)
def none_kept() -> None:
    drawn_files.clear()


def picture(browser: Client, table: Table, at: str) -> Any:
    return browser.get(f"/m/{table.key}/{at}")


def size(png: bytes) -> tuple[int, int]:
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    return int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")


def references(svg: str) -> set[str]:
    return set(re.findall(r'href="#([^"]+)"', svg)) | set(re.findall(r"url\(#([^)]+)\)", svg))


def test_a_step_is_an_svg_that_stands_alone_or_a_png_in_each_theme(table: Table) -> None:
    table.play(SHOTS)
    answer = picture(table.charlie, table, "1.2.svg")
    assert answer.status_code == 200 and answer["Content-Type"] == "image/svg+xml"
    drawn = answer.content.decode()
    assert not [word for word in ONLY_BROWSERS if word in drawn]
    assert references(drawn) <= set(re.findall(r'\bid="([^"]+)"', drawn))
    assert "http" not in drawn.replace("http://www.w3.org/2000/svg", "")
    assert len(drawn) < 40_000
    steps = [f"1.{step}.svg?theme={theme}" for step in range(6) for theme in THEMES]
    assert len({picture(table.charlie, table, at).content for at in steps}) == 12
    assert picture(table.charlie, table, "1.2.svg?theme=neon").status_code == 404
    answer = picture(table.charlie, table, "1.5.png")
    assert answer["Content-Type"] == "image/png" and len(answer.content) < 120_000
    assert size(answer.content)[0] == WIDTH


@pytest.mark.parametrize(
    "at", ["2.0.svg", "2.0.png", "2.1.svg", "2.svg", "0.0.svg", "0.svg", "1.6.svg", "1.0.gif"]
)
def test_there_is_no_picture_of_what_has_not_been_played(table: Table, at: str) -> None:
    table.play(SHOTS)
    flow.seal(table.b, 1, "X X X X TL")
    assert picture(table.bob, table, at).status_code == 404


def test_it_is_drawn_once_and_browsers_and_proxies_may_keep_it_and_ask_whether_it_is_the_same(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.play(SHOTS)
    answer = picture(table.charlie, table, "1.2.png")
    assert "public" in answer["Cache-Control"] and "max-age=300" in answer["Cache-Control"]
    assert "Cookie" not in answer.get("Vary", "") and not answer.cookies
    again = table.charlie.get(f"/m/{table.key}/1.2.png", headers={"If-None-Match": answer["ETag"]})
    assert again.status_code == 304 and not again.content
    monkeypatch.setattr("robosite.share.pictures.views.drawn", lambda *given: b"drawn again")
    assert picture(table.alice, table, "1.2.png").content == answer.content
    flow.resign(table.b)  # no turn can be taken back any more
    assert "max-age=86400" in picture(table.charlie, table, "1.2.png")["Cache-Control"]


def test_a_folder_that_cannot_be_written_hinders_nobody(
    table: Table, settings: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    table.play(SHOTS)
    (tmp_path / "pictures").write_text("no folder")
    settings.DATA_DIR = tmp_path
    assert picture(table.charlie, table, "1.2.svg").status_code == 200
    assert "cannot be kept" in caplog.text


@pytest.mark.parametrize("at", ["1.2.svg", "1.2.png", "1.svg", "card.png"])
def test_who_asks_for_the_headers_alone_lets_nothing_be_drawn(
    table: Table, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    table.play(SHOTS)

    def draws(*given: Any) -> None:
        raise AssertionError("it was drawn")

    with monkeypatch.context() as patched:
        for name in ("robosite.share.pictures.views.drawn", "robosite.share.pictures.views.draw_in_process"):
            patched.setattr(name, draws)
        patched.setattr(Drawing, "__init__", draws)
        head: Any = table.charlie.head(f"/m/{table.key}/{at}")
        assert head.status_code == 200 and not b"".join(head.streaming_content)
        assert table.charlie.head(f"/m/{table.key}/1.9.svg").status_code == 404
    answer = picture(table.charlie, table, at)
    names = ("Content-Type", "Cache-Control", "ETag")
    assert [head[name] for name in names] == [answer[name] for name in names]
    assert table.charlie.head(f"/m/{table.key}/{at}")["Content-Length"] == str(len(answer.content))
    known = {"If-None-Match": answer["ETag"]}
    assert table.charlie.head(f"/m/{table.key}/{at}", headers=known).status_code == 304


def test_a_turn_moves_and_has_no_name_on_it(table: Table) -> None:
    """It may stand beside any text; who played says the picture of a step."""
    table.play(SHOTS)
    answer = picture(table.charlie, table, "1.svg")
    assert b"Alice" not in answer.content
    root = ElementTree.fromstring(answer.content)
    shown = [one for one in root.iter(f"{SVG}animate") if one.get("attributeName") == "display"]
    assert len(shown) == 6  # the position before, and five steps
    walks = [one for one in root.iter(f"{SVG}animateTransform") if one.get("type") == "translate"]
    assert walks, "a pig walked"
    for one in root.iter():
        if one.get("keyTimes"):
            times = [float(time) for time in one.get("keyTimes", "").split(";")]
            assert times == sorted(times) and times[0] == 0 and times[-1] <= 1
            assert len(times) == len(one.get("values", "").split(";"))
            assert one.get("calcMode") == "discrete" or times[-1] == 1
    assert len(answer.content) < 60_000


def walks_of(slug: str, position: str, orders: dict[Seat, str], viewer: Seat | None) -> list[Any]:
    """The walks of a turn's moving picture, by the places that each goes through."""
    game = newest(slug)
    state = game.state.read(position, game.read_options({}), 2)
    steps = [
        film.Step(n, n == 1, one.view(viewer).drawing(), [], [])
        for n, one in enumerate([state, *play_turn(state, orders)])
    ]
    drawing = drawing_of(boards.sketch_of(slug, steps, "paper"))
    moved = animation.move(drawing.finish(drawing.take()))
    return [one for one in moved.iter("animateTransform") if one.get("type") == "translate"]


def test_a_stone_that_is_pushed_walks_from_where_it_was() -> None:
    walks = walks_of("robble", "7/7/7/3w3/7/2b4/7 b", {Seat("A"): "c4"}, None)
    d4 = "3.5 3.5"
    assert d4 in {one.get("values", "").split(";")[0] for one in walks}


def test_a_robot_walks_by_the_corners_of_its_way_at_one_speed() -> None:
    first, *_ = newest("roboxing").lesson.exercises
    walks = walks_of("roboxing", first.position, {Seat("A"): "a1+h3", Seat("B"): "-"}, Seat("A"))
    (ways,) = [one for one in walks if one.get("values", "").startswith("2.5 3.5;2.5 3.5;")]
    assert ways.get("values") == "2.5 3.5;2.5 3.5;2.5 2.5;5.5 2.5;5.5 2.5"  # from c5 by c6 to f6
    _start, begins, corner, arrives, _end = (float(time) for time in ways.get("keyTimes", "").split(";"))
    assert corner - begins == pytest.approx((arrives - begins) / 4, rel=0.01)


def test_a_match_for_its_players_only_has_no_pictures(table: Table) -> None:
    table.play(SHOTS)
    Match.objects.filter(key=table.key).update(watched=False)
    for browser in (table.charlie, table.alice):
        for at in ("1.2.svg", "1.2.png", "1.svg"):
            assert picture(browser, table, at).status_code == 403
    card = picture(table.charlie, table, "card.png")
    assert card.content == table.charlie.get("/rules/pigs/card.png").content
    assert "Share this picture" not in text(table.alice.get(f"/m/{table.key}/A/"))


def test_what_a_game_conceals_is_in_no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is drawn has come through the eyes of a spectator."""
    seen = []
    kind = newest("roboxing").state
    view = kind.view

    def watched(state: Any, seat: Seat | None) -> Any:
        seen.append(seat)
        return view(state, seat)

    monkeypatch.setattr(kind, "view", watched)
    match, _, _ = flow.create(newest("roboxing"), newest("roboxing").read_options({}), 2, "Alice")
    boards.present(match)
    assert seen == [None]


def preview(answer: Any) -> dict[str, str]:
    return dict(
        re.findall(r'<meta (?:property|name)="((?:og|twitter):[\w:]+)" content="([^"]*)">', text(answer))
    )


def test_an_invite_says_who_invites_to_what_and_no_secret(table: Table, alice: Browser) -> None:
    match = alice.make()
    invite = alice.own_links(match.seats.get(letter="A"))["invite"]
    stranger = Client()
    answer = stranger.get(f"/s/invite/{invite}/", headers={"User-Agent": "facebookexternalhit/1.1"})
    told = preview(answer)
    assert told["og:title"] == "Alice invites you to Robo Battle Pigs"
    assert told["twitter:card"] == "summary_large_image"
    assert not [fact for fact in told.values() if invite in fact]
    path = urlsplit(told["og:image"]).path
    assert told["og:image"].startswith("http://testserver/") and path == f"/m/{match.key}/card.png"
    assert size(stranger.get(path).content) == (1200, 630)
    Match.objects.filter(pk=match.pk).update(watched=False)
    assert urlsplit(preview(stranger.get(f"/s/invite/{invite}/"))["og:image"]).path == "/rules/pigs/card.png"
    match.refresh_from_db()
    assert match.opened_at is None, "a preview is nobody who looks at the invite"


def test_a_match_tells_who_plays_and_its_card_changes_with_the_turn(table: Table) -> None:
    before = preview(table.charlie.get(f"/m/{table.key}/"))
    assert before["og:title"] == "Robo Battle Pigs: Alice and Bob"
    table.play(SHOTS)
    after = preview(table.charlie.get(f"/m/{table.key}/"))
    assert before["og:image"] != after["og:image"]
    card = table.charlie.get(urlsplit(after["og:image"]).path)
    assert size(card.content) == (1200, 630) and len(card.content) < 300_000
    assert "max-age=300" in card["Cache-Control"]


def test_a_name_that_the_typefaces_cannot_write_is_left_to_its_letter(table: Table) -> None:
    table.match.seats.filter(letter="B").update(name="Боб")
    drawn = svg(cards.of_match(table.match))
    assert "Alice" in drawn and "Боб" not in drawn


@pytest.mark.parametrize("slug", DRAWN)
def test_every_drawn_game_has_a_card(slug: str) -> None:
    assert f">{newest(slug).name}<" in svg(cards.of_game(newest(slug)))


def test_on_the_home_screen_it_is_an_app_of_its_own_with_icons(client: Client) -> None:
    """iPhones open a tab, in which no push can be had, for anything less than `standalone`."""
    answer = client.get("/manifest.webmanifest", headers={"Accept-Language": "de"})
    assert answer["Content-Type"] == "application/manifest+json"
    told = json.loads(answer.content)
    assert {icon["sizes"] for icon in told["icons"]} >= {"192x192", "512x512"}
    assert "maskable" in {icon.get("purpose") for icon in told["icons"]}
    for icon in told["icons"]:
        found = client.get(icon["src"])
        found.close()
        assert found.status_code == 200, icon
    assert told["display"] == "standalone" and "display_override" not in told
    assert (told["id"], told["start_url"], told["scope"], told["lang"]) == ("/", "/mine/", "/", "de")


def test_every_page_has_the_sites_card_and_icon(client: Client) -> None:
    home = client.get("/")
    assert re.search(r'<link rel="apple-touch-icon" href="[^"]*icon-180[^"]*\.png">', home.content.decode())
    assert size(client.get(urlsplit(preview(home)["og:image"]).path).content) == (1200, 630)


def test_no_icon_is_cut_off() -> None:
    """The pig is whole; where a phone cuts a shape out it is inside the circle that always stays."""
    for name, (pixels, _filled, paper) in ICONS.items():
        icon = Image.open(IMAGES / name).convert("RGBA")
        assert icon.size == (pixels, pixels)
        alpha = icon.getchannel("A")
        assert (alpha.getextrema() == (255, 255)) is bool(paper), name
        back = Image.new("RGBA", icon.size, icon.getpixel((0, 0)))
        opaque = alpha.point(lambda value: 255 * (value > 127))
        drawn = ImageChops.difference(icon, back).convert("RGB").getbbox() if paper else opaque.getbbox()
        assert drawn and 0 < drawn[0] < drawn[2] < pixels and 0 < drawn[1] < drawn[3] < pixels, (name, drawn)
        if "maskable" in name:
            far = max(abs(edge - pixels / 2) for edge in drawn)
            assert far < 0.4 * pixels and far > 0.25 * pixels


@pytest.mark.parametrize("name", ICONS)
def test_the_icons_are_drawn_from_the_favicon(name: str) -> None:
    assert (IMAGES / name).read_bytes() == draw(*ICONS[name]), "run .ci/icons.py"


def test_rules_are_read_as_browsers_read_them() -> None:
    sheet = StyleSheet(
        [
            ":root { --ink: light-dark(#111, #eee); --line: var(--ink); }"
            ".a { fill: var(--line); & .b, .c { fill: var(--none, #123456); } .d & { stroke: red } }"
            "@media print { .a { fill: none } }"
        ],
        "blueprint",
    )
    assert sheet.env().items() >= {"--ink": "#eee", "--line": "#eee"}.items()
    found = wrapped(sheet, '<svg class="d"><g class="a"><path class="c"/></g></svg>')
    assert found == {"a": {"fill": "#eee", "stroke": "red"}, "c": {"fill": "#123456"}}


def wrapped(sheet: StyleSheet, text: str) -> dict[str, dict[str, str]]:
    import cssselect2

    root = cssselect2.ElementWrapper.from_html_root(ElementTree.fromstring(text))
    return {
        one.etree_element.get("class", ""): {
            name: sheet.value(value, sheet.env()) for name, value in sheet.of(one).items()
        }
        for one in root.iter_subtree()
        if one.etree_element.get("class") in ("a", "c")
    }
