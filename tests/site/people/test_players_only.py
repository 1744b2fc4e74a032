"""What is for players only: the box, boards offline, shares of work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.template import engines
from django.test import Client

from games import GAMES, newest
from games.core import Box
from games.pigs import PIGS
from robosite.matches import flow
from robosite.matches.models import Match
from robosite.notices import views as notices
from robosite.people import cost, shares
from robosite.people.models import Guest
from robosite.people.offline import COOKIE, HEADER, NOBODY, tag_of
from robosite.web import bounds, limits
from robosite.web.bounds import Bucket
from tests.site.browsers import FIRST, OTHER, SAME_ORIGIN, Browser, Table, has_word, sit_down, text
from tests.site.conftest import Seconds

ADDRESSES = ("", "?at=1.2", "A/", "B/", "C/", "version/", "record/", "A/qr/invite.svg")


@pytest.fixture
def among_us(table: Table) -> Table:
    """Alice and Bob play, and nobody may watch; a round has been played."""
    Match.objects.filter(key=table.key).update(watched=False)
    table.play((FIRST, OTHER))
    return table


@pytest.mark.parametrize("address", ADDRESSES)
def test_who_holds_no_seat_is_told_so_and_nothing_else(among_us: Table, address: str) -> None:
    answer = among_us.charlie.get(f"/m/{among_us.key}/{address}")
    assert answer.status_code == 403
    shown = text(answer)
    assert "for its players only" in shown
    assert not any(has_word(shown, told) for told in ("Alice", "Bob", "TL TL"))
    assert "Robo Battle Pigs," not in shown


def test_its_players_see_all_of_it_and_so_with_its_rematch(among_us: Table) -> None:
    for browser, letter in ((among_us.alice, "A"), (among_us.bob, "B")):
        for address in ("?public", "version/", "record/", f"{letter}/"):
            assert browser.get(f"/m/{among_us.key}/{address}").status_code == 200, address
    flow.resign(among_us.a)
    among_us.alice.do(among_us.a, "rematch")
    assert not Match.objects.get(rematch_of=among_us.match).watched


def test_programs_need_the_token_of_a_seat(among_us: Table) -> None:
    token = among_us.alice.own_links(among_us.a)["seat"]
    for address in ("", "/record", "/events"):
        path = f"/api/v1/matches/{among_us.key}{address}"
        refused = among_us.alice.get(path)  # a cookie is no token
        assert refused.status_code == 403 and "players only" in refused.json()["detail"]
        answer = among_us.charlie.get(path, headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == 200
        if answer.streaming:
            answer.close()


def test_an_invite_still_opens_for_who_is_to_play(alice: Browser, bob: Browser) -> None:
    match = alice.make(3)
    Match.objects.filter(pk=match.pk).update(watched=False)
    invite = alice.own_links(match.seats.get(letter="A"))["invite"]
    assert bob.get(f"/s/invite/{invite}/").status_code == 200
    bob.join(invite)
    assert bob.get(f"/m/{match.key}/?public").status_code == 200


@pytest.mark.django_db(transaction=True)
async def test_sockets_are_closed_to_others() -> None:
    from robosite.asgi import application

    def prepare() -> Table:
        table = sit_down(Browser("Alice"), Browser("Bob"), Browser("Charlie"))
        Match.objects.filter(key=table.key).update(watched=False)
        table.charlie.make()
        return table

    table = await sync_to_async(prepare)()

    async def opens(browser: Any, path: str) -> bool:
        cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in browser.cookies.items())
        headers = [*SAME_ORIGIN, (b"cookie", cookie.encode())]
        socket = WebsocketCommunicator(application, path, headers=headers)
        accepted, _ = await socket.connect(timeout=60)
        await socket.disconnect(timeout=60)
        return bool(accepted)

    for path in (f"/ws/m/{table.key}/", f"/ws/m/{table.key}/A/"):
        assert await opens(table.alice, path)
        assert not await opens(table.charlie, path)


ABOUT = re.compile(r'<section class="panel about-game".*?</section>', re.DOTALL)


def about(client: Client, slug: str) -> str:
    (section,) = ABOUT.findall(text(client.get(f"/rules/{slug}/")))
    return str(section)


def drawn(box: Box) -> str:
    source = '{% from "components/box.html" import about %}{{ about(game) }}'
    return str(engines["jinja2"].from_string(source).render({"game": replace(PIGS, box=box)}))


@pytest.mark.parametrize("slug", GAMES)
def test_the_rules_end_with_all_that_the_box_says(client: Client, slug: str) -> None:
    game, section = newest(slug), about(client, slug)
    box = game.box
    for said in (game.designer, box.mechanics, *box.notes, *box.credits, box.address):
        assert said in section
    for label, fact in (("Year", box.year), ("Playing time", box.minutes), ("Age", box.age)):
        assert (f"<dt>{label}</dt>" in section) == (fact is not None), "what the text does not state"
    page, link = text(client.get(f"/rules/{slug}/")), box.link
    tags = [tag for tag in re.findall(r"<[^>]+>", page) if link and link.removeprefix("http://") in tag]
    assert tags == ([f'<a href="{link}" rel="noreferrer noopener external">'] if link else [])


def test_the_rules_begin_with_a_line_of_the_box(client: Client) -> None:
    page = re.sub(r"<[^>]+>", " ", text(client.get("/rules/pigs/")))
    assert "2–8 players · 25 min by Randy Cox" in " ".join(page.split())


def test_a_box_with_nothing_but_mechanics_makes_no_empty_lines() -> None:
    section = drawn(Box(mechanics="Three in a row"))
    assert re.findall(r"<dt>(.*?)</dt>", section) == ["Designer", "Players", "Mechanics"]
    assert not re.search(r"<p>|<h3>|<a ", section)


@pytest.fixture
def asked(table: Table) -> str:
    """Alice's tag: her browser has asked for it."""
    tag = tag_of(Guest.objects.get(holds__seat=table.a))
    table.alice.cookies[COOKIE] = tag
    return tag


