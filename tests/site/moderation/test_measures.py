"""Measures of moderators: their effects, what the person concerned sees, and what nobody else notices."""

from __future__ import annotations

import json
import re
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from robosite.matches import flow
from robosite.matches.models import Hold, Match, Seat
from robosite.moderation import measures
from robosite.moderation.measures import ImpossibleMeasure
from robosite.moderation.models import Measure, Report
from robosite.ops.periods import RETENTIONS, prune
from robosite.people.current_guest import merge
from robosite.people.models import Guest
from robosite.people.names import RefusedName, clean_name
from robosite.talk.models import Message
from tests.site.browsers import FIRST, OTHER, Browser, Table, guest, has_word, text


def guest_of(seat: Seat) -> Guest:
    return Guest.objects.get(pk=Hold.objects.get(seat=seat).guest_id)


def take(kind: str, name: str = "Bob", days: str = "7", **more: Any) -> Measure:
    given = {"reason": "insult", "why": "Mind your words, please.", **more}
    return measures.take(kind, None, guest=guest(name), ends_at=measures.until(days), **given)


def say(browser: Browser, seat: Seat, words: str = "Hello") -> Any:
    return browser.do(seat, "talk", text=words)


@pytest.fixture
def said(table: Table) -> Message:
    say(table.bob, table.b, "You play like a toaster")
    return Message.objects.get()


@pytest.fixture
def report(table: Table, said: Message) -> Report:
    table.alice.post(f"/report/{table.key}/", {"about": f"message-{said.pk}", "reason": "insult"})
    return Report.objects.get()


def test_a_warning_stands_on_every_page_until_it_is_read_and_is_shown_to_nobody_else(table: Table) -> None:
    warning = take("warn")
    at = warning.get_absolute_url()
    for page in ("/", "/mine/", f"/m/{table.key}/B/"):
        shown = text(table.bob.get(page))
        assert "A moderator has warned you." in shown and f'action="{at}"' in shown
        assert "warns you" not in text(table.alice.get(page.replace("/B/", "/A/")))
    whole = text(table.bob.get(at))
    assert "It insults, threatens or harasses someone." in whole and "Mind your words, please." in whole
    for browser in (table.alice, table.charlie):
        assert browser.get(at).status_code == 404
        assert browser.post(at, {"words": "I object"}).status_code == 404
    assert not Report.objects.exists()
    answer = table.bob.post(at, {"read": "1", "next": f"/m/{table.key}/B/"})
    assert answer["Location"] == f"/m/{table.key}/B/"
    assert "warns you" not in text(table.bob.get("/"))
    assert say(table.bob, table.b).status_code == 302


def test_who_is_muted_writes_nothing_is_told_why_and_until_when_and_plays_on(table: Table) -> None:
    mute, second = take("mute"), Browser("Bob again")
    second.post(f"/s/seat/{table.bob.own_links(table.b)['seat']}/take/")
    answer = say(table.bob, table.b, "Can you hear me?")
    assert answer.status_code == 403 and not Message.objects.exists()
    assert say(second, table.b).status_code == 403, "another browser at the same seat"
    shown = text(table.bob.get(f"/m/{table.key}/B/talk/"))
    assert "You can’t write messages for now." in shown and "Mind your words" in shown
    assert mute.ends_at
    assert mute.ends_at.isoformat(timespec="seconds") in shown
    assert mute.get_absolute_url() in shown
    assert 'id="say-text"' not in shown
    assert table.bob.do(table.b, "notes", turn=0, word="Ha!").status_code == 422
    assert table.bob.do(table.b, "notes", turn=0, note="For myself").status_code == 302
    assert table.bob.seal(table.b, FIRST).status_code == 302
    flow.seal(table.a, 0, OTHER)
    assert table.match.turn == 1
    measures.lift(mute, None)
    assert say(table.bob, table.b).status_code == 302
    with pytest.raises(ImpossibleMeasure):
        measures.lift(mute, None)


