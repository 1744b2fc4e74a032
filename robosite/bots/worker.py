"""A process that thinks for bots. It loads the games and nothing of the site: no database, no keys.

It reads questions from its standard input and writes an answer to each to its standard output, until the
input ends. A question is its length in four bytes and that many bytes of pickle; an answer is a line of JSON.
The site does not trust what comes back: it checks it like anybody's order.
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import sys
import traceback
from random import Random
from typing import Any, NamedTuple

from games.core import Seat, State
from games.players import PLAYERS

ORDER, AGREES = "order", "agrees"
LENGTH = 4


class Question(NamedTuple):
    """A question to a bot: for an order, or if it agrees to a draw. `view` is all that its seat may know."""

    what: str
    player: str
    seat: Seat
    view: State
    seed: int

    def packed(self) -> bytes:
        text = pickle.dumps(tuple(self))
        return len(text).to_bytes(LENGTH) + text


def think(question: Question) -> Any:
    """The answer: an order's text, or whether it agrees."""
    player, rng = PLAYERS[question.player], Random(question.seed)
    ask = player.order if question.what == ORDER else player.agrees
    return ask(question.view, question.seat, rng)


def main() -> None:
    """Answers questions from standard input, one line of JSON each, until it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the server; without it the input ends
    os.nice(5)  # pages come first
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    while head := questions.read(LENGTH):
        text = questions.read(int.from_bytes(head))
        try:
            answer = {"answer": think(Question(*pickle.loads(text)))}  # noqa: S301 - from the server itself
        except Exception:
            answer = {"fault": traceback.format_exc()}
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
