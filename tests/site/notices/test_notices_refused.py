"""Notices that are refused, and warnings ahead."""

from __future__ import annotations

import json
import re
import smtplib
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core import mail as post
from hypothesis import given
from hypothesis import strategies as st

from robosite.matches import flow
from robosite.matches.models import Match
from robosite.notices import facts, outbox, sender
from robosite.notices.models import STEPS, Channel, Delivery, Kind, Notice, Parcel, Wishes
from robosite.notices.transports import outcome_of
from robosite.notices.warnings_ahead import MARGIN, last_call
from robosite.people.letters import new_ticket
from robosite.people.models import Guest, GuestFlag, Ticket
from tests import at_once
from tests.games.cases import size
from tests.receivers import Mailbox, Receiver
from tests.site.browsers import FIRST, Browser, Table, guest, text
from tests.site.conftest import Time
from tests.site.notices.test_notices import by_mail
from tests.site.notices.test_notices_sent import Phone, by_push, by_webhook, mailbox, receiver

__all__ = ["mailbox", "receiver"]


ALICE = "alice@example.org"
NAMES_OF_NOBODY = "553 mailbox name not allowed", "554 5.1.1 no such user"
SAID = "E-mails about your matches no longer reach you."


def play_and_send(table: Table, time: Time, looks: int = 5) -> None:
    """A turn that Bob reveals, and all tries to tell Alice of it."""
    table.play((FIRST, FIRST))
    for _ in range(looks):
        at_once.send_all()
        time.pass_(hours=7)


@pytest.mark.integration
@pytest.mark.parametrize(
    ("answer", "at"),
    [
        pytest.param(answer, at, marks=pytest.mark.more if n and at == "data" else ())
        for n, answer in enumerate(("550 no such user here", "551 user not local", *NAMES_OF_NOBODY))
        for at in ("recipient", "data")
    ],
)
def test_a_mailbox_that_is_not_there_is_tried_once(
    table: Table, mailbox: Mailbox, time: Time, caplog: pytest.LogCaptureFixture, answer: str, at: str
) -> None:
    by_mail(table.alice)
    if at == "data":
        mailbox.answers = [answer] * 9
    else:
        mailbox.of_recipients[ALICE] = answer
    play_and_send(table, time)
    assert mailbox.named == [ALICE] and not mailbox.mails
    channel = Channel.objects.get()
    assert not channel.on and channel.fault == "mailbox"
    assert Parcel.objects.get().state == "given up"
    assert ALICE not in caplog.text
    table.play((FIRST, FIRST))
    at_once.send_all()
    assert mailbox.named == [ALICE]
    for path in ("/mine/", table.a.get_absolute_url()):
        page = text(table.alice.get(path))
        assert SAID in page and f'href="/notices/#{channel.number}"' in page
        assert SAID not in text(table.bob.get(path.replace("/A/", "/B/")))


@pytest.mark.parametrize(
    "answer",
    [
        "451 greylisted",
        "452 4.2.2 mailbox full",
        "550 5.7.1 relaying denied",
        "550 relay not permitted",
        "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)",
        "550 5.7.26 unauthenticated sender",
        "552 5.2.2 mailbox full",
        "554 no",
    ],
)
def test_what_is_for_now_or_the_hosts_fault_switches_nothing_off(
    table: Table, mailbox: Mailbox, time: Time, answer: str
) -> None:
    by_mail(table.alice)
    mailbox.of_recipients[ALICE] = answer
    play_and_send(table, time, looks=2)
    assert len(mailbox.named) == 2
    assert Channel.objects.get().on
    assert SAID not in text(table.alice.get("/mine/"))
    del mailbox.of_recipients[ALICE]
    at_once.send_all()
    assert len(mailbox.mails) == 1 and not Channel.objects.get().fault


def test_a_sender_that_is_refused_is_the_hosts_fault_and_is_logged(
    table: Table, mailbox: Mailbox, time: Time, caplog: pytest.LogCaptureFixture
) -> None:
    by_mail(table.alice)
    mailbox.of_sender = "550 5.1.8 bad sender"
    play_and_send(table, time, looks=2)
    assert Channel.objects.get().on and Channel.objects.get().fault == "server"
    assert [one.levelname for one in caplog.records if "refuses the site" in one.message] == ["ERROR"] * 2
    assert SAID not in text(table.alice.get("/mine/"))


@pytest.mark.parametrize(
    "fault",
    [
        smtplib.SMTPAuthenticationError(535, b"5.7.8 bad credentials"),
        smtplib.SMTPSenderRefused(553, b"5.1.8 no", "robosite@example.org"),
        smtplib.SMTPNotSupportedError("no AUTH here"),
    ],
)
def test_other_refusals_are_never_the_mailboxs(fault: Exception) -> None:
    outcome = outcome_of(fault)
    assert outcome.fault == "server" and not outcome.gone and not outcome.final