def test_others_see_nothing_of_a_mute_and_a_muted_watcher_writes_nothing_either(table: Table) -> None:
    pages = [(table.alice, f"/m/{table.key}/A/{more}") for more in ("", "talk/")]
    pages.append((table.charlie, f"/m/{table.key}/"))
    before = [browser.get(page).content for browser, page in pages]
    take("mute")
    strip = [text_without_tokens(content) for content in before]
    after = [text_without_tokens(browser.get(page).content) for browser, page in pages]
    assert strip == after
    table.charlie.post(f"/m/{table.key}/talk/", {"text": "Boo", "name": "Charlie"})
    take("mute", "Charlie")
    answer = table.charlie.post(f"/m/{table.key}/talk/", {"text": "Boo!", "name": "Karl"})
    assert answer.status_code == 403 and Message.objects.count() == 1


def text_without_tokens(content: bytes) -> str:
    return re.sub(r'((?:csrfmiddlewaretoken|once)" value="|X-CSRFToken": ")\w+', "", content.decode())


def test_a_mute_ends_by_itself(table: Table, time: Any) -> None:
    take("mute", days="1")
    time.pass_(hours=23)
    assert say(table.bob, table.b).status_code == 403
    time.pass_(hours=2)
    assert "cannot write" not in text(table.bob.get("/"))
    assert say(table.bob, table.b).status_code == 302


def test_who_is_banned_makes_joins_says_and_reports_nothing_and_plays_on(
    table: Table, alice: Browser
) -> None:
    ban = take("ban")
    match = alice.make()
    invite = alice.own_links(match.seats.get(letter="A"))["invite"]
    before = Match.objects.count()
    asked = [
        ("/matches/", {"game": "pigs", "seats": "2", "name": "Bob"}),
        ("/play/", {"game": "pigs"}),
        (f"/s/invite/{invite}/accept/", {"name": "Bob"}),
        (f"/m/{match.key}/A/ask/", {}),
        (f"/report/{table.key}/", {"about": "match", "reason": "spam"}),
        (f"/m/{table.key}/talk/", {"text": "Boo", "name": "Bob"}),
        (f"/m/{table.key}/B/talk/", {"text": "Boo"}),
    ]
    for page, given in asked:
        answer = table.bob.post(page, given)
        assert answer.status_code == 403, page
        if "talk" not in page:
            shown = text(answer)
            assert "Mind your words" in shown
            assert ban.get_absolute_url() in shown
            assert ban.ends_at.isoformat(timespec="seconds") in shown
    assert Match.objects.count() == before
    assert not Report.objects.exists() and not Message.objects.exists()
    assert table.bob.get("/mine/").status_code == table.bob.get(f"/m/{table.key}/B/").status_code == 200
    assert table.bob.seal(table.b, FIRST).status_code == 302
    Match.objects.filter(pk=table.match.pk).update(status="over")
    assert table.bob.do(table.b, "rematch").status_code == 403
    merge(guest("Bob"), guest("Alice"))
    assert table.bob.post("/play/", {"game": "pigs"}).status_code == 403


def test_who_is_banned_takes_no_seat_by_its_link_either(table: Table) -> None:
    """Nor one that a program of his has sat down on: it stays the program's."""
    match = Browser("Zoe").make()
    match.listed = True
    match.save()
    take("ban")
    body = json.dumps({"name": "Bobs bot"})
    at = f"/api/v1/matches/{match.key}/seats"
    assert table.bob.post(at, body, content_type="application/json").status_code == 403  # as on pages
    program = Client().post(at, body, content_type="application/json").json()
    assert table.bob.get(f"/s/seat/{program['token']}/").status_code == 200
    answer = table.bob.post(f"/s/seat/{program['token']}/take/")
    assert answer.status_code == 403 and "insult" in text(answer).lower()
    assert table.bob.get(f"/m/{match.key}/B/").status_code == 403
    assert not Hold.objects.filter(seat__match=match, guest=guest("Bob")).exists()
    assert Browser("Ann").post(f"/s/seat/{program['token']}/take/").status_code == 302


def test_nobody_in_a_banned_range_takes_a_seat_by_its_link(table: Table) -> None:
    link = table.alice.own_links(table.a)["seat"]
    measures.take("ban", None, network="198.51.100.0/24")
    at = f"/s/seat/{link}/take/"
    assert Browser("Mallory").post(at, REMOTE_ADDR="198.51.100.9").status_code == 403
    assert Browser("Alice").post(at, REMOTE_ADDR="198.51.101.9").status_code == 302


