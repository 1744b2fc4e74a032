"""The sentences of Robosoccer addressed to the player concerned: “You put the ball on d5.”"""

from __future__ import annotations

SECOND_PERSON = {
    ("{by} lines up: big robots on {big}; medium ones on {medium}; small ones on {small}.", "by"): (
        "You line up: big robots on {big}; medium ones on {medium}; small ones on {small}."
    ),
    ("{by} puts the ball on {at}.", "by"): "You put the ball on {at}.",
    ("{by} moves the {size} robot from {from} to {to}.", "by"): (
        "You move the {size} robot from {from} to {to}."
    ),
    ("{by} takes the {size} robot from {from} to {to} and pushes a {pushed} one to {on}.", "by"): (
        "You take the {size} robot from {from} to {to} and push a {pushed} one to {on}."
    ),
    ("{by} jumps with the {size} robot from {from} over the {jumped} one on {over} to {to}.", "by"): (
        "You jump with the {size} robot from {from} over the {jumped} one on {over} to {to}."
    ),
    ("{by} switches: the {size} robot goes from {from} to {to}, the ball from {to} to {from}.", "by"): (
        "You switch: the {size} robot goes from {from} to {to}, the ball from {to} to {from}."
    ),
    ("Goal! {by} has the ball on {at}.", "by"): "Goal! You have the ball on {at}.",
    ("{by} has no legal turn left and loses.", "by"): "You have no legal turn left and lose.",
    ("{by} has nothing on the board yet.", "by"): "You have nothing on the board yet.",
    ("{by}: big robots on {big}; medium ones on {medium}; small ones on {small}.", "by"): (
        "You: big robots on {big}; medium ones on {medium}; small ones on {small}."
    ),
    (
        "{by}: the ball on {ball}; big robots on {big}; medium ones on {medium}; small ones on {small}.",
        "by",
    ): ("You: the ball on {ball}; big robots on {big}; medium ones on {medium}; small ones on {small}."),
    ("It is {by}’s turn.", "by"): "It is your turn.",
}