def test_a_server_that_knows_nobody_is_not_believed(
    table: Table, mailbox: Mailbox, time: Time, charlie: Browser
) -> None:
    """Three mailboxes in a row are not there, and nothing goes between: that is the host's fault."""
    everybody = [table.alice, table.bob, charlie]
    flow.seal(table.a, 0, FIRST)
    for browser in everybody[:2]:
        by_mail(browser)
    charlie.make(2)
    by_mail(charlie)
    for name in ("alice", "bob", "charlie"):
        mailbox.of_recipients[f"{name}@example.org"] = "550 unknown user"
    for channel in Channel.objects.order_by("pk"):
        outbox.test(channel)
        at_once.send_all()
    assert set(Channel.objects.values_list("on", "fault")) == {(True, "server")}
    mailbox.of_recipients.clear()
    for channel in Channel.objects.all():
        outbox.test(channel)
    at_once.send_all()
    assert len(mailbox.mails) == 3 and not Channel.objects.exclude(fault="").exists()


def test_it_is_put_right_by_a_tap_or_by_another_address(table: Table, mailbox: Mailbox, time: Time) -> None:
    channel = by_mail(table.alice)
    mailbox.of_recipients[ALICE] = "550 5.1.1 no such user"
    play_and_send(table, time, looks=1)
    page = text(table.alice.get("/notices/"))
    assert "Its mail server says this mailbox no longer exists, so e-mails were switched off" in page
    assert "Switch on again" in page
    table.alice.post(f"/notices/{channel.number}/", {"do": "again"})
    channel.refresh_from_db()
    assert channel.on and not channel.fault and SAID not in text(table.alice.get("/mine/"))
    Channel.objects.update(on=False, fault="mailbox")
    secret = new_ticket(Ticket.Kind.CONFIRM, Guest.objects.get(name="Alice"), "alice@example.com")
    table.alice.post(f"/s/mail/{secret}/confirm/")
    who = Guest.objects.get(name="Alice")
    channel.refresh_from_db()
    assert who.email == "alice@example.com" and channel.on and not channel.fault
    who.set_flag(GuestFlag.NOTICES_LOST)
    Channel.objects.update(on=False, fault="mailbox")
    assert SAID in text(table.alice.get("/mine/"))
    table.alice.post(f"/notices/{channel.number}/", {"do": "save", "tells": "turn", "when": "now"})
    assert SAID not in text(table.alice.get("/mine/")), "she has switched it off herself"


@pytest.mark.parametrize("status", [404, 410])
def test_a_push_subscription_that_is_gone_is_said_with_one_tap_to_renew_it(
    table: Table, receiver: Receiver, time: Time, caplog: pytest.LogCaptureFixture, status: int
) -> None:
    phone = by_push(table, receiver)
    receiver.answers = [status]
    play_and_send(table, time)
    assert len(receiver.asked) == 1 and "alices-phone" not in caplog.text
    channel = Channel.objects.get()
    assert not channel.on and channel.fault == "gone" and channel.secret is None
    for path in ("/mine/", table.a.get_absolute_url()):
        page = text(table.alice.get(path))
        assert "Push notifications to" in page and "no longer arrive." in page
        assert f'data-push-gone="{channel.link_hash}"' in page and "alices-phone" not in page
    on_its_page = text(table.alice.get("/notices/"))
    assert f'data-push-renew="{channel.number}"' in on_its_page and 'value="test"' not in on_its_page
    table.alice.post(f"/notices/{channel.number}/", {"do": "save", "on": "on", "tells": "turn"})
    assert not Channel.objects.get().on  # it has no address to send to
    Channel.objects.update(fault="gone")
    new = Phone(f"{receiver.url}/push/renewed")
    given = {"kind": "push", "subscription": new.subscription.write(), "was": phone.subscription.endpoint}
    assert table.alice.post("/notices/add/", given).status_code == 302
    renewed = Channel.objects.get()
    assert renewed.pk == channel.pk and renewed.on and not renewed.fault and "renewed" in renewed.open()
    assert "no longer arrive" not in text(table.alice.get("/mine/"))
    table.play((FIRST, FIRST))
    at_once.send_all()
    assert receiver.asked[-1].path == "/push/renewed" and new.read(receiver.asked[-1].body)