@pytest.mark.parametrize(
    ("network", "address", "barred"),
    [
        ("198.51.100.0/24", "198.51.100.77", True),
        ("198.51.100.0/24", "198.51.101.1", False),
        ("2001:db8:1::/48", "2001:db8:1:2:3::4", True),
        ("2001:db8:1::5", "2001:db8:1:0:ffff::1", True),
        ("2001:db8:1::5", "2001:db8:1:1::5", True),
        ("2001:db8:1::5", "2001:db8:1:100::5", False),
        ("198.51.100.0/24", "::ffff:198.51.100.9", True),
    ],
)
def test_a_range_of_addresses_is_banned_for_everybody_in_it(
    alice: Browser, network: str, address: str, barred: bool
) -> None:
    ban = measures.take("ban", None, network=network, why="Open proxies", ends_at=measures.until("7"))
    answer = alice.post("/play/", {"game": "pigs", "name": "Alice"}, REMOTE_ADDR=address)
    assert (answer.status_code == 403) == barred
    assert alice.get(ban.get_absolute_url(), REMOTE_ADDR=address).status_code == (200 if barred else 404)
    assert alice.get("/", REMOTE_ADDR=address).status_code == 200


def test_programs_from_a_banned_range_are_told_in_words_and_play_on(table: Table) -> None:
    token = table.bob.own_links(table.b)["seat"]
    ban = measures.take(
        "ban", None, network="127.0.0.0/8", why="Too many tables", ends_at=measures.until("7")
    )
    for path, data in (
        ("matches", {"game": "pigs", "name": "Bob"}),
        (f"matches/{table.key}/seats", {"name": "Zoe"}),
    ):
        answer = table.bob.post(f"/api/v1/{path}", json.dumps(data), content_type="application/json")
        assert answer.status_code == 403 and answer["Content-Type"] == "application/problem+json"
        detail = answer.json()["detail"]
        assert "Too many tables" in detail and ban.ends_at and ban.ends_at.isoformat() in detail
        assert ban.get_absolute_url() in detail
    order = json.dumps({"turn": 0, "order": FIRST})
    at, headers = f"/api/v1/matches/{table.key}/order", {"Authorization": f"Bearer {token}"}
    answer = table.bob.put(at, order, content_type="application/json", headers=headers)
    assert answer.status_code == 200


@pytest.mark.parametrize("text_", ["", "here", "0.0.0.0/0", "10.0.0.0/7", "::/8", "10.0.0.0/33"])
def test_what_is_no_range_or_half_the_world_is_not_banned(text_: str) -> None:
    with pytest.raises(ImpossibleMeasure):
        measures.take("ban", None, network=text_)
    assert not Measure.objects.exists()


def test_a_name_that_was_taken_away_stays_away_from_the_guest(table: Table, said: Message) -> None:
    """Everywhere, with all that look like it, until a moderator lifts the measure; nobody else is barred."""
    measure = take("rename", seat=table.b)
    free = table.alice.make(3)
    invite = table.alice.own_links(free.seats.get(letter="A"))["invite"]
    for name in ("Bob", "B0b", "BOB", "Вов", "b o b"):
        for path, given in (
            ("/matches/", {"game": "pigs", "name": name}),
            ("/matches/", {"game": "pigs", "name": "Zoe", "with": "here", "here": name}),
            ("/play/", {"game": "pigs", "name": name}),
            ("/me/name/", {"name": name}),
            (f"/s/invite/{invite}/accept/", {"name": name}),
        ):
            answer = table.bob.post(path, given)
            assert answer.status_code == 422 and "has blocked this name" in text(answer)
    assert not guest_of(table.b).name and not free.seats.filter(name="Bob").exists()
    assert table.charlie.post("/matches/", {"game": "pigs", "name": "Bob"}).status_code == 302
    for name in ("Robert", "Bobby"):
        assert table.bob.post("/me/name/", {"name": name}).status_code == 302
    measures.lift(measure, None)
    assert table.bob.post("/me/name/", {"name": "Bob"}).status_code == 302


