"""An organiser who plays, too, gains nothing by removing somebody, and decides only what is still theirs."""

from __future__ import annotations

from typing import Any

import pytest

from robosite.leagues import flow as leagues
from robosite.leagues.models import League, Place, PlaceHold
from robosite.leagues.pages.season_terms import TermsForm
from robosite.matches.models import Match
from tests.site.browsers import Browser
from tests.site.leagues.test_cups import Cup
from tests.site.leagues.test_league_pages import join, make, page
from tests.site.leagues.test_league_rights import before_the_lock
from tests.site.leagues.test_leagues import Api, Group
from tests.site.leagues.test_leagues_of_tables import Tables, letter_of, with_place

pytestmark = pytest.mark.django_db


def remove(group: Group, place: int, status: int = 204) -> Any:
    token = group.made["organiser_token"]
    return group.api("DELETE", f"leagues/{group.key}/places/{place}", token=token, status=status)


def between(group: Group, *places: int) -> dict[str, Any]:
    return next(one for one in group.matches() if set(one["seats"].values()) == set(places))


@pytest.mark.parametrize("terms", [{}, {"every_days": 7, "ends_days": 90}])
def test_the_match_with_the_organiser_counts_for_nobody(api: Api, terms: dict[str, Any]) -> None:
    """Whether it is running or has not begun; all others get their points by default, as ever."""
    group = Group(api, 4, **terms)
    group.start()
    remove(group, 2)
    own, other = between(group, 1, 2), between(group, 2, 3)
    assert (own["decided"], own["counts"]) == (None, False)
    assert own["status"] == ("aborted" if own["match"] else "over")
    assert other["decided"] == "default"
    assert group.get()["places"][1]["removed"]


def test_the_table_and_the_record_hold_without_the_match(api: Api) -> None:
    """Even where the removed player has played so much that all their results count."""
    group = Group(api, 6)
    group.start()
    for place in (3, 4, 5):
        group.lose(place, against=2)
    remove(group, 2)
    rows = {row["place"]: row for row in group.get("/table")["divisions"][0]["rows"]}
    assert (rows[1]["points"], rows[1]["played"]) == (0, 0)
    assert (rows[2]["points"], rows[6]["points"]) == (3, 1)
    group.play_all()
    record = group.checked()
    assert [one["removed"] for one in record["places"]] == [False, True, False, False, False, False]


def test_a_page_says_that_somebody_was_removed(alice: Browser, charlie: Browser, league: League) -> None:
    assert "so removing someone brings you no points" in page(alice, league)
    bobs = league.places.get(name="Bob")
    assert alice.post(f"/l/{league.key}/leave/", {"place": bobs.number}).status_code == 302
    assert "removed by the organiser" in page(charlie, league)
    assert Match.objects.filter(seats__name="Alice").get(seats__name="Bob").status == Match.Status.ABORTED
    assert Match.objects.filter(seats__name="Charlie").get(seats__name="Bob").status == Match.Status.OVER


def test_whoever_opens_the_organisers_link_is_an_organiser_who_plays(
    charlie: Browser, league: League
) -> None:
    secret = leagues.new_organiser_link(league, lambda fresh: True)
    assert charlie.post(f"/s/organiser/{secret}/take/").status_code == 302
    bobs = league.places.get(name="Bob")
    assert charlie.post(f"/l/{league.key}/leave/", {"place": bobs.number}).status_code == 302
    assert set(Match.objects.filter(seats__name="Bob").values_list("status", flat=True)) == {"aborted"}


def test_an_organiser_who_does_not_play_leaves_the_points_to_the_others(api: Api) -> None:
    group = Group(api, 4)
    Place.objects.update(organises=False)
    group.start()
    remove(group, 2)
    assert between(group, 1, 2)["decided"] == "default"


