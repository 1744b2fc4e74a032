"""Examples of Robble for the rules pages: a swap, a full board and its count, and a repeated position."""

from games.core import Example, Remark, Sentence, read_turns

EXAMPLES = (
    Example(
        key="swap",
        name=Sentence("A swap"),
        says=Sentence(
            "The first four turns of a match on a small board. The letter on a stone tells whose it is."
        ),
        options={"size": 5},
        turns=read_turns("A c3, B swap, A c2, B b4"),
        remarks={
            (1, 1): Remark(
                Sentence("A is Black and places the first stone right in the middle."),
                ({"kind": "placed", "by": "A", "side": "b", "at": "c3"},),
            ),
            (2, 1): Remark(
                Sentence(
                    "B would rather have that stone than answer it, and swaps. It stays black and stays "
                    "where it is, but it’s B’s now."
                ),
                ({"kind": "swapped", "by": "B", "side": "b"},),
            ),
            (3, 1): Remark(
                Sentence(
                    "A is White from now on and moves next. The black stone next to the new one makes way."
                ),
                (
                    {"kind": "placed", "by": "A", "side": "w", "at": "c2"},
                    {"kind": "pushed", "by": "A", "side": "b", "to": "c4", "from": "c3"},
                ),
            ),
            (4, 1): Remark(
                Sentence(
                    "B places a black stone, and it pushes B’s own: it makes no difference whose a stone is."
                ),
                (
                    {"kind": "placed", "by": "B", "side": "b", "at": "b4"},
                    {"kind": "pushed", "by": "B", "side": "b", "to": "d4", "from": "c4"},
                ),
            ),
        },
    ),
    Example(
        key="count",
        name=Sentence("The last stones, and the count"),
        says=Sentence(
            "The end of a match on a small board. The players have swapped colours, so A plays White "
            "and B plays Black. Who’ll have the biggest group?"
        ),
        options={"size": 5},
        first=47,
        turns=read_turns(
            "A a2, B swap, A e2, B d1, A b1, B a3, A c5, B a5, A e4, B a2, A d3, B b2, A e1, B a2, A d5, "
            "B d4, A c5, B b4, A c3, B b3, A d5, B c3, A b1, B a4, A b3, B e5, A a3, B a2, A b4, B c1, A b1, "
            "B b2, A e4, B a4, A a2, B a3, A a2, B e3, A a1, B e4, A e5, B b5, A d4, B d5, A b1, B a2, A e5, "
            "B a5, A a1, B e4, A e5"
        ),
        remarks={
            (47, 1): Remark(
                Sentence("White turns a black stone over. Three squares are left."),
                (
                    {"kind": "placed", "by": "A", "side": "w", "at": "e5"},
                    {"kind": "turned", "by": "A", "side": "w", "at": "d5"},
                ),
            ),
            (48, 1): Remark(
                Sentence(
                    "Black fills a corner, and that turns two black stones white. It can happen when little"
                    " room is left."
                ),
                (
                    {"kind": "placed", "by": "B", "at": "a5"},
                    {"kind": "turned", "by": "B", "side": "w", "at": "b5"},
                    {"kind": "turned", "by": "B", "side": "w", "at": "a4"},
                ),
            ),
            (49, 1): Remark(
                Sentence(
                    "White fills the corner: one black stone turns white, and one white stone turns black."
                ),
                (
                    {"kind": "placed", "by": "A", "at": "a1"},
                    {"kind": "turned", "by": "A", "side": "w", "at": "a2"},
                    {"kind": "turned", "by": "A", "side": "b", "at": "b1"},
                ),
            ),
            (50, 1): Remark(
                Sentence(
                    "The last empty square is beside the edge of the board, so a white stone falls "
                    "off, and the board is still not full."
                ),
                (
                    {"kind": "placed", "by": "B", "at": "e4"},
                    {"kind": "off", "by": "B", "side": "w", "from": "e5"},
                ),
            ),
            (51, 1): Remark(
                Sentence(
                    "Now it’s full. Black has groups of 6, 3, 3 and 1, White of 3, 3, 3, 2 and 1. "
                    "Two threes and a single stone cancel on both sides. Black is left with 6, White "
                    "with 3 and 2: Black wins, 6 to 3."
                ),
                (
                    {"kind": "placed", "by": "A", "at": "e5"},
                    {"kind": "won", "by": "B", "size": 6, "other": 3},
                ),
            ),
        },
    ),
    Example(
        key="repetition",
        name=Sentence("A position that comes back"),
        says=Sentence(
            "A computer found this match on five by five squares. The position at the beginning of the "
            "film has been on the board once before, twelve stones earlier. Watch it come back for the "
            "third time."
        ),
        options={"size": 5},
        first=31,
        turns=read_turns(
            "A b1, B d1, A e1, B d2, A a3, B d3, A d4, B e3, A e4, B d3, A b4, B d5, A c5, B b5, A b4, B c2, "
            "A b2, B b3, A c3, B d3, A b4, B c2, A b2, B b3, A c3, B d3, A b4, B c2, A b2, B b3, A c3, B d3, "
            "A b4, B c2, A b2, B b3, A c3, B d3, A b4, B c2, A b2, B b3"
        ),
        remarks={
            (31, 1): Remark(
                Sentence("Black places in the middle, and three stones make way."),
                (
                    {"kind": "pushed", "by": "A", "to": "e3", "from": "d3"},
                    {"kind": "pushed", "by": "A", "to": "c1", "from": "c2"},
                    {"kind": "pushed", "by": "A", "to": "a3", "from": "b3"},
                ),
            ),
            (32, 1): Remark(
                Sentence("The stone on {at} turns black. Remember that one.", at="d4"),
                ({"kind": "turned", "by": "B", "side": "b", "at": "d4"},),
            ),
            (36, 1): Remark(
                Sentence(
                    "Six stones later everything is as it was at the beginning, except for {at}, "
                    "which was white and is now black. So it’s a different position.",
                    at="d4",
                ),
                ({"kind": "placed", "by": "B", "side": "w", "at": "b3"},),
            ),
            (38, 1): Remark(
                Sentence("The same six stones again, and {at} turns back to white.", at="d4"),
                ({"kind": "turned", "by": "B", "side": "w", "at": "d4"},),
            ),
            (42, 1): Remark(
                Sentence(
                    "The same stones, and Black is to move, for the third time: a draw. On larger "
                    "boards this is thought to be impossible."
                ),
                ({"kind": "repeated"},),
            ),
        },
    ),
)