def test_a_name_that_was_taken_away_stays_away_from_the_table(alice: Browser, bob: Browser) -> None:
    """Also from a browser that is nobody yet, from a program, and from a form that was checked before."""
    match = alice.make(3)
    invite = alice.own_links(match.seats.get(letter="A"))["invite"]
    seat = bob.join(invite)
    measure = take("rename", seat=seat)
    bob.do(seat, "leave")
    for name in ("Bob", "B0b"):
        answer = Browser(name).accept(invite)
        assert answer.status_code == 422 and "has blocked this name" in text(answer)
        body = json.dumps({"name": name, "invite": invite})
        answer = Browser("").post(f"/api/v1/matches/{match.key}/seats", body, content_type="application/json")
        assert answer.status_code == 422 and "blocked this name" in answer.json()["detail"]
        answer = Browser("").post(f"/m/{match.key}/talk/", {"text": "Hm.", "name": name})
        assert answer.status_code == 422 and "has blocked this name" in text(answer)
    with pytest.raises(RefusedName, match="blocked this name"):
        flow.join(match, "Bob", invite=invite)
    with pytest.raises(RefusedName, match="blocked this name"):
        flow.create(match.game, match.options, 2, "Bob", guest=measure.guest)
    assert not match.seats.filter(name="Bob").exists()
    assert Browser("Bobby").accept(invite).status_code == 302
    measures.lift(measure, None)
    assert Browser("Bob").accept(invite).status_code == 302


def test_a_taken_name_goes_along_when_two_guests_are_one_and_is_kept(table: Table) -> None:
    measure = take("rename", seat=table.b)
    table.bob.post("/me/name/", {"name": "Robert"})
    zoe = Guest.objects.create(name="Zoe")
    merge(guest("Robert"), zoe)
    zoe.refresh_from_db()
    with pytest.raises(RefusedName, match="blocked this name"):
        clean_name("Bob", guest=zoe)
    Measure.objects.update(made_at=timezone.now() - timedelta(days=4000))
    ended = next(one for one in RETENTIONS if one.name == "measures")
    assert not list(prune(ended))
    measure.refresh_from_db()
    measures.lift(measure, None)
    Measure.objects.update(lifted_at=timezone.now() - timedelta(days=4000))
    assert list(prune(ended)) == [1]


def test_a_name_becomes_another_one_wherever_it_stands(table: Table, said: Message) -> None:
    other = table.bob.make()
    take("rename", seat=table.b)
    assert table.b.name == "Player B" and other.seats.get(letter="A").name == "Player A"
    said.refresh_from_db()
    assert said.name == "Player B" and not Guest.objects.filter(name="Bob").exists()
    for page in (f"/m/{table.key}/", f"/m/{table.key}/A/", f"/m/{table.key}/A/talk/"):
        assert not has_word(text(table.alice.get(page)), "Bob")
    assert "given you another name" in text(table.bob.get("/"))


def test_a_name_that_another_one_has_is_not_given(table: Table) -> None:
    take("rename", seat=table.b, name="Alice")
    assert table.b.name == "Player B"


def test_a_hidden_message_is_read_by_nobody_and_can_be_shown_again(table: Table, report: Report) -> None:
    hidden = measures.take("hide", None, report=report)
    shown = text(table.alice.get(f"/m/{table.key}/A/talk/"))
    assert "toaster" not in shown and "Hidden by a moderator." in shown
    assert "hidden one of your messages" in text(table.bob.get("/"))
    measures.lift(hidden, None)
    assert "toaster" in text(table.alice.get(f"/m/{table.key}/A/talk/"))


def test_a_table_is_taken_off_the_list_and_its_invite_still_works(alice: Browser, bob: Browser) -> None:
    match = alice.make()
    invite = alice.own_links(match.seats.get(letter="A"))["invite"]
    Match.objects.update(listed=True)
    assert len(alice.get("/api/v1/matches?open=1").json()["matches"]) == 1
    made = measures.take("unlist", None, match=Match.objects.get())
    assert alice.get("/api/v1/matches?open=1").json()["matches"] == []
    assert made.guest == guest("Alice") and "list of open tables" in text(alice.get("/"))
    bob.join(invite)


def test_a_revoked_link_opens_nothing_and_no_new_one_is_made(table: Table) -> None:
    link = table.bob.own_links(table.b)["seat"]
    flow.seal(table.b, 0, FIRST)
    made = measures.take("revoke", None, seat=table.b)
    assert table.b.link_hash == "" and not table.b.holds.exists() and made.guest == guest("Bob")
    assert table.bob.get(f"/m/{table.key}/B/").status_code == 403
    assert table.bob.get(f"/s/seat/{link}/").status_code == 404
    at, headers = f"/api/v1/matches/{table.key}/order?turn=0", {"Authorization": f"Bearer {link}"}
    assert table.bob.delete(at, headers=headers).status_code == 401
    assert table.b.programs.get().sealed  # what was sealed stays
    assert "it no longer works" in text(table.bob.get("/"))
    with pytest.raises(ImpossibleMeasure):
        measures.take("revoke", None, seat=table.b)


