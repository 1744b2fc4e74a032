"""The contract of every game, played at random.

Every preset is played with its fewest seats, and one of each game with its most; LONG=1 plays every preset
with every number of seats.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import GAMES
from games.core import (
    SEATS,
    Game,
    IllegalOption,
    IllegalOrder,
    Order,
    Plan,
    Seat,
    State,
    check_turn,
    play_turn,
    tell,
    whole_turn,
)
from games.record import load, replay, write
from tests.games.cases import size

LONGEST = 40
"""The most turns of a random match that are played."""
JUNK = ["", " ", "\n", "?", "Resign", "0", "{", "}{0}", "a" * 3000, "\ud800", "\x00", "♥", "resign resign"]


class Table(NamedTuple):
    """One way to play a game: its rules, a preset, and how many sit down."""

    game: Game
    preset: str
    seats: int

    @property
    def options(self) -> Any:
        return self.game.read_options(self.game.presets[self.preset].options)

    def setup(self, rng: Random) -> dict[str, Any]:
        return self.game.draw(self.options, self.seats, rng, {})

    def start(self, seed: int = 0) -> State:
        return self.game.state.start(self.options, self.seats, self.setup(Random(seed)))


def sizes(game: Game, preset: str) -> list[int]:
    seats = list(game.presets[preset].seats)
    fullest = max(game.presets, key=lambda key: max(game.presets[key].seats))
    return size([seats[0], *([seats[-1]] if preset == fullest else [])], seats)


TABLES = [
    pytest.param(Table(game, preset, seats), id=f"{slug}{rules}-{preset}-{seats}", marks=pytest.mark.fuzz)
    for slug, versions in GAMES.items()
    for rules, game in versions.items()
    for preset in game.presets
    for seats in dict.fromkeys(sizes(game, preset))
]
GAMES_IN_ALL_RULES = [
    pytest.param(game, id=f"{slug}{rules}")
    for slug, versions in GAMES.items()
    for rules, game in versions.items()
]
every_table = pytest.mark.parametrize("table", TABLES)


def sampled(state: State, rng: Random) -> dict[Seat, Order]:
    return {seat: state.sample(seat, rng) for seat in state.seats if seat in state.to_act()}


def match(
    table: Table, seed: int, most: int = LONGEST
) -> Iterator[tuple[State, dict[Seat, Order], list[State]]]:
    """A random match, turn by turn: the position before, the orders, the positions after.

    Of three and more somebody may resign.
    """
    rng = Random(seed)
    state = table.start(seed)
    while state.to_act() and state.turn < most:
        orders = sampled(state, rng)
        if len(state.still_in()) > 2 and rng.random() < 0.05:
            orders[rng.choice(sorted(state.still_in()))] = "resign"
        states = list(play_turn(state, orders))
        yield state, orders, states
        state = states[-1]


def every_position(table: Table, seed: int = 1) -> list[State]:
    positions = [table.start(seed)]
    for _, _, states in match(table, seed):
        positions += states
    return positions


@every_table
def test_a_random_match_replays_from_its_record_byte_for_byte(table: Table) -> None:
    for seed in range(3):
        state = table.start(seed)
        positions, turns = [state.position()], []
        for _, orders, states in match(table, seed):
            turns.append(orders)
            positions += [after.position() for after in states if after.tick]
            state = states[-1]
        outcome = state.outcome()
        result = outcome and outcome.as_json()
        record = write(
            table.game, table.options, table.seats, table.setup(Random(seed)), turns, result=result
        )
        text = json.dumps(record, allow_nan=False)
        shown = replay(load(text)).as_json()
        assert shown == {"positions": positions, "outcome": result}
        assert json.dumps(record) == text


@every_table
def test_a_match_goes_on_turn_by_turn_until_its_point_is_shared(table: Table) -> None:
    """Whoever is out never comes back, and nothing that was played is concealed once it is over."""
    for seed in range(3):
        still_in = frozenset(table.start(seed).seats)
        for before, _, states in match(table, seed):
            assert [after.turn for after in states[:-1]] == [before.turn] * (len(states) - 1)
            assert states[-1].turn == before.turn + 1
            assert not any(after.outcome() for after in states[:-1])
            assert bool(states[-1].to_act()) != bool(states[-1].outcome())
            for state in states:
                assert state.to_act() <= state.still_in() <= still_in
                still_in = state.still_in()
                sides = [state.side(seat) for seat in state.seats]
                assert len(set(sides)) == table.seats
                assert all(side and side == side.lower() for side in sides)
        everybody = dict.fromkeys(table.start().still_in(), "draw")
        for over in (states[-1], *play_turn(table.start(), everybody)):
            if outcome := over.outcome():
                assert list(outcome.scores) == list(SEATS[: table.seats])
                assert sum(outcome.scores.values()) == pytest.approx(1)
                assert json.loads(json.dumps(outcome.as_json())) == outcome.as_json()
                assert not any(over.conceals(turn, seat) for turn in range(over.turn) for seat in over.seats)


@every_table
def test_a_sample_is_always_legal_and_canonical_and_check_is_idempotent(table: Table) -> None:
    assert table.setup(Random(7)) == table.setup(Random(7))
    rng = Random(3)
    for state, _, _ in match(table, 3):
        assert sampled(state, Random(7)) == sampled(state, Random(7))
        for seat in sorted(state.to_act()):
            order = state.sample(seat, rng)
            assert state.check(seat, order) == order
            made = state.view(seat).plan(seat, order)
            assert made.missing is None and state.check(seat, made.order) == order
            for typed in (order.lower(), f"  {order} ", order.replace(" ", "  ")):
                try:
                    canonical = state.check(seat, typed)
                except IllegalOrder:
                    continue
                assert state.check(seat, canonical) == canonical
        check_turn(state, sampled(state, rng))


@every_table
def test_nobody_but_those_who_act_may_order_and_all_of_them_must(table: Table) -> None:
    for state in every_position(table):
        orders = sampled(state, Random(4))
        for seat in map(Seat, SEATS):
            if seat in state.to_act():
                continue
            with pytest.raises(IllegalOrder) as fault:
                check_turn(state, orders | {seat: next(iter(orders.values()), "F")})
            assert str(fault.value)
            assert fault.value.seat == (seat if seat in state.seats else None)
    state = table.start()
    orders = sampled(state, Random(5))
    for seat in orders:
        with pytest.raises(IllegalOrder) as fault:
            check_turn(state, {other: order for other, order in orders.items() if other != seat})
        assert fault.value.seat == seat


@every_table
def test_an_illegal_order_is_refused_in_a_sentence_and_changes_nothing(table: Table) -> None:
    for state, _, _ in match(table, 5):
        before, events = state.position(), state.events
        for seat in state.to_act():
            for order in JUNK:
                with pytest.raises(IllegalOrder) as fault:
                    state.check(seat, order)
                assert str(fault.value.sentence) == str(fault.value) != ""
        assert (state.position(), state.events) == (before, events)


@every_table
def test_playing_changes_nothing_in_the_position_before(table: Table) -> None:
    for state, orders, states in match(table, 6):
        before = state.position(), state.turn, state.events
        given = dict(orders)
        again = list(play_turn(state, orders))
        assert orders == given
        assert [after.position() for after in again] == [after.position() for after in states]
        assert [after.events for after in again] == [after.events for after in states]
        assert (state.position(), state.turn, state.events) == before


@every_table
def test_positions_are_immutable_and_hashable(table: Table) -> None:
    rng = Random(8)
    positions = every_position(table)
    everybody = dict.fromkeys(table.start().still_in(), "draw")
    positions += play_turn(table.start(), everybody)
    left = whole_turn(table.start(), sampled(table.start(), rng), {Seat("A")}, set())
    positions += play_turn(table.start(), left or {})
    for state in positions:
        for name in ("turn", "tick", "ended", "seats", "events", "something"):
            with pytest.raises((AttributeError, TypeError)):
                setattr(state, name, 1)
        assert isinstance(hash(state), int)
    again = every_position(table)
    assert again == every_position(table)
    assert [hash(state) for state in again] == [hash(state) for state in every_position(table)]


@every_table
def test_reading_a_position_gives_the_same_position(table: Table) -> None:
    for state in every_position(table):
        again = table.game.state.read(state.position(), table.options, table.seats)
        assert again.position() == state.position()
    for text in ("", " ", "x", "A", "A=", "=", "A=d8S0", "8/8", "\ud800", "A=d8S0 " * 9):
        with pytest.raises(ValueError):
            table.game.state.read(text, table.options, table.seats)


@every_table
def test_every_seat_and_a_spectator_have_a_view_that_can_be_shown_and_planned_on(table: Table) -> None:
    rng = Random(9)
    for state, _, _ in match(table, 9):
        for seat in (*state.seats, None):
            view = state.view(seat)
            assert view.position()
            assert view.view(seat).position() == view.position()
            assert (view.to_act(), view.still_in(), view.turn) == (
                state.to_act(),
                state.still_in(),
                state.turn,
            )
            assert all(str(sentence) for sentence in view.words())
            assert view.determinize(rng).turn == state.turn
            if seat in state.to_act():
                assert seat
                assert view.check(seat, state.sample(seat, rng))
                assert view.sample(seat, rng)


@every_table
def test_every_event_is_fresh_json_data_with_a_sentence(table: Table) -> None:
    for state in every_position(table):
        for event in state.events:
            assert json.loads(json.dumps(event, allow_nan=False)) == event
            assert str(tell(state, event))
    state = every_position(table)[-1]
    before = [dict(event) for event in state.events]
    state.events[0]["kind"] = "changed"
    state.events.clear()
    assert state.events == before != []


@every_table
def test_g1_anybody_may_resign_at_any_time(table: Table) -> None:
    rng = Random(10)
    for state in [before for before, _, _ in match(table, 10)][:8]:
        for seat in state.still_in():
            turn = whole_turn(state, sampled(state, rng), {seat}, set())
            assert turn and turn[seat] == "resign"
            check_turn(state, turn)
            after = list(play_turn(state, turn))[-1]
            assert seat not in after.still_in()
            assert after.turn == state.turn + 1
            if len(state.still_in()) == 2:
                assert after.outcome()
                assert after.outcome().reason == "resigned"


@every_table
def test_g2_all_together_may_agree_on_a_draw_at_any_time(table: Table) -> None:
    for state in [before for before, _, _ in match(table, 11)][:8]:
        turn = whole_turn(state, {}, set(), state.still_in())
        assert turn == dict.fromkeys(sorted(state.still_in()), "draw")
        check_turn(state, turn)
        outcome = list(play_turn(state, turn))[-1].outcome()
        assert outcome and outcome.reason == "agreed"
        assert {seat for seat, share in outcome.scores.items() if share} == state.still_in()


@every_table
@settings(max_examples=size(4, 25))
@given(text=st.one_of(st.text(), st.text(alphabet="^v\\/TLRFHX._ abcdefgh12345678-+=;()[]*")))
def test_a_plan_never_raises_and_its_choices_lead_to_plans(table: Table, text: str) -> None:
    state = table.start()
    for seat in sorted(state.to_act())[:1]:
        made = state.view(seat).plan(seat, text)
        assert made.missing is None or str(made.missing)
        assert all(str(sentence) for sentence in made.words)
        assert len({choice.key for choice in made.choices}) == len(made.choices)
        for choice in made.choices:
            assert str(choice.name)
            if choice.allowed:
                assert made.choose(choice.key) == choice.leads_to
                assert state.view(seat).plan(seat, choice.leads_to).choices
            else:
                assert str(choice.why)
                with pytest.raises(IllegalOrder):
                    made.choose(choice.key)
        if made.missing is None:
            assert state.check(seat, made.order) == made.order


# Work is bounded


def walked(view: State, seat: Seat) -> set[Order]:
    found: set[Order] = set()
    seen, left = {""}, [""]
    while left:
        plan = view.plan(seat, left.pop())
        if plan.missing is None:
            found.add(view.check(seat, plan.order))
        for choice in plan.choices:
            if choice.allowed and choice.leads_to not in seen:
                seen.add(choice.leads_to)
                left.append(choice.leads_to)
    return found


FEW = 40
"""The number of legal orders also looked for by walking along the planner's choices, which takes long."""


