"""Nothing is lost when a cookie is: link, phrase or e-mail bring all back; links are secret."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from django.core import mail as django_mail
from django.core import serializers
from django.test import Client

from robosite.matches.models import Hold, Match, Program, Seat
from robosite.matches.site_models import Asking
from robosite.people import letters as mail_letters
from robosite.people import recovery_phrases
from robosite.people.current_guest import forget_step_of_oldest
from robosite.people.models import Guest, Letter, Ticket
from robosite.web.bounds import BUCKETS
from tests import at_once
from tests.site.browsers import Answer, Browser, Table, has_word, text
from tests.site.conftest import Seconds, Time

WRONG = "A" * 32
SECRET = r"/s/(you|mail)/([^/\s\"]+)/"


def facts() -> str:
    kinds = (Guest, Ticket, Match, Seat, Hold, Program, Asking)
    return "".join(serializers.serialize("json", kind.objects.order_by("pk")) for kind in kinds)


def secret_in(told: str) -> str:
    found = re.search(SECRET, told)
    assert found, told
    return found[2]


def device_link(browser: Browser) -> str:
    answer = browser.post("/me/device/")
    assert answer["Cache-Control"] == "no-store, private"
    return secret_in(text(answer))


def new_words(browser: Browser) -> str:
    answer = browser.post("/me/phrase/")
    assert answer["Cache-Control"] == "no-store, private"
    return " ".join(re.findall(r"<li>(\w+)</li>", text(answer)))


@pytest.fixture
def letters() -> Any:
    """Does something, and gives the mails that were sent by it."""

    def sent(does: Any) -> list[Any]:
        django_mail.outbox.clear()
        does()
        at_once.send_all()
        return list(django_mail.outbox)

    return sent


def confirmed(browser: Browser, letters: Any, email: str = "alice@example.org") -> None:
    (letter,) = letters(lambda: browser.post("/me/mail/", {"email": email}))
    assert letter.to == [email]
    assert browser.post(f"/s/mail/{secret_in(letter.body)}/confirm/").status_code == 200


def sits(browser: Browser, seat: Seat) -> bool:
    status: int = browser.get(seat.get_absolute_url()).status_code
    return status == 200


def test_a_link_makes_another_browser_the_same_guest_with_all_seats(table: Table) -> None:
    second = table.alice.make()
    phone = Browser("Alice’s phone")
    link = device_link(table.alice)
    old = phone.session.session_key
    assert "I’m Alice" in text(phone.get(f"/s/you/{link}/"))
    answer = phone.post(f"/s/you/{link}/take/")
    assert (answer.status_code, answer["Location"]) == (302, "/mine/")
    assert phone.session.session_key != old
    assert sits(phone, table.a) and sits(phone, second.seats.get(letter="A")) and not sits(phone, table.b)
    assert sits(table.alice, table.a)


def test_six_words_bring_everything_back(table: Table, settings: Any) -> None:
    words = new_words(table.alice)
    assert len(words.split()) == 6 and set(words.split()) <= set(recovery_phrases.words())
    fresh = Browser("Alice")
    answer = fresh.post("/back/phrase/", {"phrase": f"  {words.upper().replace(' ', ', ')} "})
    assert (answer.status_code, answer["Location"]) == (302, "/mine/")
    assert sits(fresh, table.a)
    before = facts()
    assert table.alice.post("/me/leave/").status_code == 302
    assert facts() == before, "leaving makes the browser nobody, and changes nothing else"
    assert not sits(table.alice, table.a) and "Welcome" in text(table.alice.get("/me/"))
    assert not table.alice.cookies["links"].value
    settings.SEAL_KEYS = ["a newer key", *settings.SEAL_KEYS]
    assert recovery_phrases.guest_who_says(words.split()) == Guest.objects.get(name="Alice")


def test_a_mail_brings_everything_back(table: Table, letters: Any) -> None:
    confirmed(table.alice, letters)
    fresh = Browser("Alice")
    (letter,) = letters(lambda: fresh.post("/back/mail/", {"email": " Alice@Example.org"}))
    link = secret_in(letter.body)
    assert fresh.get(f"/s/you/{link}/").status_code == 200
    assert fresh.post(f"/s/you/{link}/take/").status_code == 302
    assert sits(fresh, table.a)


def code_in(told: str) -> str:
    found = re.search(r"^(\d{4} \d{4})$", told, re.MULTILINE)
    assert found, told
    return found[1]


def by_code(browser: Browser, code: str) -> Answer:
    return browser.post("/back/link/", {"link": code})


@pytest.fixture
def asked(table: Table, letters: Any) -> tuple[Browser, Any]:
    """The app on Alice's phone, which has asked for a mail, and the mail."""
    confirmed(table.alice, letters)
    app = Browser("Alice’s app")
    (letter,) = letters(lambda: app.post("/back/mail/", {"email": "alice@example.org"}))
    return app, letter


