"""Roboxing, fights in which nobody can ever hit again: they end, and tell nobody too early (X13)."""

from __future__ import annotations

from random import Random

import pytest

from games.core import Outcome, play_turn, tell
from games.roboxing.dead_fights import is_dead
from games.roboxing.presentation.fight_records import FightPlan
from games.roboxing.robot import built, shuffled
from games.roboxing.state import RoboxingState
from tests.games.cases import scores
from tests.games.referee import Case, agree_on
from tests.games.ring_table import FRED, ROBOXING, SALLY, A, B, C, play, stand, strewn
from tests.games.sizes import size

SMALL = {"width": 5, "height": 5}
WEST = "***/d*(f)/***"
"""A robot that can only go west, with one laser to the east that reaches one square."""
CORNERED = "**c/***/(g)**"
"""A robot that can only go north-east, with one laser to the south-west that reaches one square."""
OUTWARDS_A, OUTWARDS_B = "a(b)(c)/d[e](f)/gh(i)", "(a)bc/(d)[e]f/(g)(h)i"
"""Robots that cannot leave their corners, south-west and north-east."""


def ended(state: RoboxingState) -> str | None:
    return scores(state.outcome()) if state.ended else None


def plan(state: RoboxingState, order: str) -> FightPlan:
    made = state.view(A).plan(A, order)
    assert isinstance(made, FightPlan)
    return made


# The end


def test_x13_a_move_out_of_everybodys_reach_ends_the_match_and_opens_the_robots() -> None:
    state = stand(f"A1@d4:{WEST} B1@e5:{CORNERED}", **SMALL)
    assert ended(state) is None
    moved, last = play(state, A="d1", B="-")
    assert ended(moved) is None
    assert ended(last) == "AB out of reach"
    assert not last.to_act() and last.turn == 1
    for seat in (A, B, None):
        assert last.view(seat).position() == f"A1@c4:{WEST} B1@e5:{CORNERED}"
    assert last.events[-1] == {"kind": "out of reach"}
    assert max(last.events, key=last.highlight) == last.events[-1], "the end is told by its reason"
    told = str(tell(last, last.events[-1]))
    assert told.startswith(
        "With the engines and lasers that are left, no robot can ever hit an opponent again"
    )


def test_x13_the_layouts_alone_may_end_the_match() -> None:
    options = ROBOXING.read_options({"width": 12, "height": 12})
    state = ROBOXING.state.start(options, 2, {"corners": {"A": "a1", "B": "l12"}})
    assert isinstance(state, RoboxingState)
    (last,) = play(state, A=OUTWARDS_A, B=OUTWARDS_B)
    assert ended(last) == "AB out of reach"
    assert [event["kind"] for event in last.events] == ["built", "built", "out of reach"]
    assert last.view(A).position() == f"A1@a1:{OUTWARDS_A} B1@l12:{OUTWARDS_B}"
    assert not last.conceals(0, A)
    (last,) = play(state, A=OUTWARDS_A, B=FRED)
    assert ended(last) is None


def test_x13_a_knockout_that_leaves_only_such_robots_ends_the_match() -> None:
    last_one = "*(b)*/*[i]h/c**"
    state = stand(f"A1@a2:{WEST} B1@e5:{CORNERED} C1@b2:{last_one}", **SMALL)
    assert ended(play(state, A="-", B="-", C="-")[-1]) is None
    last = play(state, A="- f C1:b", B="-", C="-")[-1]
    assert ended(last) == "AB out of reach"
    assert last.position() == f"A1@a2:{WEST} B1@e5:{CORNERED} C1@-"


def test_x13_a_resignation_that_leaves_only_such_robots_ends_the_match_after_the_turn() -> None:
    state = stand(f"A1@a2:{WEST} B1@e5:{CORNERED} C1@b2:{FRED}", **SMALL)
    left, _, last = play_turn(state, {A: "-", B: "-", C: "resign"})
    assert left.outcome() is None
    assert last.outcome() == Outcome({A: 0.5, B: 0.5, C: 0}, "out of reach")


