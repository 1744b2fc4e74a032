"""Secret links: opening one changes nothing, an old one is like a wrong one, and no log holds any."""

from __future__ import annotations

import json
import logging
import os
import re
import socket
import sys
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from django.core import serializers
from django.test import Client
from hypothesis import given
from hypothesis import strategies as st

from robosite.matches.models import Hold, Match, Program, Seat
from robosite.people.models import Guest
from robosite.web.link_secrets import hash_secret, new_secret
from robosite.web.logs import NoSecrets, without_secrets
from tests.servers import Server, run
from tests.site.browsers import Browser, Table, text

WRONG = "A" * 32


def raw(server: Server, first: str) -> str:
    """The first bytes of a real server's answer to a request that no library would send."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as line:
        line.sendall(f"{first}\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        return line.recv(4096).decode("latin-1").partition("\r\n")[0]


def facts() -> str:
    """Everything that the site knows about matches and people."""
    return "".join(
        serializers.serialize("json", model.objects.order_by("pk"))
        for model in (Match, Seat, Hold, Program, Guest)
    )


def test_secrets_have_at_least_128_bits_and_only_their_hash_is_stored(alice: Browser) -> None:
    assert len({new_secret() for _ in range(100)}) == 100
    assert all(len(new_secret()) * 6 >= 128 for _ in range(10))
    match = alice.make_by_page()
    links = alice.links(match.seats.get(letter="A"))
    stored = facts()
    assert all(secret not in stored and hash_secret(secret) in stored for secret in links.values())
    assert match.key not in links.values()


@pytest.mark.parametrize("kind", ["invite", "seat"])
@pytest.mark.parametrize("method", ["get", "head"])
@pytest.mark.parametrize("full", [False, True])
def test_opening_a_link_changes_nothing(
    alice: Browser, bob: Browser, charlie: Browser, kind: str, method: str, full: bool
) -> None:
    match = alice.make_by_page()
    links = alice.links(match.seats.get(letter="A"))
    if full:
        bob.accept(links["invite"])
    before = facts()
    for browser in (alice, bob, charlie, Client(headers={"User-Agent": "WhatsApp/2.0 preview"})):
        answer = getattr(browser, method)(f"/s/{kind}/{links[kind]}/")
        assert answer.status_code == 200
        assert answer["Cache-Control"] == "no-store, private"
    assert facts() == before
    assert not charlie.session.get("guest")


def test_that_somebody_opened_the_invite_is_told_until_somebody_sits_down(
    alice: Browser, bob: Browser
) -> None:
    match = alice.make(3)
    seat = match.seats.get(letter="A")
    invite = alice.own_links(seat)["invite"]
    bob.post(f"/s/invite/{invite}/opened/")
    assert "Someone has opened your link." in text(alice.get(seat.get_absolute_url()))
    bob.accept(invite)
    assert "opened your link" not in text(alice.get(seat.get_absolute_url()))


def test_a_seat_link_seats_another_browser_of_the_same_player(table: Table) -> None:
    link = table.alice.links(table.a)["seat"]
    phone = Browser("Alice’s phone")
    old = phone.session.session_key
    answer = phone.post(f"/s/seat/{link}/take/")
    assert (answer.status_code, answer["Location"]) == (302, f"/m/{table.key}/A/")
    assert link not in answer["Location"]
    assert phone.session.session_key != old
    assert phone.get(table.a.get_absolute_url()).status_code == 200
    assert table.alice.get(table.a.get_absolute_url()).status_code == 200
    table.alice.cookies["links"] = json.dumps({f"seat/{table.key}/A": WRONG})
    assert table.alice.links(table.a) == {}, "a browser's own links are signed"


def test_sitting_down_gives_the_browser_a_new_session_key(alice: Browser, bob: Browser) -> None:
    second = alice.make_by_page()
    invite = alice.links(second.seats.get(letter="A"))["invite"]
    bob.make_by_page()
    before = bob.session.session_key
    bob_invite = bob.accept(invite)
    assert bob_invite.status_code == 302 and bob.session.session_key != before


def test_old_and_wrong_links_look_the_same(table: Table, alice: Browser) -> None:
    """Replaced, of a match called off, never there: one page, 404."""
    open_match = alice.make_by_page()
    seat = open_match.seats.get(letter="A")
    replaced = alice.links(seat)
    alice.do(seat, "invite")
    alice.do(seat, "link")
    assert alice.links(seat).keys() == replaced.keys()
    called_off = alice.links(seat)["invite"]
    alice.do(seat, "leave", all="1")

    left = alice.make_by_page(3)
    left_seat = left.seats.get(letter="A")
    table.charlie.accept(alice.links(left_seat)["invite"])
    given_up = table.charlie.links(left.seats.get(letter="B"))["seat"]
    table.charlie.do(left.seats.get(letter="B"), "leave")

    stranger = Client()
    wrong = text(stranger.get(f"/s/seat/{WRONG}/"))
    assert "Page not found" in wrong
    for kind, secret in (
        ("invite", replaced["invite"]),
        ("invite", called_off),
        ("seat", replaced["seat"]),
        ("seat", given_up),
        ("invite", WRONG),
        ("seat", WRONG),
    ):
        answer = stranger.get(f"/s/{kind}/{secret}/")
        assert (answer.status_code, text(answer)) == (404, wrong), (kind, secret)
        ends = ("accept", "opened") if kind == "invite" else ("take",)
        for end in ends:
            answer = stranger.post(f"/s/{kind}/{secret}/{end}/", {"name": "Mallory"})
            assert (answer.status_code, text(answer)) == (404, wrong), (kind, end)
    assert not Guest.objects.filter(name="Mallory").exists()


def test_links_of_one_kind_open_nothing_of_another(table: Table) -> None:
    link = table.alice.links(table.a)["seat"]
    stranger = Client()
    assert stranger.get(f"/s/invite/{link}/").status_code == 404
    assert stranger.post(f"/s/invite/{link}/accept/", {"name": "M"}).status_code == 404
    assert stranger.get(f"/s/seat/{table.invite}/").status_code == 404
    assert stranger.post(f"/s/seat/{table.invite}/take/").status_code == 404
    assert stranger.get(f"/s/seat/{table.key}/").status_code == 404


def test_a_new_seat_link_throws_other_browsers_out_at_their_next_request(table: Table) -> None:
    link = table.alice.links(table.a)["seat"]
    thief = Browser("Thief")
    thief.post(f"/s/seat/{link}/take/")
    assert thief.draft(table.a, "F").status_code == 302
    assert table.alice.do(table.a, "link").status_code == 302
    assert thief.get(table.a.get_absolute_url()).status_code == 403
    assert thief.draft(table.a, "F F").status_code == 403
    assert thief.get(f"/s/seat/{link}/").status_code == 404
    assert thief.get("/mine/").status_code == 200 and table.key not in text(thief.get("/mine/"))
    assert table.alice.get(table.a.get_absolute_url()).status_code == 200
    new = table.alice.links(table.a)["seat"]
    assert new != link
    assert Browser("Alice’s phone").post(f"/s/seat/{new}/take/").status_code == 302


def test_only_the_host_makes_a_new_invite(alice: Browser, bob: Browser) -> None:
    match = alice.make_by_page(3)
    bob.accept(alice.links(match.seats.get(letter="A"))["invite"])
    before = facts()
    assert bob.do(match.seats.get(letter="B"), "invite").status_code == 409
    assert facts() == before
    assert "invite" not in bob.links(match.seats.get(letter="B"))


def test_nobody_sees_another_ones_link(table: Table) -> None:
    of_alice, of_bob = table.alice.links(table.a)["seat"], table.bob.links(table.b)["seat"]
    for browser, others in ((table.alice, of_bob), (table.bob, of_alice), (table.charlie, of_alice)):
        for path in (f"/m/{table.key}/", f"/m/{table.key}/A/", f"/m/{table.key}/B/", "/mine/", "/"):
            assert others not in text(browser.get(path))


ANY_SECRET = st.text("".join(map(chr, range(33, 127))) + " \t\"'«é\u2028", min_size=1, max_size=40)
ANY_SLASH = st.sampled_from(
    ["/", "//", "\\", "%2F", "%2f", "%252F", "%5C", "/./", "/ ", "/%20", "/%09", "/;"]
)
ANY_S = st.sampled_from(["s", "S", "%73", "%53", "%2573", "s.", "s%20", " s", "s ", "s;", "%20s", "s%00"])


def said(template: str, *args: object, **more: Any) -> str:
    """The output of a logger's console."""
    record = logging.LogRecord("x", 30, "x", 1, template, args, more.get("exc_info"))
    assert NoSecrets().filter(record)
    return logging.Formatter("%(message)s").format(record)


