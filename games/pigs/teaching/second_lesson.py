"""The second lesson of Robo Battle Pigs: a pig that faces you, bumps, repairs, X, and unknown moves."""

from games.core import Exercise, Lesson, Seat, Sentence

B = Seat("B")

LESSON = Lesson(
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