def test_a_code_brings_everything_back_where_the_mail_was_asked_for(
    table: Table, asked: tuple[Browser, Any]
) -> None:
    """The link in the mail opens in another browser, as on a telephone with the site on its home screen."""
    app, letter = asked
    code = code_in(letter.body)
    assert by_code(Browser("elsewhere"), code).status_code == 422
    answer = by_code(app, f" {code.replace(' ', '')} ")
    assert answer.status_code == 302 and answer["Location"].startswith("/s/you/")
    assert app.post(f"{answer['Location']}take/").status_code == 302 and sits(app, table.a)
    other = Browser("Alice")
    other.cookies["asked"] = app.cookies["asked"].value
    assert by_code(other, code).status_code == 422, "it works once"


def test_a_code_works_as_long_as_the_link(asked: tuple[Browser, Any], time: Time) -> None:
    app, letter = asked
    time.pass_(minutes=61)
    assert by_code(app, code_in(letter.body)).status_code == 422


def test_only_so_many_codes_are_tried_and_the_link_still_works(asked: tuple[Browser, Any]) -> None:
    app, letter = asked
    right = code_in(letter.body)
    wrong = f"{(int(right.replace(' ', '')) + 1) % 10**8:08}"
    for _ in range(5):
        assert by_code(app, wrong).status_code == 422
    assert by_code(app, right).status_code == 422
    assert app.get(f"/s/you/{secret_in(letter.body)}/").status_code == 200


def test_a_code_for_an_address_that_nobody_has_is_wrong_like_any_other(monkeypatch: Any) -> None:
    asker = Browser("Mallory")
    asker.post("/back/mail/", {"email": "nobody@example.org"})
    monkeypatch.setattr(mail_letters, "constant_time_compare", lambda *_codes: True)
    answer = by_code(asker, "1234 5678")
    assert answer.status_code == 422 and "wrong" in text(answer)


def test_a_code_is_nowhere_stored(asked: tuple[Browser, Any]) -> None:
    _app, letter = asked
    code = code_in(letter.body)
    stored = serializers.serialize("json", Letter.objects.all()) + facts()
    assert code not in stored and code.replace(" ", "") not in stored


@pytest.mark.parametrize(
    "written",
    ["http://testserver{}", "{}", "https://elsewhere.example{}", " <http://testserver{}> ", "testserver{}"],
)
def test_a_pasted_link_leads_on_on_this_site(alice: Browser, written: str) -> None:
    match = alice.make()
    invite = f"/s/invite/{alice.own_links(match.seats.get(letter='A'))['invite']}/"
    for path in (invite, invite.removesuffix("/"), f"/m/{match.key}/", "/l/abc/"):
        answer = Browser("Bob").post("/back/link/", {"link": written.format(path)})
        assert answer.status_code == 302 and answer["Location"] == f"{path.removesuffix('/')}/"


@pytest.mark.parametrize("typed", ["", "hello", "https://example.org/", "//evil.example/s/", "/s/../x/"])
def test_what_is_neither_a_link_nor_a_code_is_told(typed: str) -> None:
    assert Browser("").post("/back/link/", {"link": typed}).status_code == 422


@pytest.mark.parametrize(
    "email", ["", "alice", "a@b", "a@b@c", "a\nBcc: x@example.org", f"{'x' * 250}@example.org"]
)
def test_an_address_of_no_mail_is_refused_in_the_words_of_the_site(table: Table, email: str) -> None:
    for browser, path in ((table.alice, "/me/mail/"), (Browser(""), "/back/mail/")):
        answer = browser.post(path, {"email": email})
        assert answer.status_code == 422
        assert "This isn’t an e-mail address. Please check it." in text(answer) or not email
    at_once.send_all()
    assert not django_mail.outbox


