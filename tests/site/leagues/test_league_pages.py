"""Leagues by their pages alone: made, joined by link, played, left; by Alice, Bob and Charlie."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail as post
from django.db import connection
from django.test.utils import CaptureQueriesContext

from robosite.leagues import flow as leagues
from robosite.leagues.arithmetic.pairing import drawn
from robosite.leagues.models import League, Place, PlaceHold
from robosite.matches import flow
from robosite.matches.models import Hold, Match, Nudge, Seat
from robosite.moderation import measures
from robosite.ops.verification import league_faults
from robosite.people.current_guest import forget, merge
from robosite.people.models import Guest
from robosite.people.personal_data import parts
from tests.site.browsers import FIRST, Browser, text
from tests.site.leagues.conftest import (
    OF_TWO_OR_THREE,
    begin,
    begun,
    join,
    joined,
    link_in,
    mails,
    make,
    page,
    resign_all,
    seats_of,
)
from tests.site.notices.test_notices import by_mail

pytestmark = pytest.mark.django_db
CUP = {"format": "cup"}


def test_from_the_home_page_to_the_table(alice: Browser, bob: Browser, charlie: Browser) -> None:
    assert 'href="/l/new/"' in text(alice.get("/"))
    assert "Robble" in text(alice.get("/l/new/"))
    league, invite = make(alice)
    shown = page(alice, league)
    assert "It can start as soon as there are 3 players." in shown and "Start with" not in shown
    assert (
        "Alice invites you to the league “Our spring”: Robo Battle Pigs, up to a day per turn. http" in shown
    )
    assert "data-main" in shown
    assert "You’re invited to the league" in text(bob.get(invite))
    join(bob, invite)
    join(charlie, invite)
    assert "Start with 3" in (shown := page(alice, league)) and "data-main" not in shown, "one main button"
    assert "Start with" not in page(bob, league) and "/s/league/" not in page(bob, league)
    begin(alice, league)
    shown = page(bob, league)
    assert "Your turn against " in shown and shown.count("has the move</span></a>") == 6
    assert "1 day left" in shown or "24 h left" in shown
    assert re.search(r'class="primary" href="/m/\w+/[AB]/"', shown.split(">Standings<")[0])
    assert bob.seal(seats_of("Bob")[0], FIRST).status_code == 302
    assert page(bob, league).count("has the move</span></a>") == 5
    assert page(bob, league).count("The last day is ") == 2, "where everybody sees it, and in the rules"
    resign_all("Bob")
    assert "has no" not in page(charlie, league)
    resign_all("Charlie")
    shown = page(alice, league)
    assert "The league is over." in shown and "You’ve won the league!" in shown
    assert "Alice has won." in page(bob, league)
    assert '<td class="points">2</td>' in shown
    record = alice.get(f"/l/{league.key}/record/")
    assert record.json()["format"] == "robosite-league/1"


def test_wrong_and_old_invites_are_not_found_alike(alice: Browser, bob: Browser) -> None:
    league, invite = make(alice)
    assert alice.post(f"/l/{league.key}/invite/").status_code == 302
    for path in (invite, "/s/league/no-such-thing/"):
        assert bob.get(path).status_code == 404
        assert bob.post(f"{path}join/", {"name": "Bob"}).status_code == 404


def test_a_written_name_is_claimed_with_one_tap(alice: Browser, bob: Browser) -> None:
    league, invite = make(alice, names="Bob, Dora")
    shown = text(bob.get(invite))
    assert "Which one are you?" in shown and "I’m Bob" in shown and "I’m Dora" in shown
    assert bob.post(f"{invite}join/", {"place": "2"}).status_code == 302
    assert Place.objects.get(league=league, number=2).taken
    assert "I’m Bob" not in text(Browser("Charlie").get(invite))
    assert "You’re already in" in text(bob.get(invite))


def test_only_the_organiser_starts_and_removes(ours: League, alice: Browser, bob: Browser) -> None:
    path = f"/l/{ours.key}/"
    assert bob.post(f"{path}start/").status_code == 404
    assert bob.post(f"{path}leave/", {"place": "3"}).status_code == 302
    assert not Place.objects.get(league=ours, name="Charlie").gone
    assert Place.objects.filter(league=ours, gone=True).get().number == 2, "only his own place"
    assert alice.post(f"{path}leave/", {"place": "3"}).status_code == 302
    assert alice.post(f"{path}start/").status_code == 409


def test_leaving_resigns_everywhere(alice: Browser, bob: Browser, league: League) -> None:
    assert "Leave the league" in page(bob, league)
    assert bob.post(f"/l/{league.key}/leave/").status_code == 302
    assert Match.objects.filter(status="over").count() == 2
    assert "withdrawn" in page(alice, league) and "Leave the league" not in page(bob, league)


@OF_TWO_OR_THREE
def test_a_league_is_one_entry_in_my_games_and_its_place_a_link_for_another_browser(
    alice: Browser, bob: Browser, charlie: Browser, given: dict[str, str]
) -> None:
    league = begun(alice, bob, charlie, Browser("Dora"), **given)
    shown = " ".join(text(alice.get("/mine/")).split())
    assert league.name in shown and "in 3 matches" in shown
    assert re.search(r'<span class="state"> ?<span class="visually-hidden">your turn</span> <time', shown)
    assert not re.search(r'href="/m/\w+/[ABC]/"', shown), "its matches are not listed one by one"
    link = link_in(page(bob, league))
    phone = Browser("Bob")
    assert "Bob’s spot" in text(phone.get(link))
    assert phone.post(f"{link}take/").status_code == 302
    assert "Your turn against" in page(phone, league)
    for seat in seats_of("Bob"):
        assert phone.get(seat.get_absolute_url()).status_code == 200
        assert leagues.place_of(seat) == league.places.get(name="Bob")
    assert Hold.objects.filter(seat__name="Bob").count() == 6


def test_a_match_leads_to_its_league_and_offers_no_pause_nor_rematch(alice: Browser, league: League) -> None:
    seat = seats_of("Alice")[0]
    shown = text(alice.get(f"{seat.get_absolute_url()}more/"))
    assert "Cancel match" not in shown and f"/l/of/{seat.match.key}/" in shown
    assert alice.get(f"/l/of/{seat.match.key}/")["Location"] == league.get_absolute_url()
    assert 'id="pause-title"' not in text(alice.get(f"{seat.get_absolute_url()}time/"))
    flow.resign(seat)
    shown = text(alice.get(seat.get_absolute_url()))
    assert f"Back to {league.name}" in shown and "Rematch" not in shown
    assert re.search(r">Next match\s*<small>one is waiting</small></span></a>", shown)
    assert f'<option value="{seat.match.key}/{seat.letter}"' in text(alice.get("/new/pigs/"))


def test_whom_the_others_wait_for_is_nudged_from_the_league(
    league: League, bob: Browser, charlie: Browser
) -> None:
    at, nudges = f"/l/{league.key}/nudge/", Nudge.objects.all()
    shown = page(bob, league)
    assert "Waiting for" in shown and "in 2 matches" in shown and "Nudge" not in shown
    for seat in Seat.objects.filter(name="Bob"):
        bob.seal(seat, FIRST)
    number = Place.objects.get(name="Alice").number
    assert "Nudge Alice" in page(bob, league) and "Nudge Alice" not in page(charlie, league)
    assert bob.post(at, {"place": number}).status_code == 302
    assert [one.seat.name for one in nudges] == ["Bob"]
    assert bob.post(at, {"place": number}).status_code == 409 and nudges.count() == 1
    assert charlie.post(at, {"place": number}).status_code == 409
    assert Browser("Dora").post(at, {"place": number}).status_code == 404
    assert "Waiting for" not in page(Browser("Dora"), league)


def test_another_league_is_made_for_the_same_people(bob: Browser, charlie: Browser, league: League) -> None:
    for browser in (bob, charlie):
        browser.post(f"/l/{league.key}/leave/")
    to = f"/l/new/?after={league.key}"
    League.objects.filter(pk=league.pk).update(status=League.Status.OVER)
    assert f'href="{to}"' in page(bob, league) and to not in page(Browser("Zoe"), league)
    Place.objects.update(left_at=None)
    form = text(bob.get(to))
    assert 'value="Alice, Charlie"' in form
    assert "With Alice, Charlie: their names" in form and 'value="pigs/standard" checked' in form
    assert "Charlie" not in text(Browser("Zoe").get(to))


def test_a_bot_plays_instead_of_a_name_that_has_not_come(alice: Browser, bob: Browser) -> None:
    league, invite = make(
        alice, format="cup", cup_size="4", names="Bob, Dora, Emil", plays="robble/standard", ends="180"
    )
    assert bob.post(f"{invite}join/", {"place": "2"}).status_code == 302
    assert "It plays instead of Emil." in page(alice, league)
    for bot in ("random", "hasty"):
        assert alice.post(f"/l/{league.key}/bot/", {"bot": bot}).status_code == 302
    assert [place.player for place in league.places.all()] == ["", "", "hasty", "random"]
    assert "Add a bot" not in page(alice, league)
    assert alice.post(f"/l/{league.key}/bot/", {"bot": "careful"}).status_code in (404, 409)


def test_no_bot_is_offered_after_a_match_of_a_league(alice: Browser, bob: Browser, charlie: Browser) -> None:
    league, _invite = joined(alice, bob)
    added = alice.post(f"/l/{league.key}/bot/", {"bot": "hasty"})
    assert added.status_code == 302 and added["Location"].endswith("?more=bots#places-title")
    page = alice.get(added["Location"]).content.decode()
    assert re.search(r"<details open>\s*<summary>Add a bot", page)
    assert alice.post(f"/l/{league.key}/start/").status_code == 302
    against = Match.objects.filter(seats__player="hasty")
    seat = Seat.objects.filter(match__in=against, name="Alice").first()
    assert seat
    flow.resign(seat)
    shown = text(alice.get(seat.get_absolute_url()))
    assert "Back to " in shown and "Easier bot" not in shown and 'class="another-bot"' not in shown


@pytest.mark.parametrize(
    ("players", "matches", "given"), [(10, 45, {}), (7, 7, {"seats": "3"}), (8, 8, {**CUP, "ends": ""})]
)
def test_a_league_takes_six_queries(
    alice: Browser, players: int, matches: int, given: dict[str, str]
) -> None:
    names = ("Bob", "Cleo", "Dora", "Emil", "Flora", "Gus", "Ida", "Jo", "Kim")
    league = begun(alice, *map(Browser, names[: players - 1]), **given)
    assert Match.objects.count() == matches
    page(alice, league)
    with CaptureQueriesContext(connection) as asked:
        page(alice, league)
    assert len(asked) <= 6, [query["sql"][:120] for query in asked]


@pytest.mark.parametrize(("given", "playing"), [({}, 3), ({"seats": "3"}, 4)])
def test_personal_data_of_a_place(
    alice: Browser, bob: Browser, charlie: Browser, given: dict[str, str], playing: int
) -> None:
    league = begun(alice, bob, charlie, Browser("Dora"), **given)
    part = parts["leagues"]
    guest = Guest.objects.get(name="Bob")
    exported: Any = part.export(guest, None)  # type: ignore[arg-type]
    assert [one["league_name"] for one in exported] == [league.name]
    other = Guest.objects.create(name="Bob two")
    merge(guest, other)
    assert PlaceHold.objects.get(place__name="Bob").guest == other
    forget(other, at_once=50)
    assert not PlaceHold.objects.filter(place__number=2).exists()
    assert Place.objects.get(league=league, number=2).name == "Somebody"
    assert Seat.objects.filter(name="Bob").count() == 0
    shown = page(alice, league)
    assert ">Bob<" not in shown and "withdrawn" in shown
    assert Match.objects.filter(status="playing").count() == playing, "at tables of three the others play on"


@OF_TWO_OR_THREE
def test_a_start_sends_one_notice_to_a_person(
    alice: Browser, bob: Browser, charlie: Browser, time: Any, given: dict[str, str]
) -> None:
    league, _invite = joined(alice, bob, charlie, Browser("Dora"), **given)
    for browser in (bob, charlie):
        by_mail(browser)
    begin(alice, league)
    title = "The league “Our spring” has begun: it’s your turn"
    assert sorted(mails(time)) == [("Bob", title), ("Charlie", title)]
    assert league.get_absolute_url() in str(post.outbox[0].body)


def test_verify_knows_leagues(league: League) -> None:
    assert list(league_faults()) == []
    League.objects.filter(pk=league.pk).update(nonce="0" * 64)
    other = drawn("0" * 64, [1, 2, 3]) != drawn(league.nonce, [1, 2, 3])
    assert bool(list(league_faults())) == other
    league.fixtures.first().delete()
    assert list(league_faults())


def test_moderators_close_and_rename(alice: Browser, staff_groups: None, league: League) -> None:
    desk = Browser("Dora")
    root = User.objects.create(username="root", is_staff=True, is_superuser=True)
    desk.force_login(root)
    chosen = {"_selected_action": [league.pk]}
    assert desk.get("/admin/leagues/league/").status_code == 200
    assert desk.get(f"/admin/leagues/league/{league.pk}/change/").status_code == 200
    assert league.nonce not in text(desk.get(f"/admin/leagues/league/{league.pk}/change/"))
    desk.post("/admin/leagues/league/", {"action": "rename", **chosen})
    assert "Our spring" not in page(alice, league)
    asked = text(desk.post("/admin/leagues/league/", {"action": "close", **chosen}))
    assert "Close these leagues?" in asked and Match.objects.filter(status="playing").count() == 3
    sure = re.search(r'name="sure" value="([^"]+)"', asked)
    desk.post("/admin/leagues/league/", {"action": "close", "sure": sure[1], **chosen})
    assert "A moderator has closed this league." in page(alice, league)
    assert Match.objects.filter(status="aborted").count() == 3


@OF_TWO_OR_THREE
def test_a_name_that_is_taken_away_goes_from_the_league_too(
    alice: Browser, bob: Browser, charlie: Browser, given: dict[str, str]
) -> None:
    league = begun(alice, bob, charlie, **given)
    measures.take("rename", None, seat=seats_of("Bob")[-1], reason="spam")
    assert league.places.get(number=2).name == "Player 2" and not seats_of("Bob")
    assert ">Bob<" not in page(alice, league)


def test_a_page_that_looks_again_gets_what_is_new_and_nothing_else(alice: Browser, bob: Browser) -> None:
    league, invite = make(alice)

    def look(page: str) -> Any:
        found = re.search(r'data-hx-get="([^"]+)"', page)
        return alice.get(found[1], headers={"HX-Request": "true"})

    shown = alice.get(league.get_absolute_url()).content.decode()
    assert look(shown).status_code == 204
    join(bob, invite)
    answer = look(shown)
    assert answer.status_code == 200 and "Bob" in answer.content.decode()
    assert look(answer.content.decode()).status_code == 204


def test_who_share_first_place_can_play_a_decider_that_is_no_match_of_the_league(
    alice: Browser, bob: Browser, charlie: Browser, league: League
) -> None:
    losers = {("Alice", "Bob"): "Bob", ("Bob", "Charlie"): "Charlie", ("Alice", "Charlie"): "Alice"}
    for match in Match.objects.all():
        names = sorted(match.seats.values_list("name", flat=True))
        flow.resign(match.seats.get(name=losers[names[0], names[1]]))
    shown = page(alice, league)
    rivals = re.findall(r"Decider against (\w+)", shown)
    ways = dict(zip(rivals, re.findall(r"/m/\w+/\w/rematch/", shown), strict=True))
    assert set(ways) == {"Bob", "Charlie"} and len(set(ways.values())) == 2
    assert "Decider against" not in page(Browser("Dora"), league)
    record = alice.get(f"/l/{league.key}/record/").content
    new = text(alice.get(alice.post(ways["Bob"])["Location"]))
    for part in ("title", "h1"):
        assert re.search(r"Decider:\s", new.partition(f"<{part}")[2].partition(f"</{part}>")[0])
    decider = Match.objects.get(rematch_of__key=ways["Bob"].split("/")[2])
    assert decider.rematch_of and decider.rematch_of.seats.get(name="Bob")
    asked = decider.rematch_of.seats.get(name="Bob").get_absolute_url()
    assert "Alice wants to play the decider" in text(bob.get(asked)) and "Go to the decider" in text(
        alice.get(ways["Bob"].removesuffix("rematch/"))
    )
    for browser in (alice, bob):
        mine = text(browser.get("/mine/"))
        assert "Decider" in mine and "Rematch" not in mine
    bob.post(asked + "rematch/")
    assert "Decider against Bob" in page(alice, league), "it leads to the one that is being played"
    flow.resign(decider.seats.get(name="Bob"))
    assert re.findall(r"Decider against (\w+)", page(alice, league)) == ["Charlie"]
    assert alice.get(f"/l/{league.key}/record/").content == record
