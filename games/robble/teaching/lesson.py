"""The lessons of Robble: pushing, turning over and counting groups; then the swap, and groups that cancel."""

from games.core import Exercise, Lesson, Seat, Sentence

LESSON = Lesson(
    (
        Exercise(
            says=Sentence(
                "You’re Black, A. Put a stone beside the white one, on {at}: tap the square, then "
                "the big button.",
                at="c4",
            ),
            position="7/7/7/3w3/7/2b4/7 b",
            goal={"kind": "pushed", "from": "d4"},
            answer="c4",
            done=Sentence("A stone pushes its neighbours one square away, if there’s room behind them."),
            hint=Sentence("The stone must be right next to the white one: tap {at}.", at="c4"),
        ),
        Exercise(
            says=Sentence("A stone at the edge has nowhere to go. Push the white one off the board."),
            position="7/7/7/6w/7/2b4/7 b",
            goal={"kind": "off", "side": "w"},
            answer="f4",
            done=Sentence("Off it goes. The board fills up all the same, only later."),
            hint=Sentence(
                "Put your stone on the other side of it, in the middle of the board: {at}.", at="f4"
            ),
        ),
        Exercise(
            says=Sentence(
                "If another stone is behind it, whatever its colour, a stone can’t move: it turns "
                "over. Turn the white stone on {at}.",
                at="d4",
            ),
            position="7/7/7/3wb2/7/7/6w b",
            goal={"kind": "turned", "side": "b", "at": "d4"},
            answer="c4",
            done=Sentence(
                "It’s yours now. Your own stones would turn over just the same, so look at all four sides."
            ),
            hint=Sentence(
                "The stone behind it lies to the east, so yours must come from the west: {at}.", at="c4"
            ),
        ),
        Exercise(
            says=Sentence("One stone, two at once: turn both white stones with a single stone of yours."),
            position="7/3b3/3w3/4wb1/7/7/6w b",
            goal={"kind": "turned", "side": "b", "at": "d5"},
            answer="d4",
            done=Sentence(
                "Before you play, the board shows what would happen. Try squares until you like one."
            ),
            hint=Sentence("Which square is next to both of them? It’s {at}.", at="d4"),
        ),
        Exercise(
            says=Sentence(
                "When the board is full, groups of the same size cancel each other, one black against "
                "one white. Then the biggest group wins. Make your group bigger: turn the white stone "
                "between your stones."
            ),
            position="7/7/2bwbb1/3b3/7/7/6w b",
            goal={"kind": "turned", "side": "b", "at": "d5"},
            answer="d6",
            done=Sentence("One group of six. That’s all there is to it: now play!"),
            hint=Sentence("Below the white stone lies one of yours, so come from above: {at}.", at="d6"),
        ),
    )
)


SECOND_LESSON = Lesson(
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