def test_who_is_two_guests_at_one_address_chooses(table: Table, letters: Any) -> None:
    confirmed(table.alice, letters, "both@example.org")
    confirmed(table.bob, letters, "both@example.org")
    fresh = Browser("Bob")
    (letter,) = letters(lambda: fresh.post("/back/mail/", {"email": "both@example.org"}))
    link = secret_in(letter.body)
    page = text(fresh.get(f"/s/you/{link}/"))
    assert "I’m Alice" in page and "I’m Bob" in page
    fresh.post(f"/s/you/{link}/take/", {"guest": Guest.objects.get(name="Bob").pk})
    assert sits(fresh, table.b) and not sits(fresh, table.a)


def test_what_was_played_here_comes_along_if_wished_and_only_then(table: Table, alice: Browser) -> None:
    phone = Browser("Ally")
    on_phone = phone.make().seats.get(letter="A")
    link = device_link(alice)
    page = text(phone.get(f"/s/you/{link}/"))
    assert "So far, this browser belongs to Ally, with one match." in page
    phone.post(f"/s/you/{link}/take/", {"bring": "1"})
    assert sits(phone, table.a) and sits(phone, on_phone) and sits(alice, on_phone)

    other = Browser("Mallory")
    own = other.make().seats.get(letter="A")
    other.post(f"/s/you/{device_link(alice)}/take/")
    assert sits(other, table.a) and not sits(other, own) and not sits(alice, own)


def test_browsers_of_guests_who_became_one_are_all_that_one(alice: Browser, bob: Browser) -> None:
    first, second = alice.make().seats.get(letter="A"), bob.make().seats.get(letter="A")
    words = new_words(alice)
    laptop = Browser("Alice’s laptop")
    laptop.post(f"/s/you/{device_link(alice)}/take/")
    alice.post(f"/s/you/{device_link(bob)}/take/", {"bring": "1"})
    assert all(sits(browser, seat) for browser in (alice, bob, laptop) for seat in (first, second))
    fresh = Browser("Alice")
    fresh.post("/back/phrase/", {"phrase": words})
    assert sits(fresh, first) and sits(fresh, second)
    assert "Bob" in text(laptop.get("/me/"))


def links(table: Table, letters: Any) -> list[tuple[str, str, str]]:
    """Every kind of link: its address, the deed behind it, and its secret."""
    (to_confirm,) = letters(lambda: table.bob.post("/me/mail/", {"email": "bob@example.org"}))
    confirmed(table.alice, letters)
    (to_return,) = letters(lambda: Browser("").post("/back/mail/", {"email": "alice@example.org"}))
    return [
        ("you", "take", device_link(table.alice)),
        ("you", "take", secret_in(to_return.body)),
        ("mail", "confirm", secret_in(to_confirm.body)),
    ]


def test_links_are_long_kept_as_hashes_and_open_nothing_of_another_kind(table: Table, letters: Any) -> None:
    for kind, _deed, secret in links(table, letters):
        assert len(secret) * 6 >= 128
        assert secret not in facts()
        for other in {"you", "mail", "seat", "invite"} - {kind}:
            assert Client().get(f"/s/{other}/{secret}/").status_code == 404
    seat = table.alice.own_links(table.a)["seat"]
    assert Client().get(f"/s/you/{seat}/").status_code == 404


def test_opening_a_link_changes_nothing(table: Table, letters: Any) -> None:
    made = links(table, letters)
    before = facts()
    for kind, deed, secret in made:
        for browser in (table.alice, table.charlie, Client(headers={"User-Agent": "Outlook SafeLinks"})):
            for method in ("get", "head"):
                answer = getattr(browser, method)(f"/s/{kind}/{secret}/")
                assert answer.status_code == 200
                assert answer["Cache-Control"] == "no-store, private"
                assert answer["Referrer-Policy"] == "strict-origin"
            if browser is not table.alice:
                assert "noindex" in text(browser.get(f"/s/{kind}/{secret}/"))
                assert not browser.session.get("guest")
        assert table.charlie.get(f"/s/{kind}/{secret}/{deed}/").status_code == 405
    assert facts() == before


