"""Notices: what happened, told once to whom it concerns, by the ways that they chose."""

from __future__ import annotations

import re
from datetime import timedelta
from itertools import pairwise
from typing import Any

import pytest
from django.core import mail as post
from django.db import OperationalError, connection, transaction

from games import newest
from robosite.matches import flow
from robosite.matches.flow import replies, seat_requests
from robosite.matches.models import Match, Nudge
from robosite.notices import facts, feeds, parcels, personal_data, texts, transports
from robosite.notices.models import Channel, Delivery, Kind, Notice, Parcel, Wishes
from robosite.people import letters as mails
from robosite.people.models import Guest
from robosite.people.zones import date_and_time
from robosite.talk import messages
from tests import at_once
from tests.site.browsers import FIRST, OTHER, Browser, Table, guest, sit_down, text
from tests.site.conftest import Time
from tests.site.world import world


def by_mail(browser: Browser, **given: Any) -> Channel:
    """A confirmed address, and mails at once of everything."""
    who = guest(browser.name)
    who.email = f"{browser.name.lower()}@example.org"
    who.save()
    browser.post("/notices/add/", {"kind": "mail"})
    Channel.objects.filter(guest=who).update(**{"when": "now", "tells": Kind.values, **given})
    return Channel.objects.get(guest=who, kind="mail")


def ends(table: Table, time: Time, hours: float, deadline_hours: float = 24, **given: Any) -> None:
    """The present turn has so many hours left."""
    then = time.now() + timedelta(hours=hours)
    Match.objects.filter(key=table.key).update(
        deadline_hours=deadline_hours, deadline=then, due=then, **given
    )


def deadline_of(table: Table) -> str:
    """The present deadline as notices name it."""
    assert table.match.deadline
    return date_and_time(table.match.deadline)


def letter() -> Any:
    """The only mail that is due."""
    at_once.send_all()
    (mail,) = post.outbox
    return mail


def told() -> list[tuple[str, str]]:
    """The mails that were sent, with recipients, oldest first; empties the outbox of the tests."""
    at_once.send_all()
    sent = [(one.to[0].partition("@")[0], str(one.subject)) for one in post.outbox]
    post.outbox.clear()
    return sent


def noted(name: str) -> list[str]:
    found = Notice.objects.filter(guest__name=name).order_by("pk")
    return [f"{n.kind} {n.turn}{' done' if n.done_at else ''}" for n in found]


def test_who_is_waited_for_is_told(table: Table) -> None:
    by_mail(table.bob)
    flow.seal(table.a, 0, FIRST)
    assert told() == []  # the round is Bob's since it began, and he knows
    flow.seal(table.b, 0, FIRST)
    assert told() == []  # he has revealed it himself
    flow.seal(table.b, 1, FIRST)
    flow.seal(table.a, 1, FIRST)
    assert told() == [("bob", "Your turn: Robo Battle Pigs with Alice")]


def test_replies_that_were_played_or_dropped_are_told_in_the_normal_way(
    alice: Browser, bob: Browser, robble: Table, time: Time
) -> None:
    for browser in (alice, bob):
        by_mail(browser, tells=["turn"])
    flow.seal(robble.a, 0, "d4")
    replies.put(robble.a, 1, [["c4", "d5"], ["c4", "d5", "e6", "f3"]])
    told()
    flow.seal(robble.b, 1, "c4")
    assert told() == []  # Alice's answer is there, so it is Bob's turn again: he sees that himself
    time.pass_(minutes=31)
    assert told() == [("bob", "Your turn: Robble with Alice")]
    flow.seal(robble.b, 3, "g7")
    mail = letter()
    assert mail.to == ["alice@example.org"] and mail.subject == "Your turn: Robble with Bob"
    words = re.sub(r"https?://\S+", "", str(mail.body))  # a link may have any two characters
    assert "None of your planned replies fits" in words and "f3" not in words