def test_nobody_who_has_not_asked_is_told_to_keep_anything(table: Table) -> None:
    answer = table.alice.get(table.a.get_absolute_url())
    assert HEADER not in answer and "no-store" in answer["Cache-Control"]


def test_ones_own_seat_may_be_kept_and_nothing_else(table: Table, asked: str) -> None:
    assert table.alice.get(table.a.get_absolute_url())[HEADER] == f"{asked} keep"
    public = table.match.get_absolute_url()
    for path in ("/me/", "/mine/", public, f"{table.a.get_absolute_url()}notes/", "/me/forget/"):
        assert table.alice.get(path)[HEADER] == asked
    assert table.alice.get(table.b.get_absolute_url())[HEADER] == asked  # 403


def test_the_wish_of_one_guest_is_not_the_next_ones(table: Table, asked: str) -> None:
    table.bob.cookies[COOKIE] = asked
    assert table.bob.get(table.b.get_absolute_url())[HEADER] == NOBODY
    table.alice.post("/me/leave/")
    assert table.alice.cookies[COOKIE].value == ""
    table.alice.cookies[COOKIE] = asked
    assert table.alice.get("/")[HEADER] == NOBODY


def test_a_match_that_several_play_at_a_browser_is_never_kept() -> None:
    device = Browser("Alice")
    made = device.post("/matches/", {"game": "pigs", "name": "Alice", "with": "here", "here": "Bob"})
    match = "/".join(made["Location"].split("/")[:3])
    device.cookies[COOKIE] = tag = tag_of(Guest.objects.get(name="Alice"))
    for path in (f"{match}/", f"{match}/A/", f"{match}/B/", f"{match}/A/notes/"):
        assert device.get(path)[HEADER] == f"{tag} never"


def test_the_page_without_a_network_is_nobodys(table: Table, asked: str) -> None:
    page = text(table.alice.get("/offline/"))
    assert "Alice" not in page and "csrfmiddlewaretoken" not in page and table.match.key not in page