def test_wrong_old_and_used_links_look_the_same(table: Table, letters: Any, time: Time) -> None:
    wrong = text(Client().get(f"/s/you/{WRONG}/"))
    assert "Page not found" in wrong
    used = links(table, letters)
    for kind, deed, secret in used:
        Browser("").post(f"/s/{kind}/{secret}/{deed}/")
    replaced = device_link(table.alice)
    device_link(table.alice)
    for wait in (0, 15, 60, 24 * 60):
        made = links(table, letters) if wait else []
        time.pass_(minutes=wait)
        old = [one for one in made if wait >= {"mail": 24 * 60, "you": 60}[one[0]]]
        for kind, deed, secret in [*used, ("you", "take", replaced), ("you", "take", WRONG), *old]:
            for answer in (
                Client().get(f"/s/{kind}/{secret}/"),
                Client().post(f"/s/{kind}/{secret}/{deed}/"),
            ):
                assert (answer.status_code, text(answer)) == (404, wrong), (kind, wait)
    assert not Ticket.objects.filter(kind="device").exclude(guest=None).count() > 1


def test_confirming_makes_the_browser_nobody(table: Table, letters: Any) -> None:
    """Somebody who confirms a mail that they did not ask for gets no seat by it, and gives none."""
    (letter,) = letters(lambda: table.bob.post("/me/mail/", {"email": "carol@example.org"}))
    carol = Browser("Carol")
    carol.post(f"/s/mail/{secret_in(letter.body)}/confirm/")
    assert not carol.session.get("guest") and not sits(carol, table.b)
    assert Guest.objects.get(name="Bob").email == "carol@example.org"
    assert not has_word(letter.body, "Bob") and "Bob" not in letter.subject


def test_a_phrase_is_kept_as_a_slow_hash_and_a_new_one_voids_it(table: Table) -> None:
    first, second = new_words(table.alice), new_words(table.alice)
    guest = Guest.objects.get(name="Alice")
    assert guest.phrase_hash.startswith("scrypt$")
    kept = facts()
    assert not any(" ".join(pair) in kept for pair in pairwise(second.split()))
    fresh = Browser("")
    assert fresh.post("/back/phrase/", {"phrase": first}).status_code == 422
    assert fresh.post("/back/phrase/", {"phrase": second}).status_code == 302
    shown = text(table.alice.get("/me/"))
    assert not any(" ".join(pair) in shown for pair in pairwise(second.split()))


def test_only_guests_whose_phrase_begins_alike_are_tried(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = new_words(table.alice).split()
    new_words(table.bob)
    tried = []
    monkeypatch.setattr(recovery_phrases, "check_password", lambda said, kept: tried.append(said))
    other = next(word for word in recovery_phrases.words() if word not in words)
    assert recovery_phrases.guest_who_says([*words[:5], other]) is None
    assert len(tried) == 1
    assert recovery_phrases.guest_who_says([other, *words[1:]]) is None
    assert len(tried) == 1


def test_the_words_are_many_plain_and_told_apart() -> None:
    words = recovery_phrases.words()
    assert len(words) >= 2048 and len(set(words)) == len(words)
    assert all(re.fullmatch("[a-z]{3,10}", word) for word in words)


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("", "A recovery phrase has six words"),
        ("acorn banjo", "A recovery phrase has six words"),
        ("acorn " * 7, "A recovery phrase has six words"),
        ("acorn banjoo cabin delta eagle fabric", "Did you mean “banjo”?"),
        ("<b>acorn banjo cabin delta eagle xqzjkv", "“b” isn’t in any recovery phrase"),
        ("acorn banjo cabin delta eagle fabric", "No one has this recovery phrase"),
    ],
)
def test_what_is_no_phrase_is_told_in_words(typed: str, said: str) -> None:
    answer = Browser("").post("/back/phrase/", {"phrase": typed})
    assert answer.status_code == 422 and said in text(answer)


@pytest.fixture
def limited(limited: Any, seconds: Seconds) -> None:
    """The limits as they are where the site is served, by a clock that stands still."""


def bound(settings: Any, name: str, capacity: int) -> None:
    """Gives a row of the table of limits a smaller capacity."""
    settings.BUCKETS = {**settings.BUCKETS, name: replace(settings.BUCKETS[name], capacity=capacity)}


UNKNOWN = "acorn banjo cabin delta eagle fabric"


def says(words: str, at: str = "127.0.0.1") -> Answer:
    return Browser("", REMOTE_ADDR=at).post("/back/phrase/", {"phrase": words})


