"""What strangers of one address hold at open tables and in open leagues; a creator puts one out."""

from __future__ import annotations

from typing import Any

import pytest

from robosite.leagues.flow import beginning
from robosite.leagues.models import League
from robosite.matches import flow
from robosite.matches.flow.origins import MOST_LISTED, MOST_UNSEALED
from robosite.matches.models import Match, Seat
from robosite.people import shares
from tests.site.api.test_api import Api
from tests.site.browsers import FIRST, Browser, text

OPEN: dict[str, Any] = {"with": "open"}
"""The answer of the form with which a match is on the list."""

ELSEWHERE = "192.0.2.9"


@pytest.fixture(autouse=True)
def with_open_tables(settings: Any) -> None:
    settings.OPEN_TABLES = True


def open_by_api(api: Api, at: str = "127.0.0.1") -> int:
    body = {"game": "pigs", "name": "Ada", "open": True}
    status: int = api.ask("POST", "matches", body, REMOTE_ADDR=at).status_code
    return status


def open_by_page(at: str = "127.0.0.1") -> int:
    given = {"game": "pigs", "seats": 2, "name": "Ann", "with": "open"}
    status: int = Browser("", REMOTE_ADDR=at).post("/matches/", given).status_code
    return status


def open_tables(n: int) -> list[Match]:
    """Tables of as many people, each behind an address of their own."""
    made = []
    for number in range(n):
        host = Browser("Hosts", REMOTE_ADDR=f"198.51.100.{number}")
        made.append(host.make_by_page(**OPEN))
    return made


def sit_by_page(match: Match, browser: Browser | None = None) -> int:
    status: int = (browser or Browser("")).post(f"/tables/{match.key}/sit/", {"name": "Zoe"}).status_code
    return status


def sit_by_api(api: Api, match: Match) -> int:
    status: int = api.ask("POST", f"matches/{match.key}/seats", {"name": "Bot"}).status_code
    return status


def test_an_address_has_few_open_tables_by_pages_and_by_the_api(limited: Any, api: Api) -> None:
    asked = [open_by_api(api) if n % 2 else open_by_page() for n in range(MOST_LISTED)]
    assert set(asked) == {201, 302}
    assert (open_by_api(api), open_by_page()) == (409, 422)
    assert Match.objects.filter(listed=True).count() == MOST_LISTED
    assert open_by_api(api, ELSEWHERE) == 201
    flow.cancel_before_start(Match.objects.filter(listed=True)[0].seats.get(host=True))
    assert open_by_page() == 302, "one of the five is gone"
    assert not Match.objects.exclude(status="open").exclude(listed_from="").exists()


def test_a_newcomer_sits_at_few_tables_of_strangers_until_they_seal(limited: Any, api: Api) -> None:
    tables = open_tables(MOST_UNSEALED + 2)
    for number, match in enumerate(tables[:MOST_UNSEALED]):
        assert sit_by_api(api, match) == 201 if number % 2 else sit_by_page(match) == 302
    more = tables[MOST_UNSEALED]
    assert (sit_by_api(api, more), sit_by_page(more)) == (409, 409)
    flow.seal(Seat.objects.get(match=tables[0], host=False), 0, FIRST)
    assert sit_by_page(more) == 302
    assert sit_by_api(api, tables[-1]) == 409
    assert Seat.objects.exclude(stranger_from="").count() == MOST_UNSEALED


def test_a_guest_who_has_played_counts_alone(limited: Any) -> None:
    tables = open_tables(2 * MOST_UNSEALED + 1)
    player = Browser("Dora")
    flow.seal(player.make_by_page().seats.get(letter="A"), 0, FIRST)
    shares.reset()
    assert [sit_by_page(match) for match in tables[:MOST_UNSEALED]] == [302] * MOST_UNSEALED
    own = [sit_by_page(match, player) for match in tables[MOST_UNSEALED:]]
    assert own == [302] * MOST_UNSEALED + [409]


