"""Each sentence of each game that names a player has words for the reader's own robot."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from games import GAMES, newest
from games.core import Seat, Sentence, play_turn, seat_letters, tell
from robosite.play.second_person import LEAVING, to_reader

NAMED = {("{by}’s robot {n}", "by")}
"""With several robots a player, each goes by the player's name and a number, for everybody."""


def said_in(sentence: Any) -> Iterator[Sentence]:
    if isinstance(sentence, Sentence):
        yield sentence
        for fact in sentence.facts.values():
            yield from said_in(fact)


def sentences_of(slug: str, preset: str, seed: int) -> Iterator[Sentence]:
    """All sentences of the film of a random match, as the players and a watcher read them."""
    game, rng = newest(slug), Random(seed)
    one = game.presets[preset]
    seats = one.seats[-1]
    options = game.read_options(one.options)
    state = game.state.start(options, seats, game.draw(options, seats, rng, {}))
    for _ in range(60):
        if state.outcome():
            return
        orders = {seat: state.view(seat).sample(seat, rng) for seat in sorted(state.to_act())}
        positions = list(play_turn(state, orders))
        for position in positions:
            for viewer in (None, *seat_letters(seats)):
                seen = position.view(viewer)
                yield from (tell(seen, event) for event in seen.events)
                yield from seen.words()
        state = positions[-1]


@pytest.mark.parametrize("slug", sorted(GAMES))
def test_every_sentence_of_a_film_can_be_said_to_its_own_player(slug):
    game, missing = newest(slug), set()
    for preset in game.presets:
        for sentence in sentences_of(slug, preset, seed=7):
            for part in said_in(sentence):
                for name, fact in part.facts.items():
                    key = (part.template, name)
                    if f"{{{name}}}" not in part.template or not isinstance(fact, Seat):
                        continue
                    if key not in {*LEAVING, *NAMED, *game.second_person}:
                        missing.add(key)
    assert not missing


def test_the_reader_is_you_and_all_others_have_their_names():
    game = newest("pigs")
    hit = Sentence("{by} fires {to} and hits {at}!", by=Seat("A"), to=Sentence("south"), at=Seat("B"))
    assert str(to_reader(game, hit, "A")) == "You fire south and hit B!"
    assert str(to_reader(game, hit, "B")) == "A fires south and hits you!"
    assert to_reader(game, hit, "C").template == hit.template
    assert to_reader(game, hit, None) is hit


def test_one_of_several_that_are_hit():
    both = Sentence("{first} and {last}", first=Seat("B"), last=Seat("C"))
    hit = Sentence("{by} fires {to} and hits {at}!", by=Seat("A"), to=Sentence("south"), at=both)
    assert str(to_reader(newest("pigs"), hit, "C")) == "A fires south and hits B and you!"
