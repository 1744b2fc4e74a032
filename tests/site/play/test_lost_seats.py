"""A lost seat is asked for: the table sees it, somebody says yes, a day or a week later it passes."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any, cast
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.utils import timezone

from robosite.api.serializers import moment
from robosite.matches import flow
from robosite.matches.flow import pauses, seat_requests
from robosite.matches.models import Hold, Match, Program, Seat
from robosite.matches.site_models import Asking
from robosite.people.current_guest import merge
from robosite.people.models import Guest
from robosite.talk import messages, turn_notes
from robosite.talk.models import TurnNote
from robosite.web.bounds import BUCKETS
from robosite.web.sentences import spell_duration
from tests.at_once import tick
from tests.site.browsers import FIRST, OTHER, Answer, Browser, Table, text
from tests.site.conftest import Time
from tests.site.people.test_ways_back import sits


@pytest.fixture
def lost() -> Browser:
    """Bob at a browser that knows nothing of him."""
    return Browser("Bob", REMOTE_ADDR="203.0.113.7")


def ask(browser: Browser, seat: Seat, **given: str) -> Answer:
    return browser.post(f"{seat.get_absolute_url()}ask/", given)


def say(browser: Browser, at: Seat, what: str, about: Asking | None = None) -> Answer:
    pk = (about or Asking.objects.get()).pk
    return browser.do(at, "asked", asking=pk, say=what)


@pytest.fixture
def asked(table: Table, lost: Browser) -> Table:
    """Somebody has asked for Bob's seat, and Alice has said yes."""
    cast(Any, table.bob).token = table.bob.own_links(table.b)["seat"]
    ask(lost, table.b)
    say(table.alice, table.a, "yes")
    return table


def fetched(browser: Browser, seat: Seat) -> Answer:
    """A request that an open page makes by itself: no sign that anybody sits before it."""
    return browser.get(seat.get_absolute_url(), headers={"HX-Request": "true"})


def test_the_host_says_yes_and_a_week_later_the_seat_passes(table: Table, lost: Browser, time: Time) -> None:
    link = table.bob.own_links(table.b)["seat"]
    table.bob.seal(table.b, OTHER)
    ask(lost, table.b)
    time.pass_(days=7)
    assert "says they’re" not in text(table.alice.get(f"/m/{table.key}/A/")), "nobody answered: it lapses"
    assert say(table.alice, table.a, "yes").status_code == 409
    assert "ask for my seat" in text(lost.get(f"/m/{table.key}/B/ask/"))
    assert ask(lost, table.b).status_code == 302
    assert "Alice can say yes" in text(lost.get(f"/m/{table.key}/B/ask/"))
    assert "someone says they’re Bob" in text(table.alice.get(f"/m/{table.key}/A/"))
    assert "Someone is asking for your seat" in text(fetched(table.bob, table.b))
    assert say(table.alice, table.a, "yes").status_code == 302
    assert "Alice said yes" in text(lost.get(f"/m/{table.key}/B/ask/"))
    time.pass_(days=6, hours=23, minutes=59)
    assert not sits(lost, table.b)
    time.pass_(minutes=1)
    answer = lost.get(f"/m/{table.key}/B/ask/")
    assert (answer.status_code, answer["Location"]) == (302, f"/m/{table.key}/B/")
    assert sits(lost, table.b) and not sits(table.bob, table.b)
    assert Client().get(f"/s/seat/{link}/").status_code == 404
    api = Client().get(f"/api/v1/matches/{table.key}", headers={"Authorization": f"Bearer {link}"})
    assert api.status_code == 401
    assert table.key in text(lost.get("/mine/"))