def positions_to_act_in(table: Table, seed: int, every: int = 3) -> Iterator[tuple[State, Seat]]:
    """Some positions of a random match, each as a seat that owes an order sees it, and that seat."""
    for state, _, _ in match(table, seed):
        if state.turn % every in (0, 1):
            seat = min(state.to_act())
            yield state.view(seat), seat


@every_table
def test_there_is_room_for_every_order_freely_spelled_and_for_what_a_choice_leads_to(table: Table) -> None:
    rng = Random(13)
    for view, seat in positions_to_act_in(table, 13):
        room = view.max_order_length(seat)
        for order in {view.sample(seat, rng) for _ in range(5)}:
            assert len(order) <= view.longest_order(seat)
            assert max(len(f"\n  {order.replace(' ', ' ,  ')}  \n"), len("  ".join(order))) <= room
    order = ""
    for n in range(8):
        allowed = [choice.leads_to for choice in view.plan(seat, order).choices if choice.allowed]
        assert max(map(len, allowed)) <= room
        order = Random(n).choice(allowed)


@every_table
def test_text_for_which_there_is_no_room_is_refused_unread(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = table.start()
    seat = min(state.to_act())
    view = state.view(seat)
    fits, long = "F" * view.max_order_length(seat), "F" * (view.max_order_length(seat) + 1)
    empty = view.plan(seat, "")
    read: list[str] = []
    for name in ("read_order", "make_plan", "make_guess"):
        reads = getattr(type(view), name)

        def listens(self: State, at: Seat, text: str, *more: Any, reads: Any = reads) -> Any:
            read.extend([text, *(more[0].values() if more else ())])
            return reads(self, at, text, *more)

        monkeypatch.setattr(type(view), name, listens)
    with pytest.raises(IllegalOrder, match="characters"):
        view.check(seat, long)
    assert read == []
    others = dict.fromkeys((other for other in view.seats if other != seat), long)
    plan = view.plan(seat, long, others)
    assert "characters" in str(plan.missing) and plan.order == empty.order
    assert "characters" in str(view.guessing(seat, long).missing)
    assert not any(read), "only empty orders were planned"
    view.plan(seat, fits)
    assert fits in read


@every_table
def test_the_worst_text_that_has_room_is_drawn_with_bounded_work(table: Table) -> None:
    """Counted in what is drawn and said, since that is what a page makes its bytes of."""
    for view, seat in positions_to_act_in(table, 15, every=LONGEST):
        most = 12 * max(
            len(drawn(view.plan(seat, ""))), len(drawn(view.plan(seat, view.sample(seat, Random(1)))))
        )
        for sign in (".", "_", "F ", "TL,", "a1+", "-;", "(a)", "a", "L", "; ", "c2-c3 ", "b1:_ ", "> ", "!"):
            worst = (sign * view.max_order_length(seat))[: view.max_order_length(seat)]
            others = dict.fromkeys((other for other in view.seats if other != seat), worst)
            assert len(drawn(view.plan(seat, worst))) <= most, sign
            assert len(drawn(view.plan(seat, worst, others))) <= 20 * most, sign


def drawn(plan: Plan) -> str:
    return repr(plan)


@every_table
def test_legal_orders_are_all_that_the_planner_leads_to(table: Table) -> None:
    rng = Random(16)
    for view, seat in positions_to_act_in(table, 16, every=16):
        legal = view.legal(seat, 1000)
        if legal is None:
            assert len({view.sample(seat, rng) for _ in range(5)}) > 1
            continue
        assert len(legal) == len(set(legal)) <= 1000
        assert all(view.check(seat, order) == order for order in legal)
        assert view.legal(seat, len(legal)) == legal and view.legal(seat, len(legal) - 1) is None
        if len(legal) <= FEW:
            assert walked(view, seat) == set(legal)
    for seat in set(view.seats) - view.to_act():
        assert view.legal(seat, 1000) == []


@every_table
def test_the_preset_is_one_that_can_be_played_and_written(table: Table) -> None:
    table.game.check_seats(table.options, table.seats)
    table.game.check_setup(table.options, table.seats, table.setup(Random(1)))
    assert table.game.read_options(table.game.write_options(table.options)) == table.options
    properties = table.game.schema()["properties"]
    for name, value in table.game.presets[table.preset].options.items():
        assert value in properties[name]["enum"]
    with pytest.raises(IllegalOption):
        table.game.check_setup(table.options, table.seats, {"nonsense": 1})


@pytest.mark.parametrize("game", GAMES_IN_ALL_RULES)
def test_a_box_states_its_facts_within_bounds(game: Game) -> None:
    box = game.box
    assert 2 <= game.players[0] <= game.players[-1] <= len(SEATS)
    for preset in game.presets.values():
        assert {preset.seats[0], preset.seats[-1]} <= set(game.players)
    assert game.designer.strip() and box.mechanics.strip()
    assert box.year is None or 1800 <= box.year <= 2100
    assert box.minutes is None or 1 <= box.minutes[0] <= box.minutes[1] <= 24 * 60
    assert box.age is None or 1 <= box.age <= 99
    assert len(box.mechanics) <= 80 and not box.mechanics.endswith("."), "a line, no sentence"
    for sentence in (*box.notes, *box.credits):
        assert sentence == sentence.strip() and sentence.endswith("."), sentence


@pytest.mark.parametrize("game", GAMES_IN_ALL_RULES)
def test_a_designer_s_address_is_a_plain_web_address(game: Game) -> None:
    link = game.box.link
    assert link.endswith(game.box.address) and bool(link) == bool(game.box.address)
    if link:
        parts = urlsplit(link)
        assert parts.scheme in ("http", "https") and "." in parts.netloc and "@" not in parts.netloc
        assert re.fullmatch(r"[\x21-\x7e]+", link)
