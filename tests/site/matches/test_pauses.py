"""Pauses by consent, holidays, and nudges."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from robosite.matches import clock, flow
from robosite.matches.flow import pauses, signs
from robosite.matches.models import Match, Nudge
from robosite.matches.site_models import Holiday, Recount
from robosite.people.models import Guest
from tests.at_once import tick
from tests.site.browsers import FIRST, OTHER, Browser, Table, text

HOUR = timedelta(hours=1)
MONDAY = datetime(2026, 11, 23, 9, tzinfo=UTC)


@pytest.fixture
def timed(table: Table, time: Any) -> Table:
    """A table with ten hours a turn, of which none has passed: it is Monday, 9 o'clock in the UTC."""
    time.present = MONDAY
    Match.objects.update(deadline_hours=10)
    table.play((OTHER, OTHER))
    tick()
    return table


def guest_of(browser: Browser) -> Guest:
    return Guest.objects.get(name=browser.name)


def away(browser: Browser, days: int, time: Any) -> None:
    last = MONDAY.date() + timedelta(days)
    pauses.begin(guest_of(browser), first=MONDAY.date(), last=last, zone=zone(), now=time.now())


def test_a_pause_holds_the_clock_while_all_agree(timed: Any, time: Any) -> None:
    time.pass_(hours=3)
    timed.alice.do(timed.a, "pause", offer="1")
    assert timed.match.deadline == MONDAY + 10 * HOUR and not timed.match.paused  # nobody has agreed yet
    assert "Alice asks for a pause" in text(timed.bob.get(timed.b.get_absolute_url()))
    status = (
        text(timed.alice.get(timed.a.get_absolute_url())).partition('id="status"')[2].partition("</p>")[0]
    )
    assert "You’ve asked for a pause." in status
    time.pass_(hours=2)
    timed.bob.do(timed.b, "pause", offer="1")
    assert timed.match.paused and timed.match.deadline is None
    assert "The match is paused" in text(timed.charlie.get(f"/m/{timed.key}/"))
    time.pass_(hours=500)
    assert tick() == 0
    timed.alice.do(timed.a, "pause", offer="0")
    assert not timed.match.paused and timed.match.deadline == time.now() + 5 * HOUR


def test_a_pause_that_is_declined_or_taken_back_is_no_pause(timed: Any) -> None:
    for who, seat in ((timed.bob, timed.b), (timed.alice, timed.a)):
        timed.alice.do(timed.a, "pause", offer="1")
        who.do(seat, "pause", offer="0")
        assert not timed.a.wants_pause
        timed.bob.do(timed.b, "pause", offer="1")
        assert not timed.match.paused
        timed.bob.do(timed.b, "pause", offer="0")


@pytest.mark.parametrize("turn_played", [False, True])
def test_after_a_pause_there_is_an_hour_at_least_and_for_a_new_turn_its_whole_time(
    timed: Any, time: Any, turn_played: bool
) -> None:
    time.pass_(hours=9, minutes=50)
    for seat in (timed.a, timed.b):
        pauses.ask_pause(seat)
    if turn_played:
        timed.play((OTHER, OTHER))
    assert timed.match.paused and timed.match.deadline is None
    pauses.play_on(timed.b)
    assert timed.match.deadline == time.now() + (10 if turn_played else 1) * HOUR


def test_who_agrees_to_a_pause_after_the_deadline_gives_a_new_one(timed: Any, time: Any) -> None:
    flow.seal(timed.a, 1, FIRST)
    time.pass_(hours=11)
    tick()
    assert timed.match.overdue
    for seat in (timed.b, timed.a):
        pauses.ask_pause(seat)
    with pytest.raises(flow.Refused):
        flow.claim(timed.a, timed.b)
    pauses.play_on(timed.a)
    assert not timed.match.overdue and timed.match.deadline == time.now() + 10 * HOUR


def test_a_bot_agrees_to_every_pause_and_without_a_deadline_there_is_none(alice: Browser, time: Any) -> None:
    alice.post("/play/", {"game": "pigs", "name": "Alice"})
    seat = Match.objects.get().seats.select_related("match").get(kind="human")
    answer = alice.do(seat, "pause", offer="1")
    assert answer.status_code == 409 and "take all the time" in text(answer)
    assert "no time limit" in text(alice.get(f"{seat.get_absolute_url()}time/"))
    end = time.now() + HOUR
    Match.objects.update(deadline_hours=1, deadline=end, due=end)
    assert alice.do(seat, "pause", offer="1").status_code == 302
    assert Match.objects.get().paused


