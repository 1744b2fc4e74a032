"""Which names can be had, and which beside which."""

from __future__ import annotations

import pytest

from robosite.people.names import RefusedName, clean_name
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
        with pytest.raises(RefusedName, match="cannot be seen"):
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
        ("B0b", "Bob"),
        ("A1ice", "Alice"),
        ("AIice", "Alice"),
        ("Bob\ufe0f", "Bob"),
        ("Ｂｏｂ", "Bob"),
    ],
)
def test_a_name_that_looks_like_another_at_the_table_is_refused(name: str, other: str) -> None:
    for one, there in ((name, other), (other, name)):
        with pytest.raises(RefusedName, match="looks like"):
            clean_name(one, [there])
    assert clean_name(name, ["Charlie"])


@pytest.mark.parametrize(
    ("name", "other"), [("Alice", "Alica"), ("Bob", "Rob"), ("Дима", "Дина"), ("Лена", "Лера")]
)
def test_names_that_differ_sit_at_one_table(name: str, other: str) -> None:
    assert clean_name(name, [other]) == name


@pytest.mark.parametrize("name", ["<b>Eve</b>", '"><script>x', "{{ key }}", "{by} {0}", "%s%(x)s"])
def test_a_name_is_shown_as_it_was_typed_and_never_as_markup(alice: Browser, bob: Browser, name: str) -> None:
    match = alice.make()
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
