"""Leagues by their pages alone: made, joined by link, played, left; by Alice, Bob and Charlie."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail as post
from django.db import connection
from django.test.utils import CaptureQueriesContext

from games import GAMES, newest
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
from tests import at_once
from tests.site.browsers import FIRST, Browser, text
from tests.site.notices.test_notices import by_mail

pytestmark = pytest.mark.django_db
CUP = {"format": "cup"}
OF_TWO_OR_THREE = pytest.mark.parametrize("given", [{}, {"seats": "3"}], ids=["of two", "of three"])
"""How many play each match."""


def make(alice: Browser, **given: str) -> tuple[League, str]:
    """A league by its form, and the path of its invite."""
    form = {
        "name": "Alice",
        "title": "Our spring",
        "plays": "pigs/standard",
        "pace": "24",
        "ends": "60",
        **given,
    }
    answer = alice.post("/l/new/", form)
    assert answer.status_code == 302, text(answer)
    league = League.objects.get(key=answer["Location"].split("/")[2])
    found = re.search(r"/s/league/[^/]+/", text(alice.get(league.get_absolute_url())))
    return league, found[0]


def begun(*browsers: Browser, **given: str) -> League:
    """A league that has started, in which these sit; the first one organises it."""
    league, invite = make(browsers[0], **given)
    for browser in browsers[1:]:
        join(browser, invite)
    answer = browsers[0].post(f"/l/{league.key}/start/")
    assert answer.status_code == 302, text(answer)
    league.refresh_from_db()
    return league


def join(browser: Browser, invite: str) -> None:
    answer = browser.post(f"{invite}join/", {"name": browser.name})
    assert answer.status_code == 302, text(answer)


def page(browser: Browser, league: League) -> str:
    return " ".join(text(browser.get(league.get_absolute_url())).split())


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
    assert alice.post(f"/l/{league.key}/start/").status_code == 302
    shown = page(bob, league)
    assert "Your turn against " in shown and shown.count("has the move</span></a>") == 6
    seat = Seat.objects.filter(name="Bob").first()
    assert seat and bob.seal(seat, "F ^ TR v H").status_code == 302
    assert page(bob, league).count("has the move</span></a>") == 5
    assert page(bob, league).count("The last day is ") == 2, "where everybody sees it, and in the rules"
    for seat in Seat.objects.filter(name="Bob"):
        flow.resign(seat)
    assert "has no" not in page(charlie, league)
    for seat in Seat.objects.filter(name="Charlie", match__status="playing"):
        flow.resign(seat)
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


def test_only_the_organiser_starts_and_removes(alice: Browser, bob: Browser, charlie: Browser) -> None:
    league, invite = make(alice)
    join(bob, invite)
    join(charlie, invite)
    assert bob.post(f"/l/{league.key}/start/").status_code == 404
    assert bob.post(f"/l/{league.key}/leave/", {"place": "3"}).status_code == 302
    assert not Place.objects.get(league=league, name="Charlie").gone
    assert Place.objects.filter(league=league, gone=True).get().number == 2, "only his own place"
    assert alice.post(f"/l/{league.key}/leave/", {"place": "3"}).status_code == 302
    assert alice.post(f"/l/{league.key}/start/").status_code == 409


def test_leaving_resigns_everywhere(alice: Browser, bob: Browser, league: League) -> None:
    assert "Leave the league" in page(bob, league)
    assert bob.post(f"/l/{league.key}/leave/").status_code == 302
    assert Match.objects.filter(status="over").count() == 2
    shown = page(alice, league)
    assert "withdrawn" in shown and "Leave the league" not in page(bob, league)


@OF_TWO_OR_THREE
def test_another_browser_comes_by_the_link_of_the_place(
    alice: Browser, bob: Browser, charlie: Browser, given: dict[str, str]
) -> None:
    league = begun(alice, bob, charlie, Browser("Dora"), **given)
    found = re.search(r"/s/place/[^/]+/", page(bob, league))
    phone = Browser("Bob")
    assert "Bob’s spot" in text(phone.get(found[0]))
    assert phone.post(f"{found[0]}take/").status_code == 302
    assert "Your turn against" in page(phone, league)
    for seat in Seat.objects.filter(name="Bob").select_related("match"):
        assert phone.get(seat.get_absolute_url()).status_code == 200
        assert leagues.place_of(seat) == league.places.get(name="Bob")
    assert Hold.objects.filter(seat__name="Bob").count() == 6


def test_another_browser_organises_by_its_link(alice: Browser, bob: Browser) -> None:
    league, _invite = make(alice)
    found = re.search(r"/s/organiser/[^/]+/", page(alice, league))
    assert found and "/s/organiser/" not in page(bob, league)
    assert bob.get(found[0]).status_code == 200
    assert bob.post(f"{found[0]}take/").status_code == 302
    assert "Get invite link" in page(bob, league)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"title": "Moderator"}, "could be mistaken"),
        ({"name": "Moderator"}, "could be mistaken"),
        ({"plays": "chess/plain"}, "Select a valid choice"),
        ({"names": "Bob, B0b"}, "looks like"),
        ({"rounds": "7", "ends": "60"}, "That many matchdays need 63 days."),
        ({"rounds": "7", "ends": "120", "legs": "2"}, "That many matchdays need 126 days."),
        ({"ends": "30"}, "often takes 44 turns: with this time per turn, the league may need 44 days."),
        ({"plays": "pigs/continuous", "pace": "72", "ends": ""}, "time per turn, or a shorter game."),
        ({"seats": "5"}, "Standard is for 2 to 4 players."),
        ({"plays": "robble/standard", "seats": "3"}, "Standard is for 2 players."),
        ({"seats": "9"}, "Select a valid choice"),
        ({"seats": "3", "scoring": "places"}, "Ranks count only with three or more"),
        ({"plays": "pigs/bash", "scoring": "places"}, "Ranks count only with three or more"),
        ({"seats": "3", "rounds": "7", "ends": "60"}, "That many matchdays need 98 days."),
        ({**CUP, "plays": "pigs/continuous"}, "Most of these matches end in a draw"),
        ({**CUP, "plays": "roboxing/melee"}, "Cup matches are for two players."),
        ({**CUP, "names": ", ".join("BCDEFGHI")}, "This cup has 8 spots."),
        ({**CUP, "cup_size": "32", "plays": "robosoccer/standard", "ends": "14"}, "5 rounds may need"),
    ],
)
def test_what_is_wrong_in_the_form_is_told(alice: Browser, given: dict[str, str], told: str) -> None:
    form = {"name": "Alice", "title": "Ours", "plays": "pigs/standard", "pace": "24", "ends": "60", **given}
    answer = alice.post("/l/new/", form)
    assert answer.status_code == 422 and told in text(answer)
    assert not League.objects.exists()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "A turn may take a day. All matches are over within 2 months. 3 to 10 can play."),
        (
            {"plays": "roboxing/standard", "ends": "7", "legs": "2"},
            "12 hours. All matches are over within 1",
        ),
        ({"legs": "2"}, "Everyone plays everyone else twice, swapping sides."),
        ({"pace": "2+48"}, "Up to 2 hours per turn, plus 2 days of extra time"),
        ({"rounds": "3"}, "A matchday every 3 days."),
        ({"seats": "3"}, "3 players per match."),
        ({"pace": "48", "ends": "7"}, "may need"),
        ({"plays": "chess/plain"}, "Select a valid choice"),
        ({"format": "cup", "plays": "roboxing/standard"}, "3 to 8 can play."),
        ({"format": "cup", "cup_size": "4", "plays": "roboxing/standard"}, "3 to 4 can play."),
    ],
)
def test_the_form_sums_up_what_its_answers_come_to(alice: Browser, given: dict[str, str], told: str) -> None:
    answers = {"plays": "pigs/standard", **given}
    summary = text(alice.get("/l/new/", answers, headers={"HX-Request": "true"}))
    assert told in " ".join(summary.split()) and 'id="lengths" data-hx-swap-oob="true"' in summary
    assert given or told in " ".join(text(alice.get("/l/new/")).split())


def test_a_length_says_what_it_means_for_a_turn(alice: Browser) -> None:
    form = " ".join(text(alice.get("/l/new/", {"plays": "robble/standard"})).split())
    assert "1 week <small>2 hours per turn</small>" in form
    assert "1 month <small>8 hours per turn</small>" in form
    form = " ".join(text(alice.get("/l/new/", {"plays": "robble/big"})).split())
    assert "1 week <small>too short</small>" in form


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ({}, "Robo Battle Pigs league"),
        ({"format": "cup", "plays": "robble/standard", "pace": "", "ends": "60"}, "Robble cup"),
    ],
)
def test_without_a_name_it_is_called_after_its_game(alice: Browser, given: dict[str, str], name: str) -> None:
    league, _invite = make(alice, title=" ", **given)
    assert league.name == name


@pytest.mark.parametrize(
    ("given", "days"),
    [
        ({}, 60),
        ({"rounds": "7"}, 120),
        ({"rounds": "7", "legs": "2"}, 180),
        ({"plays": "roboxing/standard"}, 14),
    ],
)
def test_the_last_day_may_be_left_to_the_pace(alice: Browser, given: dict[str, str], days: int) -> None:
    league, _invite = make(alice, ends="", **given)
    assert league.ends_days == days


@pytest.mark.parametrize(
    ("given", "hours"),
    [
        ({"ends": ""}, (24, 0)),
        ({"ends": "7"}, (2, 48)),
        ({"ends": "14"}, (3, 48)),
        ({"ends": "60"}, (12, 0)),
        ({"ends": "365"}, (72, 0)),
        ({"ends": "7", "plays": "roboxing/standard"}, (12, 0)),
        ({"ends": "30", "format": "cup", "plays": "roboxing/standard"}, (12, 0)),
    ],
)
def test_the_pace_may_be_left_to_the_last_day(
    alice: Browser, given: dict[str, str], hours: tuple[float, float]
) -> None:
    league, _invite = make(alice, **{"plays": "robble/standard", "pace": "", **given})
    assert (league.deadline_hours, league.reserve_hours) == hours


def test_a_last_day_before_which_no_pace_fits_is_replaced_by_one_that_does(alice: Browser) -> None:
    form = {"name": "Alice", "title": "Ours", "plays": "robble/big", "pace": "", "ends": "7"}
    answer = text(alice.post("/l/new/", form))
    assert "with this time per turn, the league may need 9 days. We’ve chosen “2 weeks”." in answer


@pytest.mark.parametrize(
    ("given", "fits"),
    [
        ({"plays": "robble/small", "ends": "7", "format": "cup"}, {"ends": "14", "cup_size": ""}),
        ({"plays": "roboxing/arena", "ends": "7", "pace": "24"}, {"ends": "30", "pace": ""}),
        ({"plays": "roboxing/standard", "ends": "7", "format": "cup", "cup_size": "32", "pace": "48"}, {}),
    ],
)
def test_what_fits_instead_is_offered_and_does_fit(
    alice: Browser, given: dict[str, str], fits: dict[str, str]
) -> None:
    summary = text(alice.get("/l/new/", given, headers={"HX-Request": "true"}))
    offered = re.findall(r'<label class="secondary" for="(\w+)-(\w+)">', summary)
    assert offered, summary
    for name, value in offered:
        answer = {**given, name: "" if value == "any" else value}
        again = text(alice.get("/l/new/", answer, headers={"HX-Request": "true"}))
        assert "All matches are over within" in again, (name, value)
        assert f'id="{name}-{value}"' in text(alice.get("/l/new/"))
    for name, value in fits.items():
        assert (name, value or "any") in offered or name == "cup_size", offered


@pytest.mark.parametrize("game", GAMES)
def test_the_form_opens_with_the_game_that_its_address_names(alice: Browser, game: str) -> None:
    form = text(alice.get("/l/new/", {"plays": f"{game}/"}))
    chosen = re.search(r'name="plays" required value="(\w+)/[^"]+" checked', form)
    assert chosen and chosen[1] == game


@pytest.mark.parametrize(("plays", "is_open"), [("robble/standard", False), ("robble/small", True)])
def test_the_games_are_in_sight_and_their_variants_one_fold_away(
    alice: Browser, plays: str, is_open: bool
) -> None:
    form = text(alice.get("/l/new/", {"plays": plays}))
    before, fold, after = form.partition('<details class="others"' + (" open" if is_open else "") + ">")
    assert fold and f'value="{plays}" checked' in (after if is_open else before)
    for slug in GAMES:
        usual, *others = newest(slug).presets
        assert f'value="{slug}/{usual}"' in before and all(f'value="{slug}/{key}"' in after for key in others)


def test_a_last_day_that_is_too_early_is_replaced_by_one_that_fits(alice: Browser) -> None:
    form = {"name": "Alice", "title": "Ours", "plays": "pigs/standard", "pace": "24", "rounds": "7"}
    answer = text(alice.post("/l/new/", {**form, "ends": "60", "names": "Bob, Dora"}))
    assert "“4 months”. Send the form again" in answer
    chosen = dict(re.findall(r'name="(\w+)" value="([^"]*)"\s+checked', answer))
    assert (chosen["ends"], chosen["rounds"], chosen["pace"]) == ("120", "7", "24")
    assert 'value="Ours"' in answer and 'value="Bob, Dora"' in answer
    league, _invite = make(alice, **chosen)
    assert league.ends_days == 120


@OF_TWO_OR_THREE
def test_my_games_has_one_entry_for_a_league(
    alice: Browser, bob: Browser, charlie: Browser, given: dict[str, str]
) -> None:
    league = begun(alice, bob, charlie, Browser("Dora"), **given)
    shown = " ".join(text(alice.get("/mine/")).split())
    assert league.name in shown and "in 3 matches" in shown
    assert re.search(r'<span class="state"> ?<span class="visually-hidden">your turn</span> <time', shown)
    assert not re.search(r'href="/m/\w+/[ABC]/"', shown), "its matches are not listed one by one"


def test_a_match_leads_to_its_league_and_offers_no_pause(alice: Browser, league: League) -> None:
    seat = Seat.objects.filter(name="Alice").first()
    shown = text(alice.get(f"{seat.get_absolute_url()}more/"))
    assert "Cancel match" not in shown and f"/l/of/{seat.match.key}/" in shown
    assert alice.get(f"/l/of/{seat.match.key}/")["Location"] == league.get_absolute_url()
    assert 'id="pause-title"' not in text(alice.get(f"{seat.get_absolute_url()}time/"))


def test_the_end_of_a_match_leads_back_to_the_league_and_to_no_rematch(
    alice: Browser, league: League
) -> None:
    seat = Seat.objects.filter(name="Alice").first()
    assert seat
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


def test_the_next_match_is_one_tap_away(alice: Browser, league: League) -> None:
    first = Seat.objects.filter(name="Alice").first()
    assert first
    shown = page(alice, league).split(">Standings<")[0]
    assert re.search(r'class="primary" href="/m/\w+/[AB]/"', shown) and "Your turn against " in shown
    assert "1 day left" in shown or "24 h left" in shown
    assert "Your turn against" not in page(Browser("Zoe"), league)


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


@pytest.mark.parametrize(
    ("given", "bots"),
    [
        ({"bots": "2"}, ["random", "hasty"]),
        ({}, []),
        (
            {
                "bots": "3",
                "format": "cup",
                "plays": "robble/standard",
                "ends": "180",
                "cup_size": "4",
                "names": "Bob, Charlie",
            },
            ["random"],
        ),
        ({"bots": "3", "who": "programs"}, []),
    ],
    ids=["two", "none", "as many as there is room for", "only programs"],
)
def test_the_form_seats_the_easiest_bots(alice: Browser, given: dict[str, str], bots: list[str]) -> None:
    league, _invite = make(alice, **given)
    seated = league.places.exclude(player="").order_by("number")
    assert list(seated.values_list("player", flat=True)) == bots


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
    league, invite = make(alice)
    join(bob, invite)
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


def test_my_games_tells_of_new_messages_in_a_league(alice: Browser, bob: Browser) -> None:
    league, invite = make(alice)
    join(bob, invite)
    assert bob.post(f"/l/{league.key}/talk/", {"text": "Who brings the cake?"}).status_code == 302
    told = " ".join(text(alice.get("/mine/")).split())
    assert "not started yet" in told and "one new message" in told
    assert "new message" not in text(bob.get("/mine/"))
    alice.get(f"/l/{league.key}/talk/")
    assert "new message" not in text(alice.get("/mine/"))


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
    league, invite = make(alice, **given)
    for browser in (bob, charlie, Browser("Dora")):
        join(browser, invite)
    for browser in (bob, charlie):
        by_mail(browser)
    alice.post(f"/l/{league.key}/start/")
    for _ in range(2):
        time.pass_(minutes=31)
        at_once.send_all()
    told = sorted((mail.to[0], mail.subject) for mail in post.outbox)
    title = "The league “Our spring” has begun: it’s your turn"
    assert told == [("bob@example.org", title), ("charlie@example.org", title)]
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
    seat = Seat.objects.filter(name="Bob").order_by("-letter").first()
    measures.take("rename", None, seat=seat, reason="spam")
    place = Place.objects.get(league=league, number=2)
    assert place.name == "Player 2" and not Seat.objects.filter(name="Bob").exists()
    assert ">Bob<" not in page(alice, league)


def test_a_league_that_is_due_is_brought_up_by_a_look(alice: Browser, time: Any, league: League) -> None:
    time.pass_(days=61)
    assert "The league is over." in page(alice, league)
    league.refresh_from_db()
    assert not leagues.settle_some() and league.status == "over"


def test_a_page_that_looks_again_gets_what_is_new_and_nothing_else(alice: Browser, bob: Browser) -> None:
    alice.post("/l/new/", {"title": "Ours", "name": "Ann", "plays": "pigs/standard", "pace": "24"})
    league = League.objects.get()
    invite = re.search(r"/s/league/[^/]+/", alice.get(f"/l/{league.key}/").content.decode())

    def look(page: str) -> Any:
        found = re.search(r'data-hx-get="([^"]+)"', page)
        return alice.get(found[1], headers={"HX-Request": "true"})

    page = alice.get(f"/l/{league.key}/").content.decode()
    assert look(page).status_code == 204
    bob.post(f"{invite[0]}join/", {"name": "Ben"})
    answer = look(page)
    assert answer.status_code == 200 and "Ben" in answer.content.decode()
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
    asked = (
        ways["Bob"]
        .removesuffix("rematch/")
        .replace(*("/A/", "/B/") if "/A/" in ways["Bob"] else ("/B/", "/A/"))
    )
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
