"""The lessons of Robo Battle Pigs: walking, firing, hitting, foreseeing; then bumps, repairs and guesses."""

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


SECOND_LESSON = Lesson(
    key="bumps",
    name=Sentence("Bumps, repairs and guesses"),
    exercises=(
        Exercise(
            says=Sentence(
                "Your pig, A, faces south this time: it looks at you, and its left is your right. Bring "
                "it to {to} with two steps ahead left, then fill the other slots.",
                to="f6",
            ),
            position="A=d8S0 B=a1N0",
            others={B: "TL TR TL TR TL"},
            goal={"kind": "walked", "by": "A", "to": "f6"},
            answer="\\ \\ TL TR TL",
            done=Sentence(
                "Left and right are always the pig’s own. Turn the board in your head, not the pig."
            ),
            hint=Sentence("Think like the pig: it faces down the board, so ahead left leads to the east."),
        ),
        Exercise(
            says=Sentence(
                "Two pigs that want the same square both stay where they are. B wants to walk ahead "
                "to {to} in the first step. Don’t let it.",
                to="e4",
            ),
            position="A=d4E0 B=f4W0",
            others={B: "^ TL TR TL TR"},
            goal={"kind": "stopped", "by": "B", "cause": "pig", "to": "e4"},
            answer="^ F F F F",
            done=Sentence("Bump! Neither pig is hurt by it, but B isn’t where it wanted to be."),
            hint=Sentence("Walk to {to} in the first step, just as B does.", to="e4"),
        ),
        Exercise(
            says=Sentence(
                "A pig can’t walk onto the square of one that stays. B turns on the spot for the "
                "whole round and is in your way. Get past it, to {to}.",
                to="d7",
            ),
            position="A=d3N0 B=d5N0",
            others={B: "TL TR TL TR TL"},
            goal={"kind": "walked", "by": "A", "to": "d7"},
            answer="\\ ^ ^ / TL",
            done=Sentence(
                "If B had walked away in the same step, you could have followed it straight ahead."
            ),
            hint=Sentence("Step aside with ahead left, walk past B, and come back with ahead right."),
        ),
        Exercise(
            says=Sentence(
                "You have two points of damage. A repair takes the whole round, five times R, and "
                "takes one of them off. B looks the other way: now is the time."
            ),
            position="A=b2N2 B=g7E0",
            others={B: "TL TR TL TR TL"},
            goal={"kind": "repaired", "by": "A", "damage": 1},
            answer="R R R R R",
            done=Sentence(
                "One X fewer from now on. The point comes off with the fifth R; hits that you take "
                "meanwhile still count."
            ),
            hint=Sentence("Press the repair: it fills all five slots by itself."),
        ),
        Exercise(
            says=Sentence(
                "With three points of damage you have two commands left, and you choose the slots "
                "for them. B walks east through your line of fire. Fire when it’s there."
            ),
            position="A=d1N3 B=a5E0",
            others={B: "^ ^ ^ ^ ^"},
            goal={"kind": "fired", "by": "A", "hit": True},
            answer="X X F X TL",
            done=Sentence("An X costs you nothing if you would have waited anyway."),
            hint=Sentence(
                "B stands on {at} after the third step and nowhere else in your line: fire in slot {n}.",
                at="d5",
                n=3,
            ),
        ),
        Exercise(
            says=Sentence(
                "Now B is free. In its first step it walks to {left}, {middle} or {right}, then it "
                "turns on the spot. You don’t know where it will be. Hit it all the same.",
                left="c5",
                middle="d5",
                right="e5",
            ),
            position="A=d3N0 B=d6S0",
            others={B: "^ TL TR TL TR"},
            or_else=({B: "/ TL TR TL TR"}, {B: "\\ TL TR TL TR"}),
            goal={"kind": "hit", "by": "A", "hit": True},
            answer="^ H H H H",
            done=Sentence(
                "Whatever B does, your fist gets it. Ask yourself what your opponent may do, and "
                "look for a program that works against most of it. “What if?” plays it through for "
                "you."
            ),
            hint=Sentence(
                "The laser covers one of the three squares, the fist all three at once: from {at}.", at="d4"
            ),
        ),
    ),
)
