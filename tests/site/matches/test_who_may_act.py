"""The right to act for a seat is decided inside the match's lock; a hold is worth one sitting and one link.

What two processes can do to each other at the same instant is tried in `faults/test_at_once.py`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

import pytest
from django.db import transaction
from django.db.models import F
from django.test import Client

from robosite.matches import flow, locks
from robosite.matches.flow import arbiter, handover, listing, pauses, takeback
from robosite.matches.models import Hold, Seat
from robosite.people import current_guest
from robosite.people.models import Guest
from robosite.talk import messages, turn_notes
from robosite.talk.models import TurnNote
from tests.servers import ROOT
from tests.site import locked_writes
from tests.site.browsers import FIRST, OTHER, Browser, Table, text
from tests.site.replaced import just_before_the_lock


def as_read(table: Table, letter: str) -> Seat:
    """A seat as a request has read it, with the hold that let the request in."""
    hold = Hold.objects.select_related("seat__match").get(seat__match__key=table.key, seat__letter=letter)
    hold.seat.hold = hold
    return hold.seat


@pytest.fixture
def open_table(alice: Browser, bob: Browser, charlie: Browser) -> Table:
    """Three seats: Alice made it, Bob sits on B, C is free."""
    match = alice.make(seats=3)
    invite = alice.own_links(match.seats.get(letter="A"))["invite"]
    bob.join(invite)
    return Table(match.key, alice, bob, charlie, invite)


def leave_and_be_followed(table: Table) -> Browser:
    """Bob gives his seat up; Erin sits down there and seals."""
    erin = Browser("Erin")
    assert table.bob.do(table.b, "leave").status_code == 302
    erin.join(table.invite)
    assert table.b.name == "Erin"
    assert erin.seal(table.b, OTHER).status_code == 302
    return erin


DEEDS: dict[str, Callable[[Seat], object]] = {
    "draft": lambda seat: flow.draft(seat, 0, FIRST),
    "seal": lambda seat: flow.seal(seat, 0, FIRST),
    "reopen": lambda seat: flow.reopen(seat, 0),
    "leave": flow.leave,
    "resign": flow.resign,
    "call off": flow.cancel_before_start,
    "offer a draw": lambda seat: flow.offer_draw(seat, True),
    "decline a draw": lambda seat: flow.decline_ending(seat, flow.Ending.DRAW),
    "claim": lambda seat: flow.claim(seat, Seat.objects.get(match=seat.match_id, letter="A")),
    "new link": lambda seat: flow.new_link(seat, Guest.objects.get(name="Bob")),
    "new invite": flow.new_invite,
    "add a bot": lambda seat: flow.add_bot(seat, "C", "random"),
    "start with fewer": listing.start_with_fewer,
    "ask to take back": lambda seat: takeback.ask(seat, 0, 0),
    "answer a wish": lambda seat: takeback.answer_takeback(seat, 0, 0, accept=True),
    "pause": pauses.ask_pause,
    "say": lambda seat: messages.say(seat, None, "hello"),
    "write a note": lambda seat: turn_notes.write(seat, TurnNote.Kind.NOTE, 0, "hello"),
    "hand over": handover.offer,
    "keep": handover.withdraw,
}


@pytest.mark.parametrize("deed", DEEDS)
@pytest.mark.parametrize("how", ["by a hold", "by the old link"])
def test_who_has_left_does_nothing_for_who_sits_there_now(open_table: Table, deed: str, how: str) -> None:
    """By the old link a program is let in, which has no hold, after somebody has made a new one."""
    if how == "by a hold":
        seat = as_read(open_table, "B")
        leave_and_be_followed(open_table)
    else:
        seat = open_table.b
        flow.new_link(open_table.b, Guest.objects.get(name="Bob"))
    before = open_table.match.version
    with pytest.raises(flow.SeatLost):
        DEEDS[deed](seat)
    assert open_table.match.version == before
    assert bool(flow.order_of(open_table.match, open_table.b)) is (how == "by a hold"), "Erin's seal stays"


def test_who_makes_a_new_link_goes_on_in_the_same_request(open_table: Table) -> None:
    seat = as_read(open_table, "B")
    flow.new_link(as_read(open_table, "B"), Guest.objects.get(name="Bob"))
    assert flow.seal(seat, 0, FIRST).turn == 0


def test_a_refused_page_shows_nothing_of_who_sits_there_now(
    open_table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bob's tap was let in, and before it came to the lock Erin sat on his seat and sealed."""
    just_before_the_lock(monkeypatch, lambda: leave_and_be_followed(open_table))
    answer = open_table.bob.draft(open_table.b, FIRST)
    assert answer.status_code == 403
    assert OTHER not in text(answer) and "This is Erin’s seat" in text(answer)


