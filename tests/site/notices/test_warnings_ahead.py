"""A warning comes while its deadline is ahead, whatever the quiet hours, or the page says that none does."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core import mail as post
from hypothesis import given
from hypothesis import strategies as st

from robosite.matches.models import Match
from robosite.notices import facts, outbox, sender
from robosite.notices.models import STEPS, Channel, Delivery, Notice, Wishes
from robosite.notices.warnings_ahead import MARGIN, last_call
from tests.games.sizes import size
from tests.site.browsers import FIRST, Table, text
from tests.site.conftest import Time
from tests.site.notices.test_notices import by_mail, guest

pytestmark = pytest.mark.django_db

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


def warnings_until_the_deadline(table: Table, time: Time, chance: Random) -> list[str]:
    """The mails that warn Alice while the deadline is ahead; the sender looks now and then."""
    post.outbox.clear()
    deadline = table.match.deadline
    assert deadline
    while time.now() < deadline:
        for pk in facts.near_deadline(time.now(), sender.LATELY):
            facts.sweep(pk)
        sender.send_all()
        time.pass_(minutes=chance.randrange(4, 10))
    return [str(one.body) for one in post.outbox if WARNING.search(str(one.body))]


def plans(table: Table, zone: str, when: str, **given: Any) -> Channel:
    channel = by_mail(table.alice, when=when)
    who = guest("Alice")
    who.zone = zone
    who.save()
    Wishes.objects.filter(guest=who).update(**given)
    return channel


def test_a_warning_that_quiet_hours_would_put_off_comes_before_them(table: Table, time: Time) -> None:
    """Three hours before 07:00 it is night: the warning comes before ten in the evening."""
    time.present = datetime(2026, 6, 10, 13, 0, tzinfo=UTC)
    plans(table, "UTC", "now", steps=[3], quiet_from=22, quiet_until=8)
    turn_begins(table, time, 18)
    (warning,) = warnings_until_the_deadline(table, time, Random(1))
    assert "You have until Thu 11 Jun, 07:00 UTC: Robo Battle Pigs with Bob" in warning
    noted = Notice.objects.get(kind="deadline", fact__contains="last").noted_at
    assert datetime(2026, 6, 10, 21, 29, tzinfo=UTC) < noted < datetime(2026, 6, 10, 22, 0, tzinfo=UTC)


def test_a_warning_that_the_daily_notice_would_put_off_is_in_the_one_before(table: Table, time: Time) -> None:
    time.present = datetime(2026, 6, 10, 12, 0, tzinfo=UTC)
    plans(table, "UTC", "daily", steps=[3], digest_hour=18)
    turn_begins(table, time, 24)
    (warning,) = warnings_until_the_deadline(table, time, Random(1))
    assert "You have until Thu 11 Jun, 12:00 UTC: Robo Battle Pigs with Bob" in warning


@pytest.mark.integration
def test_there_is_no_further_warning_where_one_comes_in_time(table: Table, time: Time) -> None:
    time.present = datetime(2026, 6, 10, 13, 0, tzinfo=UTC)
    plans(table, "UTC", "now", steps=[24, 3], quiet_from=22, quiet_until=8)
    turn_begins(table, time, 42)
    (warning,) = warnings_until_the_deadline(table, time, Random(1))
    assert "You have until Fri 12 Jun, 07:00 UTC" in warning
    assert not Notice.objects.filter(fact__contains="last").exists()


def test_nobody_is_warned_of_a_turn_of_minutes(table: Table, time: Time) -> None:
    plans(table, "UTC", "now", steps=[3])
    turn_begins(table, time, hours=15 / 60)
    assert warnings_until_the_deadline(table, time, Random(1)) == []


def test_each_channel_gets_its_own_last_warning(table: Table, time: Time) -> None:
    """Mails come daily, another one at once and not at night; neither gets the other's."""
    time.present = datetime(2026, 6, 10, 12, 0, tzinfo=UTC)
    plans(table, "UTC", "daily", steps=[3], digest_hour=18, quiet_from=22, quiet_until=8)
    second = Channel.objects.create(guest=guest("Alice"), kind="mail", tells=["deadline"], when="now")
    turn_begins(table, time, 19)
    warnings_until_the_deadline(table, time, Random(1))
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