def test_x13_a_knockout_of_all_others_comes_first() -> None:
    state = stand(f"A1@c3:{FRED} B1@d4:*(b)*/*[i]h/c**", **SMALL)
    assert ended(play(state, A="- d b", B="-")[-1]) == "A knockout"


def test_x13_one_pair_that_can_still_meet_keeps_the_fight_alive() -> None:
    state = stand(f"A1@a2:{WEST} A2@a3:{FRED} B1@e5:{CORNERED} B2@-", robots=2, **SMALL)
    assert ended(play(state, A="-;-", B="-")[-1]) is None
    state = stand(f"A1@a2:{WEST} A2@a3:{WEST} B1@e5:{CORNERED} B2@-", robots=2, **SMALL)
    assert ended(state) == "AB out of reach"


def test_x13_the_booster_doubles_the_reach_that_counts() -> None:
    assert ended(stand("A1@c5:***/d[e](f)/*** B1@e5:**c/***/(g)**", **SMALL)) is None
    assert ended(stand("A1@c5:***/d*(f)/*** B1@e5:**c/***/(g)**", **SMALL)) == "AB out of reach"


def test_x13_an_engine_in_the_centre_moves_nobody() -> None:
    free = {"centre": "free", **SMALL}
    assert ended(stand("A1@c5:***/*e(f)/*** B1@e5:**c/***/(g)**", **free)) == "AB out of reach"
    assert ended(stand("A1@c5:***/**(f)/**e B1@e5:**c/***/(g)**", **free)) is None


def test_x13_a_robot_that_only_moves_diagonally_keeps_to_its_colour() -> None:
    bishop = "g*a/***/c(d)f"  # all four diagonals, one laser to the south that reaches one square
    still = "***/*[e]*/(a)b*"  # in a corner below; its booster lets it reach two squares to the south-west
    assert ended(stand(f"A1@c3:{bishop} B1@a1:{still}", **SMALL)) is None  # from b2, a1 lies to the south
    below = "(a)**/***/*b*"
    assert ended(stand(f"A1@c3:*(b)*/***/c** B1@a1:{below}", **SMALL)) == "AB out of reach"


@pytest.mark.fuzz
def test_x13_agrees_with_the_second_referee_which_searches_all_squares() -> None:
    cases = small_fights(Random("dead"), size(75, 1500))
    agree_on(cases)
    assert sum(bool(case.state.ended) for case in cases) > size(7, 150)


def small_fights(rng: Random, count: int) -> list[Case]:
    """Fights of which some are dead, mostly with few parts left in a small ring."""
    cases = []
    for n in range(count):
        seats, robots = (2, 1) if n % 3 else (rng.randint(2, 4), rng.randint(1, 3))
        free, large = rng.random() < 0.4, n % 10 == 0
        width, height = (rng.randint(5, 15), rng.randint(5, 15)) if large else (5, 5)
        position = battered_fight(rng) if seats * robots == 2 and not large else ""
        position = position or strewn(rng, seats, robots, free=free, width=width, height=height)
        sizes = {"robots": robots, "width": width, "height": height}
        options = sizes | {"centre": "free" if free else "booster"}
        state = stand(position, **options)
        assert is_dead(state) == bool(state.ended), position
        cases.append(Case("roboxing", state, options))
        cases[-1].expect(bool(state.ended), "isDead")
    return cases


def battered_fight(rng: Random) -> str:
    """Two robots with few parts left in a small ring."""
    words = []
    for seat in "AB":
        layout, gone = built(*shuffled(rng, free_centre=False)), 511
        while layout.down(gone):
            gone = rng.getrandbits(9) | rng.getrandbits(9)
        words.append(f"{seat}1@{rng.choice('abcde')}{rng.randint(1, 5)}:{layout.shown(gone)}")
    return " ".join(words)


