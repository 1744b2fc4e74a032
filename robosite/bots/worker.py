"""A worker process, in which bots think; it imports the games and nothing of the site: no database, no keys.

It reads questions (four bytes of length, then a pickle) and writes answers (lines of JSON, not trusted).
"""

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
PROCESSOR_SECONDS = 10.0
"""The processor time for one question, after which the process is killed; an answer takes about a second."""


class Question(NamedTuple):
    """A question (`what`) to the bot `player`: for an ORDER, or whether it AGREES to a draw."""

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
    """Answers each question with a line of JSON, "answer" or "fault" (a traceback), until the input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is for the server; without it the input ends
    os.nice(5)  # pages come first
    questions, answers = sys.stdin.buffer, sys.stdout.buffer
    while head := questions.read(LENGTH):
        text = questions.read(int.from_bytes(head))
        signal.setitimer(signal.ITIMER_PROF, PROCESSOR_SECONDS)  # the signal's default is to end the process
        try:
            answer = {"answer": think(Question(*pickle.loads(text)))}  # noqa: S301 - from the server itself
        except Exception:
            answer = {"fault": traceback.format_exc()}
        signal.setitimer(signal.ITIMER_PROF, 0)
        answers.write(json.dumps(answer).encode() + b"\n")
        answers.flush()


if __name__ == "__main__":
    main()
