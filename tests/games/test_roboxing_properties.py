"""Roboxing, what is true of every turn: of any robots anywhere, whatever they do."""

from __future__ import annotations

from random import Random

from hypothesis import given
from hypothesis import strategies as st

from games.core import Seat
from games.roboxing.robot import (
    ALL,
    BIT,
    COUNT,
    FAR,
    IN_MASK,
    MIDDLE,
    ROW,
    built,
    longest,
    power,
    reach,
    shuffled,
)
from games.roboxing.state import RoboxingState
from tests.games.ring_table import crowd, play, stand

TURNED_SLOTS = (6, 3, 0, 7, 4, 1, 8, 5, 2)
"""Which slot comes to each place when a robot is turned a quarter to the right."""
MIRRORED_SLOTS = (2, 1, 0, 5, 4, 3, 8, 7, 6)


def game(seed: int, seats: int | None = None) -> tuple[str, dict[str, str], dict]:
    """A position, an order for every seat still in, and options."""
    rng = Random(seed)
    robots, centre = rng.randint(1, 3), rng.choice(("booster", "free"))
    position = crowd(rng, seats or rng.randint(2, 4), robots, centre == "free")
    options = {"robots": robots, "centre": centre}
    state = stand(position, **options)
    return position, {s: state.sample(s, rng) for s in state.seats if s in state.to_act()}, options


games = st.integers(0, 2**32).map(game)


def changed(position: str, slots: tuple[int, ...], way: str) -> str:
    """The position with the ring turned or mirrored, and every robot with it."""
    words = []
    for word in position.split(" "):
        name, _, rest = word.partition("@")
        if rest == "-":
            words.append(word)
            continue
        square, text = rest.split(":")
        x, y = "abcdefgh".index(square[0]), int(square[1]) - 1
        x, y = (y, 7 - x) if way == "turned" else (7 - x, y)
        parts: list[str] = []
        for sign in text.replace("/", ""):
            if sign in ")]" or (parts and parts[-1][0] in "([" and len(parts[-1]) == 1):
                parts[-1] += sign
            else:
                parts.append(sign)
        layout = "/".join("".join(parts[slots[i]] for i in row) for row in ((0, 1, 2), (3, 4, 5), (6, 7, 8)))
        words.append(f"{name}@{'abcdefgh'[x]}{y + 1}:{layout}")
    return " ".join(words)


def played(position: str, orders: dict[str, str], options: dict) -> list[RoboxingState]:
    return play(stand(position, **options), **orders)


@given(st.integers(0, 2**32), st.integers(0, ALL), st.booleans())
def test_what_a_robot_can_do_is_kept_as_its_rules_have_it(seed: int, gone: int, free: bool) -> None:
    layout = built(*shuffled(Random(seed), free))
    able = layout.powers[gone]
    assert able.movers == IN_MASK[layout.movers & ~gone] and able.turrets == IN_MASK[layout.lasers & ~gone]
    assert (able.spaces, able.spaces_unboosted) == (longest(layout, gone), power(layout, gone))
    for moved in range(9):
        assert (able.reach if moved <= able.spaces_unboosted else able.reach_unboosted) == reach(
            layout, gone, moved
        )
    zones = [zone for letter, zone in layout.zones.items() if not gone & BIT[letter]]
    for by in (dy * ROW + dx for dx in range(-14, 15) for dy in range(-14, 15)):
        seen = any(zone.get(by, FAR) <= able.reach for zone in zones)
        assert seen == bool(able.sight >> MIDDLE + by & 1), by


@given(games)
def test_turning_the_ring_turns_the_result(table: tuple) -> None:
    position, orders, options = table
    plain = [state.position() for state in played(*table)]
    for _ in range(3):
        position = changed(position, TURNED_SLOTS, "turned")
        plain = [changed(after, TURNED_SLOTS, "turned") for after in plain]
        assert [state.position() for state in played(position, orders, options)] == plain


@given(games)
def test_a_mirror_mirrors_the_result(table: tuple) -> None:
    position, orders, options = table
    plain = [changed(state.position(), MIRRORED_SLOTS, "mirrored") for state in played(*table)]
    mirrored = changed(position, MIRRORED_SLOTS, "mirrored")
    assert [state.position() for state in played(mirrored, orders, options)] == plain


@given(st.integers(0, 2**32).map(lambda seed: game(seed, 2)))
def test_no_seat_is_better_than_another(table: tuple) -> None:
    position, orders, options = table

    def swapped(text: str) -> str:
        return text.translate(str.maketrans("AB", "BA"))

    def exchanged(text: str) -> str:
        words = swapped(text).split(" ")
        return " ".join(words[len(words) // 2 :] + words[: len(words) // 2])

    plain = [exchanged(state.position()) for state in played(*table)]
    others = {swapped(seat): swapped(order) for seat, order in orders.items()}
    assert [state.position() for state in played(exchanged(position), others, options)] == plain


@given(games)
def test_letters_are_never_repaired_and_squares_stay_in_the_ring(table: tuple) -> None:
    before = stand(table[0], **table[2])
    for after in played(*table):
        for i, (was, now) in enumerate(zip(before.gone, after.gone, strict=True)):
            assert was & ~now == 0
            hit = [e for e in after.events if e["kind"] == "destroyed" and e["by"] == after.ring.names[i]]
            assert len(hit) == COUNT[now & ~was]
        for was, now in zip(before.squares, after.squares, strict=True):
            assert after.ring.on(now) or now > 1000
            assert after.ring.on(was) or now == was
        assert after.layouts == before.layouts
        before = after


@given(games)
def test_a_robot_in_the_ring_has_a_laser_and_an_engine(table: tuple) -> None:
    last = played(*table)[-1]
    for i, at in enumerate(last.squares):
        if last.ring.on(at):
            assert not last.layout(i).down(last.gone[i])
    assert len(last.to_act()) != 1
    assert bool(last.ended) == (not last.to_act())


@given(st.permutations("abcdefghi"), st.permutations("LLLLBEEEE"))
def test_every_layout_is_read_as_it_is_written(letters: list[str], parts: list[str]) -> None:
    layout = built("".join(letters), "".join(parts))
    state = stand(f"A1@a1:{layout.text} B1@h8:{layout.text}", centre="free")
    assert state.layouts == (layout, layout)
    opening = state._replace(layouts=())
    assert opening.check(Seat("A"), layout.text) == layout.text