def test_at_a_table_of_more_the_organiser_resigns_too(api: Api) -> None:
    group = Tables(api, 7)
    group.start()
    together = [one for one in with_place(group, 2) if 1 in one["seats"].values()]
    apart = [one for one in with_place(group, 2) if one not in together]
    remove(group, 2)
    for one in together:
        third = next(letter for letter, place in one["seats"].items() if place not in (1, 2))
        group.seal(one, third)
    shown = {one["match"]: one for one in group.matches()}
    assert {shown[one["match"]]["decided"] for one in together} == {"default"}
    assert {shown[one["match"]]["status"] for one in apart} == {"playing"}
    rows = group.rows()
    assert rows[1]["points"] == 0 and sum(row["points"] for row in rows.values()) == 3 * len(together)
    group.finish()
    record = group.checked()
    forfeits = {one["match"]: one["forfeit"] for one in record["schedule"]}
    for one in together:
        assert forfeits[one["match"]] == "".join(sorted((letter_of(one, 1), letter_of(one, 2))))


def test_with_nobody_else_left_at_the_table_it_counts_for_nobody(api: Api) -> None:
    group = Tables(api, 7)
    group.start()
    one = next(one for one in with_place(group, 2) if 1 in one["seats"].values())
    third = next(letter for letter, place in one["seats"].items() if place not in (1, 2))
    group.resign(one, third)
    group.seal(one, letter_of(one, 1), letter_of(one, 2))
    assert api("GET", f"matches/{one['match']}")["turn"] == 1
    remove(group, 2)
    shown = next(shown for shown in group.matches() if shown["match"] == one["match"])
    assert (shown["status"], shown["decided"], shown["counts"]) == ("aborted", None, False)
    group.finish()
    group.checked()


def test_in_a_cup_an_organiser_removes_nobody_whom_they_may_meet_next(api: Api) -> None:
    cup = Cup(api, 4)
    seeds = cup.seeds
    own = 0 if seeds.index(1) in (0, 3) else 1
    halves = [{seeds[0], seeds[3]}, {seeds[1], seeds[2]}]
    (rival,), (third, fourth) = halves[own] - {1}, halves[1 - own]
    before = cup.matches()
    remove(cup, rival, status=409)
    cup.lose_tie(third)
    remove(cup, fourth, status=409)  # waits for the organiser or the rival
    assert [one["match"] for one in cup.matches()] == [one["match"] for one in before]
    cup.lose_tie(1)
    remove(cup, fourth)  # the final is the rival's
    cup.finish()
    assert cup.ranks()[rival] == 1
    cup.checked()


ACTIONS: dict[str, dict[str, str]] = {
    "start": {},
    "leave": {"place": "2"},
    "bot": {"bot": "random"},
    "invite": {},
    "next": {},
    "terms": {},
}


@pytest.mark.parametrize("action", ACTIONS)
def test_an_organisers_link_that_was_replaced_meanwhile_decides_nothing(
    alice: Browser, bob: Browser, charlie: Browser, monkeypatch: pytest.MonkeyPatch, action: str
) -> None:
    """The request was let in, and before it had the lock another one replaced the link."""
    league, invite = make(alice)
    for browser in (bob, charlie):
        join(browser, invite)
    secret = leagues.new_organiser_link(league, lambda fresh: True)
    helper = Browser("Dora")
    assert helper.post(f"/s/organiser/{secret}/take/").status_code == 302
    given = ACTIONS[action]
    if action == "next":
        League.objects.update(status=League.Status.OVER)
    elif action == "terms":
        League.objects.update(season=2)
        form = TermsForm(League.objects.get())
        given = {field.name: "" if field.value() is None else str(field.value()) for field in form}
    before = list(Place.objects.order_by("pk").values()), list(League.objects.values())
    before_the_lock(monkeypatch, lambda: League.objects.update(organiser_hash="x" * 64))
    assert helper.post(f"/l/{league.key}/{action}/", given).status_code == 404
    League.objects.update(organiser_hash=before[1][0]["organiser_hash"])
    assert (list(Place.objects.order_by("pk").values()), list(League.objects.values())) == before


def test_a_place_that_was_taken_from_a_browser_meanwhile_is_not_left_by_it(
    bob: Browser, monkeypatch: pytest.MonkeyPatch, league: League
) -> None:
    before_the_lock(monkeypatch, lambda: PlaceHold.objects.filter(place__name="Bob").delete())
    assert bob.post(f"/l/{league.key}/leave/").status_code == 404
    assert Place.objects.get(name="Bob").left_at is None
