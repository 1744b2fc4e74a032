"""The lessons of Robosoccer: actions and scoring; then line-ups, a crowded home row and the cylinder."""

from games.core import Exercise, Lesson, Sentence

LESSON = Lesson(
    (
        Exercise(
            says=Sentence(
                "You’re A and play upwards. Move your small robot from {at} to {to}: tap it, then "
                "the square.",
                at="e3",
                to="e4",
            ),
            position="lmssml/3o2/6/6/6/4S1/2O3/LM1SML w",
            goal={"kind": "moved", "by": "A", "to": "e4"},
            answer="e3-e4",
            done=Sentence("A turn is one action or two, whichever you like."),
            hint=Sentence("Tap the robot on {at}, then {to}, and play the turn.", at="e3", to="e4"),
        ),
        Exercise(
            says=Sentence(
                "The ball never rolls: one of your robots changes places with it, along a row or a "
                "diagonal (never a column), with nothing in between. Bring the ball to {to}.",
                to="e4",
            ),
            position="lmssml/3o2/6/6/4S1/6/2O3/LM1SML w",
            goal={"kind": "switched", "by": "A", "from": "e4"},
            answer="e4=c2",
            done=Sentence("The ball is where the robot was. Robots run ahead, and the ball follows at once."),
            hint=Sentence(
                "The robot on {at} stands on a diagonal with the ball: tap it, then the ball.", at="e4"
            ),
        ),
        Exercise(
            says=Sentence(
                "A robot pushes an opponent’s robot that’s no bigger, if there’s an empty square "
                "behind it. Push the small one away with your big one."
            ),
            position="lms1ml/3o2/s5/L5/6/6/2O3/1M1SML w",
            goal={"kind": "pushed", "by": "A"},
            answer="a5>a6",
            done=Sentence("It goes one square further, and you stand where it stood."),
            hint=Sentence("Tap your big robot on {at}, then the opponent’s robot above it.", at="a5"),
        ),
        Exercise(
            says=Sentence(
                "A bigger robot can’t be pushed, but it can be jumped over. Jump over the big one "
                "with your small one."
            ),
            position="1mssml/3o2/l5/S5/6/6/2O3/LM2ML w",
            goal={"kind": "jumped", "by": "A"},
            answer="a5^a7",
            done=Sentence("Small robots are hard to stop."),
            hint=Sentence("Tap your small robot on {at}, then the square behind the big one.", at="a5"),
        ),
        Exercise(
            says=Sentence(
                "No robot passes a red line, and an arrow only lets robots pass the way it points. But "
                "left and right are joined: out on one side, in on the other. Bring your robot from {at} "
                "to {to}.",
                at="a4",
                to="f4",
            ),
            position="lmssml/3o2/6/6/S5/6/2O3/LM2ML w",
            goal={"kind": "moved", "by": "A", "to": "f4"},
            answer="a4-f4",
            done=Sentence("Around the edge in one step. The board is a cylinder."),
            hint=Sentence("Tap the robot, then {to}, the square beside it.", to="f4"),
        ),
        Exercise(
            says=Sentence(
                "Your ball on the far row wins at once. You have two actions: first move a robot "
                "there, then let it change places with the ball."
            ),
            position="lmss1l/4S1/2O3/mo4/6/6/6/LM2ML w",
            goal={"kind": "scored", "by": "A"},
            answer="e7-e8 e8=c6",
            done=Sentence("Goal! That’s all there is to it. Now play!"),
            hint=Sentence("First {at} to {to}; from there the ball is on a diagonal.", at="e7", to="e8"),
        ),
    )
)


SECOND_LESSON = Lesson(
    key="line-up",
    name=Sentence("The line-up, and two actions together"),
    exercises=(
        Exercise(
            says=Sentence(
                "Before the match you line up your robots on the home row, in any order. Put the two big "
                "ones in the middle, the medium ones beside them and the small ones at the ends."
            ),
            position="6/6/6/6/6/6/6/6 w",
            goal={"kind": "lined up", "by": "A", "robots": "SMLLMS"},
            answer="SMLLMS",
            done=Sentence(
                "B sees your row before lining up. Big robots can push everything, and small ones get past "
                "everything; which do you want where?"
            ),
            hint=Sentence("From left to right: small, medium, big, big, medium, small."),
        ),
        Exercise(
            says=Sentence(
                "Then the ball, on your second row. It changes places along rows and diagonals, never "
                "with the robot straight below it. Put it where it can go to both small robots at once."
            ),
            position="lmssml/6/6/6/6/6/6/MSLSML w",
            goal={"kind": "placed", "by": "A", "at": "c2"},
            answer="c2",
            done=Sentence(
                "From {at} both diagonals lead to a small robot. The quickest ones like to run ahead of "
                "the ball.",
                at="c2",
            ),
            hint=Sentence(
                "The small ones stand on {one} and {other}. Which square of the second row has both on a "
                "diagonal?",
                one="b1",
                other="d1",
            ),
        ),
        Exercise(
            says=Sentence(
                "Your home row is crowded. If a turn ended with six of your pieces on it, counting the "
                "ball, it would be refused. Bring the ball to {to} all the same.",
                to="c1",
            ),
            position="lmssml/3o2/6/6/6/6/1O4/LMSSML w",
            goal={"kind": "switched", "by": "A", "from": "c1"},
            answer="c1=b2 d1-d2",
            done=Sentence(
                "The second action made room. Only the end of the turn counts, not what happens in between."
            ),
            hint=Sentence("Switch {at} with the ball, then use the second action to leave the row.", at="c1"),
        ),
        Exercise(
            says=Sentence(
                "Two actions are often one idea. The ball could go far up to your small robot on {at}, but "
                "another robot of yours stands between. Step aside, then switch.",
                at="e6",
            ),
            position="lmssml/3o2/4S1/3M2/6/1O4/6/LM2SL w",
            goal={"kind": "switched", "by": "A", "from": "e6"},
            answer="d5-d4 e6=b3",
            done=Sentence(
                "One of your own in the way is no trouble: moving it costs one action, and you have two."
            ),
            hint=Sentence(
                "First move {at} to {to}, then switch the robot on {other} with the ball.",
                at="d5",
                to="d4",
                other="e6",
            ),
        ),
        Exercise(
            says=Sentence(
                "Left and right are joined for pushes, too. Push the medium robot on {at} with your big one, "
                "around the edge.",
                at="a4",
            ),
            position="lmss1l/3o2/6/6/m4L/6/2O3/LM1SMS w",
            goal={"kind": "pushed", "by": "A", "from": "f4", "to": "a4"},
            answer="f4>a4",
            done=Sentence("On a cylinder no one is safe at the edge, because there is none."),
            hint=Sentence("Tap the big robot on {at}, then the medium one on {to}.", at="f4", to="a4"),
        ),
        Exercise(
            says=Sentence(
                "Put it all together. With the first action your small robot goes around the edge, "
                "with the second it changes places with the ball: goal."
            ),
            position="S1ssm1/1m4/3O2/6/3o2/6/6/LM2ML w",
            goal={"kind": "scored", "by": "A"},
            answer="a8-f8 f8=d6",
            done=Sentence(
                "The ball itself never goes around the edge, but a robot that does can open new diagonals "
                "for it."
            ),
            hint=Sentence(
                "From {at} to {to}; there it stands on a diagonal with the ball.", at="a8", to="f8"
            ),
        ),
    ),
)
