"""A lost seat is asked for: the table sees it, somebody says yes, an hour later it passes."""

from __future__ import annotations

import pytest
from django.test import Client

from robosite.matches import clock, flow
from robosite.matches.models import Asking, Hold, Match, Program, Seat
from robosite.people.models import Guest
from robosite.talk import margin, messages
from robosite.talk.models import Scribble
from tests.site.browsers import FIRST, OTHER, Answer, Browser, Table, sit_down, text
from tests.site.conftest import Time


@pytest.fixture
def lost(db: None) -> Browser:
    """Bob at a browser that knows nothing of him."""
    return Browser("Bob")


def ask(browser: Browser, seat: Seat, **given: str) -> Answer:
    return browser.post(f"{seat.get_absolute_url()}ask/", given)


def say(browser: Browser, at: Seat, what: str, asking: Asking | None = None) -> Answer:
    pk = (asking or Asking.objects.get()).pk
    return browser.do(at, "asked", asking=pk, say=what)


def sits(browser: Browser, seat: Seat) -> bool:
    status: int = browser.get(seat.get_absolute_url()).status_code
    return status == 200


def test_the_host_says_yes_and_an_hour_later_the_seat_passes(table: Table, lost: Browser, time: Time) -> None:
    link = table.bob.links(table.b)["seat"]
    table.bob.seal(table.b, OTHER)
    assert ask(lost, table.b).status_code == 302
    assert "Alice can say yes" in text(lost.get(f"/m/{table.key}/B/ask/"))
    assert "somebody says to be Bob" in text(table.alice.get(f"/m/{table.key}/A/"))
    assert "Somebody asks for your seat" in text(table.bob.get(f"/m/{table.key}/B/"))
    assert say(table.alice, table.a, "yes").status_code == 302
    assert "Alice said yes" in text(lost.get(f"/m/{table.key}/B/ask/"))
    time.pass_(minutes=59)
    assert not sits(lost, table.b) and sits(table.bob, table.b)
    time.pass_(minutes=1)
    answer = lost.get(f"/m/{table.key}/B/ask/")
    assert (answer.status_code, answer["Location"]) == (302, f"/m/{table.key}/B/")
    assert sits(lost, table.b) and not sits(table.bob, table.b)
    assert Client().get(f"/s/seat/{link}/").status_code == 404
    api = Client().get(f"/api/v1/matches/{table.key}", headers={"Authorization": f"Bearer {link}"})
    assert api.status_code == 401
    assert table.key in text(lost.get("/mine/"))


def test_the_clock_does_it_when_nobody_looks(table: Table, lost: Browser, time: Time) -> None:
    ask(lost, table.b)
    say(table.alice, table.a, "yes")
    clock.tick()
    time.pass_(hours=1)
    before = table.match.version
    clock.tick()
    clock.tick()
    assert Hold.objects.get(seat=table.b).guest != Guest.objects.filter(name="Bob").first()
    assert table.match.version == before + 1 and table.match.handover_at is None


@pytest.mark.parametrize("sealed", [True, False])
def test_order_and_draft_of_the_unrevealed_turn_do_not_pass(
    table: Table, lost: Browser, time: Time, sealed: bool
) -> None:
    table.play((FIRST, "TL TL TR TR TL"))
    (table.bob.seal if sealed else table.bob.draft)(table.b, "TR TR TR TL TL")
    ask(lost, table.b)
    say(table.alice, table.a, "yes")
    time.pass_(hours=1)
    page = text(lost.get(f"/m/{table.key}/B/"))
    assert "TR TR TR TL TL" not in page and "TL TL TR TR TL" in page
    assert not Program.objects.filter(seat=table.b, turn=1).exists()
    assert flow.owing(table.match) == ["A", "B"]
    table.alice.seal(table.a, FIRST)
    assert lost.seal(table.b, OTHER).status_code == 302
    assert table.match.turn == 2


def test_a_draft_that_was_never_played_does_not_pass_when_all_is_over(
    table: Table, lost: Browser, time: Time
) -> None:
    table.bob.seal(table.b, "TR TR TR TL TL")
    table.alice.do(table.a, "resign")
    assert "TR TR TR TL TL" in text(table.bob.get(f"/m/{table.key}/B/"))
    ask(lost, table.b)
    say(table.alice, table.a, "yes")
    time.pass_(hours=1)
    assert sits(lost, table.b) and "TR TR TR TL TL" not in text(lost.get(f"/m/{table.key}/B/"))