def test_who_reveals_a_turn_and_walks_away_is_told_of_the_next_one(table: Table, time: Time) -> None:
    by_mail(table.bob)
    table.play((FIRST, FIRST))
    time.pass_(minutes=20)
    messages.say(table.a, None, "Well played")
    assert told() == [("bob", "Message from Alice: Robo Battle Pigs with Alice")]  # that waits for nothing
    time.pass_(minutes=11)
    assert told() == [("bob", "Your turn: Robo Battle Pigs with Alice")]
    table.play((OTHER, OTHER))
    flow.seal(table.b, 2, FIRST)
    time.pass_(minutes=31)
    assert told() == []


def test_every_fact_is_noted_once_whoever_looks(table: Table) -> None:
    by_mail(table.bob)
    table.play((FIRST, FIRST))
    by_mail(table.alice)
    before = list(Notice.objects.values_list("pk", flat=True))
    facts.sweep(table.match.pk)
    facts.sweep(table.match.pk)
    assert list(Notice.objects.values_list("pk", flat=True)) == before
    assert noted("Alice")[-2:] == ["revealed 0", "turn 1"]  # Bob sealed last, so it is Alice who is told


@pytest.mark.parametrize(
    ("listener", "subject"),
    [
        ("derive", "Your turn: Robo Battle Pigs with Bob"),
        ("_tell_said", "Message from Bob: Robo Battle Pigs with Bob"),
    ],
)
def test_what_a_listener_left_out_is_found_by_the_sweep(
    table: Table,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    listener: str,
    subject: str,
) -> None:
    by_mail(table.alice)

    def dies(*_: Any, **__: Any) -> None:
        raise RuntimeError("dead")

    with monkeypatch.context() as broken:
        broken.setattr(facts, listener, dies)
        if listener == "derive":
            table.play((FIRST, FIRST))
            assert table.match.turn == 1, "the match goes on all the same"
        else:
            messages.say(table.b, guest("Bob"), "hello?")
            assert facts.said_since(table.match.created_at) == [table.match.pk]
    assert "a listener failed" in caplog.text and told() == []
    facts.sweep(table.match.pk)
    assert told() == [("alice", subject)]


