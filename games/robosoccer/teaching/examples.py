"""An example of Robosoccer: the last turns of a match, and its goal."""

from games.core import Example, Remark, Sentence, read_turns

EXAMPLES = (
    Example(
        key="goal",
        name=Sentence("A goal along the diagonal"),
        says=Sentence(
            "The last turns of a match. A plays upwards and needs ball A on the top row. Keep an eye "
            "on the corner {at} and on the diagonal that leads there.",
            at="a8",
        ),
        first=54,
        turns=read_turns(
            "A MSMLSL, B SMLMLS, A a2, B a7, B b8-b7 e8-e7, A d1-d2 d2-d3, B b7-b6, A b1=a2 d3=b1, "
            "B b6=a7 c8-b8, A e1-d1, B e7-d7 b8-b7, A f1-f2 f2-f3, B a7-f7 f7-e7, A d1-e1 c1-d1, "
            "B a8-a7 a7-f7, A b1-b2 f3-e3, B b7-b8 b8-c8, A e3-e4 e4=d3, B f7-f6 d7-c7, A d1-d2 a1-b1, "
            "B c8-b8 b8-b7, A b1-a1 d3-c3, B c7-c6 f6-f7, A a1-f1 b2-c2, B b7-c7 c6-d6, A e1-d1 d2-d3, "
            "B c7=b6 b6-a6, A d1-e1 c2-c1, B a6-a5 a5=c7, A f1-f2, B d6-c6 c6-b6, A c1-b1, B c7-b7, "
            "A b1-c1 e1-d1, B d8-d7 f7-a7, A d3=e4 f2-f1, B e7-f7 d7-d8, A d1-e1 c1-c2, B b6-a6 b7-b8, "
            "A a2-a3 f1=d3, B d8=a5 a7-a8, A d3=f1 e4=d3, B a5=d8 a6-f6, A a3-a4 c2-c1, B f7-e7 d8=a5, "
            "A a4^a6, B a5=d8 a8-a7, A d3=e4 a6=d3, B d8-c8 e7-d7, A c1-c2 f1-f2, B b8-b7 b7-b6, "
            "A c2-d2 f2-f1, B d7-d6 c8-d8, A d3=a6 a6>a7, B f8-e8 b6-a6, A e1-e2 e4=d3, B a8-f8 f6-f7, "
            "A a7-a8 a8=e4"
        ),
        remarks={
            (54, 1): Remark(
                Sentence(
                    "The ball changes places with a small robot. The ball goes back, but the robot is now "
                    "far ahead, on {at}.",
                    at="a6",
                ),
                ({"kind": "switched", "by": "A", "to": "a6", "from": "d3"},),
            ),
            (54, 2): Remark(
                Sentence(
                    "With the second action the small robot pushes one of B’s that’s no bigger up "
                    "into the corner."
                ),
                ({"kind": "pushed", "by": "A", "to": "a7", "on": "a8", "pushed": "small", "from": "a6"},),
            ),
            (55, 1): Remark(
                Sentence("B moves up along the top row."), ({"kind": "moved", "by": "B", "to": "e8"},)
            ),
            (55, 2): Remark(
                Sentence(
                    "One of B’s big robots comes up from behind. It could only push the small one into the "
                    "corner, where another of B’s robots is standing."
                ),
                ({"kind": "moved", "by": "B", "size": "big", "to": "a6"},),
            ),
            (56, 1): Remark(
                Sentence("One more robot of A comes forward."),
                ({"kind": "moved", "by": "A", "to": "e2", "from": "e1"},),
            ),
            (56, 2): Remark(
                Sentence(
                    "Now the ball goes to {at}: from there a free diagonal leads up to the corner, "
                    "over {way}.",
                    at="e4",
                    way="d5, c6, b7",
                ),
                ({"kind": "switched", "by": "A", "to": "d3", "from": "e4"},),
            ),
            (57, 1): Remark(
                Sentence(
                    "B’s small robot leaves the corner around the edge: out on the left, in on the right."
                ),
                ({"kind": "moved", "by": "B", "to": "f8", "from": "a8"},),
            ),
            (57, 2): Remark(
                Sentence("The big one follows on that side. No one guards the corner any more."),
                ({"kind": "moved", "by": "B", "size": "big", "to": "f7"},),
            ),
            (58, 1): Remark(
                Sentence("A’s small robot walks into the corner."),
                ({"kind": "moved", "by": "A", "to": "a8", "from": "a7"},),
            ),
            (58, 2): Remark(
                Sentence(
                    "And it changes places with the ball, all along the diagonal. The ball is on the "
                    "top row: goal!"
                ),
                (
                    {"kind": "switched", "by": "A", "to": "e4", "from": "a8"},
                    {"kind": "scored", "by": "A", "at": "a8"},
                ),
            ),
        },
    ),
)