@pytest.mark.fuzz
def test_x13_nobody_ever_hits_in_a_dead_fight_and_somebody_can_in_another() -> None:
    """Played on at random, dead fights included: a hit is never fired in one."""
    rng = Random("played on")
    for _ in range(size(30, 600)):
        state = stand(battered_fight(rng), **SMALL)
        dead = bool(state.ended)
        for _ in range(12):
            state = state._replace(ended=None, standing=frozenset({A, B}))
            *_, state = state.play({seat: state.sample(seat, rng) for seat in (A, B)})
            if state.ended and state.ended.reason == "knockout":
                assert not dead
                break
            assert not dead or not any(state.past[-1].hits)
            assert not dead or state.ended, "what is dead stays dead"
            dead = bool(state.ended)


# What is known of it beforehand


def cornered(known: bool, sally: str = CORNERED) -> RoboxingState:
    """A next to B, which stands in its corner: it was seen to go there, or its engine is unknown."""
    if not known:
        return stand(f"A1@d4:{WEST} B1@e5:{sally}", **SMALL)
    return play(stand(f"A1@d4:{WEST} B1@d4:{sally}", **SMALL), A="-", B="c1")[-1]


def test_x13_a_player_who_can_know_it_is_told_before_the_fight_ends() -> None:
    told = plan(cornered(known=True), "d1")
    assert told.ends and "no one could hit" in str(told.ends)
    assert told.ends in told.words
    assert plan(cornered(known=True), "-").ends is None
    assert ended(play(cornered(known=True), A="d1", B="-")[-1]) == "AB out of reach"


def test_x13_nobody_is_told_from_what_is_hidden() -> None:
    unknown = cornered(known=False)
    assert plan(unknown, "d1").ends is None, "B’s engine could lead it to A"
    assert repr(unknown.plan(A, "d1")) == repr(unknown.view(A).plan(A, "d1"))
    assert ended(play(unknown, A="d1", B="-")[-1]) == "AB out of reach"


def test_x13_worlds_that_differ_in_secrets_give_the_same_plan() -> None:
    other = "(a)*c/***/***"  # seen from A the same robot: its laser is elsewhere
    one, two = (cornered(True, sally) for sally in (CORNERED, other.replace("a", "g")))
    assert one.view(A).position() == two.view(A).position()
    for order in ("", "-", "d1", "d1 f c", "d2"):
        assert repr(plan(one, order)) == repr(plan(two, order))


@pytest.mark.fuzz
def test_x13_whoever_is_told_is_told_the_truth() -> None:
    rng, told = Random("told"), 0
    for _ in range(size(40, 1200)):
        state = stand(battered_fight(rng), **SMALL)
        for _ in range(8):
            if state.ended:
                break
            orders = {str(seat): state.sample(seat, rng) for seat in (A, B)}
            ends = plan(state, orders["A"]).ends
            state = play(state, **orders)[-1]
            if ends:
                told += 1
                assert ended(state) == "AB out of reach"
    assert told


@pytest.mark.fuzz
def test_x13_guessed_worlds_are_never_dead() -> None:
    rng = Random("guessed")
    for _ in range(size(30, 600)):
        state = stand(battered_fight(rng), **SMALL)
        for _ in range(6):
            if state.ended:
                break
            for seat in (A, None):
                guess = state.view(seat).determinize(rng)
                assert not is_dead(guess)
                assert guess.view(seat) == state.view(seat)
            state = play(state, **{str(seat): state.sample(seat, rng) for seat in (A, B)})[-1]


def test_x13_a_world_is_made_where_no_guess_happens_to_be_alive(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("games.roboxing.bot.worlds.is_dead", lambda state: True)
    rng = Random("made")
    for n in range(16):
        state = stand(battered_fight(rng), **SMALL)
        if n % 4 == 0:
            state = stand(f"A1@c4:{WEST} B1@d1:{SALLY} C1@e5:{CORNERED}", **SMALL)
        for seat in (A, None) if not state.ended else ():
            guess = state.view(seat).determinize(rng)
            assert guess.view(seat) == state.view(seat)
            assert not is_dead(guess)
