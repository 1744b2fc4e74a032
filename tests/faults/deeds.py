"""Deeds at the same instant, in threads or processes, each with a connection of its own: which of them count?

`python -m tests.faults.deeds NAME`, on the database of the environment; it prints what came of it as JSON.
"""

from __future__ import annotations

from tests.faults.outcomes import at_once, in_processes  # sets Django up  # isort: skip

import json
import multiprocessing
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime, timedelta
from threading import Barrier, BrokenBarrierError
from time import sleep
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.sessions.backends.db import SessionStore
from django.db import DatabaseError, OperationalError, connection, transaction
from django.db.models import QuerySet
from django.test import Client
from django.utils import timezone

from games import newest
from robosite.matches import flow
from robosite.matches.flow import ending, pauses, sealing, series, signs, turn
from robosite.matches.flow.listing import open_tables
from robosite.matches.flow.standing import Standing
from robosite.matches.models import LISTED_FOR, Hold, Match, Nudge, Program, Seat
from robosite.matches.site_models import Heartbeat, Holiday
from robosite.matches.time import timekeeping
from robosite.notices.models import Channel
from robosite.people.current_guest import KEY, ROUND
from robosite.people.models import Guest
from robosite.trail import head_of_day
from robosite.trail.entries import ChainCheck, note
from robosite.trail.models import Entry
from tests.at_once import tick

STRANGERS = 50
"""Each needs a connection, and PostgreSQL takes a hundred, of others too."""


def table(name: str = "Alice", game: str = "pigs", **given: Any) -> tuple[Match, flow.Taken, str]:
    rules = newest(game)
    return flow.create(rules, rules.read_options({}), 2, name, **given)


def seat_of(match: Match, letter: str) -> Seat:
    return Seat.objects.select_related("match").get(match=match, letter=letter)


def last_seat() -> dict[str, object]:
    """Fifty strangers sit down at the last seat of an open table at once."""
    match, _, _ = table("Ann", "robble", listed=True)
    guests = [Guest.objects.create(name=f"Ben {number}") for number in range(STRANGERS)]

    def sit(number: int) -> str:
        try:
            flow.join(Match.objects.get(pk=match.pk), guests[number].name, guest=guests[number])
        except flow.Refused as refusal:
            return str(refusal)
        return "sits"

    answers = at_once(STRANGERS, sit)
    winner = guests[answers.index("sits")]
    seat = seat_of(match, "B")
    return {
        "sit": answers.count("sits"),
        "others are told": sorted(set(answers) - {"sits"}),
        "name": seat.name == winner.name,
        "holds": list(Hold.objects.filter(seat=seat).values_list("guest__name", flat=True)) == [winner.name],
        "status": seat.match.status,
        "seats": Seat.objects.filter(match=match).count(),
    }


def many_tables() -> dict[str, object]:
    """A guest makes ten open tables at once, and then has ten that have left the list wait on, all at once.

    Before that, ten people behind one address, whom the site does not know, make one each.
    """
    guest, many = Guest.objects.create(name="Ann"), 10

    def browser() -> Client:
        session = SessionStore()
        session[KEY], session[ROUND] = guest.pk, guest.round
        session.save()
        here = Client(SERVER_NAME="localhost")
        here.cookies[settings.SESSION_COOKIE_NAME] = session.session_key or ""
        return here

    def make(here: Client) -> int:
        form = {"game": "pigs", "seats": 2, "name": "Ann", "with": "open"}
        return here.post("/matches/", form).status_code

    def leave_the_list() -> None:
        open_tables().update(listed_at=timezone.now() - LISTED_FOR - timedelta(days=1))

    def statuses(does: Callable[[int], int]) -> dict[str, int]:
        return {str(status): n for status, n in sorted(Counter(at_once(many, does)).items())}

    strangers = statuses(lambda number: make(Client(SERVER_NAME="localhost", REMOTE_ADDR="192.0.2.9")))
    devices = [browser() for _ in range(many)]
    made = statuses(lambda number: make(devices[number]))
    listed = open_tables().count() - strangers["302"]
    hers = Match.objects.filter(listed=True, seats__holds__guest=guest)
    while hers.count() < many:
        leave_the_list()
        assert make(browser()) == 302
    leave_the_list()
    devices = [browser() for _ in range(many)]
    keys = list(hers.values_list("key", flat=True))
    renewed = statuses(
        lambda number: devices[number].post(f"/m/{keys[number]}/A/table/", {"list": "1"}).status_code
    )
    again = open_tables().count()
    return {"strangers": strangers, "made": made, "listed": listed, "renewed": renewed, "listed again": again}