def test_an_address_has_few_open_leagues_and_waits_in_few_of_strangers(limited: Any, api: Api) -> None:
    body = {"name": "Spring", "game": "pigs", "organiser": "Ada", "open": True, "deadline_hours": 24}
    made = [api.ask("POST", "leagues", {**body, "name": f"Cup {n}"}) for n in range(MOST_LISTED + 1)]
    assert [answer.status_code for answer in made] == [201] * MOST_LISTED + [409]
    keys = [answer.json()["league"] for answer in made[:MOST_LISTED]]
    joined = [
        api.ask("POST", f"leagues/{key}/places", {"name": "Zoe"}, REMOTE_ADDR=ELSEWHERE).status_code
        for key in keys
    ]
    assert joined == [201] * MOST_UNSEALED + [409] * (MOST_LISTED - MOST_UNSEALED)
    assert League.objects.filter(listed=True).count() == MOST_LISTED
    league = League.objects.get(key=keys[0])
    assert league.listed_from and league.places.exclude(stranger_from="").exists()
    assert api.ask("POST", f"leagues/{keys[0]}/places", {"name": "Eve"}).status_code == 201
    beginning.start(league)
    assert not league.listed_from and not league.places.exclude(stranger_from="").exists()


def test_a_creator_puts_out_who_has_sealed_nothing(alice: Browser, bob: Browser, charlie: Browser) -> None:
    match = alice.make_by_page(**OPEN)
    assert sit_by_page(match, bob) == 302
    own = match.seats.get(letter="A")
    flow.seal(own, 0, FIRST)
    assert "/put-out/" in text(alice.get(f"{own.get_absolute_url()}more/"))
    link = bob.own_links(match.seats.get(letter="B"))["seat"]
    assert alice.do(own, "put-out", seat="B").status_code == 302
    match.refresh_from_db()
    seat = match.seats.get(letter="B")
    assert match.status == "open" and match.is_open_table and not seat.taken and match.deadline is None
    assert bob.get(seat.get_absolute_url()).status_code == 403
    assert charlie.get(f"/s/seat/{link}/").status_code == 404
    assert sit_by_page(match, charlie) == 302
    match.refresh_from_db()
    assert match.status == "playing" and flow.order_of(match, own), "what Alice had sealed stays sealed"
    flow.seal(match.seats.get(letter="B"), 0, FIRST)
    assert Match.objects.get(pk=match.pk).turn == 1


def test_nobody_else_is_put_out_and_nobody_else_does_it(alice: Browser, bob: Browser) -> None:
    match = alice.make(3)
    bob.join(alice.own_links(match.seats.get(letter="A"))["invite"])
    a, b = match.seats.get(letter="A"), match.seats.get(letter="B")
    for at in ("A", "C", "Z", ""):
        assert alice.do(a, "put-out", seat=at).status_code == 409
    assert bob.do(b, "put-out", seat="A").status_code == 409
    flow.seal(b, 0, FIRST)
    assert alice.do(a, "put-out", seat="B").status_code == 409
    assert match.seats.get(letter="B").taken and "/put-out/" not in text(alice.get(a.get_absolute_url()))


def test_a_first_move_is_taken_back_with_who_never_answered_it(alice: Browser, bob: Browser) -> None:
    match = alice.make(game="robble")
    bob.join(alice.own_links(match.seats.get(letter="A"))["invite"])
    own = match.seats.get(letter="A")
    flow.seal(own, 0, "d4")
    assert Match.objects.get(pk=match.pk).turn == 1
    assert alice.do(own, "put-out", seat="B").status_code == 302
    match.refresh_from_db()
    assert (match.status, match.turn, match.seats.get(letter="B").taken) == ("open", 0, False)
    assert alice.get(own.get_absolute_url()).status_code == 200


def test_programs_put_out_too(api: Api) -> None:
    made = api.ask("POST", "matches", {"game": "pigs", "name": "Ada", "open": True}).json()
    key, seated = made["match"], api.ask("POST", f"matches/{made['match']}/seats", {"name": "Bot"}).json()
    out = api.ask("POST", f"matches/{key}/put-out", {"seat": seated["seat"]}, made["token"])
    assert out.status_code == 200 and out.json()["status"] == "open"
    assert api.ask("POST", f"matches/{key}/resign", None, seated["token"]).status_code == 401
