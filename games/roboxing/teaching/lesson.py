"""The first lesson of Roboxing: moving, shooting, coming near, foreseeing, knocking out, and building."""

from games.core import Exercise, Lesson, Seat, Sentence

B = Seat("B")
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
