"""Which names can be had, and which beside which."""

from __future__ import annotations

import os
from random import Random

import pytest

from robosite.people.names import ROBOTS, RefusedName, clean_name, robot_name
from tests.servers import run
from tests.site.browsers import Browser, text


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
        ("e" + "\u0301\u0302\u0303" + "x" * 23, "é\u0302\u0303" + "x" * 23),
        ("x" * 24, "x" * 24),
        ("🇩🇪" * 24, "🇩🇪" * 24),
    ],
)
def test_names_that_can_be_had(typed: str, name: str) -> None:
    assert clean_name(typed) == name
    assert clean_name(name) == name


@pytest.mark.parametrize("typed", ["", " ", "\t\n", "\u3000", "\u2003"])
def test_no_name_is_no_name(typed: str) -> None:
    with pytest.raises(RefusedName, match="Please type a name"):
        clean_name(typed)


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


@pytest.mark.parametrize("name", ["x" * 25, "🇩🇪" * 25, "e" + "\u0301" * 200])
def test_long_names_are_refused(name: str) -> None:
    with pytest.raises(RefusedName, match="too long"):
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
    ],
)  # fmt: skip
def test_names_of_every_script_can_be_had(name: str) -> None:
    assert clean_name(name, ["Alice", "Bob", "Дима"]) == name


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
    for path in (f"/m/{match.key}/", f"/m/{match.key}/?at=1.2", f"/m/{match.key}/A/", "/mine/"):
        page = alice.get(path)
        assert page.status_code == 200 and name in text(page)
        assert "<script>x" not in page.content.decode() and "<b>Eve" not in page.content.decode()


def test_a_refused_name_is_kept_to_be_changed(alice: Browser) -> None:
    for name in ("x" * 25, "A\u202elice"):
        answer = alice.post("/matches/", {"game": "pigs", "seats": 3, "name": name})
        assert answer.status_code == 422
        assert f'value="{name}"' in text(answer)
        assert 'value="3" checked' in text(answer)
