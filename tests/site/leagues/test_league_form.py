"""The form of a league: what is wrong in it, what it sums up, and what it chooses."""

from __future__ import annotations

import re
from typing import Any

import pytest

from games import GAMES, newest
from robosite.leagues.models import League
from tests.site.browsers import Browser, text
from tests.site.leagues.conftest import make

CUP = {"format": "cup"}
FREE = {"plays": "robble/standard", "pace": ""}


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
        ({"plays": "roboxing/standard", "ends": "7", "legs": "2"}, "12 hours. All matches are over within 1"),
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
    ("given", "chosen"),
    [
        ({"title": " "}, {"name": "Robo Battle Pigs league"}),
        ({"title": " ", **CUP, **FREE}, {"name": "Robble cup"}),
        ({"ends": ""}, {"ends_days": 60}),
        ({"ends": "", "rounds": "7"}, {"ends_days": 120}),
        ({"ends": "", "rounds": "7", "legs": "2"}, {"ends_days": 180}),
        ({"ends": "", "plays": "roboxing/standard"}, {"ends_days": 14}),
        ({**FREE, "ends": ""}, {"deadline_hours": 24, "reserve_hours": 0}),
        ({**FREE, "ends": "7"}, {"deadline_hours": 2, "reserve_hours": 48}),
        ({**FREE, "ends": "14"}, {"deadline_hours": 3, "reserve_hours": 48}),
        ({**FREE, "ends": "60"}, {"deadline_hours": 12, "reserve_hours": 0}),
        ({**FREE, "ends": "365"}, {"deadline_hours": 72, "reserve_hours": 0}),
        ({**FREE, "ends": "7", "plays": "roboxing/standard"}, {"deadline_hours": 12, "reserve_hours": 0}),
        ({**FREE, "ends": "30", **CUP, "plays": "roboxing/standard"}, {"deadline_hours": 12}),
        (
            {**CUP, "ends": "", "seats": "3", "legs": "2", "rounds": "7", "scoring": "places"},
            {"most_places": 8, "table_seats": 2, "legs": 1, "every_days": None, "scoring": "shares"},
        ),
        ({"plays": "roboxing/melee", "scoring": "places"}, {"table_seats": 3, "scoring": "places"}),
    ],
)
def test_what_is_left_open_or_hidden_follows_from_the_rest(
    alice: Browser, given: dict[str, str], chosen: dict[str, Any]
) -> None:
    league, _invite = make(alice, **given)
    assert {name: getattr(league, name) for name in chosen} == chosen


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
    form = {"name": "Alice", "title": "Ours", "plays": "robble/big", "pace": "", "ends": "7"}
    answer = text(alice.post("/l/new/", form))
    assert "with this time per turn, the league may need 9 days. We’ve chosen “2 weeks”." in answer
    given = {"plays": "pigs/standard", "pace": "24", "rounds": "7", "ends": "60", "names": "Bob, Dora"}
    answer = text(alice.post("/l/new/", {**form, **given}))
    assert "“4 months”. Send the form again" in answer
    chosen = dict(re.findall(r'name="(\w+)" value="([^"]*)"\s+checked', answer))
    assert (chosen["ends"], chosen["rounds"], chosen["pace"]) == ("120", "7", "24")
    assert 'value="Ours"' in answer and 'value="Bob, Dora"' in answer
    assert make(alice, **chosen)[0].ends_days == 120


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
