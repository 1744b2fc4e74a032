"""A host answers letters: finds the guest, downloads what is kept without any secret, erases for good."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.test import Client
from django.urls import reverse

from robosite.matches import flow
from robosite.matches.models import Seat
from robosite.notices.models import Channel
from robosite.people import personal_data
from robosite.people.models import Guest
from robosite.talk import turn_notes
from robosite.talk.models import TurnNote
from robosite.trail.models import Entry
from tests.site.browsers import FIRST, OTHER, Browser, Table, text
from tests.site.confirmed import asked

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("staff_groups")]
GUESTS = "/admin/people/guest/"


def member(*groups: str) -> Client:
    user = User.objects.create_user(f"a {' and '.join(groups)}", is_staff=True)
    user.groups.set(Group.objects.filter(name__in=groups))
    client = Client()
    client.force_login(user)
    return client


@pytest.fixture
def host(db: Any) -> Client:
    return member("host")


def bob_of(table: Table) -> Guest:
    return Guest.objects.get(name="Bob")


def page(guest: Guest) -> str:
    return reverse("admin:people_guest_change", args=[guest.pk])


def test_a_host_finds_the_guest_of_a_letter(host: Client, table: Table) -> None:
    bob = bob_of(table)
    Guest.objects.filter(pk=bob.pk).update(email="bob@example.org")
    for term in ("bob", table.key, "Bob@Example.org"):
        assert page(bob) in text(host.get(GUESTS, {"q": term})), term
    for term in ("bob@example", "nobody@example.org", "xyz"):
        assert page(bob) not in text(host.get(GUESTS, {"q": term})), term
    shown = text(host.get(page(bob)))
    assert str(table.match) in shown and "bob@example.org" not in shown


def test_a_moderator_finds_nobody_by_an_address_and_has_no_such_buttons(table: Table) -> None:
    bob = bob_of(table)
    Guest.objects.filter(pk=bob.pk).update(email="bob@example.org")
    mod = member("moderator")
    assert page(bob) not in text(mod.get(GUESTS, {"q": "bob@example.org"}))
    shown = text(mod.get(page(bob)))
    assert 'value="export"' not in shown and 'value="erase"' not in shown
    for do in ("export", "erase"):
        assert mod.post(page(bob), {"do": do}).status_code == 403
    assert Guest.objects.filter(pk=bob.pk, leaving_at=None).exists()
    assert not Entry.objects.filter(action__in=("export-guest", "erase-guest")).exists()


def test_a_host_takes_no_measures(host: Client, table: Table) -> None:
    host.post(GUESTS, {"action": "ban", "_selected_action": [bob_of(table).pk], "days": "7"})
    assert not Entry.objects.filter(action="measure-ban").exists()


def test_the_export_is_the_guests_own(host: Client, table: Table) -> None:
    table.play((FIRST, OTHER))
    table.bob.do(table.b, "talk", text="Well played")
    bob = bob_of(table)
    answer = host.post(page(bob), {"do": "export"})
    assert answer["Content-Disposition"].startswith("attachment") and "no-store" in answer["Cache-Control"]
    told, own = json.loads(answer.content), table.bob.get("/me/export/").json()
    assert told.pop("left_out") == personal_data.LEFT_OUT
    assert told == own and OTHER in json.dumps(told)
    entry = Entry.objects.order_by("-number")[0]
    assert (entry.action, entry.subject) == ("export-guest", f"guest:{bob.pk}")


def test_nothing_sealed_private_or_secret_is_in_it(host: Client, table: Table) -> None:
    bob = bob_of(table)
    flow.draft(table.b, 0, "v v v v v")
    secrets = ["v v v v v"]
    turn_notes.write(table.b, TurnNote.Kind.WORD, 0, "Wordlast")
    turn_notes.write(table.b, TurnNote.Kind.NOTE, 0, "Notemine")
    table.bob.do(table.b, "talk", text="Whispered", to="A")
    way = Channel(guest=bob, kind=Channel.Kind.NTFY)
    way.store_secret("https://ntfy.example/topicsecret")
    way.save()
    secrets += ["Wordlast", "Notemine", "Whispered", "topicsecret"]
    told = host.post(page(bob), {"do": "export"}).content.decode()
    own = table.bob.get("/me/export/").content.decode()
    assert all(one in own for one in secrets[1:]), "they’re there, and the guest may read them"
    flow.seal(table.b, 0, OTHER)
    told += host.post(page(bob), {"do": "export"}).content.decode()
    for secret in (*secrets, OTHER):
        assert secret not in told, secret
    flow.seal(table.a, 0, FIRST)
    told = host.post(page(bob), {"do": "export"}).content.decode()
    assert "Wordlast" in told and OTHER in told and "Notemine" not in told  # revealed to everybody


def test_erasing_asks_first_and_is_what_forgetting_is(host: Client, table: Table) -> None:
    bob = bob_of(table)
    answer = host.post(page(bob), {"do": "erase"})
    shown = text(answer)
    assert "You resign from one running match" in shown and "Your turns stay" in shown
    assert Guest.objects.filter(pk=bob.pk, leaving_at=None).exists()
    assert host.post(page(bob), {"do": "erase", "sure": "1"}).status_code == 200
    assert Guest.objects.filter(pk=bob.pk, leaving_at=None).exists()
    yes = asked(answer)
    assert host.post(page(bob), yes).status_code == 302
    assert not Guest.objects.filter(pk=bob.pk).exists()
    assert Seat.objects.get(match=table.match, letter="B").name == "Somebody"
    assert "Welcome" in text(table.bob.get("/me/"))
    assert host.post(page(bob), yes).status_code == 404
    acts = list(Entry.objects.filter(subject=f"guest:{bob.pk}").values_list("action", flat=True))
    assert acts.count("erase-guest") == 1 and "Bob" not in "".join(one.text for one in Entry.objects.all())


def test_what_the_guest_did_meanwhile_is_read_before_it_is_erased(
    host: Client, table: Table, alice: Browser
) -> None:
    """Bob has sat down at another table since the page was shown: what it said is not all that happens."""
    bob = bob_of(table)
    yes = asked(host.post(page(bob), {"do": "erase"}))
    other = alice.make()
    table.bob.join(alice.own_links(other.seats.get(letter="A"))["invite"])
    answer = host.post(page(bob), yes)
    assert "Something has changed" in text(answer) and "2 running matches" in text(answer)
    assert Guest.objects.filter(pk=bob.pk, leaving_at=None).exists()


def test_the_page_of_forgetting_says_what_stays(table: Table) -> None:
    shown = text(table.bob.get("/me/forget/"))
    for said in ("Your turns stay in them", "audit trail", "What you wrote in a match stays", "Backups"):
        assert said in shown, said


def test_what_it_says_is_so(table: Table) -> None:
    """Orders and messages stay under another name; notes go; the trail has the number."""
    table.play((FIRST, OTHER))
    table.bob.do(table.b, "talk", text="Call me Bobby")
    turn_notes.write(table.b, TurnNote.Kind.NOTE, 0, "Mine")
    bob = bob_of(table)
    member("host").get(page(bob))
    table.bob.post("/me/forget/", {"sure": "1"})
    seat = Seat.objects.get(match=table.match, letter="B")
    assert seat.name == "Somebody" and seat.programs.get(turn=0).order == OTHER
    said = table.match.messages.get()
    assert (said.name, said.text) == ("Somebody", "Call me Bobby")
    assert not TurnNote.objects.filter(seat=seat).exists()
    assert Entry.objects.filter(subject=f"guest:{bob.pk}").exists()