@pytest.mark.parametrize("left", ["sealed", "draft", "never played"])
def test_order_draft_notes_and_the_word_to_come_do_not_pass(
    table: Table, lost: Browser, time: Time, left: str
) -> None:
    turn_notes.write(table.b, TurnNote.Kind.WORD, 0, "Ha, first!")
    table.play((FIRST, "TL TL TR TR TL"))
    turn_notes.write(table.b, TurnNote.Kind.NOTE, 0, "She always turns left")
    turn_notes.write(table.b, TurnNote.Kind.WORD, 1, "Ha, next!")
    messages.say(table.a, None, "For you alone", to="B")
    (table.bob.draft if left == "draft" else table.bob.seal)(table.b, "TR TR TR TL TL")
    if left == "never played":
        table.alice.do(table.a, "resign")
        table.bob.get(f"/m/{table.key}/B/")  # where the news is told
        assert "TR TR TR TL TL" in text(table.bob.get(f"/m/{table.key}/B/"))
    of_the_old_browser = table.b
    ask(lost, table.b)
    say(table.alice, table.a, "yes")
    time.pass_(days=7)
    assert turn_notes.words_with(table.match, 0) == {"B": "Ha, first!"}
    pages = [text(lost.get(f"/m/{table.key}/B/")) for _ in range(2)]
    assert sits(lost, table.b) and "TR TR TR TL TL" not in "".join(pages)
    if left == "never played":
        return
    assert "TL TL TR TR TL" in text(lost.get(f"/m/{table.key}/B/more/"))
    assert turn_notes.words_with(table.match, 0) == {"B": "Ha, first!"}
    assert turn_notes.notes_of(table.b) == ([], False) and not turn_notes.word_of(table.b, table.match)
    assert not messages.at_table(table.b).messages and messages.at_table(table.a).messages
    for write in (flow.draft, flow.seal):
        with pytest.raises(flow.SeatLost):
            write(of_the_old_browser, 1, OTHER)
    assert not Program.objects.filter(seat=table.b, turn=1).exists()
    assert flow.owing(table.match) == ["A", "B"]
    table.alice.seal(table.a, FIRST)
    assert lost.seal(table.b, OTHER).status_code == 302
    assert table.match.turn == 2


def test_a_yes_and_asking_can_be_taken_back_and_a_no_lets_one_ask_again(
    asked: Table, lost: Browser, time: Time
) -> None:
    time.pass_(hours=23)
    say(asked.alice, asked.a, "no")
    time.pass_(days=7)
    assert not sits(lost, asked.b)
    assert "Alice said no" in text(lost.get(f"/m/{asked.key}/B/ask/"))
    ask(lost, asked.b)
    say(asked.alice, asked.a, "yes")
    ask(lost, asked.b, withdraw="1")
    time.pass_(days=7)
    assert not sits(lost, asked.b) and asked.match.handover_at is None
    ask(lost, asked.b)
    say(asked.alice, asked.a, "yes")
    tick()
    before = asked.match.version
    time.pass_(days=7)
    tick()
    tick()  # the clock does it when nobody looks
    assert asked.match.version == before + 1 and asked.match.handover_at is None
    assert sits(lost, asked.b)


def test_a_new_link_is_an_objection_too(asked: Table, lost: Browser, time: Time) -> None:
    asked.bob.do(asked.b, "link")
    time.pass_(days=2)
    assert sits(asked.bob, asked.b) and not sits(lost, asked.b)


def test_nobody_says_yes_to_himself(three: Table, dora: Browser, time: Time) -> None:
    """Neither the asker nor the seat asked for has a say; any other player has."""
    dora.defaults["REMOTE_ADDR"] = "203.0.113.9"
    alice, bob, a, b = three.alice, three.bob, three.a, three.b
    ask(alice, b)  # the host asks for Bob's seat
    assert say(alice, a, "yes").status_code == 409
    assert say(dora, three.seat("C"), "yes").status_code == 302
    assert say(bob, b, "yes").status_code == 409
    assert not seat_requests.open_requests(three.match)

    fresh = Browser("Alice", REMOTE_ADDR="203.0.113.7")
    ask(fresh, a)  # the host's own seat
    found = Asking.objects.get(seat=a)
    assert say(bob, b, "yes", found).status_code == 302
    time.pass_(days=7)
    assert sits(fresh, a) and not sits(alice, a)
    assert three.a.host


def test_others_than_the_host_have_no_say_while_he_is_there(
    three: Table, dora: Browser, lost: Browser
) -> None:
    c = three.seat("C")
    ask(lost, three.b)
    assert say(dora, c, "no").status_code == 409
    assert say(dora, c, "yes").status_code == 302 and Asking.objects.get().due is None
    assert say(dora, c, "yes").status_code == 409
    assert "Alice can say yes" in text(dora.get(c.get_absolute_url()))
    assert say(Browser("Mallory"), three.a, "yes").status_code == 403
    assert say(dora, c, "here").status_code == 409
    Hold.objects.filter(seat=three.a).delete()  # the host is gone for good
    assert say(dora, c, "yes").status_code == 302 and Asking.objects.get().due