def test_a_listener_that_takes_the_transaction_with_it_makes_the_site_busy(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a full disk, where SQLite undoes everything: nothing that came after it could be kept."""

    def dies(*_: Any, **__: Any) -> None:
        connection.savepoint_commit(connection.savepoint_ids[-1])  # there is none to go back to
        raise OperationalError("disk I/O error")

    with monkeypatch.context() as broken:
        broken.setattr(facts, "derive", dies)
        answer = table.alice.seal(table.a, FIRST)
    assert answer.status_code == 503 and answer["Retry-After"]
    assert not flow.standing_of(table.match).sealed
    assert table.alice.seal(table.a, FIRST).status_code == 302


def test_what_has_been_dealt_with_elsewhere_is_not_sent(table: Table) -> None:
    by_mail(table.alice)
    table.play((FIRST, FIRST))
    flow.seal(table.a, 1, FIRST)
    assert told() == []
    assert set(Parcel.objects.values_list("state", flat=True)) == {"gone"}
    assert noted("Alice")[-2:] == ["revealed 0 done", "turn 1 done"]
    flow.reopen(table.a, 1)
    assert noted("Alice")[-2:] == ["revealed 0 done", "turn 1"]  # it waits again, and she knows
    assert told() == []
    table.play((FIRST, FIRST))
    table.a.holds.all().delete()
    assert told() == [], "she has lost the seat"


def test_who_was_there_first_hears_who_sits_down(alice: Browser, bob: Browser) -> None:
    match = alice.make(3)
    by_mail(alice)
    bob.join(alice.own_links(match.seats.get(letter="A"))["invite"])
    assert told() == [("alice", "Bob joined: Robo Battle Pigs with Bob")]
    assert noted("Bob") == []


def test_the_end_is_told_to_who_did_not_bring_it_about(table: Table) -> None:
    by_mail(table.alice)
    by_mail(table.bob)
    flow.resign(table.a)
    assert told() == [("bob", "The match is over: Robo Battle Pigs with Alice")]


def test_who_forfeited_is_told(table: Table, time: Time) -> None:
    ends(table, time, hours=0.5, late="forfeit")
    by_mail(table.bob)
    flow.seal(table.a, 0, FIRST)
    time.pass_(hours=1)
    flow.apply_due(table.match)
    assert table.match.status == "over"
    assert told() == [("bob", "The match is over: Robo Battle Pigs with Alice")]


def test_who_waits_for_bots_alone_looks_on_and_is_told_only_if_he_walks_away(
    alice: Browser, time: Time
) -> None:
    pigs = newest("pigs")
    browser = alice.make()
    by_mail(alice)
    match, _alice, _invite = flow.create(
        pigs, pigs.read_options({}), 2, "Alice", bots={"B": "random"}, guest=guest("Alice")
    )
    seats = {seat.letter: seat for seat in match.seats.select_related("match")}
    flow.seal(seats["A"], 0, FIRST)
    assert flow.seal_for_bot(seats["B"], 0, FIRST)
    who = seats["B"].name
    assert told() == []
    time.pass_(minutes=31)
    assert told() == [("alice", f"Your turn: Robo Battle Pigs with {who}")]
    assert browser.status == "open"


def test_a_lost_seat_that_is_asked_for_is_told_by_every_channel_at_once(table: Table, time: Time) -> None:
    for who in (table.alice, table.bob):
        by_mail(who, tells=[], when="daily")
    erin = Guest.objects.create(name="Erin")
    seat_requests.ask(table.b, erin)
    with_alice, with_bob = "Robo Battle Pigs with Alice", "Robo Battle Pigs with Bob"
    both = [("alice", f"Someone is asking for a lost seat: {with_bob}")]
    assert sorted(told()) == [*both, ("bob", f"Someone is asking for your seat: {with_alice}")]
    found = table.b.askings.get()
    seat_requests.answer_request(table.a, found.pk, yes=True)
    assert told() == []  # it is not told twice in six hours, and passes a day later
    time.pass_(hours=6)
    mail, due = letter(), table.b.askings.get().due
    assert due and mail.to == ["bob@example.org"]
    assert f"The seat changes hands on {date_and_time(due)}, unless you open it first." in mail.body
    assert "Bob" in mail.body and "Erin" not in mail.body
    post.outbox.clear()
    assert noted("Bob")[-2:] == ["asked 0 done", "asked 0"]
    seat_requests.object_to(table.b, found.pk)
    assert told() == [] and not Notice.objects.filter(kind=Kind.ASKED, done_at=None).exists()


@pytest.mark.parametrize("hours", [8, 23])
def test_nothing_that_a_stranger_does_wakes_anybody_in_his_quiet_hours(
    table: Table, time: Time, hours: int
) -> None:
    by_mail(table.bob, tells=["sat", "turn", "message", "over"])
    hour = time.now().hour
    Wishes.objects.filter(guest__name="Bob").update(quiet_from=hour, quiet_until=(hour + hours) % 24)
    for n in range(6):
        stranger = Guest.objects.create(name=f"Erin {n}")
        seat_requests.ask(table.b, stranger)
        time.pass_(minutes=10)
        assert told() == []
        seat_requests.withdraw(table.b, stranger)
        assert told() == []
    seat_requests.ask(table.b, Guest.objects.create(name="Erin"))
    seat_requests.answer_request(table.a, table.b.askings.get().pk, yes=True)
    time.pass_(hours=hours - 1)
    assert [who for who, _title in told()] == ["bob"]  # told, and before it can pass
    assert table.b.askings.get().due > time.now()  # type: ignore[operator]


def test_asking_again_and_again_is_told_once_in_six_hours_a_table(table: Table, time: Time) -> None:
    by_mail(table.bob)
    erin = Guest.objects.create(name="Erin")
    seat_requests.ask(table.b, erin)
    seat_requests.withdraw(table.b, erin)
    assert told() == [] and noted("Bob")[-1] == "asked 0 done", "it was given up"
    count = 0
    for n in range(24):
        stranger = Guest.objects.create(name=f"Erin {n}")
        seat_requests.ask(table.b, stranger)
        count += len(told())
        time.pass_(hours=1)
        seat_requests.withdraw(table.b, stranger)
        count += len(told())
    assert count == 4  # in a day


def test_who_lost_a_seat_is_told_though_he_holds_it_no_more(table: Table, time: Time) -> None:
    by_mail(table.bob, tells=[], when="daily")
    feed = Channel.objects.create(guest=guest("Bob"), kind=Channel.Kind.ATOM, tells=[])
    seat_requests.ask(table.b, Guest.objects.create(name="Erin"))
    seat_requests.answer_request(table.a, table.b.askings.get().pk, yes=True)
    time.pass_(days=7)
    told()
    flow.apply_due(table.match)
    assert told() == [("bob", "Your seat has passed to another browser: Robo Battle Pigs with Alice")]
    assert "Your seat has passed" in feeds.atom(feed, "/feed")
    time.pass_(days=1)
    assert told() == []


def test_a_near_deadline_is_told_at_the_steps_of_ones_own_choice(table: Table, time: Time) -> None:
    by_mail(table.alice)
    table.alice.post("/notices/wishes/", {"steps-shown": "1", "steps": ["12", "1"]})
    ends(table, time, hours=24)

    def hours_pass(hours: float) -> list[tuple[str, str]]:
        time.pass_(hours=hours)
        for pk in facts.near_deadline(time.now(), None):
            facts.sweep(pk)
        return told()

    warning = ("alice", f"You have until {deadline_of(table)}: Robo Battle Pigs with Bob")
    assert hours_pass(11) == []
    assert hours_pass(1.5) == [warning]
    assert hours_pass(1) == []
    assert hours_pass(10) == [warning]
    assert hours_pass(0.2) == []


def test_nothing_is_sent_in_quiet_hours_and_the_rest_comes_in_one_piece(table: Table, time: Time) -> None:
    time.present = time.present.replace(hour=22, minute=30)
    by_mail(table.alice)
    Guest.objects.filter(name="Alice").update(zone="Europe/Berlin")
    Wishes.objects.filter(guest__name="Alice").update(quiet_from=22, quiet_until=8)
    table.play((FIRST, FIRST))
    other = sit_down(table.alice, Browser("Dan"), Browser("Zoe"))
    other.play((FIRST, FIRST))
    assert told() == []
    time.pass_(hours=12)
    assert told() == [("alice", "4 notifications from your matches")]


def test_a_digest_comes_once_a_day_at_the_hour_of_ones_own_zone(table: Table, time: Time) -> None:
    time.present = time.present.replace(hour=10, minute=0)
    by_mail(table.alice, when="daily")
    table.play((FIRST, FIRST))
    assert told() == []
    parcel = Parcel.objects.get()
    assert (parcel.due_at.hour, parcel.due_at.minute) == (18, 0)
    time.pass_(hours=8)
    assert told() == [("alice", "Your turn: Robo Battle Pigs with Bob")]


def test_a_mail_says_match_who_and_how_long_and_one_click_ends_the_mails(table: Table) -> None:
    by_mail(table.alice)
    table.play((FIRST, FIRST))
    flow.seal(table.b, 1, OTHER)
    mail = letter()
    assert "Your turn: Robo Battle Pigs with Bob" in mail.body and "There’s no deadline." in mail.body
    assert f"http://testserver/m/{table.key}/A/" in mail.body
    assert OTHER not in mail.body and FIRST not in mail.body, "never what was sealed"
    way_out = mail.message()["List-Unsubscribe"].strip("<>").removeprefix("http://testserver")
    stranger = Browser("", enforce_csrf_checks=True)
    assert "No more e-mails?" in text(stranger.get(way_out))
    assert Channel.objects.get().on  # looking at it changes nothing
    assert stranger.post(way_out, {"List-Unsubscribe": "One-Click"}).status_code == 200
    assert not Channel.objects.get().on
    post.outbox.clear()
    flow.seal(table.a, 1, FIRST)
    table.play((FIRST, FIRST))
    assert told() == []


def test_a_name_breaks_no_header(table: Table) -> None:
    by_mail(table.alice)
    table.match.seats.filter(letter="B").update(name="Bob\r\nBcc: all@example")
    table.play((FIRST, FIRST))
    mail = letter()
    assert mail.message()["Bcc"] is None and "Bob Bcc:" in mail.subject


def test_notices_speak_the_language_and_the_time_of_who_is_told(table: Table, time: Time) -> None:
    time.present = time.present.replace(year=2026, month=7, day=1, hour=12, minute=0, second=0, microsecond=0)
    by_mail(table.alice)
    Guest.objects.filter(name="Alice").update(language="de", zone="Europe/Berlin")
    ends(table, time, hours=5)
    table.play((FIRST, FIRST))
    assert "Do., 2. Juli, 14:00 CEST" in letter().body


def test_a_test_goes_out_at_once_whatever_the_hour(table: Table) -> None:
    channel = by_mail(table.alice, when="daily")
    for _ in range(2):
        table.alice.post(f"/notices/{channel.number}/", {"do": "test"})
    assert told() == [("alice", "This is a test")]
    channel.refresh_from_db()
    assert channel.succeeded_at
    assert "Last arrived" in text(table.alice.get("/notices/"))
    for who in (table.bob, table.charlie):
        who.make()
        assert who.post(f"/notices/{channel.number}/", {"do": "remove"}).status_code == 404
    assert Channel.objects.filter(pk=channel.pk).exists()


@pytest.mark.parametrize(
    ("late", "what"),
    [("claim", "After that, Bob can claim the win."), ("fill", "your draft is played"), ("forfeit", "loses")],
)
def test_a_notice_says_what_happens_at_the_deadline(table: Table, time: Time, late: str, what: str) -> None:
    by_mail(table.alice)
    ends(table, time, hours=10, late=late)
    table.play((FIRST, FIRST))
    said = str(letter().body)
    assert f"You have until {deadline_of(table)}. " in said and what in said


def test_a_new_way_does_not_begin_with_old_news(table: Table) -> None:
    table.play((FIRST, FIRST))
    by_mail(table.alice)
    facts.sweep(table.match.pk)
    assert told() == [] and not Delivery.objects.exists()
    assert noted("Alice")[-2:] == ["revealed 0", "turn 1"]


def test_what_fails_is_tried_again_later_and_given_up_at_last(
    table: Table, time: Time, monkeypatch: pytest.MonkeyPatch
) -> None:
    channel = by_mail(table.alice)
    table.play((FIRST, FIRST))
    tries = []

    def refuses(*_: Any, message_id: str, **__: Any) -> None:
        tries.append((time.now(), message_id))
        raise ConnectionRefusedError

    monkeypatch.setattr(mails, "send_mail", refuses)
    for minutes in (0, 1, 4, 1, 29, 1, 119, 1, 359, 1, 60 * 24):  # a minute before each try, and at it
        time.pass_(minutes=minutes)
        at_once.send_all()
    waits = [(after - before).total_seconds() for (before, _), (after, _) in pairwise(tries)]
    assert waits == [60, 300, 1800, 7200, 21600]
    assert len({number for _, number in tries}) == 1
    assert Parcel.objects.get().state == "given up"
    channel.refresh_from_db()
    assert channel.on and channel.failures == 6 and channel.fault == "no-answer"
    assert "Last failure" in text(table.alice.get("/notices/"))


def test_who_dies_between_sending_and_noting_has_it_sent_once_more_and_then_never(
    table: Table, time: Time
) -> None:
    by_mail(table.alice)
    table.play((FIRST, FIRST))
    numbers = []
    for _ in range(5):
        claimed = parcels.claim_parcel()
        if claimed:
            numbers.append(claimed.parcel.number)
        time.pass_(hours=1)
    assert len(numbers) == 2 and len(set(numbers)) == 1
    assert Parcel.objects.get().state == "given up"


def test_a_nudge_reaches_who_owes(table: Table) -> None:
    by_mail(table.alice)
    flow.seal(table.b, 0, FIRST)
    Nudge.objects.create(seat=table.b, turn=0, at=table.match.changed_at)
    facts.sweep(table.match.pk)
    assert ("alice", "Bob is waiting for you: Robo Battle Pigs with Bob") in told()
    flow.seal(table.a, 0, FIRST)
    assert not Notice.objects.filter(kind="nudge", done_at=None).exists()


def test_a_message_is_told_to_whom_it_is_for_and_no_word_of_it(three: Table, dora: Browser) -> None:
    for one in (three.alice, three.bob, dora):
        by_mail(one, tells=["message"])
    messages.say(three.a, guest("Alice"), "CANARY to all")
    at_once.send_all()
    assert {mail.to[0] for mail in post.outbox} == {"bob@example.org", "dora@example.org"}
    assert "Message from Alice:" in str(post.outbox[0].subject)
    assert not [mail for mail in post.outbox if "CANARY" in str(mail.message())]
    post.outbox.clear()
    messages.say(three.b, guest("Bob"), "CANARY to Alice alone", to=["A"])
    assert [who for who, _ in told()] == ["alice"]
    facts.sweep(three.match.pk)
    assert told() == []


def test_who_answers_needs_no_word_that_something_was_said(table: Table) -> None:
    by_mail(table.alice, when="now")
    Channel.objects.update(when="soon")
    messages.say(table.b, guest("Bob"), "hello?")
    messages.say(table.a, guest("Alice"), "hello!")
    assert [notice.done_at is not None for notice in Notice.objects.filter(kind="message")] == [True]


def test_who_becomes_another_guest_takes_the_ways_along(table: Table) -> None:
    by_mail(table.alice)
    by_mail(table.bob)
    table.bob.post("/notices/add/", {"kind": "atom"})
    personal_data.merge(guest("Bob"), guest("Alice"))
    assert sorted(guest("Alice").channels.values_list("kind", flat=True)) == ["atom", "mail"]
    assert not guest("Bob").channels.exists()
    told = personal_data.export(guest("Alice"))
    assert told and {way["kind"] for way in told["ways"]} == {"atom", "mail"}


def sent_in_a_world(order: str) -> list[str]:
    """The messages sent to Alice by every way while Bob seals this order, before it is played."""
    there = world(order)
    who = guest("Alice")
    for kind in ("push", "webhook", "ntfy"):
        Channel.objects.create(guest=who, kind=kind, tells=Kind.values, secret=b"x")
    for channel in who.channels.all():
        channel.when = "now"
        channel.save()
    match = Match.objects.get(key=there.keys["playing"])
    dora = match.seats.select_related("match").get(letter="C")
    bob = match.seats.select_related("match").get(letter="B")
    flow.reopen(bob, 1)
    flow.seal(bob, 1, order)
    flow.seal(dora, 1, FIRST)
    Nudge.objects.create(seat=bob, turn=1, at=match.changed_at)
    messages.say(bob, guest("Bob"), "Your turn!")
    facts.sweep(match.pk)
    told = []
    while claimed := parcels.claim_parcel():
        told.append(f"{claimed.channel.kind} {transports._titled(claimed)}")
        told += [str(texts.write_notice(notice)) for notice in claimed.notices]
        parcels.note_outcome(claimed, parcels.SendOutcome())
    keys = {key: where for where, key in there.keys.items()}
    return [re.sub("|".join(keys), lambda found: keys[found[0]], one) for one in told]


def test_what_is_sent_is_the_same_whatever_was_sealed() -> None:
    told = []
    for order in (FIRST, OTHER):
        with transaction.atomic():
            told.append(sent_in_a_world(order))
            transaction.set_rollback(True)
    assert told[0] == told[1] and len(told[0]) > 8