def test_a_link_that_was_replaced_in_the_same_instant_opens_nothing(
    open_table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The link was looked up, and before the lock was had its owner made a new one."""
    link = open_table.bob.own_links(open_table.b)["seat"]
    just_before_the_lock(monkeypatch, lambda: flow.new_link(open_table.b, Guest.objects.get(name="Bob")))
    guests = Guest.objects.count()
    eve = Browser("Eve")
    assert eve.post(f"/s/seat/{link}/take/").status_code == 404
    assert (Guest.objects.count(), Hold.every.filter(seat=open_table.b).count()) == (guests, 1)
    assert eve.get(f"/m/{open_table.key}/B/").status_code == 403


def test_a_hold_of_an_older_sitting_is_worth_nothing(table: Table) -> None:
    """However it came to be there: by construction, not by having been deleted."""
    Hold.every.filter(seat=table.b).update(sitting=F("sitting") - 1)
    assert table.bob.get(f"/m/{table.key}/B/").status_code == 403
    assert table.bob.seal(table.b, FIRST).status_code == 403
    assert table.bob.get(f"/m/{table.key}/B/talk/").status_code == 403
    assert table.key not in text(table.bob.get("/mine/"))


@pytest.mark.parametrize("passes", ["leave", "revoke", "new link"])
def test_each_deed_ends_the_sitting(open_table: Table, passes: str) -> None:
    before = open_table.b.sitting
    match passes:
        case "leave":
            flow.leave(open_table.b)
        case "revoke":
            arbiter.revoke(open_table.b)
        case _:
            flow.new_link(open_table.b, Guest.objects.get(name="Bob"))
    assert open_table.b.sitting > before


def test_forgetting_harms_neither_who_else_holds_the_seat_nor_who_sat_down_meanwhile(
    open_table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    eve, bob = Browser("Eve"), current_guest.guest_of(open_table.bob.session)
    assert eve.post(f"/s/seat/{open_table.bob.own_links(open_table.b)['seat']}/take/").status_code == 302
    assert bob
    flow.forget(open_table.b, bob)
    assert open_table.bob.get(f"/m/{open_table.key}/B/").status_code == 403
    assert eve.get(f"/m/{open_table.key}/B/").status_code == 200 and open_table.b.name == "Bob"
    seat, open_table.bob = open_table.b, eve
    just_before_the_lock(monkeypatch, lambda: leave_and_be_followed(open_table))
    flow.forget(seat, Guest.objects.get(holds__seat=seat))
    assert (open_table.b.name, open_table.b.holds.count()) == ("Erin", 1)
    assert flow.order_of(open_table.match, open_table.b)


def test_a_guest_who_became_another_sits_down_as_that_one_and_a_forgotten_one_nowhere(
    open_table: Table,
) -> None:
    """Two browsers are made one while one of them takes a seat: the seat is where the person is."""
    link = open_table.bob.own_links(open_table.b)["seat"]
    gone, kept = Guest.objects.create(name="Eve"), Guest.objects.create(name="Eve")
    forgotten = Guest.objects.create(name="Eve")
    Guest.objects.filter(pk=forgotten.pk).delete()
    with pytest.raises(flow.GuestGone):
        flow.take(link, lambda name: forgotten)
    with pytest.raises(flow.GuestGone):
        flow.join(open_table.match, "Eve", invite=open_table.invite, guest=forgotten)
    assert not open_table.seat("C").taken and open_table.b.holds.count() == 1
    current_guest.merge(Guest.objects.get(pk=gone.pk), Guest.objects.get(pk=kept.pk))
    taken, guest = flow.take(link, lambda name: gone)
    assert guest == kept and taken.seat.holds.filter(guest=kept).exists()


def test_a_token_that_was_lost_on_the_way_to_the_lock_is_401(
    open_table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    link = open_table.bob.own_links(open_table.b)["seat"]
    just_before_the_lock(monkeypatch, lambda: arbiter.revoke(open_table.b))
    answer = Client().put(
        f"/api/v1/matches/{open_table.key}/order",
        {"turn": 0, "order": FIRST},
        content_type="application/json",
        headers={"Authorization": f"Bearer {link}"},
    )
    assert answer.status_code == 401
    assert not flow.order_of(open_table.match, open_table.b)


WRITES = {
    *("save", "create", "get_or_create", "update_or_create", "bulk_create"),
    *("update", "bulk_update", "delete"),
}
RECEIVERS = {"Hold", "Seat", "Program", "hold", "holds", "seat", "seats", "program", "programs"}
FLOW = ROOT / "robosite" / "matches" / "flow"
"""Each write in there is inside the lock, as `locked_writes` sees in every test."""


def _writes(code: ast.AST) -> list[str]:
    """The calls that write a hold, seat or program, by what stands before the dot."""
    found = []
    for call in ast.walk(code):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr in WRITES:
            only_seen = call.func.attr == "update" and [one.arg for one in call.keywords] == ["seen_turn"]
            if RECEIVERS & _heads(call.func.value) and not only_seen:
                found.append(ast.unparse(call))
    return found


def _heads(value: ast.expr) -> set[str]:
    """The names of a chain of attributes and calls."""
    heads: set[str] = set()
    while isinstance(value, ast.Attribute | ast.Call):
        if isinstance(value, ast.Attribute):
            heads.add(value.attr)
        value = value.func if isinstance(value, ast.Call) else value.value
    return heads | ({value.id} if isinstance(value, ast.Name) else set())


def test_no_hold_seat_or_program_is_written_outside_the_flow() -> None:
    """Nor is a hold asked for but by `held_by` and `Hold.objects`, which know the sitting."""
    written = "Hold.objects.get_or_create(seat=seat)\nseat.save()\n"
    written += "match.seats.update(name='')\nseat.holds.all().delete()"
    assert len(_writes(ast.parse(written))) == 4, "the reader of code finds them"
    assert not _writes(ast.parse("Hold.every.filter(pk=1).update(seen_turn=2)\nmatch.save()"))
    outside = {}
    for file in sorted((ROOT / "robosite").rglob("*.py")):
        if "migrations" in file.parts:
            continue
        code = file.read_text(encoding="utf-8")
        assert file.name == "models.py" or "holds__guest=" not in code, file
        if FLOW not in file.parents and (found := _writes(ast.parse(code))):
            outside[str(file.relative_to(ROOT))] = found
    assert outside == {}


def test_a_write_outside_the_lock_is_seen(table: Table) -> None:
    """So the guard that all tests of the site run under finds what it is there for."""
    with pytest.raises(locked_writes.Unlocked), transaction.atomic():
        flow.reseat(table.b, link_hash="")
    with locks.locked(table.match.pk):
        flow.reseat(table.b, link_hash="")
