"""Which names can be had, and which beside which."""

from __future__ import annotations

import json
import os
import re
from random import Random

import pytest
from django.core import mail as post

from robosite.leagues.terms import clean_league_name
from robosite.matches import flow
from robosite.matches.flow import arbiter
from robosite.matches.models import Match, Seat
from robosite.people.models import Guest
from robosite.people.names import ROBOTS, RefusedName, clean_name, given_by_site, player_name, robot_name
from robosite.web.written_names import harmless, is_address
from tests import at_once
from tests.servers import ROOT, run
from tests.site.browsers import FIRST, Answer, Browser, Table, text
from tests.site.notices.test_notices import by_mail

GIVEN = [
    (line.partition(":")[0], name)
    for line in (ROOT / "tests" / "site" / "given_names.txt").read_text(encoding="utf-8").splitlines()
    for name in line.partition(":")[2].split()
]
"""Names that people have, with the scripts that they are written in."""
STAFF = (
    "Moderator", "MODERATOR", "M0derator", "M0d3r4t0r", "Moderatorr", "Modderator", "rnoderator", "ʍoderator",
    "mod erator", "Mod-erator", "m.o.d.e.r.a.t.o.r", "The Moderator", "Moder ator Ben", "Modérateur",
    "Moderatorin", "Moderador", "Moderadora", "moderadör", "Mod", "M0d", "M O D", "Mod Ben",
    "Administrator", "Administratorin", "Administrador", "Administradora", "Admin", "Adm1n", "Adm¡n", "@dmin",
    "4dmin", "Aadmin", "Admin!", "Admin1", "Admin 2", "admin_ben", "Admin Ben", "AdminBen", "Ben (Admin)",
    "Ad-min Jo", "Sys Admin", "ᴀᴅᴍɪɴ", "ꓮꓓꓟꓲꓠ", "🅐🅓🅜🅘🅝", "🇦🇩🇲🇮🇳", "ⓐⓓⓜⓘⓝ", "𝕬𝖉𝖒𝖎𝖓", "Ａｄｍｉｎ", "àdmìn",
    "Ądmin",
    "Robosite", "R0bosite", "Röbosite", "Robo site", "ROBOSITE TEAM", "Robosite-Team", "модератор",
    "Staff", "5taff", "Robo Staff", "Support", "Soporte", "Betreiber", "Team", "Equipo", "Das Team",
)  # fmt: skip
SITE = (
    "System", "Sistema", "Das System", "S y s t e m", "Somebody", "S0mebody", "Jemand", "Alguien", "Álguien",
    "Nobody", "Niemand", "Nadie", "Watcher", "Zuschauer", "Espectador",
    "A", "B", "b", "Β", "В", "Ⓑ", "𝔹", "B.", "(b)", "H",
    "Player", "Player B", "player  b", "PlayerB", "playerb", "Player 2", "Player-B", "Pl4yer B", "P1ayer B",
    "Spieler", "Spieler B", "Spielerin C", "Jugador", "Jugador B", "Jugadora B", "Seat", "Seat B",
    "Platz B", "Sitz A", "Asiento B",
)  # fmt: skip


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        ("Alice", "Alice"),
        ("  Alice \t B. ", "Alice B."),
        ("Ａｌｉｃｅ", "Alice"),
        ("José", "José"),
        ("Jose\u0301", "José"),
        ("Zoë", "Zoë"),
        ("Дмитрий", "Дмитрий"),
        ("小林さん", "小林さん"),
        ("محمد", "محمد"),
        ("हिन्दी", "हिन्दी"),
        ("O'Brien & Söhne <3", "O'Brien & Söhne <3"),
        ("🐷", "🐷"),
        ("❤️", "❤️"),
        ("e" + "\u0301\u0303" + "x" * 23, "é\u0303" + "x" * 23),
        ("x" * 24, "x" * 24),
        ("🇩🇪" * 24, "🇩🇪" * 24),
    ],
)
def test_names_that_can_be_had(typed: str, name: str) -> None:
    assert clean_name(typed) == name
    assert clean_name(name) == name


