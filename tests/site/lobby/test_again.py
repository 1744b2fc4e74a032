"""A new match that takes its first turns over from one that is over."""

from __future__ import annotations

from random import Random

import pytest

from games import GAMES, newest
from games.core import Seat as Letter
from games.fairness import check
from games.players import USUAL
from games.record import replay
from games.roboxing.robot import PLAIN
from robosite.bots import owed_orders
from robosite.matches import figures, flow
from robosite.matches.flow import takeback
from robosite.matches.flow.continuation import play_again
from robosite.matches.history import _kept, state_of, states_of
from robosite.matches.models import Figures, Match, Program, Seat
from robosite.matches.records import record_of
from robosite.people.models import Guest
from robosite.play.opponents import offered
from tests.site.browsers import Browser, text


def seat(match: Match, letter: str) -> Seat:
    return Seat.objects.select_related("match").get(match=match, letter=letter)


def finished(slug: str, turns: int = 4) -> Match:
    """A match against a bot that A has resigned after so many turns."""
    game, rng = newest(slug), Random(7)
    match = flow.create(game, game.read_options({}), 2, "Alice", bots={"B": "random"})[0]
    while match.turn < turns and match.status == "playing":
        owed_orders.answer_all()
        match.refresh_from_db()
        state = state_of(match)
        if match.status == "playing" and "A" in state.to_act():
            flow.seal(seat(match, "A"), match.turn, state.view(Letter("A")).sample(Letter("A"), rng))
            match.refresh_from_db()
    if match.status == "over":  # the bot's dice have ended it so early: that counts for nothing here
        return finished(slug, turns)
    flow.resign(seat(match, "A"))
    match.refresh_from_db()
    assert match.status == "over"
    return match


def go_on(before: Match, turns: int, at: str = "A") -> Match:
    guest = Guest.objects.create(name="Zoe")
    made = play_again(before, turns, at, "Zoe", "random", guest=guest).seat.match
    return Match.objects.get(pk=made.pk)


@pytest.mark.parametrize("at", "AB")
@pytest.mark.parametrize("slug", GAMES)
@pytest.mark.django_db
def test_it_goes_on_from_the_same_position_and_its_record_replays(slug: str, at: str) -> None:
    before = finished(slug)
    match = go_on(before, 3, at)
    assert (match.status, match.turn) == ("playing", 3)
    _kept.clear()
    assert state_of(match).position() == states_of(before)[3].position()
    owed_orders.answer_all()
    match.refresh_from_db()
    flow.resign(seat(match, at))
    match.refresh_from_db()
    record = record_of(match)
    assert replay(record).fault is None and record["turns"][:3] == record_of(before)["turns"][:3]
    assert [told["by"] for turn in record["seals"][:3] for told in turn.values()].count("record") >= 3
    assert "checked" in next(check(record))


@pytest.mark.django_db
def test_a_robot_that_was_built_in_secret_is_secret_again() -> None:
    match = go_on(finished("roboxing"), 2)
    built = Program.objects.filter(seat__match=match, turn=0)
    assert {(one.order, one.nonce) for one in built} == {("", "")}
    assert "?" in state_of(match).view(Letter("A")).position().split("B1@")[1]
    with pytest.raises(flow.Refused):
        record_of(match)


@pytest.mark.django_db
def test_turns_that_were_taken_over_are_never_taken_back() -> None:
    match = go_on(finished("robble"), 2)
    assert takeback.mover(match) is None
    flow.seal(seat(match, "A"), 2, state_of(match).sample(Letter("A"), Random(1)))
    match.refresh_from_db()
    assert takeback.mover(match) == "A"
    takeback.ask(seat(match, "A"), 3, 0)
    match.refresh_from_db()
    assert match.turn == 2 and takeback.mover(match) is None


@pytest.mark.django_db
def test_it_counts_neither_in_the_figures_nor_for_the_next_bot() -> None:
    before = finished("robble")
    match = go_on(before, 2)
    holder = match.seats.get(letter="A").holds.get().guest
    flow.resign(seat(match, "A"))
    for _ in range(2):
        again = play_again(before, 1, "A", "Zoe", "random", guest=holder).seat
        flow.resign(again)
    assert offered(holder, ["robble"])["robble"] == USUAL
    figures.count_all()
    counted = Figures.objects.get(name=figures.TOLD).data
    assert len(counted) == 1 and "'matches': 3" not in str(counted)


@pytest.mark.django_db
def test_the_page_offers_it_and_begins_it(alice: Browser) -> None:
    before = finished("pigs")
    assert f"/m/{before.key}/again/?turn=2" in text(alice.get(f"/m/{before.key}/?at=2"))
    shown = text(alice.get(f"/m/{before.key}/again/?turn=3"))
    assert "Play from turn 3" in shown
    answer = alice.post(f"/m/{before.key}/again/", {"turn": "3", "seat": "B", "player": "hasty"})
    match = Match.objects.latest("pk")
    assert answer["Location"] == f"/m/{match.key}/B/" and match.turn == 2
    assert seat(match, "A").player == "hasty"
    assert "Its first 2 turns are taken over from another match." in text(alice.get(answer["Location"]))


@pytest.mark.parametrize(
    "given", [{"turn": "99"}, {"turn": "0"}, {"seat": "H"}, {"seat": ""}, {"player": "clever"}]
)
def test_what_there_is_not_is_refused_in_words(alice: Browser, db: None, given: dict[str, str]) -> None:
    before = finished("pigs")
    asked = {"turn": "2", "seat": "A", "player": "random", **given}
    answer = alice.post(f"/m/{before.key}/again/", asked)
    assert answer.status_code == 409 and Match.objects.count() == 1


@pytest.mark.django_db
def test_only_a_match_that_is_over_can_be_played_again() -> None:
    game = newest("roboxing")
    match = flow.create(game, game.read_options({}), 2, "Alice", bots={"B": "random"})[0]
    flow.seal(seat(match, "A"), 0, PLAIN)
    owed_orders.answer_all()
    match.refresh_from_db()
    assert match.turn == 1
    with pytest.raises(flow.Refused):
        go_on(match, 0)
