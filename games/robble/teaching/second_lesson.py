"""The second lesson of Robble: the swap, groups, and groups that cancel each other."""

from games.core import Exercise, Lesson, Seat, Sentence

LESSON = Lesson(
    key="groups",
    name=Sentence("The swap, and how to count"),
    seat=Seat("B"),
    options={"size": 5},
    exercises=(
        Exercise(
            says=Sentence(
                "You’re White, B, this time, on a small board. Black has placed the first stone. If "
                "you’d rather have it than answer it, swap: then you’re Black, and A answers. Swap "
                "now."
            ),
            position="5/5/2b2/5/5 w",
            goal={"kind": "swapped", "by": "B"},
            answer="swap",
            done=Sentence(
                "The stone is yours, and A is White. Only White’s first turn can be a swap, so a first "
                "stone should be neither too good nor too bad."
            ),
            hint=Sentence("Below the board there’s a button for it."),
        ),
        Exercise(
            says=Sentence(
                "You’re White again. Stones of one colour that touch along an edge are a group; "
                "corners don’t count. Push your stone on {at} over to your other two: a group of "
                "three.",
                at="c3",
            ),
            position="5/4w/2w1w/b3b/5 w",
            goal={"kind": "pushed", "side": "w", "from": "c3", "to": "d3"},
            answer="b3",
            done=Sentence(
                "A stone that you place pushes what it touches away, so groups often grow at a distance."
            ),
            hint=Sentence("Push it to the east: place on the other side of it, on {at}.", at="b3"),
        ),
        Exercise(
            says=Sentence(
                "Your own stones are pushed and turned over, too. Two squares would turn the black stone on "
                "{at}. Choose the one that costs you nothing.",
                at="c3",
            ),
            position="5/5/1wb1w/2b2/5 w",
            goal={"kind": "placed", "by": "B", "at": "c4"},
            answer="c4",
            done=Sentence("From {at} you would have thrown a stone of your own off the board.", at="d3"),
            hint=Sentence(
                "To turn over, it needs a stone behind it: come from {one} or from {other}. One of the "
                "two has a white stone beside it, at the edge.",
                one="c4",
                other="d3",
            ),
        ),
        Exercise(
            says=Sentence(
                "The biggest group wins, and Black has a row of four. Break it: turn a stone in the "
                "middle of it, so that it joins a stone of yours."
            ),
            position="b4/bw1w1/1bbbb/w4/b3b w",
            goal={"kind": "turned", "side": "w", "at": "d3"},
            answer="d2",
            done=Sentence(
                "The four are a two and a single stone now, and you have three in a column. The list of "
                "groups beside the board counts for you."
            ),
            hint=Sentence(
                "Your stone on {at} is behind the stone you want to turn. Place one on the other side: {to}.",
                at="d4",
                to="d2",
            ),
        ),
        Exercise(
            says=Sentence(
                "Black has two groups of three, you have one. Three against three cancel, and Black is left "
                "with the other three. Change that: turn the stone on {at}, so that what is left over "
                "is yours.",
                at="c2",
            ),
            position="1bbww/b1b1w/5/wbb1b/2b2 w",
            goal={"kind": "turned", "side": "w", "at": "c2"},
            answer="d2",
            done=Sentence(
                "Three against three cancel, and of what is left over your group is the bigger one. If "
                "everything cancels, whoever placed last loses."
            ),
            hint=Sentence(
                "There’s a stone behind {at}, to the west. So come from the east: {to}.", at="c2", to="d2"
            ),
        ),
    ),
)
