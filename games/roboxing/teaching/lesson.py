"""The lessons of Roboxing: moving, shooting, foreseeing and building; then the booster and the clinch."""

from games.core import Exercise, Lesson, Seat, Sentence

A, B = Seat("A"), Seat("B")
MINE = "ga(d)/(e)[i]h/c(b)(f)"
HURT = "ga(d)/*[i]h/c**"

LESSON = Lesson(
    (
        Exercise(
            says=Sentence(
                "You’re A. An engine moves your robot the way it points: {north} to the north, "
                "{east} to the east. Go to {to}: tap an engine for each step, or squares on the "
                "board.",
                north="a",
                east="h",
                to="e7",
            ),
            position=f"A1@c5:{MINE} B1@h8:{MINE}",
            others={B: "-"},
            goal={"kind": "moved", "to": "e7"},
            answer="a2+h2",
            done=Sentence(
                "Together the engines take the robot as many squares as there are working engines: "
                "four, or twice that with the booster."
            ),
            hint=Sentence("Two squares with {north} and two with {east}.", north="a", east="h"),
        ),
        Exercise(
            says=Sentence(
                "A laser covers a quarter of the board: {gun} the north-east, where B stands. Stay, "
                "fire {gun}, and choose any letter of B as your target.",
                gun="d",
            ),
            position=f"A1@c6:{MINE} B1@e8:{MINE}",
            others={B: "-"},
            goal={"kind": "shot", "hit": True, "by": "A1"},
            answer="- d a",
            done=Sentence(
                "One slot of B is gone. You don’t know which part was in it: watch what B does from now on."
            ),
            hint=Sentence("Choose laser {gun}, then one of B’s letters.", gun="d"),
        ),
        Exercise(
            says=Sentence(
                "With one laser left it reaches one square, two with the booster, and B is three away. "
                "Come one square nearer and fire."
            ),
            position=f"A1@c6:{HURT} B1@f6:{MINE}",
            others={B: "-"},
            goal={"kind": "shot", "hit": True, "by": "A1"},
            answer="h1 d a",
            done=Sentence("A short move leaves the booster for the laser; a long one would have used it up."),
            hint=Sentence("One square east with {east}, then fire {gun}.", east="h", gun="d"),
        ),
        Exercise(
            says=Sentence(
                "All move first, then all fire. B will go two squares north-west, to {to}. Stay, and fire "
                "the laser that covers that square.",
                to="d7",
            ),
            position=f"A1@c6:{MINE} B1@f5:{MINE}",
            others={B: "g2"},
            goal={"kind": "shot", "hit": True, "by": "A1"},
            answer="- d a",
            done=Sentence("You saw it coming. In a match you can only guess."),
            hint=Sentence("From {at}, {to} lies to the north-east.", at="c6", to="d7"),
        ),
        Exercise(
            says=Sentence(
                "A robot without lasers or without engines is out. You’ve found out that the last laser of B "
                "has the letter {letter}. Finish it off.",
                letter="b",
            ),
            position=f"A1@c6:{MINE} B1@e8:ga*/*[i]h/c(b)*",
            others={B: "-"},
            goal={"kind": "knocked out"},
            answer="- d b",
            done=Sentence("Out! A match begins with a robot of your own: build one now."),
            hint=Sentence("Fire {gun} at letter {letter}.", gun="d", letter="b"),
        ),
        Exercise(
            says=Sentence("Tap a slot to see what it does. Change it or shuffle the letters, then seal."),
            position="A1@a1 B1@h8",
            others={B: MINE},
            goal={"kind": "built", "by": "A"},
            answer="(e)gb/(a)[c]h/i(d)(f)",
            done=Sentence(
                "This robot is yours, and its letters are your secret. Others learn them from what you do."
            ),
            hint=Sentence("Shuffle everything, then seal: no robot is better than all others."),
        ),
    )
)


OTHER = "c(g)b/(f)[e](i)/a(h)d"

SECOND_LESSON = Lesson(
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
