"""An example of Roboxing: the robots of the published rules, and four turns of a fight between them."""

from games.core import Example, Remark, Seat, Sentence

A, B = Seat("A"), Seat("B")

EXAMPLES = (
    Example(
        key="fred-and-sally",
        name=Sentence("Fred and Sally box"),
        says=Sentence(
            "The two robots and Fred’s first orders are those of the published rules; the rest of the "
            "fight is made up. You see inside both robots; the players see only their own."
        ),
        names={A: "Fred", B: "Sally"},
        setup={"corners": {"A": "a1", "B": "h8"}},
        turns=(
            {A: "ga(d)/(e)[i]h/c(b)(f)", B: "c(g)b/(f)[e](i)/a(h)d"},
            {A: "h2+a2 d b", B: "a4"},
            {A: "- d e", B: "- h a"},
            {A: "h1 d a", B: "a1 f d"},
            {A: "h1 b g", B: "- f e"},
        ),
        remarks={
            (1, 1): Remark(
                Sentence(
                    "Both have built in secret. Fred’s engines point north-west, north, east and "
                    "south-west; Sally’s sit in the four corners."
                ),
                (
                    {"kind": "built", "by": "A"},
                    {"kind": "built", "by": "B"},
                ),
            ),
            (2, 1): Remark(
                Sentence(
                    "Fred goes two squares east and two north, Sally four to the south-west with one "
                    "engine. Four squares need no booster."
                ),
                (
                    {"kind": "moved", "by": "A1", "move": "h2+a2", "to": "c3"},
                    {"kind": "moved", "by": "B1", "move": "a4", "to": "d4"},
                ),
            ),
            (2, 2): Remark(
                Sentence(
                    "Fred’s laser d covers the north-east, where Sally stands. He has aimed at her "
                    "letter b: an engine is gone. Only she knows what it was."
                ),
                (
                    {"kind": "shot", "by": "A1", "letter": "b", "hit": True},
                    {"kind": "destroyed", "by": "B1", "letter": "b"},
                ),
            ),
            (3, 1): Remark(
                Sentence("Both stay, so both boosters are left for the lasers."),
                (
                    {"kind": "stayed", "by": "A1"},
                    {"kind": "stayed", "by": "B1"},
                ),
            ),
            (3, 2): Remark(
                Sentence(
                    "Both hit, since all shots count at once: Sally loses e, her booster, and Fred loses a,"
                    " the engine that took him north."
                ),
                (
                    {"kind": "destroyed", "by": "A1", "letter": "a"},
                    {"kind": "destroyed", "by": "B1", "letter": "e"},
                ),
            ),
            (4, 1): Remark(
                Sentence("Fred steps aside, and Sally goes exactly where he was."),
                (
                    {"kind": "moved", "by": "A1", "to": "d3", "from": "c3"},
                    {"kind": "moved", "by": "B1", "to": "c3"},
                ),
            ),
            (4, 2): Remark(
                Sentence(
                    "Both have aimed at where they expected the other one. First all move, then all "
                    "fire: two misses."
                ),
                (
                    {"kind": "shot", "by": "A1", "hit": False},
                    {"kind": "shot", "by": "B1", "hit": False},
                ),
            ),
            (5, 1): Remark(
                Sentence("Fred goes on to the east, Sally stays."),
                (
                    {"kind": "moved", "by": "A1", "to": "e3"},
                    {"kind": "stayed", "by": "B1"},
                ),
            ),
            (5, 2): Remark(
                Sentence(
                    "Fred fires south and Sally west, but neither finds the other there. Reading letters is"
                    " one half of the fight; guessing moves is the other."
                ),
                (
                    {"kind": "shot", "by": "A1", "hit": False},
                    {"kind": "shot", "by": "B1", "hit": False},
                ),
            ),
        },
    ),
)
