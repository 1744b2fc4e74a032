"""Taking the last turn back by consent: where one acts after the other, never without the other's word."""

from __future__ import annotations

import json
from typing import Any

import pytest

from games import record
from games.core import Seat as Letter
from robosite.api import idempotency
from robosite.matches import flow, history
from robosite.matches.flow import Refused, takeback
from robosite.matches.history import state_of, turns_of
from robosite.matches.models import Hold, Match, Program, TakenBack
from robosite.matches.records import record_of
from robosite.play import film
from tests.site.browsers import FIRST, Browser, Table, text

kept = pytest.mark.django_db(transaction=True)
"""With real commits: only what was committed is kept in memory."""


@pytest.fixture
def stones(robble: Table) -> Table:
    """A match of Robble; Alice has placed on d4, Bob on d5: Alice is to move."""
    play(robble, "d4", "d5")
    return robble


def play(table: Table, *orders: str) -> None:
    for order in orders:
        match = table.match
        (letter,) = flow.owing(match)
        flow.seal(table.seat(letter), match.turn, order)


def at(table: Table) -> tuple[int, int]:
    return table.match.turn, table.match.taken_back


def agree(table: Table) -> None:
    """The player who moved last takes it back, and the other agrees."""
    letter = takeback.mover(table.match)
    assert letter
    takeback.ask(table.seat(letter), *at(table))
    takeback.answer_takeback(table.seat("B" if letter == "A" else "A"), *at(table), accept=True)


def press(browser: Browser, seat: Any, do: str, **more: Any) -> Any:
    match = Match.objects.get(pk=seat.match_id)
    given = {"turn": match.turn, "taken_back": match.taken_back, "do": do, **more}
    return browser.post(f"{seat.get_absolute_url()}take-back/", given, follow=True)


def test_an_accepted_wish_undoes_the_last_turn_for_both(stones: Table) -> None:
    before = stones.match
    assert "Ask for a takeback" in text(stones.bob.get(stones.b.get_absolute_url()))
    assert "Ask for a takeback" not in text(stones.alice.get(stones.a.get_absolute_url()))
    press(stones.bob, stones.b, "ask")
    assert "You’ve asked Alice" in text(stones.bob.get(stones.b.get_absolute_url()))
    assert "Bob asks to take back the last turn" in text(stones.alice.get(stones.a.get_absolute_url()))
    assert "asks for a takeback" in text(stones.charlie.get(f"/m/{stones.key}/"))
    press(stones.alice, stones.a, "accept")
    match = stones.match
    assert (match.turn, match.taken_back) == (1, 1)
    assert match.version > before.version
    assert state_of(match).position() == "7/7/7/3b3/7/7/7 w"
    assert flow.owing(match) == ["B"]
    for browser, where in ((stones.alice, "A/"), (stones.bob, "B/"), (stones.charlie, "")):
        shown = text(browser.get(f"/m/{stones.key}/{where}"))
        assert "What happened in turn 1" in shown and "on d5." not in shown
    play(stones, "a1")
    assert turns_of(stones.match) == [{"A": "d4"}, {"B": "a1"}]


def test_a_declined_wish_changes_nothing_and_is_not_asked_again(stones: Table) -> None:
    takeback.ask(stones.b, 2, 0)
    takeback.ask(stones.b, 2, 0)
    takeback.answer_takeback(stones.a, 2, 0, accept=False)
    assert at(stones) == (2, 0)
    with pytest.raises(Refused, match="declined"):
        takeback.ask(stones.b, 2, 0)
    with pytest.raises(Refused, match="No one is asking"):
        takeback.answer_takeback(stones.a, 2, 0, accept=True)
    assert "Alice declined, so your turn stands" in text(stones.bob.get(stones.b.get_absolute_url()))
    play(stones, "a1")
    assert "declined, so" not in text(stones.bob.get(stones.b.get_absolute_url()))
    takeback.ask(stones.a, 3, 0)  # Alice has moved since


def test_a_wish_can_be_given_up_and_lapses_with_the_next_turn_for_good(stones: Table) -> None:
    takeback.ask(stones.b, 2, 0)
    takeback.withdraw(stones.b, 2, 0)
    with pytest.raises(Refused, match="No one is asking"):
        takeback.answer_takeback(stones.a, 2, 0, accept=True)
    takeback.ask(stones.b, 2, 0)
    play(stones, "g7")
    for accept in (True, False):
        with pytest.raises(Refused):
            takeback.answer_takeback(stones.a, *at(stones), accept=accept)
    assert at(stones) == (3, 0)
    agree(stones)  # Alice takes g7 back: turn 2 again
    assert at(stones) == (2, 1)
    assert takeback.asking(stones.match, stones.match.seats.all()) is None
    with pytest.raises(Refused, match="No one is asking"):
        takeback.answer_takeback(stones.a, 2, 1, accept=True)


def test_only_the_mover_may_ask_and_only_the_other_may_answer(stones: Table) -> None:
    with pytest.raises(Refused, match="Only the player who has just moved"):
        takeback.ask(stones.a, 2, 0)
    takeback.ask(stones.b, 2, 0)
    with pytest.raises(Refused, match="No one is asking you"):
        takeback.answer_takeback(stones.b, 2, 0, accept=True)
    address = f"{stones.a.get_absolute_url()}take-back/"
    for stranger in (stones.bob, stones.charlie, Browser("")):
        assert stranger.post(address, {"turn": 2, "taken_back": 0, "do": "accept"}).status_code == 403
    assert at(stones) == (2, 0)


