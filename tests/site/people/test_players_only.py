"""A match for its players only: who holds no seat in it is told so, everywhere, and told nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator

from robosite.matches import flow
from robosite.matches.models import Match
from tests.site.browsers import FIRST, OTHER, SAME_ORIGIN, Browser, Table, sit_down, text

ADDRESSES = ("", "?at=1.2", "A/", "B/", "C/", "version/", "record/", "A/qr/invite.svg")


@pytest.fixture
def among_us(alice: Browser, bob: Browser, charlie: Browser) -> Table:
    """Alice and Bob play, and nobody may watch; a round has been played."""
    table = sit_down(alice, bob, charlie)
    Match.objects.filter(key=table.key).update(watched=False)
    table.play((FIRST, OTHER))
    return table


@pytest.mark.parametrize("address", ADDRESSES)
def test_who_holds_no_seat_is_told_so_and_nothing_else(among_us: Table, address: str) -> None:
    answer = among_us.charlie.get(f"/m/{among_us.key}/{address}")
    assert answer.status_code == 403
    shown = text(answer)
    assert "for its players only" in shown
    assert not any(told in shown for told in ("Alice", "Bob", "TL TL", "Robo Battle Pigs,"))


def test_its_players_see_all_of_it(among_us: Table) -> None:
    for browser, letter in ((among_us.alice, "A"), (among_us.bob, "B")):
        for address in ("?public", "version/", "record/", f"{letter}/"):
            assert browser.get(f"/m/{among_us.key}/{address}").status_code == 200, address


def test_programs_need_the_token_of_a_seat(among_us: Table) -> None:
    token = among_us.alice.own_links(among_us.a)["seat"]
    for address in ("", "/record", "/events"):
        path = f"/api/v1/matches/{among_us.key}{address}"
        refused = among_us.alice.get(path)  # a cookie is no token
        assert refused.status_code == 403 and "players only" in refused.json()["detail"]
        answer = among_us.charlie.get(path, headers={"Authorization": f"Bearer {token}"})
        assert answer.status_code == 200
        if answer.streaming:
            answer.close()


def test_the_rematch_is_for_its_players_only_too(among_us: Table) -> None:
    flow.resign(among_us.a)
    among_us.alice.do(among_us.a, "rematch")
    assert not Match.objects.get(rematch_of=among_us.match).watched


def test_an_invite_still_opens_for_who_is_to_play(alice: Browser, bob: Browser) -> None:
    match = alice.make(3)
    Match.objects.filter(pk=match.pk).update(watched=False)
    invite = alice.own_links(match.seats.get(letter="A"))["invite"]
    assert bob.get(f"/s/invite/{invite}/").status_code == 200
    bob.join(invite)
    assert bob.get(f"/m/{match.key}/?public").status_code == 200


@pytest.mark.django_db(transaction=True)
async def test_sockets_are_closed_to_others() -> None:
    from robosite.asgi import application

    def prepare() -> Table:
        table = sit_down(Browser("Alice"), Browser("Bob"), Browser("Charlie"))
        Match.objects.filter(key=table.key).update(watched=False)
        table.charlie.make()
        return table

    table = await sync_to_async(prepare)()

    async def opens(browser: Any, path: str) -> bool:
        cookie = "; ".join(f"{name}={morsel.value}" for name, morsel in browser.cookies.items())
        headers = [*SAME_ORIGIN, (b"cookie", cookie.encode())]
        socket = WebsocketCommunicator(application, path, headers=headers)
        accepted, _ = await socket.connect(timeout=60)
        await socket.disconnect(timeout=60)
        return bool(accepted)

    for path in (f"/ws/m/{table.key}/", f"/ws/m/{table.key}/A/"):
        assert await opens(table.alice, path)
        assert not await opens(table.charlie, path)
