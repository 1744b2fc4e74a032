"""Examples of Robo Battle Pigs: the published three rounds, and the published turns with command lists."""

from games.core import Example, Remark, Seat, Sentence

A, B = Seat("A"), Seat("B")

EXAMPLES = (
    Example(
        key="three-rounds",
        name=Sentence("Two pigs, three rounds"),
        says=Sentence(
            "The example from the published rules, in our own words: two pigs, three rounds, and each pig "
            "is hit once."
        ),
        turns=(
            {A: "F ^ TR v H", B: "\\ \\ F ^ /"},
            {A: "v \\ \\ TR F", B: "/ / TL X F"},
            {A: "/ TL v \\ F", B: "v v v X H"},
        ),
        remarks={
            (1, 1): Remark(
                Sentence(
                    "A only fires, and B steps right into the line of fire. Moves come first, so B is "
                    "hit where it arrives."
                ),
                (
                    {"kind": "walked", "by": "B", "to": "d2"},
                    {"kind": "fired", "by": "A", "hit": True, "at": ["B"]},
                ),
            ),
            (1, 2): Remark(
                Sentence(
                    "Both come closer: A straight ahead, B ahead left once more, its nose still to the north."
                ),
                (
                    {"kind": "walked", "by": "A", "to": "d7"},
                    {"kind": "walked", "by": "B", "to": "c3", "command": "\\"},
                ),
            ),
            (1, 3): Remark(
                Sentence(
                    "A turns right, and so to the west, since it was facing south. B fires up its "
                    "column, where no one stands."
                ),
                (
                    {"kind": "turned", "by": "A", "way": "TR", "to": "west"},
                    {"kind": "fired", "by": "B", "to": "north", "hit": False},
                ),
            ),
            (1, 4): Remark(
                Sentence("A walks backwards, away to the east, and keeps facing west."),
                ({"kind": "walked", "by": "A", "to": "e7", "command": "v"},),
            ),
            (1, 5): Remark(
                Sentence(
                    "A’s fist reaches {all}. B comes to {at}: one square further, and it would have been "
                    "hit.",
                    all="d8, d7, d6",
                    at="d5",
                ),
                (
                    {"kind": "hit", "by": "A", "hit": False},
                    {"kind": "walked", "by": "B", "to": "d5"},
                ),
            ),
            (2, 1): Remark(
                Sentence(
                    "B has one point of damage, so one of its five commands is an X, in the fourth "
                    "slot. It runs to the north-east; A backs away again."
                ),
                (
                    {"kind": "walked", "by": "B", "to": "e6"},
                    {"kind": "walked", "by": "A", "to": "f7", "command": "v"},
                ),
            ),
            (2, 2): Remark(
                Sentence("Each wants to go where the other stands. Pigs don’t change places: both stay."),
                (
                    {"kind": "stopped", "by": "A", "cause": "pig", "to": "e6"},
                    {"kind": "stopped", "by": "B", "cause": "pig", "to": "f7"},
                ),
            ),
            (2, 3): Remark(
                Sentence("A tries once more. B only turns, but a pig that stays keeps its square."),
                (
                    {"kind": "stopped", "by": "A", "cause": "pig"},
                    {"kind": "turned", "by": "B", "to": "west"},
                ),
            ),
            (2, 4): Remark(
                Sentence("This is B’s X: nothing happens. A turns to the north."),
                ({"kind": "turned", "by": "A", "to": "north"},),
            ),
            (2, 5): Remark(
                Sentence("Both fire, and no one is in the way. The bumps have spoilt both plans."),
                (
                    {"kind": "fired", "by": "A", "hit": False},
                    {"kind": "fired", "by": "B", "hit": False},
                ),
            ),
            (3, 1): Remark(
                Sentence("A slips towards the corner, ahead right. B walks backwards, to the east."),
                (
                    {"kind": "walked", "by": "A", "to": "g8"},
                    {"kind": "walked", "by": "B", "to": "f6", "command": "v"},
                ),
            ),
            (3, 2): Remark(
                Sentence("A turns to the west. B backs away further and still faces west, too."),
                (
                    {"kind": "turned", "by": "A", "to": "west"},
                    {"kind": "walked", "by": "B", "to": "g6", "command": "v"},
                ),
            ),
            (3, 3): Remark(
                Sentence("Now both have the wall behind them."),
                (
                    {"kind": "walked", "by": "A", "to": "h8"},
                    {"kind": "walked", "by": "B", "to": "h6"},
                ),
            ),
            (3, 4): Remark(
                Sentence("A comes out of the corner, ahead left. B has its X in this slot."),
                ({"kind": "walked", "by": "A", "to": "g7", "command": "\\"},),
            ),
            (3, 5): Remark(
                Sentence(
                    "A fires west into the empty row. B stands diagonally behind A, and B’s fist hits it. "
                    "Both have one point now: a fourth round could begin, with an X for each."
                ),
                (
                    {"kind": "fired", "by": "A", "hit": False},
                    {"kind": "hit", "by": "B", "hit": True, "at": ["A"]},
                    {"kind": "hurt", "by": "A", "damage": 1},
                ),
            ),
        },
    ),
    Example(
        key="continuous",
        name=Sentence("Continuous feedback, four steps"),
        says=Sentence(
            "The sample from the published rules: three commands are on each list, and after every "
            "step each player adds one. The slip beside a pig shows its list; in a match no one else "
            "sees it."
        ),
        options={"mode": "continuous", "ends": "last_standing"},
        turns=(
            {A: "\\ F \\", B: "^ ^ ^"},
            {A: "^", B: "H"},
            {A: "TL", B: "TL"},
            {A: "F", B: "TR"},
        ),
        remarks={
            (1, 1): Remark(
                Sentence(
                    "The first command of each list runs, and two are left on it. Now both players add "
                    "a third: A a step ahead, B a punch."
                ),
                (
                    {"kind": "walked", "by": "A", "to": "e7"},
                    {"kind": "walked", "by": "B", "to": "e2"},
                ),
            ),
            (2, 1): Remark(
                Sentence(
                    "A fires down the column, and B is hit. The last command on B’s list is repeated: there"
                    " are two punches on it now."
                ),
                (
                    {"kind": "fired", "by": "A", "hit": True},
                    {"kind": "repeats", "by": "B", "times": 1, "length": 3},
                ),
            ),
            (3, 1): Remark(
                Sentence(
                    "B goes on with what was planned long ago. Its list stays longer by one, so B "
                    "reacts a step later than A."
                ),
                (
                    {"kind": "walked", "by": "B", "to": "e4"},
                    {"kind": "walked", "by": "A", "to": "f6"},
                ),
            ),
            (4, 1): Remark(
                Sentence(
                    "The punch that B added after the first step comes now, and A has just walked into it: "
                    "ahead right of B. Now A’s list grows, too."
                ),
                (
                    {"kind": "walked", "by": "A", "to": "f5"},
                    {"kind": "hit", "by": "B", "hit": True, "at": ["A"]},
                    {"kind": "repeats", "by": "A", "times": 1, "length": 3},
                ),
            ),
        },
    ),
)