@pytest.mark.parametrize(
    ("told", "names"),
    [
        ("Please enter a name", ["", " ", "\t\n", "\u3000", "\u2003"]),
        ("too long", ["x" * 25, "🇩🇪" * 25, "e" + "\u0301" * 200]),
        (r"mistaken for this site.*choose another", [*STAFF, *SITE]),
        (
            r"marks on one letter|too long",
            [
                "Bob" + "\u0301" * 150,
                "e\u0301\u0302\u0303",
                "x\u0300\u0301\u0302",
                "ش" + "\u064b\u064c\u064d",
                "ש" + "\u05b0\u05b1\u05b2",
                "ก" + "\u0e48\u0e49\u0e4a",
                "ก" + "\u0e48\u0e48",
                "क" + "\u093f" * 3,
                "Я" + "\u0483\u0484\u0485",
                "A\u20dd\u20de\u20df",
                "\u0301Bob",
                "Bo \u0301b",
                "\u0301",
            ],
        ),
    ],
    ids=["none", "long", "of staff, seats and the site", "more than two marks on a letter"],
)
def test_what_is_no_name_is_refused(told: str, names: list[str]) -> None:
    for name in names:
        with pytest.raises(RefusedName, match=told):
            clean_name(name)


@pytest.mark.parametrize(
    "sign",
    [
        "\x00", "\x07", "\x1b", "\x7f", "\x9b",  # control
        "\u202a", "\u202e", "\u2066", "\u2069", "\u200e", "\u200f", "\u061c",  # which way to write
        "\u200b", "\u200c", "\u200d", "\u2060", "\ufeff", "\u00ad", "\u034f", "\u180e",  # no width
        "\u115f", "\u1160", "\u3164", "\uffa0", "\u17b4", "\u2800",  # letters and signs that show nothing
        "\ufff9", "\U000e0041", "\U000e0001", "\U0001d173",  # notes, tags, music's format
        "\ud800", "\ue000", "\U0010ffff", "\u0378",  # half, private, none
    ],
)  # fmt: skip
def test_signs_that_cannot_be_seen_are_refused(sign: str) -> None:
    for name in (f"Al{sign}ice", f"A{sign}"):
        with pytest.raises(RefusedName, match="invisible characters"):
            clean_name(name)


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Alice", "alice"),
        ("ALICE", "alice"),
        ("Al ice", "Alice"),
        ("Alíce", "Alice"),
        ("B0b", "Bob"),
        ("A1ice", "Alice"),
        ("AIice", "Alice"),
        ("Bob\ufe0f", "Bob"),
        ("Ｂｏｂ", "Bob"),
        ("mɑx", "max"),  # Latin alpha
        ("rnax", "max"),
        ("Bøb", "Bob"),
        ("ꓲꓮꓠ", "IAN"),  # Lisu
        ("РАХ", "PAX"),  # Cyrillic
        ("сор", "cop"),
        ("ΑΝΝΑ", "Anna"),  # Greek
        ("ᎪᏞᎪ", "Ala"),  # Cherokee
    ],
)
def test_a_name_that_looks_like_another_at_the_table_is_refused(name: str, other: str) -> None:
    for one, there in ((name, other), (other, name)):
        with pytest.raises(RefusedName, match="looks like"):
            clean_name(one, [there])
    assert clean_name(name, ["Charlie"])


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("ӏea", "lea"),  # Cyrillic palochka
        ("Ԝim", "Wim"),
        ("ꓲan", "Ian"),  # Lisu
        ("Аlice", "Alice"),  # Cyrillic A
        ("Вob", "Bob"),  # Cyrillic Ve
        ("Тom", "Tom"),
        ("Мax", "Max"),
        ("Кim", "Kim"),
        ("Нans", "Hans"),
        ("Νina", "Nina"),  # Greek Nu
        ("Ηans", "Hans"),
        ("Ζoe", "Zoe"),
        ("Μax", "Max"),
        ("Υves", "Yves"),
        ("Τom", "Tom"),
        ("Bοb", "Bob"),  # Greek omicron
        ("Ωmega", "Omega"),
        ("Мax Дима", "Charlie"),
    ],
)
def test_a_name_mixes_no_scripts(name: str, other: str) -> None:
    with pytest.raises(RefusedName, match="different scripts"):
        clean_name(name, [])
    if other not in ("Omega", "Charlie"):  # somebody may have been called so before
        with pytest.raises(RefusedName, match="looks like"):
            clean_name(other, [name])