def test_a_browser_renews_its_own_subscription_and_makes_no_other(table: Table, receiver: Receiver) -> None:
    phone = by_push(table, receiver)
    Channel.objects.update(tells=[Kind.OVER], when="daily")
    new = Phone(f"{receiver.url}/push/second").subscription
    given = {"kind": "push", "subscription": new.write(), "was": phone.subscription.endpoint}
    table.alice.post("/notices/add/", given)
    channel = Channel.objects.get()
    assert "second" in channel.open() and channel.tells == [Kind.OVER] and channel.when == "daily"
    given["was"] = f"{receiver.url}/push/nobodys"
    assert table.alice.post("/notices/add/", given).status_code == 302  # the new one is known already
    given["subscription"] = Phone(f"{receiver.url}/push/third").subscription.write()
    assert table.alice.post("/notices/add/", given).status_code == 404
    assert table.bob.post("/notices/add/", given | {"was": new.endpoint}).status_code == 404
    table.alice.post(f"/notices/{channel.number}/", {"do": "save", "tells": "turn"})
    table.alice.post("/notices/add/", given | {"was": new.endpoint})
    channel = Channel.objects.get()
    assert not channel.on and "third" in channel.open(), "what was switched off stays off"
    table.alice.post(f"/notices/{channel.number}/", {"do": "save", "on": "on", "tells": "turn"})
    assert Channel.objects.get().on


@pytest.mark.parametrize("kind", ["webhook", "ntfy"])
def test_an_address_that_says_it_is_gone_is_asked_once(
    table: Table, receiver: Receiver, time: Time, kind: str
) -> None:
    by_webhook(table, f"{receiver.url}/topic", kind)
    receiver.answers = [410]
    play_and_send(table, time)
    assert len(receiver.asked) == 1 and not Channel.objects.get().on
    assert "no longer accepts notifications" in text(table.alice.get("/mine/"))


def test_a_channel_that_failed_twenty_times_is_said_too(table: Table, receiver: Receiver, time: Time) -> None:
    by_webhook(table, f"{receiver.url}/hook")
    receiver.answers = [500] * 40
    for _ in range(20):
        outbox.test(Channel.objects.get())
        at_once.send_all()
    assert not Channel.objects.get().on
    assert "no longer accepts notifications" in text(table.alice.get("/mine/"))
    assert json.loads(Channel.objects.get().open())["url"]
    assert Wishes.objects.exists()


ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"]
STARTS = [  # the week in which clocks go forward in Europe, and back in America; an ordinary one
    datetime(2026, 3, 28, 12, tzinfo=UTC),
    datetime(2026, 10, 31, 12, tzinfo=UTC),
    datetime(2026, 6, 10, tzinfo=UTC),
]
NO_WARNING = "No warning "
WARNING = re.compile(r"^You have until", re.MULTILINE)
"""The title of a warning in the text of a mail."""


def turn_begins(table: Table, time: Time, hours: float) -> None:
    """A new turn of Alice and Bob, of so many hours, that Bob has brought about."""
    Match.objects.update(deadline_hours=hours)
    table.play((FIRST, FIRST))
    assert table.match.deadline == time.now() + timedelta(hours=hours)


def warnings_until_the_deadline(table: Table, time: Time, chance: Random | None = None) -> list[str]:
    """The mails that warn Alice while the deadline is ahead.

    The sender looks every 25 minutes, less than MARGIN; with `chance` every 8 or 9, less than LATELY.
    """
    post.outbox.clear()
    deadline = table.match.deadline
    assert deadline
    while time.now() < deadline:
        for pk in facts.near_deadline(time.now(), sender.LATELY if chance else MARGIN):
            facts.sweep(pk)
        at_once.send_all()
        time.pass_(minutes=chance.randrange(8, 10) if chance else 25)
    return [str(one.body) for one in post.outbox if WARNING.search(str(one.body))]


def plans(table: Table, zone: str, when: str, **given: Any) -> Channel:
    channel = by_mail(table.alice, when=when)
    Guest.objects.filter(name="Alice").update(zone=zone)
    Wishes.objects.filter(guest__name="Alice").update(**given)
    return channel


def test_a_warning_that_quiet_hours_would_put_off_comes_before_them(table: Table, time: Time) -> None:
    """Three hours before 07:00 it is night: the warning comes before ten in the evening."""
    time.present = datetime(2026, 6, 10, 13, 0, tzinfo=UTC)
    plans(table, "UTC", "now", steps=[3], quiet_from=22, quiet_until=8)
    turn_begins(table, time, 18)
    (warning,) = warnings_until_the_deadline(table, time)
    assert "You have until Thu 11 Jun, 07:00 UTC: Robo Battle Pigs with Bob" in warning
    noted = Notice.objects.get(kind="deadline", fact__contains="last").noted_at
    assert datetime(2026, 6, 10, 21, 29, tzinfo=UTC) < noted < datetime(2026, 6, 10, 22, 0, tzinfo=UTC)