def test_a_free_seat_a_bots_and_ones_own_cannot_be_asked_for_nor_without_an_invite_among_players(
    table: Table, lost: Browser
) -> None:
    answer = ask(table.bob, table.b)
    assert (answer.status_code, answer["Location"]) == (302, f"/m/{table.key}/B/")
    match = table.alice.make(3)
    host, free = match.seats.select_related("match").order_by("letter")[:2]
    assert ask(lost, free).status_code == 409
    table.alice.do(host, "bot", seat="B", player="random")
    assert ask(lost, free).status_code == 409
    assert not Asking.objects.exists() and not lost.session.get("guest")
    Match.objects.update(watched=False)
    assert lost.get(f"/m/{table.key}/B/ask/").status_code == 403
    for invite in ("", "x" * 32):
        assert ask(lost, table.b, invite=invite).status_code == 403
    assert "I’m Bob" in text(lost.get(f"/s/invite/{table.invite}/"))
    assert ask(lost, table.b, invite=table.invite).status_code == 302
    assert lost.get(f"/m/{table.key}/B/ask/").status_code == 200
    assert lost.get(f"/m/{table.key}/A/").status_code == 403


def test_strangers_keep_nobody_from_asking(table: Table, lost: Browser) -> None:
    """However many ask from however few addresses: a new request takes the place of one of theirs."""
    before = list(Match.objects.values())
    assert lost.get(f"/m/{table.key}/B/ask/").status_code == 200
    assert "I’m Bob and have lost my seat" in text(lost.get(f"/m/{table.key}/B/"))
    assert list(Match.objects.values()) == before and not Asking.objects.exists(), "to look asks for nothing"
    ask(lost, table.b)
    crowd = [Browser(f"Bob {n}") for n in range(2 * seat_requests.MOST)]
    for n, one in enumerate(crowd):
        at = f"{table.b.get_absolute_url()}ask/"
        assert one.post(at, REMOTE_ADDR=f"192.0.2.{n % 3}").status_code == 302
    assert Asking.objects.count() == seat_requests.MOST
    own = Guest.objects.get(pk=lost.session["guest"])
    assert own in [one.guest for one in seat_requests.open_requests(table.match)]
    late = Browser("Bob")
    assert ask(late, table.b).status_code == 302
    assert late.session["guest"] in [one.guest_id for one in seat_requests.open_requests(table.match)]


def test_who_held_the_seat_before_goes_first_and_makes_room_for_nobody(table: Table) -> None:
    old = Guest.objects.get(name="Bob")
    flow.new_link(table.b, Guest.objects.create(name="Thief"))
    seat_requests.ask(table.b, Guest.objects.create(name="X0"), "192.0.2.7")
    seat_requests.ask(table.b, old, "192.0.2.7")
    for n in range(1, 3 * seat_requests.MOST):
        seat_requests.ask(table.b, Guest.objects.create(name=f"X{n}"), "192.0.2.7")
    found = seat_requests.open_requests(table.match)
    assert found[0].guest == old and len(found) == seat_requests.MOST + 1


ACTS: dict[str, Callable[[Table], Any]] = {
    "looks": lambda t: t.bob.get(t.b.get_absolute_url()),
    "objects": lambda t: say(t.bob, t.b, "here"),
    "drafts": lambda t: t.bob.draft(t.b, "F F"),
    "seals": lambda t: t.bob.seal(t.b, OTHER),
    "reopens": lambda t: t.bob.do(t.b, "reopen", turn=0),
    "says something": lambda t: t.bob.do(t.b, "talk", text="Hello"),
    "offers a draw": lambda t: t.bob.do(t.b, "draw", offer="1"),
    "plays what is refused": lambda t: t.bob.seal(t.b, "Z"),
    "by a program": lambda t: program(t, "PUT", "draft", {"turn": 0, "order": "F"}),
    "by a program, refused": lambda t: program(t, "PUT", "order", {"turn": 7, "order": "F"}),
    "by keeping it": lambda t: program(t, "POST", "keep"),
}


def program(table: Table, method: str, what: str, body: object = None) -> Answer:
    """Bob's program, by the token that was his link."""
    kept = cast(Any, table.bob).token
    given: dict[str, Any] = {"data": json.dumps(body), "content_type": "application/json"} if body else {}
    at = f"/api/v1/matches/{table.key}" + (f"/{what}" if what else "")
    return Client().generic(method, at, headers={"Authorization": f"Bearer {kept}"}, **given)


@pytest.mark.parametrize("how", ACTS)
def test_any_act_of_its_holder_ends_the_request(asked: Table, lost: Browser, time: Time, how: str) -> None:
    time.pass_(hours=23)
    answer = ACTS[how](asked)
    assert Asking.objects.get().answer == Asking.Answer.OBJECTED and asked.match.handover_at is None
    assert "The seat is in use" in text(lost.get(f"/m/{asked.key}/B/ask/"))
    assert "says they’re" not in text(asked.alice.get(f"/m/{asked.key}/A/"))
    if how == "looks":
        assert "it stays yours" in text(answer), "who looks in reads why, once"
        assert "it stays yours" not in text(ACTS[how](asked))
    time.pass_(days=2)
    assert not sits(lost, asked.b) and sits(asked.bob, asked.b)