@pytest.mark.parametrize(
    "name",
    [
        "Ἀλέξανδρος 2", "Дмитрий-2", "小林さん", "ソニー☆", "山田タロウ", "김철수", "金철수", "李小龍 Bruce",
        "محمد ٣", "אבי", "हिन्दी", "ลิง", "ʻOkina", "O’Brien, Jr.", "Zoë 🐷", "Ada ★ 1815",
        "한글 Kim", "ㄅㄆ 李",
        "Joe Root", "Ada B", "Al 2", "B2", "Mo D", "Mod'est", "Agent 47", "Robo Cop",
        "J.R.R. Tolkien", "Mr. T", "St. John", "Wait...what", "Ada v2.0", "Gal·la", "e.V.", "10.30",
    ],
)  # fmt: skip
def test_names_of_every_script_and_with_parts_of_refused_ones_can_be_had(name: str) -> None:
    assert clean_name(name, ["Alice", "Bob", "Дима"]) == name == harmless(name)


def test_names_of_people_in_all_scripts_can_be_had() -> None:
    for script, name in GIVEN:
        assert clean_name(name, ["Charlie"]) == clean_name(clean_name(name)), (script, name)


ADDRESSES = [
    "http://evil",
    "www.evil",
    "evil.com",
    "Ada evil.com",
    "ada@evil.com",
    "evil．com",
    "evil。com",
    "evil｡com",
    "evil․com",
    "evilꓸcom",
    "http：／／evil",
    "http:⁄⁄evil",
    "उदाहरण.भारत",
    "пример.рф",
    "💩.la",
    "192.0.2.1",
]


@pytest.mark.parametrize("name", ADDRESSES)
def test_what_looks_like_an_address_is_no_name(name: str) -> None:
    assert is_address(name)
    for check in (clean_name, given_by_site, clean_league_name):
        with pytest.raises(RefusedName, match=r"address|scripts"):
            check(name)


def test_a_name_from_before_is_no_address_in_a_mail(table: Table) -> None:
    """Nor in a feed, a calendar, or a push, all of which are plain text made in the same way."""
    assert not any(is_address(harmless(name)) for name in ADDRESSES)
    name = ADDRESSES[0]
    by_mail(table.bob)
    Guest.objects.filter(name="Alice").update(name=name)
    Seat.objects.filter(name="Alice").update(name=name)
    table.play((FIRST, FIRST))
    flow.seal(table.b, 1, FIRST)
    flow.seal(table.a, 1, FIRST)
    at_once.send_all()
    (mail,) = post.outbox
    words = re.sub(r"http://testserver/\S+", "", str(mail.body))
    assert not is_address(str(mail.subject)) and not is_address(words)


@pytest.mark.parametrize(
    "name", ["Moderator", "B", "Somebody", "Bo" + "\u0301\u0302\u0303", "www.evil.org", "evil。com"]
)
def test_a_name_is_refused_in_every_place_where_one_is_given(table: Table, alice: Browser, name: str) -> None:
    free = alice.make(3)
    invite = alice.own_links(free.seats.get(letter="A"))["invite"]
    flow.resign(table.b)
    before = Match.objects.count()
    record = {"format": "robosite/1", "game": "pigs", "seats": ["A", "B"], "turns": [], "names": {"A": name}}
    reasons = {"Bo": "marks on one letter", "ww": "looks like an address", "ev": "looks like an address"}
    reason = reasons.get(name[:2], "mistaken for this site")
    asked: list[Answer] = [
        alice.post("/matches/", {"game": "pigs", "seats": 2, "name": name}),
        alice.post("/matches/", {"game": "pigs", "name": "Zoe", "with": "here", "here": f"Yan, {name}"}),
        alice.post("/play/", {"game": "pigs", "name": name}),
        alice.post("/me/name/", {"name": name}),
        alice.post(f"/s/invite/{invite}/accept/", {"name": name}),
        alice.post(f"/m/{table.key}/again/", {"turn": "1", "seat": "A", "player": "random", "name": name}),
        table.charlie.post(f"/m/{table.key}/talk/", {"text": "Hm.", "name": name}),
        alice.post("/import/", {"record": json.dumps(record)}),
    ]
    for path, body in (
        ("matches", {"game": "pigs", "name": name}),
        (f"matches/{free.key}/seats", {"name": name, "invite": invite}),
        ("programs", {"name": name}),
        ("records", record),
    ):
        asked.append(alice.post(f"/api/v1/{path}", json.dumps(body), content_type="application/json"))
    for answer in asked:
        assert answer.status_code in (409, 422) and reason in text(answer)
    assert Match.objects.count() == before and not Guest.objects.filter(name=name).exists()
    assert [seat.name for seat in free.seats.all()] == ["Alice", "", ""]


