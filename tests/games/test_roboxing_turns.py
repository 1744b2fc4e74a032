"""Roboxing, the turn: moves, shots, damage, ends (X3, X6, X10, X11, G1), and dead fights (X13)."""

from __future__ import annotations

from random import Random

import pytest

from games.core import DRAW, IllegalOrder, tell
from games.roboxing import RoboxingState
from games.roboxing.dead_fights import is_dead
from games.roboxing.presentation.fight_records import FightPlan
from games.roboxing.presentation.xray import look_back
from games.roboxing.robot import built, shuffled
from tests.games.cases import scores, size
from tests.games.referee import Case, agree_on
from tests.games.ring_table import FRED, ROBOXING, SALLY, A, B, duel, play, stand, strewn

# Robots with one laser (b, north) or one engine (h, east) left, and a booster
LAST_LASER = "*(b)*/*[i]h/c**"
LAST_ENGINE = "(a)(b)(c)/*[i]h/**(g)"


# X10: shots


@pytest.mark.parametrize(("order", "says"), [
    ("- a b", "not a laser"), ("- i b", "not a laser"), ("- z b", "not a laser"),
    ("- d z", "not a target"),
    ("- d B2:e", "no robot B2"), ("- d A1:e", "your own robot"), ("- d", "should be a move"),
    ("- d B:e", "not a target"), ("- d C1:e", "no robot C1"),
])  # fmt: skip
def test_x10_a_wrong_shot_is_refused_and_told_why(order: str, says: str) -> None:
    with pytest.raises(IllegalOrder, match=says):
        duel().check(A, order)


def test_x10_a_destroyed_letter_and_a_destroyed_turret_are_refused() -> None:
    state = stand("A1@a1:ga*/(e)[i]h/c(b)(f) B1@h8:*(g)b/(f)[e](i)/a(h)d")
    with pytest.raises(
        IllegalOrder, match="Slot c of B is destroyed already; a, b, d, e, f, g, h, i are left"
    ):
        state.check(A, "- e c")
    with pytest.raises(IllegalOrder, match="Your laser d is destroyed"):
        state.check(A, "- d b")


def test_x10_with_more_enemies_the_robot_is_named_and_its_name_stays() -> None:
    state = stand(f"A1@a1:{FRED} B1@h8:{SALLY} C1@a8:{SALLY}")
    assert state.check(A, "- D b1:E") == "- d B1:e"
    with pytest.raises(IllegalOrder, match="like B1:e"):
        state.check(A, "- d e")
    state = stand(f"A1@a1:{FRED} B1@- C1@a8:{SALLY}")
    assert state.check(A, "- d e") == "- d C1:e"
    with pytest.raises(IllegalOrder, match="B1 has left the ring"):
        state.check(A, "- d B1:e")


# X11: knocked out


def test_x11_without_lasers_or_engines_a_robot_is_knocked_out() -> None:
    states = play(duel("a1", "d4", sally=LAST_LASER), A="- d b", B="-")
    assert states[-1].position() == f"A1@a1:{FRED} B1@-"
    assert scores(states[-1].outcome()) == "A knockout"
    states = play(duel("a1", "d4", sally=LAST_ENGINE), A="- d h", B="-")
    assert scores(states[-1].outcome()) == "A knockout"
    states = play(duel("a1", "d4", sally=LAST_LASER), A="- d i", B="-")
    assert states[-1].position() == f"A1@a1:{FRED} B1@d4:*(b)*/**h/c**"
    assert states[-1].outcome() is None
    sally = "(a)(b)(c)/*ih/**(g)"
    states = play(duel("a1", "d4", sally=sally, centre="free"), A="- d h", B="-")
    assert states[-1].position().endswith("B1@d4:(a)(b)(c)/*i*/**(g)")


# Positions


def test_an_agreed_draw_is_no_turn_of_shots() -> None:
    *_, fought = play(duel("f5", "e4"), A="- d c", B="-")
    *_, drawn = play(fought, A=DRAW, B=DRAW)
    for state in (fought, drawn):
        (shot,) = [shot for robot in look_back(state) or () for shot in robot.shots]
        assert shot.turn == fought.turn


# Fights in which nobody can ever hit again: they end, and tell nobody too early (X13).


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
    words = []
    for seat in "AB":
        layout, gone = built(*shuffled(rng, free_centre=False)), 511
        while layout.down(gone):
            gone = rng.getrandbits(9) | rng.getrandbits(9)
        words.append(f"{seat}1@{rng.choice('abcde')}{rng.randint(1, 5)}:{layout.shown(gone)}")
    return " ".join(words)


# What is known of it beforehand


def cornered(known: bool, sally: str = CORNERED) -> RoboxingState:
    """A next to B, which stands in its corner: it was seen to go there, or its engine is unknown."""
    if not known:
        return stand(f"A1@d4:{WEST} B1@e5:{sally}", **SMALL)
    return play(stand(f"A1@d4:{WEST} B1@d4:{sally}", **SMALL), A="-", B="c1")[-1]


def test_x13_a_player_is_told_before_the_fight_ends_but_not_from_what_is_hidden() -> None:
    told = plan(cornered(known=True), "d1")
    assert told.ends and "no one could hit" in str(told.ends)
    assert told.ends in told.words
    assert plan(cornered(known=True), "-").ends is None
    assert ended(play(cornered(known=True), A="d1", B="-")[-1]) == "AB out of reach"
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
