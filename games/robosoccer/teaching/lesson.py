"""The first lesson of Robosoccer: moving, switching, pushing, jumping, going around, scoring."""

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