def test_before_the_first_turn_after_the_end_and_where_all_act_at_once_nothing_can_be_taken_back(
    robble: Table, table: Table
) -> None:
    with pytest.raises(Refused):
        takeback.ask(robble.a, 0, 0)
    play(robble, "d4")
    flow.resign(robble.b)
    for ask in (robble.a, robble.b):
        with pytest.raises(Refused, match="has stopped"):
            takeback.ask(ask, robble.match.turn, 0)
    table.play((FIRST, FIRST))
    assert takeback.mover(table.match) is None
    assert "take-back" not in text(table.alice.get(table.a.get_absolute_url()))
    with pytest.raises(Refused):
        takeback.ask(table.a, 1, 0)


def test_back_to_the_empty_board_and_through_the_swap_and_what_comes_instead_is_news(stones: Table) -> None:
    stones.alice.get(stones.a.get_absolute_url())
    assert Hold.objects.get(seat=stones.a).seen_turn == 2
    agree(stones)
    assert Hold.objects.get(seat=stones.a).seen_turn == 1
    play(stones, "swap")
    shown = text(stones.alice.get(stones.a.get_absolute_url()))
    assert '<p class="notice since">' in shown and "data-since" in shown
    assert state_of(stones.match).side(Letter("B")) == "b"
    agree(stones)
    assert state_of(stones.match).side(Letter("B")) == "w"
    agree(stones)
    assert (stones.match.turn, stones.match.taken_back) == (0, 3)
    assert 'id="happened"' not in text(stones.charlie.get(f"/m/{stones.key}/"))
    play(stones, "a1", "b2")
    assert turns_of(stones.match) == [{"A": "a1"}, {"B": "b2"}]


def test_drafts_offers_receipts_and_time_of_the_undone_position_are_gone(stones: Table) -> None:
    Match.objects.filter(key=stones.key).update(deadline_hours=1.0)
    idempotency.store_receipt(stones.a, flow.seal(stones.a, 2, "g7"))
    first = stones.match.deadline
    agree(stones)
    now = stones.match.deadline
    assert first and now and now > first
    assert idempotency.earlier_receipt(stones.a, 2, "g7") is None
    flow.draft(stones.a, 2, "c4")
    flow.offer_draw(stones.a, offer=True)
    play(stones, "a1")
    flow.draft(stones.b, 3, "c4")
    agree(stones)
    assert not Program.objects.filter(seat__match=stones.match, turn__gte=2).exists()
    assert not flow.standing_draw(stones.a, stones.match)
    flow.offer_draw(stones.b, offer=True)
    assert stones.match.status == "playing"


def sentences(stones: Table) -> list[str]:
    steps = film.show_film(
        stones.match, None, {Letter("A"): "Alice", Letter("B"): "Bob"}, turn=1, at=None
    ).steps
    return [str(sentence) for sentence in steps[1].sentences]


@kept
def test_a_process_that_has_not_heard_of_it_does_not_show_the_old_turn(stones: Table) -> None:
    """Another process has kept the old turns; the number of turns is the same again."""
    old = dict(history._kept)
    before = sentences(stones)
    told = dict(film.rendered_turns)
    agree(stones)
    play(stones, "a1")
    history._kept.clear()
    history._kept.update(old)
    film.rendered_turns.clear()
    film.rendered_turns.update(told)
    assert turns_of(stones.match)[1] == {"B": "a1"}
    assert before != sentences(stones)
    assert history._kept[stones.key].taken_back == 1


@kept
def test_who_read_the_match_before_sees_it_as_it_was(stones: Table) -> None:
    """A page rendered while the turn is taken back shows the old position and raises no error."""
    stale = stones.match
    agree(stones)
    play(stones, "a1", "g7")
    agree(stones)
    history._kept.clear()
    assert state_of(stale).turn == 2
    assert len(turns_of(stale)) == 2
    # What the slow reader kept does not stand in the way of what is true, nor replaces what is newer
    assert turns_of(stones.match) == [{"A": "d4"}, {"B": "a1"}]
    newest = history._kept[stones.key]
    state_of(stale)
    assert history._kept[stones.key] is newest


def test_a_page_that_has_not_heard_of_it_plays_nothing_on_another_board(stones: Table) -> None:
    """Alice's second window stands at the third turn; meanwhile Bob has placed elsewhere in its second."""
    agree(stones)
    play(stones, "a1")
    given = {"turn": 2, "taken_back": 0, "typed": "d3", "seal": "1"}
    refused = stones.alice.post(f"{stones.a.get_absolute_url()}plan/", given)
    assert refused.status_code == 422 and "has been taken back in the meantime" in text(refused)
    assert stones.match.turn == 2
    drafted = stones.alice.post(f"{stones.a.get_absolute_url()}plan/", {**given, "use": "1", "seal": ""})
    assert drafted.status_code == 422
    assert flow.draft_of(stones.match, stones.a) == ""
    assert (
        stones.alice.post(f"{stones.a.get_absolute_url()}plan/", {**given, "taken_back": 1}).status_code
        == 302
    )
    assert stones.match.turn == 3


def test_the_seal_of_what_was_taken_back_can_be_checked_and_the_record_has_what_stands(stones: Table) -> None:
    sealed = Program.objects.get(seat=stones.b, turn=1)
    takeback.ask(stones.b, 2, 0)
    for _ in range(2):  # the acknowledgement got lost, and the browser sends it again
        takeback.answer_takeback(stones.a, 2, 0, accept=True)
    assert at(stones) == (1, 1)
    undone = TakenBack.objects.get()
    assert (undone.turn, undone.number, undone.order, undone.seal) == (1, 1, "d5", sealed.seal)
    assert record.seal(stones.key, undone.turn, "B", undone.nonce, undone.order) == undone.seal
    play(stones, "a1", "g7")
    data = record_of(stones.match)
    assert data["turns"] == [{"A": "d4"}, {"B": "a1"}, {"A": "g7"}]
    assert record.replay(json.loads(json.dumps(data))).fault is None
