"""One guest's notices go to a machine that never answers: everybody else's arrive as ever."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from time import monotonic
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.urls import reverse
from django.utils import timezone

from games import newest
from robosite.matches import flow
from robosite.matches.models import Match
from robosite.notices import outbox, parcels, safe_http, sender, transports
from robosite.notices.models import Channel, Parcel
from robosite.notices.parcels import Claimed, SendOutcome
from robosite.notices.transports import host_of
from robosite.people.models import Guest
from robosite.web.bounds import Bucket
from tests.site.browsers import Browser
from tests.site.notices.test_notices_feeds import full_queue


class Tarpit:
    """Sending to some hosts never ends; to all others it is done at once."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *hosts: str) -> None:
        self.over, self.under_way, self.most, self.sent = threading.Event(), 0, 0, list[str]()
        lock = threading.Lock()

        def ready(claimed: Claimed) -> Callable[[], SendOutcome]:
            host, name = host_of(claimed.channel), claimed.channel.guest.name

            def send() -> SendOutcome:
                if host not in hosts:
                    self.sent.append(name)
                    return SendOutcome()
                with lock:
                    self.under_way += 1
                    self.most = max(self.most, self.under_way)
                self.over.wait(60)
                return SendOutcome("no-answer")

            return send

        monkeypatch.setattr(transports, "ready", ready)


@pytest.fixture
def tarpit(monkeypatch: pytest.MonkeyPatch) -> Iterator[Tarpit]:
    made = Tarpit(monkeypatch, "tar.example", *(f"{n}.tar.example" for n in range(100)))
    yield made
    made.over.set()


def webhook(name: str, *hosts: str, answered: bool = False) -> None:
    guest = Guest.objects.create(name=name)
    for host in hosts:
        made = Channel(guest=guest, kind="webhook", succeeded_at=timezone.now() if answered else None)
        made.store_secret(f'{{"url": "https://{host}/", "key": ""}}')
        made.save()
        outbox.test(made)


def by_mail(name: str) -> None:
    guest = Guest.objects.create(name=name, email="x@example.org")
    outbox.test(Channel.objects.create(guest=guest, kind="mail"))


async def sent_within(running: sender.Sender, tarpit: Tarpit, names: set[str], looks: int = 6) -> bool:
    for _ in range(looks):
        await running.look()
        while len(running.sending) > tarpit.under_way:  # until all is sent that can be
            await asyncio.sleep(0.01)
    return names <= set(tarpit.sent)


HOSTS = [f"{n}.tar.example" for n in range(40)]
FLOODS = {
    "a guest with forty hosts": ([("Mallory", HOSTS)], {"Alice", "Bob", "Charlie"}, 1),
    "sixty guests with one host": ([(f"M {n}", ["tar.example"]) for n in range(60)], {"Charlie"}, 1),
    "twenty guests with a host each": ([(f"M {n}", [HOSTS[n]]) for n in range(20)], {"Alice", "Bob"}, 20),
}
"""Tests that came first, to hosts that never answer; who is told all the same, and how many are under way."""


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("flood", FLOODS)
async def test_a_tarpit_delays_nobody_elses_notices(tarpit: Tarpit, flood: str) -> None:
    first, others, most = FLOODS[flood]

    def prepare() -> None:
        for name, hosts in first:
            webhook(name, *hosts)
        by_mail("Alice")
        webhook("Bob", "ntfy.example", answered=True)
        webhook("Charlie", "new.example")

    await sync_to_async(prepare)()
    running = sender.Sender()
    assert await sent_within(running, tarpit, others)
    assert tarpit.most <= most
    tarpit.over.set()
    await asyncio.gather(*running.sending)


def test_guests_come_in_turn() -> None:
    for name, hosts in (("Alice", 3), ("Bob", 1)):
        webhook(name, *["h.example"] * hosts)
    served: list[int] = []
    while claimed := parcels.claim_parcel(after=served.count):
        served.append(claimed.channel.guest_id)
        parcels.note_outcome(claimed, SendOutcome())
    assert [Guest.objects.get(pk=pk).name for pk in served] == ["Alice", "Bob", "Alice", "Alice"]


def test_a_name_that_is_not_resolved_in_time_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()
    monkeypatch.setattr(safe_http, "CONNECTING", 0.2)
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: over.wait(30) and [])
    began = monotonic()
    with pytest.raises(OSError):
        safe_http.post("https://slow.example/", b"", {})
    assert monotonic() - began < 15  # and not for as long as the resolver takes
    over.set()


def test_only_so_many_names_are_asked_for_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    over, asked = threading.Event(), list[str]()
    monkeypatch.setattr(safe_http, "CONNECTING", 0.05)
    monkeypatch.setattr(safe_http, "_asking", threading.BoundedSemaphore(2))

    def slow(host: str, *_: Any, **__: Any) -> Any:
        asked.append(host)
        over.wait(30)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    for _ in range(5):
        with pytest.raises(OSError):
            safe_http.post("https://slow.example/", b"", {})
    assert len(asked) == 2
    over.set()


def test_a_machine_that_takes_no_connection_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    settings.REACHABLE_NETWORKS = ["127.0.0.0/8"]
    monkeypatch.setattr(safe_http, "CONNECTING", 0.3)
    with full_queue(socket.AF_INET, "127.0.0.1") as port:
        began = monotonic()
        with pytest.raises(OSError):
            safe_http.post(f"https://127.0.0.1:{port}/", b"", {})
        assert monotonic() - began < safe_http.TIME / 2


def test_tests_of_channels_are_counted_by_address(alice: Browser, bob: Browser, settings: Any) -> None:
    settings.LIMITS, settings.BUCKETS = "on", {**settings.BUCKETS, "test/address": Bucket(1, 0.1)}
    for browser, status in ((alice, 302), (bob, 429)):
        browser.make()
        guest = Guest.objects.latest("pk")
        made = Channel.objects.create(guest=guest, kind="mail")
        assert browser.post(reverse("channel", args=[made.number]), {"do": "test"}).status_code == status
    assert Parcel.objects.count() == 1


def of_match(name: str, match: Match, minutes: int) -> None:
    """A guest for whom something of a match has been due for so long."""
    guest = Guest.objects.create(name=name)
    channel = Channel.objects.create(guest=guest, kind="webhook", succeeded_at=timezone.now())
    channel.store_secret(f'{{"url": "https://{name.lower()}.example/", "key": ""}}')
    channel.save()
    due = timezone.now() - timedelta(minutes=minutes)
    Parcel.objects.create(channel=channel, match=match, what=Parcel.What.TEST, due_at=due)


@pytest.mark.django_db(transaction=True)
async def test_many_guests_of_one_address_do_not_make_others_wait(
    monkeypatch: pytest.MonkeyPatch, tarpit: Tarpit
) -> None:
    monkeypatch.setattr(parcels, "GUESTS", 10)
    game = newest("pigs")

    def made() -> None:
        noisy, other = (flow.create(game, game.read_options({}), 2, "Ada", lane=lane)[0] for lane in (7, 9))
        for n in range(30):
            of_match(f"Noisy{n}", noisy, minutes=60)
        of_match("Bob", other, minutes=1)

    await sync_to_async(made)()
    one = sender.Sender()
    group = next(group for group in sender.SEND_GROUPS if group.name == "those that answer")
    order = []
    for _ in range(4):
        claimed = await sync_to_async(one._claim)(group)
        assert claimed
        order.append(claimed.channel.guest.name)
        one._begin(group, claimed)
        await asyncio.gather(*one.sending)
    assert "Bob" in order[:2]