@pytest.fixture
def quick_hashes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recovery_phrases, "_slow", " ".join)
    monkeypatch.setattr(recovery_phrases, "check_password", lambda said, kept: said == kept)


def test_wrong_phrases_can_be_tried_so_often_per_address_and_in_all(
    settings: Any, limited: None, quick_hashes: None
) -> None:
    may = BUCKETS["phrase"].capacity
    bound(settings, "phrase/all", 5 * may)
    assert [says(UNKNOWN).status_code for _ in range(may + 1)] == [422] * may + [429]
    answer = says(UNKNOWN)
    assert answer["Retry-After"] == "1801" and "network" in text(answer)
    assert says(UNKNOWN, "192.0.2.9").status_code == 422
    many = [says(UNKNOWN, f"{20 + n // may}.51.7.1").status_code for n in range(6 * may)]
    assert many[-1] == 429 and says(UNKNOWN, "192.0.2.9").status_code == 429


def test_right_phrases_and_misspelt_ones_are_not_counted(
    table: Table, settings: Any, limited: None, quick_hashes: None
) -> None:
    words, may = new_words(table.alice), 5
    bound(settings, "phrase", may)
    for _ in range(may + 1):
        assert says(words).status_code == 302
        assert says("acorn banjoo").status_code == 422
    for right in (True, False) * may:
        assert says(words if right else UNKNOWN).status_code == (302 if right else 422)
    assert says(words).status_code == 429, "the guesses in between were counted"


def test_mails_can_be_asked_for_a_few_times(table: Table, letters: Any, limited: None) -> None:
    def ask(n: int) -> Answer:
        return Browser("", REMOTE_ADDR=f"192.0.2.{n}").post("/back/mail/", {"email": "one@example.org"})

    assert [ask(n).status_code for n in range(5)] == [200, 200, 200, 429, 429]
    may = BUCKETS["mail"].capacity
    asked = [table.bob.post("/me/mail/", {"email": f"bob{n}@example.org"}) for n in range(may + 1)]
    assert [answer.status_code for answer in asked] == [302] * may + [429]
    assert int(asked[-1]["Retry-After"]) > 0 and "network" in text(asked[-1])


def test_mails_whose_link_is_used_are_not_counted(
    table: Table, letters: Any, settings: Any, limited: None
) -> None:
    bound(settings, "mail", 5)
    for _ in range(6):
        confirmed(table.alice, letters)
    for _ in range(6):
        (letter,) = letters(lambda: Browser("").post("/back/mail/", {"email": "alice@example.org"}))
        assert Browser("").post(f"/s/you/{secret_in(letter.body)}/take/").status_code == 302


def test_asking_for_a_mail_says_the_same_for_known_and_unknown(table: Table, letters: Any) -> None:
    confirmed(table.alice, letters)
    letters(lambda: table.bob.post("/me/mail/", {"email": "bob@example.org"}))  # never confirmed
    told, sent, made = [], [], []
    for email in ("alice@example.org", "bob@example.org", "nobody@example.org"):
        before = Ticket.objects.count()

        def ask(email: str = email) -> None:
            told.append(text(Browser("").post("/back/mail/", {"email": email})).replace(email, "…"))

        sent.append(len(letters(ask)))
        made.append(Ticket.objects.count() - before)
    assert re.sub(r'value="\w{64}"|"X-CSRFToken": "\w+"', "", told[0]) == re.sub(
        r'value="\w{64}"|"X-CSRFToken": "\w+"', "", told[1]
    )
    assert len({len(one) for one in told}) == 1
    assert sent == [1, 0, 0] and made == [1, 1, 1]
    assert not Ticket.objects.filter(email="nobody@example.org").exists()


def test_an_address_can_be_erased_and_without_mail_nobody_is_asked_for_one(
    table: Table, settings: Any, letters: Any
) -> None:
    confirmed(table.alice, letters)
    assert "alice@example.org" in text(table.alice.get("/me/?settings=1"))
    table.alice.post("/me/mail/", {"remove": "1"})
    assert "alice@example.org" not in facts()
    assert not letters(lambda: Browser("").post("/back/mail/", {"email": "alice@example.org"}))
    settings.MAIL = False
    assert "E-mail" not in text(table.alice.get("/me/?settings=1"))
    assert "e-mail address" not in text(Browser("").get("/back/"))
    assert not letters(lambda: table.alice.post("/me/mail/", {"email": "a@example.org"}))