def test_what_others_do_and_what_pages_fetch_by_themselves_ends_nothing(asked: Table, lost: Browser) -> None:
    fetched(asked.bob, asked.b)
    asked.bob.get(asked.b.get_absolute_url(), headers={"Sec-Purpose": "prefetch;prerender"})
    asked.bob.head(asked.b.get_absolute_url())
    asked.bob.get(f"/m/{asked.key}/")
    asked.alice.seal(asked.a, FIRST)
    asked.charlie.get(asked.b.get_absolute_url())
    lost.post(f"{asked.b.get_absolute_url()}plan/", {"turn": 0, "typed": OTHER, "seal": "1"})
    program(asked, "GET", "")
    assert Asking.objects.get().answer == Asking.Answer.YES


def test_a_program_sees_that_its_seat_is_asked_for_and_nobody_else_does(asked: Table) -> None:
    told = program(asked, "GET", "").json()["seat_request"]
    found = Asking.objects.get()
    assert told == {"asked_at": moment(found.asked_at), "due": moment(cast(Any, found.due))}
    at, token = f"/api/v1/matches/{asked.key}", asked.alice.own_links(asked.a)["seat"]
    assert Client().get(at).json()["seat_request"] is None
    alices = Client().get(at, headers={"Authorization": f"Bearer {token}"})
    assert alices.json()["seat_request"] is None
    for of_nobody in ({}, {"Authorization": f"Bearer {'x' * 32}"}):
        assert Client().post(f"{at}/keep", headers=of_nobody).status_code == 401
    assert Asking.objects.get().stands
    answer = program(asked, "POST", "keep")
    assert answer.status_code == 200 and answer.json()["seat_request"] is None
    assert answer.json()["you"] == "B" and answer.json()["version"] == asked.match.version
    again = program(asked, "POST", "keep")
    assert again.status_code == 200 and again.json()["version"] == answer.json()["version"]


@pytest.mark.parametrize(
    ("seats", "hours", "waits"),
    [
        *(("three", None, 24), ("three", 1 / 60, 1 / 12), ("three", 1.0, 1), ("three", 24.0, 24)),
        *(("three", 72.0, 24), ("three", 336.0, 24)),
        *(("two", None, 7 * 24), ("two", 24.0, 7 * 24), ("two", 336.0, 14 * 24)),
    ],
)
def test_a_seat_passes_at_the_tables_pace_and_where_one_alone_says_yes_in_a_week_at_least(
    three: Table, table: Table, lost: Browser, time: Time, seats: str, hours: float | None, waits: float
) -> None:
    """The only one who could say yes gains by it."""
    here = three if seats == "three" else table
    Match.objects.update(deadline_hours=hours)
    ask(lost, here.b)
    assert say(here.alice, here.a, "yes").status_code == 302
    due = Asking.objects.get().due
    assert due and due - timezone.now() == timedelta(hours=waits)
    ask(Browser("Other"), here.b)
    told = text(here.alice.get(here.a.get_absolute_url()))
    assert f"{spell_duration(timedelta(hours=waits))} after your yes" in told


def test_two_seats_of_one_guest_are_one_who_says_yes(three: Table, lost: Browser, time: Time) -> None:
    Hold.objects.filter(seat=three.seat("C")).update(guest=Hold.objects.get(seat=three.a).guest)
    ask(lost, three.b)
    seat_requests.answer_request(three.a, Asking.objects.get().pk, yes=True)
    assert Asking.objects.get().due == time.now() + timedelta(days=7)


def test_a_seat_passes_at_once_if_everybody_else_says_yes(three: Table, dora: Browser, lost: Browser) -> None:
    b, c = three.b, three.seat("C")
    ask(lost, b)
    assert "yours at once if everyone else" in text(Browser("Eve").get(f"{b.get_absolute_url()}ask/"))
    assert "passes at once" in text(dora.get(c.get_absolute_url()))
    assert say(dora, c, "yes").status_code == 302
    assert not sits(lost, b) and Asking.objects.get().due is None
    assert say(three.bob, b, "yes", Asking.objects.get()).status_code in (302, 409)  # ends it, or is refused
    ask(lost, b)
    for browser, seat in ((dora, c), (three.alice, three.a)):
        assert say(browser, seat, "yes").status_code == 302
    assert sits(lost, b) and not sits(three.bob, b)