def test_notes_and_the_word_to_come_do_not_pass_either(table: Table, lost: Browser, time: Time) -> None:
    margin.write(table.b, Scribble.Kind.WORD, 0, "Ha, first!")
    table.play((FIRST, OTHER))
    margin.write(table.b, Scribble.Kind.NOTE, 0, "She always turns left")
    margin.write(table.b, Scribble.Kind.WORD, 1, "Ha, next!")
    messages.say(table.a, None, "For you alone", to="B")
    ask(lost, table.b)
    say(table.alice, table.a, "yes")
    time.pass_(hours=1)
    assert margin.words_with(table.match, 0) == {"B": "Ha, first!"}
    flow.look(table.match)
    assert margin.words_with(table.match, 0) == {"B": "Ha, first!"}
    assert margin.notes_of(table.b) == ([], False) and not margin.word_of(table.b, table.match)
    assert not messages.at_table(table.b).messages and messages.at_table(table.a).messages


def test_a_write_that_was_under_way_when_the_seat_passed_is_refused(
    table: Table, lost: Browser, time: Time
) -> None:
    ask(lost, table.b)
    say(table.alice, table.a, "yes")
    of_the_old_browser = table.b
    time.pass_(hours=1)
    for write in (flow.draft, flow.seal):
        with pytest.raises(flow.Refused, match="not yours any more"):
            write(of_the_old_browser, 0, OTHER)
        of_the_old_browser.link_hash = "as it was"
    assert not Program.objects.filter(seat=table.b).exists()


def test_whoever_sits_there_objects_and_keeps_the_seat(table: Table, lost: Browser, time: Time) -> None:
    table.bob.seal(table.b, OTHER)
    ask(lost, table.b)
    say(table.alice, table.a, "yes")
    time.pass_(minutes=50)
    assert say(table.bob, table.b, "here").status_code == 302
    time.pass_(hours=2)
    assert sits(table.bob, table.b) and not sits(lost, table.b)
    assert Program.objects.get(seat=table.b).sealed
    assert "objected" in text(lost.get(f"/m/{table.key}/B/ask/"))
    assert "says to be" not in text(table.alice.get(f"/m/{table.key}/A/"))


def test_a_new_link_is_an_objection_too(table: Table, lost: Browser, time: Time) -> None:
    ask(lost, table.b)
    say(table.alice, table.a, "yes")
    table.bob.do(table.b, "link")
    time.pass_(hours=2)
    assert sits(table.bob, table.b) and not sits(lost, table.b)


def test_a_yes_can_be_taken_back_and_a_no_lets_one_ask_again(table: Table, lost: Browser, time: Time) -> None:
    ask(lost, table.b)
    say(table.alice, table.a, "yes")
    time.pass_(minutes=59)
    say(table.alice, table.a, "no")
    time.pass_(hours=1)
    assert not sits(lost, table.b)
    assert "Alice said no" in text(lost.get(f"/m/{table.key}/B/ask/"))
    ask(lost, table.b)
    say(table.alice, table.a, "yes")
    time.pass_(hours=1)
    assert sits(lost, table.b)


def test_asking_can_be_given_up(table: Table, lost: Browser, time: Time) -> None:
    ask(lost, table.b)
    say(table.alice, table.a, "yes")
    ask(lost, table.b, withdraw="1")
    time.pass_(hours=2)
    assert not sits(lost, table.b) and table.match.handover_at is None


def test_nobody_says_yes_to_himself(alice: Browser, bob: Browser, charlie: Browser, time: Time) -> None:
    """Whoever asks has no say, nor has the seat that is asked for: any other player then has."""
    match = alice.make(3)
    invite = alice.links(match.seats.get(letter="A"))["invite"]
    bob.accept(invite), charlie.accept(invite)
    a, b, c = match.seats.select_related("match").order_by("letter")
    ask(alice, b)  # the host asks for Bob's seat
    assert say(alice, a, "yes").status_code == 409 and say(bob, b, "yes").status_code == 409
    assert say(charlie, c, "yes").status_code == 302
    say(bob, b, "here")

    fresh = Browser("Alice")
    ask(fresh, a)  # the host's own seat
    asking = Asking.objects.get(seat=a)
    assert say(alice, a, "yes", asking).status_code == 409
    assert say(bob, b, "yes", asking).status_code == 302
    time.pass_(hours=1)
    assert sits(fresh, a) and not sits(alice, a)
    match.refresh_from_db()
    assert match.seats.get(letter="A").host


