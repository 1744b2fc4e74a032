"""A sentence for each kind of object that the board and the planner of Robosoccer draw."""

from games.core import Sentence

PIECES = {
    "big": Sentence("A big robot: it pushes opponents of every size, and jumps over none."),
    "medium": Sentence("A medium robot: it pushes medium and small opponents, and jumps over big ones."),
    "small": Sentence("A small robot: it pushes small opponents, and jumps over medium and big ones."),
    "ball": Sentence(
        "A ball: it only changes places with a robot of its own side, along a row or a diagonal."
    ),
}
PITCH = {
    "line": Sentence("A red line: no robot passes it; the ball doesn’t mind."),
    "arrow": Sentence("A small arrow: robots pass here only the way it points."),
    "once": Sentence("No way back: past this arrow a robot goes only the way it points."),
    "fixed": Sentence("A fixed arrow: robots pass here only the way it points, in every match."),
    "goal": Sentence("A goal: the ball that’s drawn there wins as soon as it’s on the row before it."),
    "home": Sentence("The home row of a side, on which its robots line up."),
    "roll": Sentence("The board wraps around: a robot that leaves it here comes in on the other side."),
    "pitch": Sentence("The pitch: robots go up, down and sideways, one square for each move."),
}
TURN = {
    "trail": Sentence("The path a piece took in this action."),
    "way": Sentence("The path of an action you’ve planned."),
    "number": Sentence("The number of the planned action; tap its slot to undo it."),
    "ghost": Sentence("Where this piece will be after your plan."),
    "scored": Sentence("The ball is on the far row: that wins at once."),
    "placed": Sentence("A piece has just been put here."),
    "do-move": Sentence("A move: tap this square, and the robot goes there."),
    "do-push": Sentence("A push: tap this robot, and yours takes its place; it goes one square on."),
    "do-jump": Sentence("A jump: tap this square, and your robot leaps there over the bigger one."),
    "do-switch": Sentence("A switch: tap here, and robot and ball change places."),
    "may-switch": Sentence("This robot can change places with your ball: tap the robot, then the ball."),
    "barred": Sentence("Not possible now: tap it to see why."),
    "veil": Sentence("In your plan, a piece leaves this square."),
    "picked": Sentence("The robot that you’ve picked up; tap it again to put it down."),
    "pick": Sentence("A piece of yours that can act: tap it to see what it can do."),
    "place": Sentence("A square for your next piece: tap it, or choose a robot below."),
    "slot": Sentence("An action of your turn: tap it to undo it."),
    "back": Sentence("Undoes what was done last."),
    "chance": Sentence("Lines up the robots at random."),
}
ACTS = {
    "moved": Sentence("A robot moved one square."),
    "pushed": Sentence("A robot pushed an opponent that’s no bigger."),
    "jumped": Sentence("A robot jumped over a bigger opponent."),
    "switched": Sentence("A robot changed places with its ball."),
    "lined-up": Sentence("Robots or a ball were put on the board."),
    "goal-mark": Sentence("A goal, which wins the match."),
}
THINGS = {**PIECES, **PITCH, **TURN, **ACTS}
"""The sentence for each kind of object; it is the same with all options (rulings S2 to S8)."""