def test_the_worker_is_asked_for_again_and_changes_with_every_deploy(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = client.get("/sw.js?keep")
    assert answer["Cache-Control"] == "no-cache" and answer["Content-Type"].startswith("text/javascript")
    before = notices._version()
    assert f'VERSION = "{before}"' in answer.content.decode()
    other = SimpleNamespace(hashed_files={"js/film.js": "js/film.another.js"})
    monkeypatch.setattr(notices, "staticfiles_storage", other)
    notices._version.cache_clear()
    try:
        assert notices._version() != before
    finally:
        notices._version.cache_clear()


@pytest.fixture
def narrow(limited: Any, seconds: Seconds) -> Iterator[Seconds]:
    """The limits as they are where the site is served, but narrow ones on mails and guesses."""
    cost.reset()
    limited.BUCKETS |= {row: Bucket(6, 0.2) for row in ("mail", "phrase")}
    yield seconds
    cost.reset()


def guest(name: str, *, plays: bool) -> Browser:
    browser = Browser(name)
    match = browser.make_by_page()
    if plays:
        flow.seal(match.seats.get(letter="A"), 0, FIRST)
        shares.reset()  # half a minute later
    return browser


def asks_for_a_mail(browser: Browser, to: str) -> int:
    status: int = browser.post("/me/mail/", {"email": to}).status_code
    return status


def test_a_club_on_one_wi_fi_gets_its_mails(narrow: Seconds) -> None:
    club = [guest(f"Ann {n}", plays=True) for n in range(20)]
    assert [asks_for_a_mail(one, f"g{n}@example.org") for n, one in enumerate(club)] == [302] * 20


def test_whoever_has_not_played_is_one_with_all_others_there(narrow: Seconds) -> None:
    new = [guest(f"Ann {n}", plays=False) for n in range(7)]
    asked = [asks_for_a_mail(one, f"g{n}@example.org") for n, one in enumerate(new)]
    assert asked == [302] * 6 + [429]
    assert asks_for_a_mail(guest("Dora", plays=True), "player@example.org") == 302


def test_a_player_has_no_more_than_an_address_and_guesses_are_limited_for_players_too(
    narrow: Seconds,
) -> None:
    one, other = guest("Otto", plays=True), guest("Olga", plays=True)
    assert [asks_for_a_mail(one, f"a{n}@example.org") for n in range(7)] == [302] * 6 + [429]
    assert asks_for_a_mail(other, "b@example.org") == 302
    wrong = {"phrase": "acorn banjo cabin delta eagle fabric"}
    tried = [who.post("/back/phrase/", wrong).status_code for who in (one, other) * 4]
    assert tried == [422] * 6 + [429] * 2


def test_all_players_of_an_address_have_a_bound_together(narrow: Seconds, settings: Any) -> None:
    settings.BUCKETS = {**settings.BUCKETS, "mail": Bucket(1, 0.1)}
    club = [guest(f"Ann {n}", plays=True) for n in range(bounds.PLAYERS + 1)]
    asked = [asks_for_a_mail(one, f"g{n}@example.org") for n, one in enumerate(club)]
    assert asked == [302] * bounds.PLAYERS + [429]


def test_playing_counts_soon_after_the_first_order(narrow: Seconds) -> None:
    new = guest("Nell", plays=False)
    assert asks_for_a_mail(new, "new@example.org") == 302
    for n in range(5):
        asks_for_a_mail(guest(f"Ann {n}", plays=False), f"g{n}@example.org")
    assert asks_for_a_mail(new, "newer@example.org") == 429
    flow.seal(Guest.objects.get(name="Nell").holds.get().seat, 0, FIRST)
    narrow.at += 31
    assert asks_for_a_mail(new, "newer@example.org") == 302


@pytest.mark.parametrize("row", ["cost", "post"])
def test_an_address_that_has_used_its_share_does_not_stop_its_players(narrow: Seconds, row: str) -> None:
    player, new = guest("Dora", plays=True), guest("Nell", plays=False)
    for browser in (player, new):
        browser.get("/mine/")
    narrow.at += 31
    player.get("/mine/")
    if row == "cost":
        cost.charge("cost", "127.0.0.1", 31)
    else:
        while not limits.wait("post", "127.0.0.1"):
            pass
    assert player.post("/me/name/", {"name": "Ada"}).status_code == 302
    assert new.post("/me/name/", {"name": "Bea"}).status_code == 429


def test_players_use_up_what_an_address_may_have_at_most_threefold(narrow: Seconds) -> None:
    player = guest("Dora", plays=True)
    player.get("/mine/")
    cost.charge("cost/players", "127.0.0.1", 3 * bounds.BUCKETS["cost"].capacity + 1)
    assert player.get("/mine/").status_code == 429 and Browser("Nell").get("/").status_code == 200