def test_nobody_says_yes_to_a_request_from_his_own_address(table: Table, time: Time) -> None:
    """The request of a second browser at the same connection waits for another yes, and passes to nobody."""
    second = Browser("Bob")
    ask(second, table.b)
    assert say(table.alice, table.a, "yes").status_code == 409
    found = Asking.objects.get()
    assert found.answer == Asking.Answer.OPEN and "127.0.0.1" not in found.origin
    time.pass_(days=6)
    tick()
    assert sits(table.bob, table.b) and not sits(second, table.b)


def test_nobody_loses_a_seat_while_on_holiday_or_in_a_pause(asked: Table, lost: Browser, time: Time) -> None:
    bob = Guest.objects.get(holds__seat=asked.b)
    today = time.now().date()
    pauses.begin(bob, first=today, last=today + timedelta(days=9), zone=ZoneInfo("UTC"), now=time.now())
    time.pass_(days=7)
    assert not sits(lost, asked.b)
    due = Asking.objects.get().due
    assert due and due >= bob.holidays.get().ends + timedelta(days=7)
    Match.objects.update(paused=True)
    time.present = due
    assert not sits(lost, asked.b) and Asking.objects.get().due == due + timedelta(days=7)
    Match.objects.update(paused=False)
    time.pass_(days=7)
    assert sits(lost, asked.b)


def test_who_asks_and_becomes_one_with_who_said_yes_gets_nothing(
    asked: Table, lost: Browser, time: Time
) -> None:
    thief, alice = Guest.objects.get(pk=lost.session["guest"]), Guest.objects.get(name="Alice")
    merge(thief, alice)
    time.pass_(days=7)
    flow.apply_due(asked.match)
    assert Asking.objects.get().answer == Asking.Answer.OPEN
    assert Hold.objects.get(seat=asked.b).guest.name == "Bob"


def test_everybody_at_the_table_and_the_old_browser_read_that_it_has_passed(
    asked: Table, lost: Browser, time: Time
) -> None:
    second = Browser("Second", REMOTE_ADDR="203.0.113.8")
    ask(second, asked.b)
    say(asked.alice, asked.a, "yes", Asking.objects.get(guest__pk=second.session["guest"]))
    time.pass_(days=7)
    assert sits(lost, asked.b) and not sits(second, asked.b), "of two who had a yes, the first"
    assert Hold.objects.filter(seat=asked.b).count() == 1
    for browser, page in ((asked.alice, "A/"), (lost, "B/"), (asked.charlie, "")):
        assert "This seat passed to another browser (" in text(browser.get(f"/m/{asked.key}/{page}"))
    old = asked.bob.get(asked.b.get_absolute_url())
    assert old.status_code == 403 and "passed to a browser that had asked for it" in text(old)
    assert asked.b.passed_turn == 0
    flow.new_link(asked.b, Guest.objects.get(holds__seat=asked.b))
    assert ask(asked.bob, asked.b).status_code == 302
    assert seat_requests.open_requests(asked.match)[0].guest.name == "Bob"


def test_what_was_written_before_is_in_no_export_of_who_sits_there_now(
    table: Table, lost: Browser, time: Time
) -> None:
    turn_notes.write(table.b, TurnNote.Kind.WORD, 0, "Hidden word")
    table.play((FIRST, OTHER))
    turn_notes.write(table.b, TurnNote.Kind.NOTE, 1, "Hidden note")
    messages.say(table.b, Guest.objects.get(name="Bob"), "Hidden secret", to="A")
    stale = [table.b, table.b]
    ask(lost, table.b)
    say(table.alice, table.a, "yes")
    time.pass_(days=7)
    assert sits(lost, table.b)
    assert "Hidden" not in text(lost.get("/me/export/"))
    for write in (
        lambda: turn_notes.write(stale[0], TurnNote.Kind.NOTE, 1, "A ghost's"),
        lambda: messages.say(stale[1], None, "A ghost's"),
    ):
        with pytest.raises(flow.SeatLost):
            write()
    turn_notes.write(table.b, TurnNote.Kind.NOTE, 1, "Own note")
    assert "Own note" in text(lost.get("/me/export/"))


def test_asking_has_limits(table: Table, lost: Browser, limited: Any) -> None:
    for _ in range(BUCKETS["asking/table"].capacity):
        assert ask(lost, table.b).status_code == 302
        ask(lost, table.b, withdraw="1")
    answer = ask(lost, table.b)
    assert answer.status_code == 429 and answer["Retry-After"] and "network" in text(answer)
