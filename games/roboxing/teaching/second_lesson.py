"""The second lesson of Roboxing: the booster, the enemy's letters that orders reveal, and the clinch."""

from games.core import Exercise, Lesson, Seat, Sentence

A, B = Seat("A"), Seat("B")
MINE = "ga(d)/(e)[i]h/c(b)(f)"
OTHER = "c(g)b/(f)[e](i)/a(h)d"

LESSON = Lesson(
    key="letters",
    name=Sentence("The booster, and reading letters"),
    exercises=(
        Exercise(
            says=Sentence(
                "Your four engines move you four squares, or eight with the booster. The booster is never "
                "announced: a move of more than four squares uses it up. Go to {to}.",
                to="h6",
            ),
            position=f"A1@c3:{MINE} B1@b8:{OTHER}",
            others={B: "-"},
            goal={"kind": "moved", "by": "A1", "to": "h6"},
            answer="h5+a3",
            done=Sentence(
                "Far, but the booster is used up for this turn: your lasers reach four squares, not eight."
            ),
            hint=Sentence("Five squares with {east}, three with {north}.", east="h", north="a"),
        ),
        Exercise(
            says=Sentence(
                "If the move doesn’t need the booster, the lasers get it. B is seven squares away. "
                "Stay, or move four squares at most, and hit it."
            ),
            position=f"A1@b1:{MINE} B1@g8:{OTHER}",
            others={B: "-"},
            goal={"kind": "shot", "hit": True, "by": "A1"},
            answer="- d a",
            done=Sentence(
                "With the booster your lasers reach eight squares. The question is where B is likely to be."
            ),
            hint=Sentence("Stay, and fire {gun}: it covers the north-east.", gun="d"),
        ),
        Exercise(
            says=Sentence(
                "Last turn B went from {at} to {to}, with the letter {letter}. A letter that moves a robot "
                "is an engine, and it sits on the side the move went to. The sheet beside your robot has "
                "noted it. Destroy that engine.",
                at="d4",
                to="f6",
                letter="b",
            ),
            position=f"A1@c4:{MINE} B1@d4:{OTHER}",
            before=({A: "-", B: "b2"},),
            others={B: "-"},
            goal={"kind": "destroyed", "by": "B1", "letter": "b"},
            answer="- d b",
            done=Sentence(
                "B won’t go north-east again. Every move tells you something; one with several "
                "engines is harder to read."
            ),
            hint=Sentence("Fire {gun} at letter {letter}.", gun="d", letter="b"),
        ),
        Exercise(
            says=Sentence(
                "Last turn B fired slot {letter} at you and hit. So slot {letter} is a laser, and it "
                "covers the square where you stand. Destroy it.",
                letter="h",
            ),
            position=f"A1@c3:{MINE} B1@d6:{OTHER}",
            before=({A: "-", B: "- h g"},),
            others={B: "-"},
            goal={"kind": "destroyed", "by": "B1", "letter": "h"},
            answer="- d h",
            done=Sentence(
                "A hit tells you which side of your opponent you stood on. After a few turns you "
                "know most of its letters."
            ),
            hint=Sentence("B is to the north-east: fire {gun} at {letter}.", gun="d", letter="h"),
        ),
        Exercise(
            says=Sentence(
                "Three letters of B are gone, and you know that they were engines. Last turn it moved with "
                "slot {letter}. Finish it off.",
                letter="d",
            ),
            position=f"A1@c3:{MINE} B1@e6:*(g)*/(f)[e](i)/*(h)d",
            before=({A: "-", B: "d1"},),
            others={B: "-"},
            goal={"kind": "knocked out", "by": "B1"},
            answer="- d d",
            done=Sentence("Four lasers were no use to it: without an engine a robot is out."),
            hint=Sentence("Its last engine is {letter}. Aim at that.", letter="d"),
        ),
        Exercise(
            says=Sentence(
                "You’re badly damaged, and B’s lasers reach everywhere. But no robot covers its own "
                "square, and robots don’t get in each other’s way. B will stay. Get to safety this turn.",
            ),
            position="A1@c3:ga(d)/**h/c** B1@e5:" + OTHER,
            others={B: "- f d"},
            goal={"kind": "moved", "by": "A1", "to": "e5"},
            answer="a2+h2",
            done=Sentence("Clinch! On the same square neither can hit the other."),
            hint=Sentence(
                "Go onto {to}: two squares with {north}, two with {east}.", to="e5", north="a", east="h"
            ),
        ),
    ),
)
