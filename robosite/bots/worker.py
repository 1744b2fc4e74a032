"""A worker process, in which bots think; it imports the games and nothing of the site: no database, no keys.

The process reads questions from its standard input and writes an answer to each to its standard output, until
the input ends. A question is sent as its length in four bytes, followed by that many bytes of pickle. An
answer is sent as a line of JSON. The site does not trust the answers: it checks a bot's order like any other.
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
"""The number of bytes that give the length of a question."""


class Question(NamedTuple):
    """A question to a bot: for ORDER, which order it gives; for AGREES, whether it agrees to a draw.

    `what` is ORDER or AGREES. `player` is the bot's key, and `seat` its seat. `view` is the position as that
    seat may see it. `seed` is the seed of the bot's random numbers.
    """

    what: str
    player: str
    seat: Seat
    view: State
    seed: int

    def packed(self) -> bytes:
        text = pickle.dumps(tuple(self))
        return len(text).to_bytes(LENGTH) + text


def think(question: Question) -> Any:
    """Runs the bot on a question; returns an order as text or, for AGREES, True if it agrees to a draw."""
    player, rng = PLAYERS[question.player], Random(question.seed)
    ask = player.order if question.what == ORDER else player.agrees
    return ask(question.view, question.seat, rng)


def main() -> None:
    """Answers each question from standard input with one line of JSON, until the input ends.

    The line is an object with the key "answer" or, if the bot has raised an exception, with the key "fault",
    which has the traceback.
    """
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
