"""The first lesson of Robble: pushing stones, pushing them off, turning them over, and counting groups."""

from games.core import Exercise, Lesson, Sentence

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