def seal_in_time() -> list[str]:
    """Seals that arrive when a reserve runs out, while the clock looks and the other one claims."""
    return [fault for number in range(24) for fault in _decide(number, 24)]


AHEAD, SPREAD = timedelta(milliseconds=500), timedelta(milliseconds=120)
"""The seals arrive that long before the reserve is gone, to as long after it."""


def _decide(number: int, of: int) -> Iterator[str]:
    """A match in which Ann seals when her reserve runs out; a sentence for each fault."""
    game, rule = newest("pigs"), ("forfeit", "fill", "claim")[number % 3]
    options = game.read_options({"ends": "last_standing"})
    match, ann, invite = flow.create(game, options, 2, "Ann", deadline_hours=1, reserve_hours=1, late=rule)
    ben = flow.join(match, "Ben", invite=invite)
    flow.seal(ben.seat, 0, "TL TL TL TL TL")
    then = timezone.now() + AHEAD
    Match.objects.filter(pk=match.pk).update(due=then, deadline=then)

    def look_and_claim() -> None:
        flow.apply_due(Match.objects.get(pk=match.pk))
        flow.claim(ben.seat, ann.seat)

    def is_done(at: datetime, deed: Callable[[], Any]) -> bool:
        sleep(max((at - timezone.now()).total_seconds(), 0))
        with suppress(flow.Refused):
            deed()
            return True
        return False

    arrives = then + SPREAD * (2 * number / of - 1)
    deeds = [(arrives, lambda: flow.seal(ann.seat, 0, "TR TR TR TR TR")), (then, look_and_claim)]
    sealed, claimed = at_once(2, lambda who: is_done(*deeds[who]))
    match.refresh_from_db()
    left = timekeeping.reserves_of(match).of(ann.seat.at).rest
    kept = ann.seat.programs.filter(turn=0, by="").exclude(seal="").exists()
    if sealed != kept or (sealed and claimed):
        yield f"{rule}: sealed {sealed}, kept {kept}, claimed {claimed}"
    if not timedelta() <= left <= AHEAD:
        yield f"{rule}: {left} is left"
    if match.turn != 1:
        yield f"{rule}: {match.turn} turns were played"


def both_go_on() -> dict[str, object]:
    """Both tap on to the next match of their series at once, in two processes; two sit down for a pair."""
    guests = [Guest.objects.create(name=name) for name in ("Alice", "Bob", "Carol")]
    made = []
    for number in range(12):
        kind = "pair" if number % 2 else "3"
        one, other = guests[:2] if number % 4 else guests[1::-1]  # guests are locked both ways
        match, taken, invite = table(one.name, guest=one, series=series.first_series_entry(kind))
        if kind == "3":
            flow.join(match, other.name, invite=invite, guest=other)
            flow.resign(taken.seat)
        made.append((match.pk, kind, invite))

    def go_on(number: int, line: Any) -> None:
        for pk, kind, invite in made:
            match = Match.objects.get(pk=pk)
            seat, newcomer = seat_of(match, "AB"[number]), guests[number + 1]
            line.wait(60)
            with suppress(flow.Refused):  # the other one sat down first
                if kind == "pair":
                    flow.join(match, newcomer.name, invite=invite, guest=newcomer)
                else:
                    flow.rematch(match, seat, Hold.objects.get(seat=seat).guest)

    faults, right = in_processes(2, go_on), 0
    for pk, *_ in made:
        after = Match.objects.get(rematch_of=pk)
        holds = Hold.objects.order_by("seat__letter").values_list("guest")
        before, now = list(holds.filter(seat__match=pk)), list(holds.filter(seat__match=after))
        right += after.status == "playing" and len(now) == 2 and now == before[::-1]
    return {"faults": faults, "next": Match.objects.count() - len(made), "right": right}


