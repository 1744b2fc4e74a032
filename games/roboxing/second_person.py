"""The sentences of Roboxing addressed to the player concerned: “You stay on a1.”"""

from __future__ import annotations

SECOND_PERSON = {
    ("{by} has built a robot.", "by"): "You have built a robot.",
    ("{by} has built {n} robots.", "by"): "You have built {n} robots.",
    ("{by} moves from {at} to {to}: {way}.", "by"): "You move from {at} to {to}: {way}.",
    ("{by} stays on {at}.", "by"): "You stay on {at}.",
    ("Slot {letter} of {by} is destroyed.", "by"): "Your slot {letter} is destroyed.",
    ("{by} is knocked out on {at}!", "by"): "You are knocked out on {at}!",
    ("{by} has no robot left.", "by"): "You have no robot left.",
    ("{by} fires laser {turret} at {at}’s slot {letter} and hits!", "by"): (
        "You fire laser {turret} at {at}’s slot {letter} and hit!"
    ),
    ("{by} fires laser {turret} at {at}’s slot {letter} and hits!", "at"): (
        "{by} fires laser {turret} at your slot {letter} and hits!"
    ),
    ("{by} fires laser {turret} at {at}’s slot {letter} and misses: {why}", "by"): (
        "You fire laser {turret} at {at}’s slot {letter} and miss: {why}"
    ),
    ("{by} fires laser {turret} at {at}’s slot {letter} and misses: {why}", "at"): (
        "{by} fires laser {turret} at your slot {letter} and misses: {why}"
    ),
    ("{at} has left the ring.", "at"): "You have left the ring.",
    ("{at} moved out of the danger zone, from {was} to {square}.", "at"): (
        "You moved out of the danger zone, from {was} to {square}."
    ),
    ("{by} is out of the ring.", "by"): "You are out of the ring.",
    ("{by} stands on {at}; destroyed: {lost}.", "by"): "You stand on {at}; destroyed: {lost}.",
    ("{by} stands on {at}, undamaged.", "by"): "You stand on {at}, undamaged.",
    ("{by}: lasers {lasers}, engines {engines}, and a booster.", "by"): (
        "You: lasers {lasers}, engines {engines}, and a booster."
    ),
    ("{by}: lasers {lasers}, engines {engines}, no booster.", "by"): (
        "You: lasers {lasers}, engines {engines}, no booster."
    ),
}