def test_others_than_the_host_have_no_say_while_he_is_there(
    alice: Browser, bob: Browser, charlie: Browser, lost: Browser
) -> None:
    match = alice.make(3)
    invite = alice.links(match.seats.get(letter="A"))["invite"]
    bob.accept(invite), charlie.accept(invite)
    a, b, c = match.seats.select_related("match").order_by("letter")
    ask(lost, b)
    assert say(charlie, c, "yes").status_code == 409
    assert "Alice can say yes" in text(charlie.get(c.get_absolute_url()))
    assert say(Browser("Mallory"), a, "yes").status_code == 403
    assert say(charlie, c, "here").status_code == 409
    Hold.objects.filter(seat=a).delete()  # the host is gone for good
    assert say(charlie, c, "yes").status_code == 302


def test_a_free_seat_a_bots_and_ones_own_cannot_be_asked_for(table: Table, lost: Browser) -> None:
    answer = ask(table.bob, table.b)
    assert (answer.status_code, answer["Location"]) == (302, f"/m/{table.key}/B/")
    match = table.alice.make(3)
    host, free = match.seats.select_related("match").order_by("letter")[:2]
    assert ask(lost, free).status_code == 409
    table.alice.do(host, "bot", seat="B", player="random")
    assert ask(lost, free).status_code == 409
    assert not Asking.objects.exists() and not lost.session.get("guest")


def test_looking_at_the_page_asks_for_nothing(table: Table, lost: Browser) -> None:
    before = list(Match.objects.values())
    assert lost.get(f"/m/{table.key}/B/ask/").status_code == 200
    assert "I am Bob, and have lost my seat" in text(lost.get(f"/m/{table.key}/B/"))
    assert list(Match.objects.values()) == before and not Asking.objects.exists()


def test_at_a_table_of_players_only_one_needs_the_invite(
    alice: Browser, bob: Browser, charlie: Browser, lost: Browser
) -> None:
    there = sit_down(alice, bob, charlie)
    Match.objects.update(watched=False)
    assert lost.get(f"/m/{there.key}/B/ask/").status_code == 403
    assert ask(lost, there.b).status_code == 403
    assert ask(lost, there.b, invite="x" * 32).status_code == 403
    assert "I am Bob" in text(lost.get(f"/s/invite/{there.invite}/"))
    assert ask(lost, there.b, invite=there.invite).status_code == 302
    assert lost.get(f"/m/{there.key}/B/ask/").status_code == 200
    assert lost.get(f"/m/{there.key}/A/").status_code == 403


def test_few_may_ask_at_one_table_at_once(table: Table) -> None:
    several = [Browser(f"Bob {n}") for n in range(6)]
    assert [ask(one, table.b).status_code for one in several] == [302] * 4 + [409] * 2
    assert Asking.objects.count() == 4


def test_asking_has_limits(table: Table, lost: Browser, settings: object) -> None:
    from django.core.cache import cache

    settings.LIMITS = "on"  # type: ignore[attr-defined]
    cache.clear()
    for _ in range(3):
        ask(lost, table.b), ask(lost, table.b, withdraw="1")
        ask(lost, table.b), ask(lost, table.b, withdraw="1")
    answer = ask(lost, table.b)
    assert answer.status_code == 429 and answer["Retry-After"] and "Please wait" in text(answer)


def test_nobody_but_the_asker_is_given_anything_to_open_the_seat_with(
    table: Table, lost: Browser, time: Time
) -> None:
    ask(lost, table.b)
    say(table.alice, table.a, "yes")
    for browser in (table.alice, table.bob, table.charlie, lost):
        for path in (f"/m/{table.key}/A/", f"/m/{table.key}/B/", f"/m/{table.key}/B/ask/"):
            assert "/s/seat/" not in text(browser.get(path)) or browser in (table.alice, table.bob)
    time.pass_(hours=1)
    flow.look(table.match)
    assert table.b.link_hash == ""
    assert lost.do(table.b, "link").status_code == 302
    assert Browser("").post(f"/s/seat/{lost.links(table.b)['seat']}/take/").status_code == 302
