"""The first lesson of Robo Battle Pigs: walking, firing, hitting, and foreseeing the other pig's moves."""

from games.core import Exercise, Lesson, Seat, Sentence

B = Seat("B")

LESSON = Lesson(
    (
        Exercise(
            says=Sentence(
                "The red pig, A, is yours and faces north. Walk it to {to}: forward, three times. Then "
                "put anything in the other two slots.",
                to="d5",
            ),
            position="A=d2N0 B=h8W0",
            others={B: "TL TR TL TR TL"},
            goal={"kind": "walked", "by": "A", "to": "d5"},
            answer="^ ^ ^ TL TR",
            done=Sentence(
                "There it stands. The small numbers show where each command leads, before anything happens."
            ),
            hint=Sentence(
                "It hasn’t reached {to}. Forward is one square in the direction the pig faces.", to="d5"
            ),
        ),
        Exercise(
            says=Sentence(
                "The laser hits the first pig straight ahead, at any distance. Turn right, then fire at B."
            ),
            position="A=d4N0 B=h4W0",
            others={B: "TL TR TL TR H"},
            goal={"kind": "fired", "by": "A", "hit": True},
            answer="TR F F F F",
            done=Sentence("A hit! Each one is a point of damage; five destroy a pig."),
            hint=Sentence("The laser goes straight ahead only. Turn right first: B is to the east."),
        ),
        Exercise(
            says=Sentence(
                "The fist reaches three squares: ahead to the left, in the middle, and to the right. "
                "Walk up to B and punch it."
            ),
            position="A=d3N0 B=e5S0",
            others={B: "TL TR TL TR TL"},
            goal={"kind": "hit", "by": "A", "hit": True},
            answer="^ H H H H",
            done=Sentence("That hurt. Lasers reach far, fists reach around the corner."),
            hint=Sentence("One step forward, then punch: B is then ahead to the right."),
        ),
        Exercise(
            says=Sentence(
                "All programs run at once. B will walk five squares east, one in each step. Get in "
                "its way, face it, and fire."
            ),
            position="A=h4N0 B=b5E0",
            others={B: "^ ^ ^ ^ ^"},
            goal={"kind": "fired", "by": "A", "hit": True},
            answer="^ TL F F F",
            done=Sentence("You shot at where B would be. That’s the heart of the game."),
            hint=Sentence(
                "B walks along row {n}. Step onto it, turn left, and B comes towards your laser.", n=5
            ),
        ),
        Exercise(
            says=Sentence(
                "Each point of damage puts an X into one slot, and nothing happens in it. You have two; a "
                "tap moves one to the left. Hit B with the slots that are free."
            ),
            position="A=d4N2 B=d8S0",
            others={B: "TL TR TL TR TL"},
            goal={"kind": "fired", "by": "A", "hit": True},
            answer="F F F X X",
            done=Sentence("A hurt pig still bites."),
            hint=Sentence("B is straight ahead: fire with the slots that you have."),
        ),
        Exercise(
            says=Sentence(
                "One more hit destroys B. It will walk one square ahead, to {to}, and stop there. Get it.",
                to="f4",
            ),
            position="A=c3E0 B=f3N4",
            others={B: "^ X X X X"},
            goal={"kind": "destroyed", "by": "B"},
            answer="\\ F F F F",
            done=Sentence("You’ve won, and you know the game. Now play someone who thinks, too!"),
            hint=Sentence("Walk to the row on which B will stand, without turning: ahead left."),
        ),
    )
)
