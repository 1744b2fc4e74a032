"""The sentences of Robo Battle Pigs addressed to the player concerned: “You fire south and hit Ben!”"""

from __future__ import annotations

SECOND_PERSON = {
    ("{by} walks forward to {to}.", "by"): "You walk forward to {to}.",
    ("{by} walks back to {to}.", "by"): "You walk back to {to}.",
    ("{by} steps ahead left to {to}.", "by"): "You step ahead left to {to}.",
    ("{by} steps ahead right to {to}.", "by"): "You step ahead right to {to}.",
    ("{by} turns left and faces {to}.", "by"): "You turn left and face {to}.",
    ("{by} turns right and faces {to}.", "by"): "You turn right and face {to}.",
    ("{by} would cross the pig beside it, so it walks forward to {to}.", "by"): (
        "You would cross the pig beside you, so you walk forward to {to}."
    ),
    ("{by} walks into the wall and stays on {at}.", "by"): "You walk into the wall and stay on {at}.",
    ("{by} wants to go to {to}, is bumped and stays on {at}.", "by"): (
        "You want to go to {to}, are bumped and stay on {at}."
    ),
    ("The wreck of {by} on {at} is flattened.", "by"): "Your wreck on {at} is flattened.",
    ("{by} repeats the last command of the list, which has {length} commands now.", "by"): (
        "You repeat the last command of your list, which has {length} commands now."
    ),
    ("{by} repeats the last command of the list {times} times; it has {length} commands now.", "by"): (
        "You repeat the last command of your list {times} times; it has {length} commands now."
    ),
    ("{by} is destroyed!", "by"): "Your pig is destroyed!",
    ("{by} takes {points} damage.", "by"): "You take {points} damage.",
    ("{by} has {damage} damage now.", "by"): "You have {damage} damage now.",
    ("{by} repairs 1 damage in the same moment and has {damage} now.", "by"): (
        "You repair 1 damage in the same moment and have {damage} now."
    ),
    ("{by} is repaired and has {damage} damage now.", "by"): "You are repaired and have {damage} damage now.",
    ("{by} has been hit once so far.", "by"): "You have been hit once so far.",
    ("{by} has been hit {damage} times so far.", "by"): "You have been hit {damage} times so far.",
    ("{by} has landed {hits} hits!", "by"): "You have landed {hits} hits!",
    ("{by} has landed {hits} of {goal} hits.", "by"): "You have landed {hits} of {goal} hits.",
    ("{by} fires {to} and strikes the wreck of {hulk}.", "by"): (
        "You fire {to} and strike the wreck of {hulk}."
    ),
    ("{by} fires {to} and strikes the wreck of {hulk}.", "hulk"): "{by} fires {to} and strikes your wreck.",
    ("{by} fires {to} and misses.", "by"): "You fire {to} and miss.",
    ("{by} swings and hits nothing.", "by"): "You swing and hit nothing.",
    ("{by} fires {to} and hits {at}!", "by"): "You fire {to} and hit {at}!",
    ("{by} fires {to} and hits {at}!", "at"): "{by} fires {to} and hits you!",
    ("{by} punches {at}!", "by"): "You punch {at}!",
    ("{by} punches {at}!", "at"): "{by} punches you!",
    ("{by} punches {at} and {other}!", "by"): "You punch {at} and {other}!",
    ("{by} punches {at} and {other}!", "at"): "{by} punches you and {other}!",
    ("{by} punches {at} and {other}!", "other"): "{by} punches {at} and you!",
    ("{by} punches {at}, {other} and {third}!", "by"): "You punch {at}, {other} and {third}!",
    ("{by} punches {at}, {other} and {third}!", "at"): "{by} punches you, {other} and {third}!",
    ("{by} punches {at}, {other} and {third}!", "other"): "{by} punches {at}, you and {third}!",
    ("{by} punches {at}, {other} and {third}!", "third"): "{by} punches {at}, {other} and you!",
    ("{first} and {last}", "first"): "you and {last}",
    ("{first} and {last}", "last"): "{first} and you",
    ("{first}, {rest}", "first"): "you, {rest}",
    ("{by} is destroyed and gone from the board.", "by"): "Your pig is destroyed and gone from the board.",
    ("{by} is a wreck on {at}.", "by"): "Your pig is a wreck on {at}.",
    ("{by} has {n} commands on the list.", "by"): "You have {n} commands on your list.",
    ("{by} stands on {at}, faces {to}, and has landed {hits}.", "by"): (
        "You stand on {at}, face {to}, and have landed {hits}."
    ),
    ("{by} stands on {at}, faces {to}, and has no damage.", "by"): (
        "You stand on {at}, face {to}, and have no damage."
    ),
    ("{by} stands on {at}, faces {to}, and has {damage} damage.", "by"): (
        "You stand on {at}, face {to}, and have {damage} damage."
    ),
}