@given(
    before=st.sampled_from(["", "/m", "http://robots.example", "/a%20b", "/s"]),
    parts=st.tuples(ANY_SLASH, ANY_S, ANY_SLASH),
    kind=st.sampled_from(["", "seat", "seat/", "Invite//", "you%2F", "x y/"]),
    between=st.sampled_from(["", " ", "%20", '"', "'", "?", "#", "/", "\\", "\n"]),
    secret=ANY_SECRET,
)
def test_however_a_link_is_spelt_no_line_holds_what_follows(
    before: str, parts: tuple[str, ...], kind: str, between: str, secret: str
) -> None:
    marked = f"<<{secret}>>"
    path = before + "".join(parts) + kind + between + marked
    lines = [
        without_secrets(f'"GET {path} HTTP/1.1" 404'),
        said("Not Found: %s", path),
        said("%s %r %s", "GET", path, 404),
        said(f"GET {path}"),
        said("%(at)s took %(ms).0f ms", {"at": path, "ms": 3.2}),
        said("a call failed: %s", ValueError(path)),
        said("%s%s", path[: len(before) + len(parts[0])], path[len(before) + len(parts[0]) :]),
        said("failed", exc_info=_failure(path)),
    ]
    assert not [line for line in lines if marked in line or repr(marked)[1:-1] in line]