def two_clocks() -> dict[str, object]:
    """Two clocks after seven hours in which the site was down; then the matches' time is over."""
    down = timedelta(hours=7)
    for _ in range(12):
        match, _, invite = table(deadline_hours=24, late="fill")
        flow.join(match, "Bob", invite=invite)
    now = timezone.now()
    Heartbeat.objects.update(at=now - down)
    Match.objects.update(due=now + down, deadline=now + down)
    at_once(2, lambda _: tick())
    shifts = {round((match.due - now - down) / down, 2) for match in Match.objects.all() if match.due}
    Match.objects.update(due=now - down, deadline=now - down)
    before = dict(Match.objects.values_list("pk", "version"))
    at_once(2, lambda _: tick())
    return {
        "shifts": sorted(shifts),
        "turns": sorted(set(Match.objects.values_list("turn", flat=True))),
        "versions": sorted({match.version - before[match.pk] for match in Match.objects.all()}),
        "by deadline": Program.objects.filter(by="deadline").count(),
        "missed": sorted(set(Seat.objects.values_list("missed", flat=True))),
    }


CHANGES = ("UPDATE trail_entry SET who = ''", "DELETE FROM trail_entry", "DELETE FROM trail_head")
"""Statements that the database, as migrations left it, must refuse (`ops/test_trail.py` has more)."""


def two_writers() -> dict[str, object]:
    """Two processes that write into one audit trail, each now and then taking back what it did; both want to
    tell the day's head."""
    told, writers, many = multiprocessing.Value("i", 0), ("one", "other"), 40

    def write(number: int, line: Any) -> None:
        line.wait(60)
        if head_of_day.claim_mail():
            with told:
                told.value += 1
        for entry in range(many):
            note(writers[number], "count", f"number:{entry}")
            if entry % 4 == 0:
                with transaction.atomic():
                    note(writers[number], "nothing", f"number:{entry}")
                    transaction.set_rollback(True)

    assert in_processes(2, write) == []
    check, written = ChainCheck(), [f"number:{entry}" for entry in range(many)]
    by_number = Entry.objects.order_by("number").values_list("subject", flat=True)
    return {
        "entries": check.count,
        "in order": all(list(by_number.filter(who=who)) == written for who in writers),
        "heads told": told.value,
        "fault": check.fault,
        "changes that the database takes": [change for change in CHANGES if not _is_refused(change)],
    }


def _is_refused(change: str) -> bool:
    try:
        with transaction.atomic():
            connection.cursor().execute(change)
    except DatabaseError as fault:
        return "append-only" in str(fault)
    return False


# Feeds, holidays, nudges and seals of the same guests, in processes of their own

TIMES = 4


def many_locks() -> list[str]:
    """Alice sits with Bob at many tables with a deadline, and much that locks them happens; what failed."""
    alice, bob = (Guest.objects.create(name=name) for name in ("Alice", "Bob"))
    for guest in (alice, bob):
        Channel.objects.create(guest=guest, kind="mail", tells=["turn", "nudge"])
    made = []
    for _ in range(8):
        match, _taken, invite = table(guest=alice, deadline_hours=48)
        flow.join(match, "Bob", invite=invite, guest=bob)
        made.append(match)
    for match in reversed(made):  # the one with the least key has changed last
        flow.note_opened(match, "x")
        match.save()
    deeds = (_feeds, _feeds, _holidays, _nudges, _down)

    def do(number: int, line: Any) -> None:
        here = [Guest.objects.get(pk=guest.pk) for guest in (alice, bob)]
        line.wait(60)
        deeds[number](*here)

    return in_processes(len(deeds), do)