@pytest.mark.parametrize("back_early", [False, True])
def test_a_holiday_holds_the_clock_of_matches_that_wait_for_him_until_he_is_back(
    timed: Any, time: Any, back_early: bool
) -> None:
    time.pass_(hours=4)
    given = {"first": "2026-11-23", "last": "2026-11-25"}
    assert timed.bob.post("/me/holidays/", given).status_code == 302
    end = datetime(2026, 11, 26, tzinfo=UTC)
    assert timed.match.deadline == end + 6 * HOUR
    assert "Bob is on holiday until 25 Nov 2026." in text(timed.charlie.get(f"/m/{timed.key}/"))
    time.pass_(hours=30)
    if back_early:
        assert "I’m back" in text(timed.bob.get("/me/holidays/"))
        timed.bob.post("/me/holidays/", {"end": Holiday.objects.get().pk})
        assert timed.match.deadline == time.now() + 6 * HOUR
        assert pauses.days_left(guest_of(timed.bob), 2026) == 21 - 2
        assert "19 of 21 days" in text(timed.bob.get("/me/holidays/"))
        return
    time.pass_(hours=30)
    assert tick() == 0
    time.pass_(hours=8)
    assert tick() == 1 and timed.match.overdue


def test_it_holds_no_clock_of_a_match_that_does_not_wait_for_him(timed: Any, time: Any) -> None:
    flow.seal(timed.b, 1, FIRST)
    away(timed.bob, 3, time)
    assert timed.match.deadline == MONDAY + 10 * HOUR
    flow.reopen(timed.b, 1)  # now it does
    assert timed.match.deadline > MONDAY + 70 * HOUR
    time.pass_(hours=5)
    flow.seal(timed.b, 1, FIRST)  # from his deck chair
    assert timed.match.deadline == time.now() + 10 * HOUR
    flow.seal(timed.a, 1, OTHER)
    assert timed.match.deadline > MONDAY + 70 * HOUR  # of the next turn


def test_a_holiday_to_come_counts_from_its_first_day(timed: Any, time: Any) -> None:
    tomorrow = MONDAY.date() + timedelta(1)
    time.pass_(hours=7)
    with flow.locked_match(timed.match):
        pass
    pauses.begin(guest_of(timed.alice), first=tomorrow, last=tomorrow, zone=zone(), now=time.now())
    assert timed.match.deadline == MONDAY + 10 * HOUR  # it ends before
    timed.play((OTHER, OTHER))
    assert timed.match.deadline == datetime(2026, 11, 25, 2, tzinfo=UTC)  # eight hours today, two after it
    Holiday.objects.get()
    pauses.end(guest_of(timed.alice), Holiday.objects.get().pk, zone(), time.now())
    assert timed.match.deadline == time.now() + 10 * HOUR and not Holiday.objects.exists()


