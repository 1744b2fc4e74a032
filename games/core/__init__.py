"""The contract of every game: its options, its positions, its orders, and how a turn of any game is played.

A game consists of a `Game` (data that never change) and a `State` (an immutable position with methods).
The code of a game uses neither the web nor the clock, and takes random numbers only from a given generator.

A turn of any game, from a random setup to the position that starts the next turn:

>>> from random import Random
>>> from games import newest
>>> game = newest("robble")
>>> options = game.read_options({"size": 5})
>>> state = game.state.start(options, 2, game.draw(options, 2, Random(1), {}))
>>> orders = {seat: state.sample(seat, Random(1)) for seat in state.to_act()}
>>> check_turn(state, orders)  # raises IllegalOrder unless it is a whole legal turn
>>> *film, state = play_turn(state, orders)
>>> state.turn, state.outcome()
(1, None)
"""

from games.core.game import Box, BubbleTarget, Game, Preset, Wish, option
from games.core.outcome import HITS, SHARE, Judged, Mixed, Outcome, Progress, Review
from games.core.plan import Choice, Departure, Plan
from games.core.sentences import (
    DRAW,
    FAREWELLS,
    RESIGN,
    SEATS,
    Event,
    IllegalOption,
    IllegalOrder,
    Order,
    Seat,
    Sentence,
    Setup,
    seat_letters,
)
from games.core.state import MARGIN, SPELLING_SLACK, State
from games.core.teaching import (
    Example,
    Exercise,
    Lesson,
    PlayedOut,
    PuzzleProver,
    PuzzleRequirements,
    Remark,
    read_turns,
)
from games.core.turns import (
    after_turn,
    check_turn,
    finishing_order,
    highlight,
    play_turn,
    tell,
    whole_turn,
)