def _feeds(alice: Guest, bob: Guest) -> None:
    client = Client(raise_request_exception=True)
    session = client.session
    session[KEY] = alice.pk
    session.save()
    client.cookies["sessionid"] = session.session_key or ""
    for _ in range(TIMES):
        alice.channels.filter(kind="atom").delete()
        answer = client.post("/notices/add/", {"kind": "atom"}, HTTP_HOST="localhost")
        assert answer.status_code == 302, answer.content[:300]


def _holidays(alice: Guest, bob: Guest) -> None:
    for _ in range(TIMES):
        now, zone = timezone.now(), ZoneInfo("UTC")
        pauses.begin(alice, first=now.date(), last=now.date() + timedelta(days=2), zone=zone, now=now)
        pauses.end(alice, pauses.coming(alice, now).latest("pk").pk, zone, timezone.now())
        Holiday.objects.filter(guest=alice).delete()


def _nudges(alice: Guest, bob: Guest) -> None:
    seats = list(Seat.objects.filter(holds__guest=bob).select_related("match"))
    for _ in range(2):
        for seat in seats:
            if not flow.order_of(seat.match, seat):
                flow.seal(seat, 0, "F F F F F")
            with suppress(flow.Refused):  # Alice is on holiday just now
                signs.nudge(seat)
        Nudge.objects.all().delete()


def _down(alice: Guest, bob: Guest) -> None:
    """The site was down, again and again: every clock gets its time back."""
    for _ in range(TIMES):
        Heartbeat.objects.update_or_create(pk=1, defaults={"at": timezone.now() - timedelta(minutes=6)})
        try:
            flow.give_time_back(timezone.now(), alive=True)
        except OperationalError as fault:  # it may wait too long for one of all matches, but in no ring
            if "lock timeout" not in str(fault):
                raise


def both_write_then_look(how: str) -> dict[str, object]:
    """Two last seals in two transactions; between its write and its look, each waits for the other's write.

    `how` is `locked`, or `unlocked` to do without the lock of the match's row. With it the other is kept out
    and one waits in vain, without it both come, however slowly.
    """
    waits = 1.0 if how == "locked" else 60.0
    if how == "unlocked":  # before a query with the lock is compiled for good
        QuerySet.select_for_update = lambda self, *args, **more: self  # type: ignore[method-assign]
    match, _, invite = table()
    flow.join(match, "Bob", invite=invite)
    both_have_written, both_have_looked = Barrier(2), Barrier(2)
    look = turn.advance

    def wait_then_look(match: Match, standing: Standing | None = None) -> None:
        with suppress(BrokenBarrierError):
            both_have_written.wait(waits)
        look(match, standing)
        with suppress(BrokenBarrierError):
            both_have_looked.wait(waits)

    def seal(letter: str) -> bool:
        try:
            return flow.seal(seat_of(match, letter), 0, "^ ^ ^ v v").revealed
        finally:
            connection.close()

    for module in (sealing, ending):
        vars(module)["advance"] = wait_then_look
    with ThreadPoolExecutor(2) as threads:
        revealed = list(threads.map(seal, "AB"))
    match.refresh_from_db()
    sealed = Program.objects.exclude(seal="").count()
    return {"sealed": sealed, "revealed": sum(revealed), "turn": match.turn, "owing": flow.owing(match)}


DEEDS: dict[str, Callable[..., object]] = {
    does.__name__: does
    for does in (last_seat, many_tables, seal_in_time, both_go_on, two_clocks, two_writers, many_locks)
}
DEEDS["both_write_then_look"] = both_write_then_look

if __name__ == "__main__":
    print(json.dumps(DEEDS[sys.argv[1]](*sys.argv[2:])))
