"""Figures of finished matches: counted in steps outside of requests, of people and with bots apart."""

from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command

from games import GAMES, newest
from games.core import Outcome
from games.core import Seat as Letter
from games.figures import LEAST, Finished, Tally, wilson
from robosite.matches import clock, figures
from robosite.matches.models import Match, Program, Seat
from robosite.matches.site_models import Figures
from robosite.standings import game_figures as page
from tests.site.browsers import Browser, text

A, B = Letter("A"), Letter("B")
real_balance = figures.balance


def matches(count: int, winner: str = "A", *, bot: bool = False, swap: bool = False, **more: Any) -> None:
    """Finished matches of Robble, of two turns."""
    scores = {letter: int(letter == winner) for letter in "AB"}
    given = {"outcome_json": {"scores": scores, "reason": "resigned"}, "game_slug": "robble", **more}
    for _ in range(count):
        match = Match.objects.create(rules=1, status=Match.Status.OVER, turn=2, **given)
        seats = [
            Seat(match=match, letter="A", name="Zaphod"),
            Seat(match=match, letter="B", name="Trillian", kind="bot" if bot else "human"),
        ]
        Seat.objects.bulk_create(seats)
        Program.objects.create(seat=seats[0], turn=0, order="d4")
        Program.objects.create(seat=seats[1], turn=1, order="swap" if swap else "d5")


@pytest.fixture(autouse=True)
def no_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "balance", dict)


@pytest.mark.parametrize(
    ("won", "of", "low", "high"),
    [(50, 100, 0.404, 0.596), (0, 30, 0.0, 0.114), (30, 30, 0.886, 1.0), (1, 2, 0.095, 0.905), (0, 0, 0, 1)],
)
def test_wilsons_intervals(won: int, of: int, low: float, high: float) -> None:
    """Against the values of R's `binom::binom.wilson`."""
    share = wilson(won, of)
    assert abs(share.low - low) < 1e-3 and abs(share.high - high) < 1e-3
    assert share.low <= share.share <= share.high


def test_tallies_add_up_and_are_kept_as_json() -> None:
    one, other = Tally(), Tally()
    one.add(Finished(Outcome({A: 1, B: 0}, "goal"), 10, {A: "w", B: "b"}, swapped=True))
    other.add(Finished(Outcome({A: 0.5, B: 0.5}, "agreed"), 30, {A: "b", B: "w"}))
    other.add(Finished(Outcome({A: 0, B: 1}, "goal"), 99_999, {A: "b", B: "w"}))
    one += Tally.from_json(json.loads(json.dumps(other.as_json())))
    assert (one.matches, one.shared, one.swaps) == (3, 1, 1)
    assert one.seats == {"A": 1, "B": 1} and one.sides == {"w": 2}
    assert one.reasons == {"goal": 2, "agreed": 1}
    assert (one.length(0.25), one.length(0.5), one.length(1)) == (10, 30, 2000)


@pytest.mark.django_db
def test_people_and_bots_are_counted_apart_and_swaps_by_colour() -> None:
    matches(LEAST - 10)
    matches(10, winner="B", swap=True)
    matches(LEAST, bot=True)
    figures.count_all()
    told = figures.published()
    assert {kind.who: tally.matches for kind, tally in told.items()} == {"bots": LEAST, "people": LEAST}
    people = next(tally for kind, tally in told.items() if kind.who == "people")
    assert people.seats == {"A": LEAST - 10, "B": 10}
    assert people.sides == {"b": LEAST}  # who swapped won with Black
    assert people.swaps == 10 and people.turns == {2: LEAST}


@pytest.mark.django_db
def test_nothing_is_told_below_thirty(alice: Browser) -> None:
    matches(LEAST - 1)
    figures.count_all()
    assert figures.published() == {}
    assert "29" not in text(alice.get("/rules/robble/figures/")).partition("<main")[2].partition("</main")[0]
    matches(1)
    figures.count_all()
    shown = " ".join(text(alice.get("/rules/robble/figures/")).split())
    assert "30 matches." in shown and "100.0%" in shown
    assert "Zaphod" not in shown and "Trillian" not in shown


@pytest.mark.django_db
def test_what_is_not_of_a_preset_or_was_imported_is_left_out() -> None:
    matches(LEAST, given_options={"pie": False})
    matches(LEAST, imported=True)
    matches(LEAST, watched=False)
    figures.count_all()
    assert figures.published() == {}


@pytest.mark.django_db
def test_a_request_counts_nothing(alice: Browser) -> None:
    matches(LEAST)
    alice.get("/rules/robble/figures/")
    assert not Figures.objects.exists()


@pytest.mark.django_db
def test_the_clock_counts_in_steps_once_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "AT_ONCE", 12)
    monkeypatch.setattr(figures, "_next_look", 0.0)
    matches(LEAST)
    steps = 0
    while clock.step():
        steps += 1
        assert steps < 10
        if steps == 2:
            assert Figures.objects.get(name=figures.WALK).data["after"]
    assert steps == 4  # three portions, and the end of the walk
    assert len(figures.published()) == 1 and not Figures.objects.filter(name=figures.WALK).exists()
    monkeypatch.setattr(figures, "_next_look", 0.0)
    matches(5)
    assert not clock.step()  # not before tomorrow


@pytest.mark.django_db
def test_the_command_counts_and_prints() -> None:
    matches(LEAST)
    out = StringIO()
    call_command("figures", stdout=out)
    (line,) = out.getvalue().splitlines()
    told = json.loads(line)
    assert told["players"] == 2 and told["seats"] == {"A": 30}
    assert (told["game"], told["preset"], told["who"], told["matches"]) == (
        "robble",
        "standard",
        "people",
        30,
    )


@pytest.mark.django_db
@pytest.mark.parametrize("slug", GAMES)
def test_what_programs_played_is_shown(alice: Browser, monkeypatch: pytest.MonkeyPatch, slug: str) -> None:
    """`make balance` has written figures of every preset."""
    monkeypatch.setattr(page, "balance", real_balance)
    told = {kind: tally for kind, tally in real_balance().items() if kind.game == slug}
    assert {kind.preset for kind in told} == set(newest(slug).presets)
    assert all(tally.is_publishable for tally in told.values())
    assert all(sum(tally.reasons.values()) == tally.matches for tally in told.values())
    assert all(sum(tally.seats.values()) + tally.shared == tally.matches for tally in told.values())
    shown = " ".join(text(alice.get(f"/rules/{slug}/figures/")).split())
    assert all(f"{tally.matches} matches." in shown for tally in told.values())