@pytest.mark.parametrize("late", [True, False])
def test_no_deadline_passes_that_a_holiday_holds_off_before_its_clock_is_set(
    timed: Any, time: Any, monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    monkeypatch.setattr(pauses, "AT_ONCE", 0)
    time.pass_(hours=11 if late else 4)
    assert timed.bob.post("/me/holidays/", {"first": "2026-11-23", "last": "2026-11-25"}).status_code == 302
    assert timed.match.deadline == MONDAY + 10 * HOUR  # not set yet
    time.pass_(hours=7)
    flow.apply_due(timed.match)
    if late:
        assert timed.match.overdue and timed.match.deadline == MONDAY + 10 * HOUR
    else:
        assert not timed.match.overdue
        assert timed.match.deadline == datetime(2026, 11, 26, tzinfo=UTC) + 6 * HOUR


def test_with_many_matches_the_clock_sets_the_rest_one_by_one(
    timed: Any, time: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("robosite.matches.figures.step", lambda: False)  # the clock's other steps
    others = [timed.alice.make() for _ in range(4)]
    for match in others:
        Match.objects.filter(pk=match.pk).update(deadline_hours=10)
        timed.bob.join(timed.alice.own_links(match.seats.get(letter="A"))["invite"])

    def waiting() -> int:
        return Match.objects.filter(deadline=MONDAY + 10 * HOUR).count()

    assert waiting() == 5
    timed.bob.post("/me/holidays/", {"first": "2026-11-23", "last": "2026-11-25"})
    assert waiting() == 5 - pauses.AT_ONCE
    assert "are being set" in text(timed.bob.get("/me/holidays/"))
    for left in (1, 0):
        assert clock.step() and waiting() == left
    assert clock.step() and not clock.step()
    assert "are being set" not in text(timed.bob.get("/me/holidays/"))


def test_a_change_while_clocks_are_being_set_begins_with_the_first_one_again(timed: Any, time: Any) -> None:
    guest = guest_of(timed.bob)
    pauses.note_recount(guest, time.now() - HOUR)
    pauses.set_next(guest)
    pauses.note_recount(guest, time.now())
    recount = Recount.objects.get()
    assert (recount.after, recount.at) == (0, time.now() - HOUR)
    assert pauses.set_next(guest) and not pauses.set_next(guest) and not Recount.objects.exists()


def test_there_are_so_many_days_a_year_of_ones_own_zone(timed: Any, time: Any, settings: Any) -> None:
    settings.HOLIDAY_DAYS = 5
    timed.bob.cookies["zone"] = "Pacific/Auckland"
    answer = timed.bob.post("/me/holidays/", {"first": "2026-12-28", "last": "2027-01-03"})
    assert answer.status_code == 302  # four days of this year, three of the next
    taken = Holiday.objects.get()
    assert (taken.ends, taken.last) == (datetime(2027, 1, 3, 11, tzinfo=UTC), date(2027, 1, 3))
    answer = timed.bob.post("/me/holidays/", {"first": "2026-12-01", "last": "2026-12-02"})
    assert answer.status_code == 422 and "left in 2026: 1" in text(answer)
    answer = timed.bob.post("/me/holidays/", {"first": "2026-12-29", "last": "2026-12-29"})
    assert answer.status_code == 422 and "already have a holiday then" in text(answer)
    for first, last in (("2026-11-25", "2026-11-24"), ("2026-11-01", "2026-11-02"), ("", "x")):
        assert timed.bob.post("/me/holidays/", {"first": first, "last": last}).status_code == 422


def test_a_holiday_in_another_browser_of_the_seat_is_no_second_allowance(timed: Any, time: Any) -> None:
    for n in range(3):
        other = Guest.objects.create(name=f"Bob {n}")
        timed.b.holds.create(guest=other)
        first = MONDAY.date() + timedelta(21 * n)
        pauses.begin(other, first=first, last=first + timedelta(20), zone=zone(), now=time.now())
    assert timed.match.deadline <= MONDAY + timedelta(23) + 10 * HOUR


@pytest.mark.parametrize("how", ["a new link", "forgotten"])
def test_the_holidays_of_a_seat_stay_with_it_whoever_holds_it(timed: Any, time: Any, how: str) -> None:
    first, second = guest_of(timed.bob), Guest.objects.create(name="Bob again")
    pauses.begin(first, first=MONDAY.date(), last=date(2026, 12, 13), zone=zone(), now=time.now())
    time.pass_(days=21)
    timed.b.holds.create(guest=second, sitting=timed.b.sitting)
    if how == "forgotten":
        flow.forget(timed.b, first)
        first.delete()
    else:
        flow.new_link(timed.b, second)
    assert [hold.guest for hold in timed.b.holds.all()] == [second]
    pauses.begin(second, first=date(2026, 12, 14), last=date(2026, 12, 31), zone=zone(), now=time.now())
    assert time.now() < timed.match.deadline <= MONDAY + timedelta(23) + 10 * HOUR


def test_time_off_is_given_back_once_when_the_site_is_down_too(timed: Any, time: Any) -> None:
    pauses.begin(guest_of(timed.bob), first=MONDAY.date(), last=MONDAY.date(), zone=zone(), now=time.now())
    assert timed.match.deadline == datetime(2026, 11, 24, 10, tzinfo=UTC)
    time.pass_(hours=5)
    time.down(hours=10)  # an hour of it was no holiday
    tick()
    assert timed.match.deadline == datetime(2026, 11, 24, 10, tzinfo=UTC)
    time.down(hours=2)
    tick()
    assert timed.match.deadline == datetime(2026, 11, 24, 12, tzinfo=UTC)


def zone() -> Any:
    return timezone.get_default_timezone()


def test_who_waits_may_nudge_once_a_day(timed: Any, time: Any) -> None:
    assert timed.alice.do(timed.a, "nudge").status_code == 409  # she owes something herself
    flow.seal(timed.a, 1, FIRST)
    assert "Nudge Bob" not in text(timed.alice.get(timed.a.get_absolute_url()))  # he has hardly had time
    time.pass_(hours=1)
    assert "Nudge Bob" in text(timed.alice.get(timed.a.get_absolute_url()))
    assert timed.alice.do(timed.a, "nudge").status_code == 302
    assert "Alice nudged you." in text(timed.bob.get(timed.b.get_absolute_url()))
    assert "nudged" not in text(timed.charlie.get(f"/m/{timed.key}/"))
    assert "Nudge Bob" not in text(timed.alice.get(timed.a.get_absolute_url()))
    answer = timed.alice.do(timed.a, "nudge")
    assert answer.status_code == 409 and "Once a day" in text(answer)
    Match.objects.update(late="claim")
    time.pass_(hours=24)
    signs.nudge(timed.a)
    assert Nudge.objects.count() == 2


def test_nobody_is_nudged_on_holiday_or_in_a_pause(timed: Any, time: Any) -> None:
    flow.seal(timed.a, 1, FIRST)
    away(timed.bob, 9, time)
    assert timed.alice.do(timed.a, "nudge").status_code == 409
    pauses.end(guest_of(timed.bob), Holiday.objects.get().pk, zone(), time.now())
    for seat in (timed.a, timed.b):
        pauses.ask_pause(seat)
    assert timed.alice.do(timed.a, "nudge").status_code == 409


@pytest.mark.parametrize(
    ("late", "owes", "waits"),
    [
        ("claim", "After that, Alice can claim the win.", "players who are ready may claim the"),
        ("fill", "your draft is played if it’s complete", "their draft is played"),
        ("forfeit", "A player who hasn’t sealed by the deadline loses.", "A player who hasn’t sealed by the"),
    ],
)
def test_the_status_says_what_happens_at_the_deadline(
    timed: Any, time: Any, late: str, owes: str, waits: str
) -> None:
    Match.objects.update(late=late)
    flow.seal(timed.a, 1, FIRST)
    assert "23 Nov, 19:00 UTC" in text(timed.bob.get(timed.b.get_absolute_url()))
    assert owes in text(timed.bob.get(timed.b.get_absolute_url()))
    for page in (timed.alice.get(timed.a.get_absolute_url()), timed.charlie.get(f"/m/{timed.key}/")):
        assert waits in text(page)
    assert owes in text(timed.bob.get(f"{timed.b.get_absolute_url()}time/"))


def test_a_table_is_made_with_weekends_off_in_a_zone(alice: Browser) -> None:
    alice.cookies["zone"] = "Europe/Berlin"
    assert "<option selected>Europe/Berlin</option>" in text(alice.get("/new/pigs/"))
    given = {"game": "pigs", "name": "Alice", "deadline": "336", "weekends": "1", "zone": "Asia/Tokyo"}
    assert alice.post("/matches/", given).status_code == 302
    match = Match.objects.get()
    assert (match.deadline_hours, match.weekends_off, match.zone) == (336, True, "Asia/Tokyo")
    invite = alice.own_links(match.seats.get(letter="A"))["invite"]
    assert "Saturdays and Sundays don’t count (Asia/Tokyo)." in text(alice.get(f"/s/invite/{invite}/"))
    answer = alice.post("/matches/", given | {"zone": "Moon/Crater"})
    assert answer.status_code == 422 and "no such time zone" in text(answer)
    alice.post("/matches/", {"game": "pigs", "name": "Alice"})
    assert Match.objects.latest("pk").zone == "Europe/Berlin"
