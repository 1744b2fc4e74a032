"""Roboxing, what is secret until the fight ends, what is public, and what can be guessed (X12)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

import pytest

from games.core import Order, Seat, play_turn, tell
from games.record import replay, write
from games.roboxing.deduction import Guesses
from games.roboxing.state import RoboxingState
from tests.games.ring_table import FRED, ROBOXING, SALLY, A, B, duel, play, stand
from tests.games.sizes import size

PRESETS = [(preset, seats) for preset, known in ROBOXING.presets.items() for seats in known.seats]
every_preset = pytest.mark.parametrize(("preset", "seats"), PRESETS)


def match(
    preset: str, seats: int, seed: int, turns: int = 60
) -> Iterator[tuple[dict[Seat, Order], list[RoboxingState]]]:
    """A random match: the orders of each turn, and the positions from the one before it on."""
    options = ROBOXING.read_options(ROBOXING.presets[preset].options)
    rng = Random(seed)
    state = ROBOXING.state.start(options, seats, ROBOXING.draw(options, seats, rng, {}))
    assert isinstance(state, RoboxingState)
    while state.to_act() and state.turn < turns:
        orders = {seat: state.sample(seat, rng) for seat in state.seats if seat in state.to_act()}
        states = [state, *play_turn(state, orders)]
        yield orders, states  # type: ignore[misc]
        state = states[-1]


def test_x12_an_enemys_layout_is_hidden_and_its_destroyed_letters_shown_in_alphabetical_order() -> None:
    state = stand("A1@a1:*a(d)/(e)[i]h/c(b)* B1@h8:c(g)*/(f)*(i)/a(h)d")
    assert state.view(A).position() == "A1@a1:*a(d)/(e)[i]h/c(b)* B1@h8:?be"
    assert state.view(B).position() == "A1@a1:?fg B1@h8:c(g)*/(f)*(i)/a(h)d"
    assert state.view(None).position() == "A1@a1:?fg B1@h8:?be"
    assert state.view(A).view(B).position() == "A1@a1:?fg B1@h8:?be"


def test_x12_a_view_tells_nothing_that_depends_on_a_hidden_layout() -> None:
    # two layouts that differ, and the same public turn
    orders = {"A": "h1+a1 d b", "B": "a1 g b"}
    one = play(duel("a1", "e5"), **orders)
    other = play(duel("a1", "e5", fred="gh(d)/(e)[i]a/c(b)(f)"), **orders)
    for left, right in zip(one, other, strict=True):
        for seat in (B, None):
            assert left.view(seat) == right.view(seat)
            assert left.view(seat).events == right.view(seat).events
            assert left.view(seat).drawing() == right.view(seat).drawing()
            assert left.view(seat).words()[0].template == right.view(seat).words()[0].template
        assert left.view(A) != right.view(A)


def test_x12_an_enemys_move_is_drawn_by_its_ends_alone() -> None:
    moved = play(duel(), A="h1+a2", B="-")[0]
    assert moved.view(A).drawing()["effects"][0].legs == ((0.5, 7.5), (1.5, 7.5), (1.5, 5.5))
    assert moved.view(B).drawing()["effects"][0].legs == ()
    assert moved.view(B).drawing()["pieces"][0].parts == ()


def test_x12_a_turrets_zone_is_drawn_for_its_player_alone() -> None:
    shot = play(duel(), A="h2+a2 d b", B="-")[1]
    assert sum(run.width for run in shot.view(A).drawing()["effects"][0].zone) == 35
    assert shot.view(B).drawing()["effects"][0].zone == ()


def test_x12_every_shot_is_public() -> None:
    state = duel("a1", "d4")
    last = play(state, A="h1 d e", B="- h b")[-1]
    for seat in (A, B, None):
        shots = [event for event in last.view(seat).events if event["kind"] == "shot"]
        assert shots == [
            {"kind": "shot", "by": "A1", "at": "B1", "letter": "e", "hit": True},
            {"kind": "shot", "by": "B1", "at": "A1", "letter": "b", "hit": True},
        ]


@every_preset
def test_x12_layouts_stay_secret_until_it_is_over(preset: str, seats: int) -> None:
    for seed in range(4):
        for _, states in match(preset, seats, seed, 300):
            for state in states:
                secret = bool(state.turn) and not state.ended
                for seat in state.seats:
                    assert state.conceals(0, seat) == secret
                    assert not state.conceals(1, seat)
        if states[-1].ended:
            assert states[-1].view(None) == states[-1]


def test_x12_a_position_that_was_read_conceals_no_order() -> None:
    state = duel()
    assert not state.conceals(0, A)
    assert not play(state, A="h1", B="-")[-1].conceals(0, A)


@pytest.mark.fuzz
@every_preset
def test_x12_nothing_hidden_is_in_a_views_answers(preset: str, seats: int) -> None:
    for _, states in match(preset, seats, 5, size(20, 60)):
        for state in states:
            for viewer in (*state.seats, None):
                if not state.layouts or state.ended:
                    continue
                view = state.view(viewer)
                shown = json.dumps([repr(view), view.events, view.position()]) + repr(view.drawing())
                shown += repr([[str(s), repr(s.facts)] for s in view.words()])
                shown += " ".join(str(tell(view, event)) for event in view.events)
                for owner, layout in zip(state.ring.owners, state.layouts, strict=True):
                    assert layout
                    assert (layout.text in shown) <= (owner == viewer)
                    assert owner == viewer or layout not in view.layouts


@every_preset
def test_x12_a_guess_fits_its_view_and_the_whole_public_past(preset: str, seats: int) -> None:
    """The match is played again with guessed layouts: everybody sees the same at every turn."""
    rng = Random(6)
    for seed in range(3):
        turns = list(match(preset, seats, seed, 70))
        for viewer, upto in ((A, len(turns) // 3), (B, len(turns) - 1), (None, len(turns) - 2)):
            state = turns[upto][1][0]
            if not state.layouts:
                continue
            guessed = state.view(viewer).determinize(rng)
            assert guessed.view(viewer) == state.view(viewer)
            assert all(guessed.layouts[i] for i, at in enumerate(state.squares) if at < 1000)
            again = _with_layouts(turns[1][1][0], guessed, state)
            for orders, states in turns[1:upto]:
                for seat, order in orders.items():
                    assert again.check(seat, order) == order
                again = play(again, **{str(seat): order for seat, order in orders.items()})[-1]
                assert again.view(None) == states[-1].view(None)


def _with_layouts(first: RoboxingState, guessed: RoboxingState, whole: RoboxingState) -> RoboxingState:
    """The start of the fight with the guessed layouts; those that have left meanwhile have their own."""
    layouts = tuple(guess or own for guess, own in zip(guessed.layouts, whole.layouts, strict=True))
    return first._replace(layouts=layouts)


def test_x12_guesses_know_what_a_move_tells() -> None:
    state = play(duel(), A="h2", B="-")[-1]
    for seed in range(50):
        layout = Guesses(state.view(B), 0).draw(Random(seed))
        assert layout.part("h") == "E"
        assert layout.steps["h"] == 1


def test_x12_guesses_know_that_a_long_move_takes_the_booster() -> None:
    state = stand(f"A1@a1:g*(d)/(e)[i]h/c(b)(f) B1@h8:{SALLY}")  # a gone, so three engines and the booster
    state = play(state, A="h6", B="- g i")[-1]
    for seed in range(50):
        layout = Guesses(state.view(B), 0).draw(Random(seed))
        assert layout.parts[4] == "B"
        assert layout.letters[4] != "a"


def test_x12_guesses_know_what_a_hit_and_a_miss_tell() -> None:
    hit = play(duel("a1", "d4"), A="- d b", B="-")[-1]
    miss = play(duel("a1", "d4"), A="- e b", B="-")[-1]
    for seed in range(50):
        layout = Guesses(hit.view(B), 0).draw(Random(seed))
        assert layout.letters.index("d") in (1, 2, 5)  # north, north-east or east cover it
        layout = Guesses(miss.view(B), 0).draw(Random(seed))
        assert layout.part("e") == "L"
        assert layout.letters.index("e") not in (1, 2, 5)


def test_x12_the_true_layout_is_among_the_guesses_when_all_is_known() -> None:
    state = duel("d4", "a8")
    for move in ("g1", "h1", "c1", "a1"):
        state = play(state, A=move, B="-")[-1]
    seen = {Guesses(state.view(B), 0).draw(Random(seed)).text for seed in range(200)}
    assert all(text.startswith("ga(") for text in seen)
    assert len(seen) > 50


def test_a_guess_is_found_quickly_however_much_is_known() -> None:
    rng = Random(7)
    for _ in range(3):
        *_, (_, states) = match("free-centre", 2, rng.randrange(1000), 150)
        view = states[0].view(None)
        if view.layouts:
            for _ in range(5):
                assert view.determinize(rng).view(None) == view


def test_the_record_of_a_fight_holds_everything_when_it_is_over() -> None:
    setup = {"corners": {"A": "a1", "B": "h8"}}
    turns = [{A: FRED, B: SALLY}, {A: "h3+a3 d c", B: "-"}]
    data = write(ROBOXING, ROBOXING.read_options({}), 2, setup, turns)
    assert replay(data).as_json() == {
        "positions": [
            "A1@a1 B1@h8",
            f"A1@a1:{FRED} B1@h8:{SALLY}",
            f"A1@d4:{FRED} B1@h8:*(g)b/(f)[e](i)/a(h)d",
        ],
        "outcome": None,
    }