def test_a_measure_about_nothing_is_none_and_each_kind_is_said_in_words() -> None:
    assert set(measures.SAYS) == set(measures.DOES) == set(Measure.Kind.values)
    for kind in Measure.Kind.values:
        with pytest.raises(ImpossibleMeasure):
            measures.take(kind, None)
    assert not Measure.objects.exists()


def test_a_measure_deals_with_all_reports_of_the_same_thing(table: Table, report: Report) -> None:
    dora = Browser("Dora")
    for about in (f"name-{table.b.letter}", "match"):
        dora.post(f"/report/{table.key}/", {"about": about, "reason": "spam"})
    again = Report.objects.create(subject=report.subject, what="message", made_at=timezone.now())
    measures.take("warn", None, report=report)
    assert {one.status for one in Report.objects.filter(subject=report.subject)} == {"dealt"}
    again.refresh_from_db()
    assert again.closed_at
    assert Report.objects.filter(status="open").count() == 2


def test_an_objection_opens_the_report_again_and_lands_in_the_queue(table: Table, report: Report) -> None:
    mute = measures.take("mute", None, report=report, ends_at=measures.until("7"))
    page = mute.get_absolute_url()
    assert table.bob.post(page, {"words": " "}).status_code == 422
    assert table.bob.post(page, {"words": "I meant my own toaster"}).status_code == 302
    report.refresh_from_db()
    objection = Report.objects.get(what="objection")
    assert report.status == objection.status == "open" and objection.measure == mute
    assert objection.words == "I meant my own toaster"
    shown = text(table.bob.get(page))
    assert "I meant my own toaster" in shown
    assert "will look at the matter again" in shown
    assert 'name="words"' not in shown
    table.bob.post(page, {"words": "Twice"})
    assert Report.objects.count() == 2
    measures.dismiss(objection, None)
    report.refresh_from_db()
    assert (report.status, objection.status) == ("dealt", "dismissed")
    assert "The decision stands." in text(table.bob.get(page))


def test_whoever_is_barred_objects_also_without_a_report_and_without_being_anybody(table: Table) -> None:
    table.bob.post(take("ban").get_absolute_url(), {"words": "Why?"})
    ban = measures.take("ban", None, network="127.0.0.0/8")
    assert Browser("").post(ban.get_absolute_url(), {"words": "I share this address"}).status_code == 302
    made = Report.objects.order_by("pk").values_list("what", "words")
    assert list(made) == [("objection", "Why?"), ("objection", "I share this address")]


def test_a_guest_gets_his_measures_with_his_data_and_they_go_with_him(table: Table, report: Report) -> None:
    measures.take("mute", None, report=report, why="Mind your words")
    table.bob.post(Measure.objects.get().get_absolute_url(), {"words": "No"})
    data = table.bob.get("/me/export/").json()["moderation"]
    assert data["measures"][0]["why"] == "Mind your words" and data["measures"][0]["objection"] == "No"
    assert [one["what"] for one in data["reports"]] == ["objection"]  # not what others reported of him
    table.bob.post("/me/forget/", {"sure": "1"})
    assert not Measure.objects.exists()


def test_what_is_dealt_with_goes_after_its_time_and_what_holds_stays(
    table: Table, report: Report, settings: Any, time: Any
) -> None:
    settings.KEEP_REPORTS_DAYS, settings.KEEP_MEASURES_DAYS = 10, 20
    kept = {kept.name: kept for kept in RETENTIONS}
    for days in ("1", "90", ""):
        take("mute", days=days)
    measures.take("warn", None, report=report)
    waits = Report.objects.create(subject="match 1", what="match", made_at=timezone.now())

    def left() -> tuple[int, int]:
        for name in ("reports", "measures"):
            list(prune(kept[name]))
        return Report.objects.count(), Measure.objects.count()

    time.pass_(days=9)
    assert left() == (2, 4)
    time.pass_(days=2)
    assert left() == (1, 4)
    time.pass_(days=12)
    assert left() == (1, 2)  # the warning, and the mute that ended after a day
    waits.refresh_from_db()
