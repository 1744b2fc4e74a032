"""Robo Battle Pigs, what is true of every step: of any pigs anywhere, whatever they do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.core import Seat, play_turn
from games.pigs.steps import COMMAND_EFFECTS, COMMANDS, GONE, HULK, POSES, attack, walk
from tests.games.pig_table import FREE, stand
from tests.games.pig_table import played as played_states
from tests.games.test_pigs_reference import is_race

SQUARES = [f"{file}{rank}" for file in "abcdefgh" for rank in range(1, 9)]
MIDDLE = [square for square in SQUARES if square[0] in "cdef" and square[1] in "3456"]


@st.composite
def positions(draw: st.DrawFn) -> str:
    """Two to eight pigs, often crowded in the middle or anywhere, some of them hulks."""
    seats = draw(st.integers(2, 8))
    squares = draw(
        st.lists(
            st.sampled_from(draw(st.sampled_from([MIDDLE, SQUARES]))),
            min_size=seats,
            max_size=seats,
            unique=True,
        )
    )
    words = []
    for seat, square in zip("ABCDEFGH", squares, strict=False):
        damage = draw(st.sampled_from("01234" if seat in "AB" else "01234x"))
        words.append(f"{seat}={square}{draw(st.sampled_from('NESW'))}{damage}")
    return " ".join(words)


@st.composite
def rounds(draw: st.DrawFn) -> tuple[str, dict[Seat, str], dict[str, object]]:
    """A position, a program for every living pig, and options."""
    position = draw(positions())
    options: dict[str, object] = {
        "ends": draw(st.sampled_from(["first_down", "last_standing"])),
        "side_cross": draw(st.sampled_from(["pass", "forward"])),
        "damage_moves": draw(st.sampled_from([True, True, False])),
        "laser": draw(st.sampled_from(["first", "through"])),
    }
    if is_race(options):
        position = " ".join(
            word if word.endswith("x") else f"{word}+{draw(st.integers(0, 4))}"
            for word in position.split(" ")
        )
    state = stand(position, **options)
    orders = {}
    for seat in sorted(state.to_act()):
        owed = state.owed(seat)
        free = draw(st.lists(st.sampled_from(FREE), min_size=5 - owed, max_size=5 - owed))
        orders[Seat(seat)] = " ".join(draw(st.permutations([*free, *["X"] * owed])))
    return position, orders, options


def played(position: str, orders: dict[Seat, str], options: dict[str, object]) -> list[str]:
    return [state.position() for state in play_turn(stand(position, **options), orders)]


@given(
    st.lists(st.sampled_from([*POSES, GONE]), min_size=2, max_size=8, unique_by=lambda p: p >> 2),
    st.data(),
    st.booleans(),
    st.booleans(),
)
def test_pigs_that_touch_no_square_in_common_are_in_nobodys_way(
    poses: list[int], data: st.DataObject, forward: bool, through: bool
) -> None:
    commands = tuple(data.draw(st.sampled_from(["", *COMMANDS] if p < GONE else [""])) for p in poses)
    effects = [COMMAND_EFFECTS[command][p] for command, p in zip(commands, poses, strict=True)]
    touched = sum(effect.touches for effect in effects)
    if touched.bit_count() == sum(effect.touches.bit_count() for effect in effects):
        after = walk(tuple(poses), commands, forward)
        assert after == tuple(effect.goal for effect in effects)
        if not any(effect.attacks & touched for effect in effects):
            damage = tuple(0 if command else HULK for command in commands)
            assert attack(after, damage, commands, through) is damage


def turned(position: str) -> str:
    """The position with the whole board turned a quarter to the right."""
    words = []
    for word in position.split(" "):
        if word.endswith("-"):
            words.append(word)
            continue
        file, rank = "abcdefgh".index(word[2]), int(word[3])
        facing = "NESW"["NESW".index(word[4]) - 3]
        words.append(f"{word[:2]}{'abcdefgh'[rank - 1]}{8 - file}{facing}{word[5:]}")
    return " ".join(words)


MIRRORED = {"\\": "/", "/": "\\", "TL": "TR", "TR": "TL"}


def mirrored(position: str) -> str:
    """The position in a mirror: left is right."""
    words = []
    for word in position.split(" "):
        if word.endswith("-"):
            words.append(word)
            continue
        file = "hgfedcba"["abcdefgh".index(word[2])]
        facing = {"E": "W", "W": "E"}.get(word[4], word[4])
        words.append(f"{word[:2]}{file}{word[3]}{facing}{word[5:]}")
    return " ".join(words)


def renamed(position: str) -> str:
    """The position with the pigs in the opposite order: the last pig is A."""
    pigs = [word.partition("=")[2] for word in position.split(" ")]
    return " ".join(f"{seat}={pig}" for seat, pig in zip("ABCDEFGH", reversed(pigs), strict=False))


def test_the_helpers_turn_and_mirror_as_they_say() -> None:
    assert turned("A=a1N0 B=h8W3 C=d4Ex D=-") == "A=a8E0 B=h1N3 C=d5Sx D=-"
    assert mirrored("A=a1N0 B=h8W3 C=d4Ex D=-") == "A=h1N0 B=a8E3 C=e4Wx D=-"
    assert renamed("A=a1N0 B=h8W3 C=-") == "A=- B=h8W3 C=a1N0"


@given(rounds())
def test_pigs_and_hulks_never_share_a_square(game: tuple) -> None:
    for position in played(*game):
        squares = [word[2:4] for word in position.split(" ") if not word.endswith("-")]
        assert len(set(squares)) == len(squares)


@given(rounds())
def test_turning_the_board_turns_the_result(game: tuple) -> None:
    position, orders, options = game
    plain = played(position, orders, options)
    for _ in range(3):
        position, plain = turned(position), [turned(after) for after in plain]
        assert played(position, orders, options) == plain


@given(rounds())
def test_a_mirror_mirrors_the_result(game: tuple) -> None:
    position, orders, options = game
    flipped = {s: " ".join(MIRRORED.get(c, c) for c in order.split(" ")) for s, order in orders.items()}
    assert played(mirrored(position), flipped, options) == [
        mirrored(after) for after in played(position, orders, options)
    ]


@given(rounds())
def test_no_seat_is_better_than_another(game: tuple) -> None:
    position, orders, options = game
    seats = [Seat(word[0]) for word in position.split(" ")]
    swapped = {
        other: orders[seat] for seat, other in zip(seats, reversed(seats), strict=True) if seat in orders
    }
    assert played(renamed(position), swapped, options) == [
        renamed(after) for after in played(position, orders, options)
    ]


@given(rounds())
def test_damage_rises_only_by_hits_and_a_hulk_stays_a_hulk(game: tuple) -> None:
    position, orders, options = game
    before = stand(position, **options)
    for state in play_turn(before, orders):
        hit = [v for event in state.events if event["kind"] in ("fired", "hit") for v in event["at"]]
        for seat, was, now in zip(state.seats, before.damage, state.damage, strict=True):  # type: ignore[attr-defined]
            taken = was + hit.count(seat)
            assert now == (taken if taken < 5 or (was < HULK and is_race(options)) else HULK)
            assert was < HULK or seat not in hit
        before = state  # type: ignore[assignment]


@given(rounds())
def test_p14_every_hit_taken_in_a_race_is_a_hit_dealt(game: tuple) -> None:
    position, orders, options = game
    before = stand(position, **options)
    for state in played_states(play_turn(before, orders)):
        if not is_race(options):
            assert state.dealt == ()
            return
        dealt = [now - was for was, now in zip(before.dealt, state.dealt, strict=True)]
        assert min(dealt) >= 0
        assert sum(dealt) == sum(state.damage) - sum(before.damage)
        assert bool(state.outcome()) == any(hits >= 5 for hits in state.dealt)
        before = state


@given(rounds())
def test_p7_what_one_laser_that_stops_hits_a_laser_that_does_not_hits_too(game: tuple) -> None:
    position, orders, options = game
    stops, reaches = (
        played_states(play_turn(stand(position, **options | {"laser": laser}), orders))[0]
        for laser in ("first", "through")
    )
    for one, other in zip(stops.events, reaches.events, strict=False):
        if one["kind"] == "fired":
            assert one["at"] == other["at"][: len(one["at"])]
            assert "hulk" not in other


@given(rounds())
def test_a_hulk_never_moves_and_is_only_removed_by_a_living_pig_on_its_square(game: tuple) -> None:
    before = game[0].split(" ")
    for after in played(*game):
        words = after.split(" ")
        for was, now in zip(before, words, strict=True):
            if was.endswith("x") and now != was:
                assert now == f"{was[0]}=-"
                assert any(word[2:4] == was[2:4] for word in words)
            assert not was.endswith("-") or now == was
        before = words


@given(rounds(), st.sampled_from(["pass", "forward"]))
def test_a_step_reaches_no_further_than_one_square(game: tuple, side_cross: str) -> None:
    position, orders, options = game
    before = position.split(" ")
    for after in played(position, orders, options | {"side_cross": side_cross}):
        for was, now in zip(before, after.split(" "), strict=True):
            if not now.endswith("-"):
                assert abs(ord(was[2]) - ord(now[2])) <= 1
                assert abs(int(was[3]) - int(now[3])) <= 1
        before = after.split(" ")


@pytest.mark.parametrize("text", [
    "A=d8S5 B=e1N0", "A=d8S B=e1N0", "A=i8S0 B=e1N0", "A=d9S0 B=e1N0", "A=d0S0 B=e1N0",
    "A=d8Q0 B=e1N0", "A=d8S0 A=e1N0", "B=d8S0 A=e1N0", "A=d8S0 B=d8N0", "A=d8S0 B=d8Nx", "A=d8S0  B=e1N0",
    "A=d8S0 B=e1N0 ", "a=d8S0 B=e1N0", "A=d8s0 B=e1N0", "A=D8S0 B=e1N0", "A=d08S0 B=e1N0", "A=d8S00 B=e1N0",
    "A=d8SX B=e1N0", "A= B=e1N0", "A B", "A=d8S0", "A=d8S0 B=e1N0 C=h5W0", "A=d8S² B=e1N0", "A=d８S0 B=e1N0",
    "A=d8S-1 B=e1N0", "A=-- B=e1N0", "A=d8S0[] B=e1N0[]",
])  # fmt: skip
def test_a_position_is_read_strictly(text: str) -> None:
    with pytest.raises(ValueError):
        type(stand("A=d8S0 B=e1N0")).read(text, stand("A=d8S0 B=e1N0").options, 2)
