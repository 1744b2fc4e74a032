"""The sentences of Robble addressed to the player concerned: “You place a black stone on c3.”"""

from __future__ import annotations

SECOND_PERSON = {
    ("{by} places a black stone on {at}.", "by"): "You place a black stone on {at}.",
    ("{by} places a white stone on {at}.", "by"): "You place a white stone on {at}.",
    (
        "{by} swaps colours, since Black’s first stone looks better than any answer to it: {by} plays "
        "Black from now on, and {other} plays White.",
        "by",
    ): ("You swap colours: you play Black from now on, and {other} plays White."),
    (
        "{by} swaps colours, since Black’s first stone looks better than any answer to it: {by} plays "
        "Black from now on, and {other} plays White.",
        "other",
    ): (
        "{by} swaps colours, since your first stone looks better than any answer to it: {by} plays Black "
        "from now on, and you play White."
    ),
    (
        "{by} swaps colours, since White’s first stone looks better than any answer to it: {by} plays "
        "White from now on, and {other} plays Black.",
        "by",
    ): ("You swap colours: you play White from now on, and {other} plays Black."),
    (
        "{by} swaps colours, since White’s first stone looks better than any answer to it: {by} plays "
        "White from now on, and {other} plays Black.",
        "other",
    ): (
        "{by} swaps colours, since your first stone looks better than any answer to it: {by} plays White "
        "from now on, and you play Black."
    ),
    ("The board is full. {by} wins: a group of {size} is left, and the other side has none.", "by"): (
        "The board is full. You win: a group of {size} is left, and the other side has none."
    ),
    ("The board is full. {by} wins: biggest groups left {size} to {other}.", "by"): (
        "The board is full. You win: biggest groups left {size} to {other}."
    ),
    ("The board is full and all groups cancel out. Whoever placed last loses: {by} wins.", "by"): (
        "The board is full and all groups cancel out. Whoever placed last loses: you win."
    ),
    ("It is {by}’s move.", "by"): "It is your move.",
    ("{by} plays {colour} and has no stones on the board.", "by"): (
        "You play {colour} and have no stones on the board."
    ),
    ("{by} plays {colour}: {n} stones.", "by"): "You play {colour}: {n} stones.",
    ("{by} plays {colour}: one stone.", "by"): "You play {colour}: one stone.",
    (
        "If the board were full now, {by} would win, with a group of {size} left; the other side would "
        "have none.",
        "by",
    ): (
        "If the board were full now, you would win, with a group of {size} left; the other side would "
        "have none."
    ),
    ("If the board were full now, {by} would win: biggest groups left {size} to {other}.", "by"): (
        "If the board were full now, you would win: biggest groups left {size} to {other}."
    ),
}
