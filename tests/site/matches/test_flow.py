"""Sitting down, sealing, leaving, ending: what the flow lets through."""

from __future__ import annotations

import pytest

from games.core import IllegalOrder
from robosite.matches import flow
from robosite.matches.models import Hold, Match, Program
from tests.site.browsers import FIRST, MORE_SHOTS, OTHER, SHOTS, Browser, Table, text

# Sitting down


def test_who_makes_a_match_invites_until_all_seats_are_taken(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    match = alice.make_by_page()
    seat = match.seats.get(letter="A")
    assert (seat.name, seat.host, match.status) == ("Alice", True, "open")
    links = alice.links(seat)
    assert set(links) == {"invite", "seat"}
    bob.accept(links["invite"])
    match.refresh_from_db()
    seat = match.seats.get(letter="B")
    assert (seat.name, seat.host, match.status) == ("Bob", False, "playing")
    assert bob.get(seat.get_absolute_url()).status_code == 200
    answer = charlie.accept(links["invite"])
    assert answer.status_code == 409 and "All seats are taken" in text(answer)
    assert Hold.objects.filter(seat__match=match).count() == 2


def test_a_name_that_looks_like_another_at_the_table_is_refused_and_kept_to_be_changed(
    alice: Browser, bob: Browser
) -> None:
    match = alice.make()
    invite = alice.links(match.seats.get(letter="A"))["invite"]
    bob.name = "АLICE"
    answer = bob.accept(invite)
    assert answer.status_code == 422
    assert 'value="АLICE"' in text(answer)
    assert not match.seats.get(letter="B").taken


def test_who_waits_alone_can_seal_already_and_it_is_played_when_all_have(
    alice: Browser, bob: Browser
) -> None:
    match = alice.make()
    seat = match.seats.get(letter="A")
    invite = alice.links(seat)["invite"]
    assert not flow.seal(seat, 0, FIRST).revealed
    bob.accept(invite)
    match.refresh_from_db()
    assert match.turn == 0
    assert flow.seal(match.seats.get(letter="B"), 0, OTHER).revealed


def test_a_draft_is_kept_for_its_own_seat_only_and_changes_no_version(table: Table) -> None:
    before = table.match.version, table.match.changed_at
    table.bob.draft(table.b, "F ^ TR")
    assert flow.draft_of(table.match, table.b) == "F ^ TR"
    assert flow.draft_of(table.match, table.a) == ""
    for any_text in ("", "nonsense \x00 \n ]\ud800", "ß" * 96, "\u00e9\U0001f437" * 48):
        flow.draft(table.a, 0, any_text)
        assert flow.draft_of(table.match, table.a) == any_text
    with pytest.raises(IllegalOrder):
        flow.draft(table.a, 0, "x" * 97)
    with pytest.raises(flow.TooLong):
        flow.draft(table.a, 0, "x" * 2_001)
    assert (table.match.version, table.match.changed_at) == before


def test_the_same_order_again_gives_the_same_receipt_without_a_second_effect(table: Table) -> None:
    first = flow.seal(table.a, 0, "  f ^ tr  V h ")
    assert first.order == FIRST, "its canonical form"
    program = Program.objects.values().get()
    assert flow.seal(table.a, 0, FIRST) == first
    assert Program.objects.values().get() == program
    assert table.match.version == first.version


def test_another_order_before_the_reveal_takes_its_place_under_a_new_seal(table: Table) -> None:
    first = flow.seal(table.a, 0, FIRST)
    second = flow.seal(table.a, 0, OTHER)
    assert second.seal != first.seal and second.version > first.version
    assert flow.order_of(table.match, table.a).order == OTHER
    assert flow.owing(table.match) == ["B"]
    with pytest.raises(flow.Refused, match="Reopen"):
        flow.draft(table.a, 0, "F")
    flow.reopen(table.a, 0)
    assert flow.order_of(table.match, table.a) is None
    assert flow.draft_of(table.match, table.a) == OTHER
    assert flow.owing(table.match) == ["A", "B"]


def test_after_the_reveal_the_same_order_again_gives_its_receipt_and_another_is_refused(table: Table) -> None:
    sealed = flow.seal(table.a, 0, SHOTS[0])
    assert not sealed.revealed and table.match.turn == 0
    assert flow.seal(table.b, 0, SHOTS[1]).revealed and table.match.turn == 1
    assert [p.order for p in Program.objects.order_by("seat__letter")] == [*SHOTS]
    before = table.match.version
    again = flow.seal(table.a, 0, f" {SHOTS[0]}")
    assert (again.seal, again.sealed_at, again.order) == (sealed.seal, sealed.sealed_at, SHOTS[0])
    assert again.revealed
    with pytest.raises(flow.Refused, match="was played with another program"):
        flow.seal(table.a, 0, OTHER)
    assert (table.match.turn, table.match.version) == (1, before)
    table.play(MORE_SHOTS)
    assert table.match.status == "over"
    assert flow.seal(table.b, 1, MORE_SHOTS[1]).revealed
    with pytest.raises(flow.Refused):
        flow.seal(table.b, 1, "TL X X X X")


def test_a_turn_that_is_not_the_present_one_takes_nothing(table: Table) -> None:
    for act in (flow.draft, flow.seal):
        with pytest.raises(flow.Refused, match="This round hasn’t started yet"):
            act(table.a, 1, FIRST)
    table.play((FIRST, OTHER))
    with pytest.raises(flow.Refused):
        flow.draft(table.a, 0, FIRST)
    with pytest.raises(flow.Refused):
        flow.reopen(table.a, 0)


def test_an_order_against_the_rules_is_refused_in_words_and_kept_as_the_draft(table: Table) -> None:
    answer = table.alice.seal(table.a, "F F F")
    assert answer.status_code == 422
    assert "A program is five commands; “F F F” has 3." in text(answer)
    assert flow.draft_of(table.match, table.a) == "F F F"
    for word in ("resign", " RESIGN ", "draw"):
        assert "use the button" in text(table.alice.seal(table.a, word))
    assert flow.order_of(table.match, table.a) is None
    assert table.match.status == "playing" and table.match.turn == 0


def test_three_sit_down_in_the_order_in_which_they_come_and_if_one_resigns_the_others_play_on(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    match = alice.make(3)
    seat = match.seats.get(letter="A")
    invite = alice.links(seat)["invite"]
    bob.accept(invite)
    match.refresh_from_db()
    assert match.status == "open"
    charlie.accept(invite)
    assert [seat.name for seat in match.seats.all()] == ["Alice", "Bob", "Charlie"]
    flow.seal(match.seats.get(letter="B"), 0, FIRST)
    alice.do(seat, "resign")
    match.refresh_from_db()
    assert (match.status, match.turn) == ("playing", 0)
    with pytest.raises(flow.Refused, match="nothing to play"):
        flow.seal(match.seats.get(letter="A"), 0, FIRST)
    flow.seal(match.seats.get(letter="C"), 0, OTHER)
    match.refresh_from_db()
    assert (match.status, match.turn) == ("playing", 1)
    assert flow.owing(match) == ["B", "C"]
    with pytest.raises(flow.Refused, match="out of this match"):
        flow.resign(match.seats.get(letter="A"))


def test_a_draw_needs_everybodys_offer_which_can_be_taken_back(table: Table) -> None:
    table.alice.do(table.a, "draw", offer="1")
    before = table.match.version
    flow.offer_draw(table.a, True)
    assert (table.match.version, table.match.status) == (before, "playing"), "again changes nothing"
    table.alice.do(table.a, "draw", offer="0")
    table.bob.do(table.b, "draw", offer="1")
    assert table.match.status == "playing"
    table.alice.do(table.a, "draw", offer="1")
    assert table.match.status == "over"
    assert table.match.outcome_json == {"scores": {"A": 0.5, "B": 0.5}, "reason": "agreed"}


def test_nobody_leaves_a_match_that_has_begun_and_one_that_is_over_takes_no_deed(table: Table) -> None:
    answer = table.bob.do(table.b, "leave")
    assert answer.status_code == 409 and "You can resign instead." in text(answer)
    flow.resign(table.b)
    before = table.match.version
    for deed in ("resign", "draw", "claim", "reopen", "leave", "invite"):
        given = {"seat": "B", "turn": 1}
        assert table.alice.do(table.a, deed, **given).status_code == 409, deed
    assert table.alice.seal(table.a, FIRST).status_code == 422
    assert table.match.version == before


def test_who_leaves_an_open_table_frees_the_seat_with_all_that_was_on_it(
    alice: Browser, bob: Browser
) -> None:
    match = alice.make(3)
    bob.accept(alice.links(match.seats.get(letter="A"))["invite"])
    seat = match.seats.get(letter="B")
    flow.seal(seat, 0, FIRST)
    link = seat.link_hash
    assert bob.do(seat, "leave").status_code == 302
    seat.refresh_from_db()
    assert (seat.name, seat.taken, seat.link_hash) == ("", False, "") and link
    assert not seat.programs.exists() and not seat.holds.exists()
    assert bob.get(seat.get_absolute_url()).status_code == 403
    match.refresh_from_db()
    assert match.status == "open"


def test_when_the_host_leaves_the_next_one_hosts_until_the_last_one_calls_it_off(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    match = alice.make(3)
    alice_seat, bob_seat = match.seats.get(letter="A"), match.seats.get(letter="B")
    bob.accept(alice.links(alice_seat)["invite"])
    alice.do(alice_seat, "leave")
    bob_seat.refresh_from_db()
    assert bob_seat.host and not match.seats.get(letter="A").host
    assert bob.do(bob_seat, "invite").status_code == 302
    invite = bob.links(bob_seat)["invite"]
    assert charlie.accept(invite).status_code == 302
    bob.do(bob_seat, "leave")
    charlie.do(match.seats.get(name="Charlie"), "leave")
    match.refresh_from_db()
    assert match.status == "aborted"
    assert bob.get(f"/s/invite/{invite}/").status_code == 404


def test_only_the_host_calls_the_match_off(alice: Browser, bob: Browser) -> None:
    match = alice.make(3)
    alice_seat, bob_seat = match.seats.get(letter="A"), match.seats.get(letter="B")
    bob.accept(alice.links(alice_seat)["invite"])
    assert bob.do(bob_seat, "leave", all="1").status_code == 409
    assert Match.objects.get().status == "open"
    bob_seat.refresh_from_db()
    flow.seal(bob_seat, 0, FIRST)
    assert alice.do(alice_seat, "leave", all="1").status_code == 302
    match.refresh_from_db()
    assert match.status == "aborted"
    assert flow.draft_of(match, bob_seat) == FIRST  # never played: nobody's but Bob's
    assert Program.objects.get().seal == ""


def test_a_seat_given_up_meanwhile_takes_no_program_of_who_held_it(
    alice: Browser, bob: Browser, charlie: Browser
) -> None:
    match = alice.make(3)
    invite = alice.links(match.seats.get(letter="A"))["invite"]
    bob.accept(invite)
    as_bob_saw_it = [match.seats.select_related("match").get(letter="B") for _ in range(3)]
    flow.leave(match.seats.select_related("match").get(letter="B"))
    charlie.accept(invite)
    with pytest.raises(flow.SeatLost):
        flow.draft(as_bob_saw_it[0], 0, FIRST)
    with pytest.raises(flow.SeatLost):
        flow.seal(as_bob_saw_it[1], 0, FIRST)
    with pytest.raises(flow.SeatLost):
        flow.leave(as_bob_saw_it[2])
    assert not Program.objects.exists()
    assert match.seats.get(letter="B").name == "Charlie"


def test_a_rematch_changes_sides_and_is_made_once(table: Table) -> None:
    assert table.alice.do(table.a, "rematch").status_code == 409, "before the end"
    flow.resign(table.b)
    made = table.alice.do(table.a, "rematch")["Location"]
    after = Match.objects.get(rematch_of=table.match)
    assert made == f"/m/{after.key}/B/"
    joined = table.bob.do(table.b, "rematch")["Location"]
    assert joined == f"/m/{after.key}/A/"
    assert [seat.name for seat in after.seats.all()] == ["Bob", "Alice"]
    after.refresh_from_db()
    assert after.status == "playing"
    # asked again, both are shown the way, and nothing is made
    assert table.alice.do(table.a, "rematch")["Location"] == made
    assert table.bob.do(table.b, "rematch")["Location"] == joined
    assert Match.objects.count() == 2


def test_a_rematch_that_was_called_off_can_be_made_anew(table: Table) -> None:
    flow.resign(table.b)
    table.alice.do(table.a, "rematch")
    first = Match.objects.get(rematch_of=table.match)
    table.alice.do(first.seats.get(letter="B"), "leave")
    assert table.bob.do(table.b, "rematch").status_code == 302
    second = Match.objects.get(rematch_of=table.match)
    assert second != first and second.seats.get(letter="A").name == "Bob"