def test_a_warning_that_the_daily_notice_would_put_off_is_in_the_one_before(table: Table, time: Time) -> None:
    time.present = datetime(2026, 6, 10, 12, 0, tzinfo=UTC)
    plans(table, "UTC", "daily", steps=[3], digest_hour=18)
    turn_begins(table, time, 24)
    (warning,) = warnings_until_the_deadline(table, time)
    assert "You have until Thu 11 Jun, 12:00 UTC: Robo Battle Pigs with Bob" in warning


@pytest.mark.integration
def test_there_is_no_further_warning_where_one_comes_in_time(table: Table, time: Time) -> None:
    time.present = datetime(2026, 6, 10, 13, 0, tzinfo=UTC)
    plans(table, "UTC", "now", steps=[24, 3], quiet_from=22, quiet_until=8)
    turn_begins(table, time, 42)
    (warning,) = warnings_until_the_deadline(table, time)
    assert "You have until Fri 12 Jun, 07:00 UTC" in warning
    assert not Notice.objects.filter(fact__contains="last").exists()


def test_nobody_is_warned_of_a_turn_of_minutes(table: Table, time: Time) -> None:
    plans(table, "UTC", "now", steps=[3])
    turn_begins(table, time, hours=15 / 60)
    assert warnings_until_the_deadline(table, time) == []


def test_each_channel_gets_its_own_last_warning(table: Table, time: Time) -> None:
    """Mails come daily, another one at once and not at night; neither gets the other's."""
    time.present = datetime(2026, 6, 10, 12, 0, tzinfo=UTC)
    plans(table, "UTC", "daily", steps=[3], digest_hour=18, quiet_from=22, quiet_until=8)
    second = Channel.objects.create(guest=guest("Alice"), kind="mail", tells=["deadline"], when="now")
    turn_begins(table, time, 19)
    warnings_until_the_deadline(table, time)
    warned = Delivery.objects.filter(notice__kind="deadline", parcel__state="sent")
    sent = {(one.channel.when, one.notice.fact.split()[-1]) for one in warned}
    first = Channel.objects.exclude(pk=second.pk).get()
    assert sent == {("daily", str(first.pk)), ("now", str(second.pk))}


@pytest.mark.fuzz
@pytest.mark.parametrize("seed", range(size(2, 60)))
def test_whatever_the_schedule_a_warning_comes_or_the_page_says_that_none_does(
    table: Table, time: Time, seed: int
) -> None:
    chance = Random(seed)
    time.present = chance.choice(STARTS) + timedelta(minutes=chance.randrange(36 * 60))
    quiet = chance.choice([(None, None), (22, 8), (chance.randrange(24), chance.randrange(24))])
    quiet = (None, None) if quiet[0] == quiet[1] else quiet
    channel = plans(
        table,
        chance.choice(ZONES),
        chance.choice(["now", "soon", "daily"]),
        steps=chance.choice([[24, 3], [3], [48], [], chance.sample(STEPS, 2)]),
        quiet_from=quiet[0],
        quiet_until=quiet[1],
        digest_hour=chance.randrange(24),
    )
    turn_begins(table, time, chance.choice([1, 3, 7, 12, 24, 30]))
    began = time.now()
    says = NO_WARNING in text(table.alice.get("/notices/"))
    deadline = table.match.deadline
    assert deadline
    if not warnings_until_the_deadline(table, time, chance):
        assert says
        who = guest("Alice")
        call = last_call(channel.when, who.wishes, ZoneInfo(who.zone), deadline)
        assert not who.wishes.steps or began >= call - timedelta(minutes=9)


@given(
    at=st.datetimes(datetime(2026, 1, 1), datetime(2027, 1, 1)),
    zone=st.sampled_from(ZONES),
    when=st.sampled_from(["now", "soon", "daily"]),
    quiet=st.tuples(st.integers(0, 23), st.integers(0, 23)),
    digest=st.integers(0, 23),
)
def test_the_last_call_is_the_last(
    at: datetime, zone: str, when: str, quiet: tuple[int, int], digest: int
) -> None:
    """Whatever is noted before it is due before the deadline, and what is noted afterwards is not."""
    deadline, here = at.replace(tzinfo=UTC), ZoneInfo(zone)
    wishes = Wishes(quiet_from=quiet[0], quiet_until=quiet[1], digest_hour=digest)
    call = last_call(when, wishes, here, deadline)
    assert deadline - timedelta(hours=72) + MARGIN < call <= deadline

    def due(noted: datetime) -> datetime:
        return outbox.due_by(when, wishes, here, noted).astimezone(UTC)

    assert due(call - timedelta(seconds=1)) < deadline
    assert due(call + timedelta(seconds=1)) >= deadline or call + timedelta(seconds=1) >= deadline