def test_the_site_gives_its_own_names(alice: Browser, bob: Browser) -> None:
    assert player_name("B", ["Bob"]) == "Player B" and player_name("B", ["Player B"]) == "Player B 2"
    match = alice.make()
    bob.join(alice.own_links(match.seats.get(letter="A"))["invite"])
    arbiter.rename(match.seats.get(letter="B"))
    flow.resign(match.seats.select_related("match").get(letter="A"))
    record = json.loads(alice.get(f"/m/{match.key}/record/").content)
    assert record["names"] == {"A": "Alice", "B": "Player B"}
    assert alice.post("/import/", {"record": json.dumps(record)}).status_code == 302
    seat = match.seats.select_related("match").get(letter="B")
    assert bob.do(seat, "rematch").status_code == 302
    after = Match.objects.get(rematch_of=match)
    assert [(one.letter, one.name) for one in after.seats.all() if one.taken] == [("A", "Player A")]
    alice.do(match.seats.get(letter="A"), "rematch")
    assert [one.name for one in after.seats.all()] == ["Player A", "Alice"]


def test_unicodes_list_is_read_once_and_not_before_names_are_compared() -> None:
    program = (
        "import django; django.setup(); import sys\n"
        "import robosite.asgi; from robosite.people import names\n"
        "assert 'confusable_homoglyphs.confusables' not in sys.modules\n"
        "assert names.prototypes.cache_info().currsize == 0\n"
        "names.clean_name('Ada', ['Bob']), names.clean_name('Ada', ['Charlie'])\n"
        "assert names.prototypes.cache_info().misses == 1\n"
    )
    run("-c", program, env={**os.environ, "DJANGO_SETTINGS_MODULE": "robosite.settings"})


def test_moderators_and_bots_give_no_name_that_looks_like_another() -> None:
    assert robot_name(["ꓠоѕіе", "Воlt", "Ріхеl"], Random(1)) in ROBOTS
    for taken in ROBOTS:
        others = [name for name in ROBOTS if name != taken]
        assert robot_name([*(one.replace("o", "о") for one in others)], Random(1)) == taken


@pytest.mark.parametrize(
    ("name", "other"), [("Alice", "Alica"), ("Bob", "Rob"), ("Дима", "Дина"), ("Лена", "Лера")]
)
def test_names_that_differ_sit_at_one_table(name: str, other: str) -> None:
    assert clean_name(name, [other]) == name


@pytest.mark.parametrize("name", ["<b>Eve</b>", '"><script>x', "{{ key }}", "{by} {0}", "%s%(x)s"])
def test_a_name_is_shown_as_it_was_typed_and_never_as_markup(alice: Browser, bob: Browser, name: str) -> None:
    match = alice.make_by_page()
    bob.name = name
    seat = match.seats.get(letter="A")
    assert bob.accept(alice.links(seat)["invite"]).status_code == 302
    alice.seal(seat, "^ ^ ^ ^ ^")
    bob.seal(match.seats.get(letter="B"), "^ ^ ^ ^ ^")
    bob.do(match.seats.get(letter="B"), "resign")
    for path in (f"/m/{match.key}/?public", f"/m/{match.key}/?public&at=1.2", f"/m/{match.key}/A/", "/mine/"):
        page = alice.get(path)
        assert page.status_code == 200 and name in text(page)
        assert "<script>x" not in page.content.decode() and "<b>Eve" not in page.content.decode()