def test_a_new_name_counts_for_tables_to_come(table: Table) -> None:
    assert table.alice.post("/me/name/", {"name": "  Alicia "}).status_code == 302
    assert table.a.name == "Alice" and "Alicia" in text(table.alice.get("/"))
    refused = table.alice.post("/me/name/", {"name": "x" * 99})
    assert refused.status_code == 422 and "too long" in text(refused)


def test_being_forgotten_erases_the_guest_and_ends_what_runs(table: Table, letters: Any) -> None:
    alice, bob = table.alice, table.bob
    confirmed(alice, letters)
    words, link = new_words(alice), table.alice.own_links(table.a)["seat"]
    alice.draft(table.a, "F F")
    alice.do(table.a, "talk", text="Hello Bob")
    open_match, over = alice.make(3), alice.make()
    bob.join(alice.own_links(over.seats.get(letter="A"))["invite"])
    alice.do(over.seats.get(letter="A"), "resign")
    page = text(alice.get("/me/forget/"))
    assert "You resign from one running match" in page and "You leave one match" in page
    assert alice.get("/me/forget/").status_code == 200 and Guest.objects.filter(name="Alice").exists()

    assert alice.post("/me/forget/", {"sure": "1"}).status_code == 302
    while forget_step_of_oldest():
        pass  # the clock does what one request does not
    assert "alice" not in re.sub(r"(?i)\balice\b(?=’)", "", facts().lower())
    assert table.match.status == Match.Status.OVER
    open_match.refresh_from_db()
    assert open_match.status == Match.Status.ABORTED
    assert not Program.objects.filter(seat__match=table.match, seat__letter="A", order="").exists()
    said = text(bob.get(f"/m/{table.key}/B/talk/"))
    assert "Hello Bob" in said and "Somebody" in said
    assert "Somebody" in text(bob.get(f"{table.match.get_absolute_url()}?public"))
    assert "Somebody" in text(bob.get(f"/m/{over.key}/B/"))
    assert Client().get(f"/s/seat/{link}/").status_code == 404
    assert Browser("").post("/back/phrase/", {"phrase": words}).status_code == 422
    assert not letters(lambda: Browser("").post("/back/mail/", {"email": "alice@example.org"}))
    assert "Welcome" in text(alice.get("/me/"))


def test_a_seat_that_another_guest_holds_too_is_not_given_up(table: Table) -> None:
    phone = Browser("Phone")
    phone.post(f"/s/seat/{table.alice.own_links(table.a)['seat']}/take/")
    table.alice.post("/me/forget/", {"sure": "1"})
    assert table.match.status == Match.Status.PLAYING and sits(phone, table.a)


def test_my_data_are_one_file_with_nothing_unrevealed(table: Table, letters: Any) -> None:
    confirmed(table.alice, letters)
    table.play(("F ^ TR v H", "TL TL TL TL TL"))
    table.alice.seal(table.a, "TR TR TL TL TL")
    table.alice.do(table.a, "talk", text="Hello Bob")
    table.bob.do(table.b, "talk", text="Hello Alice")
    answer = table.alice.get("/me/export/")
    assert answer["Cache-Control"] == "no-store, private" and "attachment" in answer["Content-Disposition"]
    told = json.loads(answer.content)
    (match,) = told["matches"]
    assert told["email"] == "alice@example.org" and told["name"] == "Alice"
    assert match["seat"] == "A" and match["others"] == ["Bob"]
    assert [order["order"] for order in match["orders"]] == ["F ^ TR v H"]
    assert match["record"] == f"/m/{table.key}/record/"
    assert [message["text"] for message in told["talk"]["messages"]] == ["Hello Bob"]
    assert "TR TR TL" not in text(answer) and "TL TL TL" not in text(answer)
    assert not any(secret in text(answer) for secret in table.alice.own_links(table.a).values())


def test_who_is_nobody_has_nothing_to_keep() -> None:
    nobody = Browser("")
    for path in ("name", "device", "phrase", "others", "mail", "leave", "forget"):
        answer = nobody.post(f"/me/{path}/")
        assert (answer.status_code, answer["Location"]) == (302, "/me/"), path
    assert nobody.get("/me/export/").status_code == 302
    assert not Guest.objects.exists()