def _failure(path: str) -> Any:
    try:
        raise LookupError(path)
    except LookupError:
        return sys.exc_info()


def test_what_follows_a_link_in_a_line_stays() -> None:
    assert said("%s %s %s %.0f ms", "GET", '/s/seat/"x y', 404, 3.2) == "GET /s/… 404 3 ms"
    assert said("%s %s %s", "GET", "/m/k3v9qx7m2abc/s", 200) == "GET /m/k3v9qx7m2abc/s 200"
    assert said("head %s", "0a" * 32) == f"head {'0a' * 32}"


def test_the_secret_alone_is_cut_too() -> None:
    secret = new_secret()
    assert secret not in said("no way to %s", ("invite", secret)) + without_secrets(f"x/{secret}?y")


def test_every_handler_of_every_logger_cuts() -> None:
    program = (
        "import logging, django; django.setup(); from robosite.web.logs import NoSecrets\n"
        "all_ = [logging.root, *map(logging.getLogger, logging.root.manager.loggerDict)]\n"
        "said = [(one.name, handler) for one in all_ for handler in getattr(one, 'handlers', [])]\n"
        "assert said\n"
        "for name, handler in said:\n"
        "    cuts = any(isinstance(one, NoSecrets) for one in handler.filters)\n"
        "    assert cuts or isinstance(handler, logging.NullHandler), (name, handler)\n"
    )
    run("-c", program, env={**os.environ, "DJANGO_SETTINGS_MODULE": "robosite.settings"})


def test_a_log_line_stays_one_line() -> None:
    record = logging.LogRecord("x", 30, "x", 1, "Not Found: %s", ("/a\r\nFAKE: 200 /b",), None)
    assert NoSecrets().filter(record)
    assert record.getMessage() == "Not Found: /a\\r\\nFAKE: 200 /b"


@pytest.mark.integration
def test_a_real_servers_log_holds_no_secret(server: Server) -> None:
    secret = f"{WRONG[:-4]}BCDE"
    for path in (f"s/seat/{secret}/", f"s/invite/{secret}/", f"s/{secret}"):
        with pytest.raises(urllib.error.HTTPError) as answer:
            urllib.request.urlopen(f"{server.url}/{path}")
        assert answer.value.code == 404
        answer.value.close()
    for path in (
        f"/s/seat/%20{secret}/",
        f"/s//seat/{secret}/",
        f"//s/seat/{secret}/",
        f"/S/seat/{secret}",
        f"/%2Fs%2Fseat%2F{secret}",
        f'/s/seat/"{secret}"/',
        f"/s/seat/x%0A{secret}",
        f"/m/%2573/s/a?x={secret}",
    ):
        for verb in ("GET", "POST", "PUT"):
            assert " " in raw(server, f"{verb} {path} HTTP/1.1")
    server.stop()
    logged = server.logged()
    assert re.search(r"Not Found: /s/…", logged)
    assert secret not in logged
    for kept in Path(server.data).glob("*.log"):
        assert secret not in kept.read_text()
