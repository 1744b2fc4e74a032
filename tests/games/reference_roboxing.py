"""Roboxing a second time, as plainly as the rulings say it, to compare the real rules with.

It knows nothing of `games`: a position is a line of text, an order is text, both as in the record. It is slow
and has no tables on purpose, and it was written from the rulings alone.
"""

from fractions import Fraction

COMPASS = {
    0: (-1, 1), 1: (0, 1), 2: (1, 1),
    3: (-1, 0), 4: (0, 0), 5: (1, 0),
    6: (-1, -1), 7: (0, -1), 8: (1, -1),
}  # fmt: skip


def read_layout(text: str) -> dict:
    """`ga(d)/…` as {"g": ("engine", (-1, 1)), …}: only what is intact."""
    slots, number, kind = {}, 0, "engine"
    for sign in text:
        if sign in "([":
            kind = "laser" if sign == "(" else "booster"
        elif sign in ")]/":
            kind = "engine"
        else:
            if sign != "*":
                slots[sign] = (kind, COMPASS[number])
            number += 1
    assert number == 9
    return slots


def read(position: str) -> dict:
    """{"A1": {"at": (0, 0), "slots": {…}, "text": "ga(d)/…"}}; None for a robot that has left."""
    robots: dict = {}
    for word in position.split(" "):
        name, rest = word.split("@")
        if rest == "-":
            robots[name] = None
        else:
            square, text = rest.split(":")
            at = ("abcdefghijklmno".index(square[0]), int(square[1:]) - 1)
            robots[name] = {"at": at, "slots": read_layout(text), "text": text}
    return robots


def write(robots: dict) -> str:
    words = []
    for name, robot in robots.items():
        if robot is None:
            words.append(f"{name}@-")
        else:
            x, y = robot["at"]
            words.append(f"{name}@{'abcdefghijklmno'[x]}{y + 1}:{robot['text']}")
    return " ".join(words)


def intact(robot: dict, kind: str) -> int:
    return len([1 for what, _ in robot["slots"].values() if what == kind])


def most_spaces(robot: dict) -> int:
    """X4"""
    return intact(robot, "engine") * (2 if intact(robot, "booster") else 1)


def legs(move: str) -> list:
    return [] if move == "-" else [(leg[0], int(leg[1:])) for leg in move.split("+")]


def on_board(square: tuple, width: int, height: int) -> bool:
    return 0 <= square[0] < width and 0 <= square[1] < height


def move_is_legal(robot: dict, move: str, width: int, height: int) -> bool:
    """X4, X9: intact engines with a direction, not too far, every single step on the board."""
    x, y = robot["at"]
    if sum(n for _, n in legs(move)) > most_spaces(robot):
        return False
    for letter, n in legs(move):
        kind, (dx, dy) = robot["slots"].get(letter, ("gone", (0, 0)))
        if kind != "engine" or (dx, dy) == (0, 0):
            return False
        for _ in range(n):
            x, y = x + dx, y + dy
            if not on_board((x, y), width, height):
                return False
    return True


def act_is_legal(robots: dict, name: str, act: str, width: int, height: int) -> bool:
    """X10 on top of that."""
    words = act.split(" ")
    robot = robots[name]
    if not move_is_legal(robot, words[0], width, height):
        return False
    if len(words) == 1:
        return True
    if robot["slots"].get(words[1], ("gone",))[0] != "laser":
        return False
    target, letter = aim(robots, name, words[2])
    return target[0] != name[0] and robots.get(target) is not None and letter in robots[target]["slots"]


def aim(robots: dict, name: str, word: str) -> tuple:
    if ":" in word:
        return tuple(word.split(":"))
    return next(other for other in robots if other[0] != name[0]), word


def covers(direction: tuple, here: tuple, there: tuple) -> bool:
    """X8, X9: the quarter of the board that spreads from that side."""
    dx, dy = there[0] - here[0], there[1] - here[1]
    if (dx, dy) == (0, 0):
        return False
    return {
        (-1, 0): dx < 0 and abs(dy) <= abs(dx),
        (1, 0): dx > 0 and abs(dy) <= abs(dx),
        (0, -1): dy < 0 and abs(dx) <= abs(dy),
        (0, 1): dy > 0 and abs(dx) <= abs(dy),
        (1, 1): dx >= 0 and dy >= 0,
        (-1, 1): dx <= 0 and dy >= 0,
        (1, -1): dx >= 0 and dy <= 0,
        (-1, -1): dx <= 0 and dy <= 0,
        (0, 0): True,
    }[direction]


def comes_to(robot: dict, width: int, height: int) -> set:
    """Every square to which single steps in the directions of the robot's engines lead it, and its own."""
    ways = [way for kind, way in robot["slots"].values() if kind == "engine"]
    found, left = {robot["at"]}, [robot["at"]]
    while left:
        x, y = left.pop()
        for dx, dy in ways:
            square = (x + dx, y + dy)
            if on_board(square, width, height) and square not in found:
                found.add(square)
                left.append(square)
    return found


def can_ever_hit(robot: dict, other: dict, width: int, height: int) -> bool:
    """Tell whether the robot would hit the other from some squares of both (X7 with the booster)."""
    range_ = intact(robot, "laser") * (2 if intact(robot, "booster") else 1)
    turrets = {way for kind, way in robot["slots"].values() if kind == "laser"}
    targets = comes_to(other, width, height)
    return any(
        max(abs(there[0] - here[0]), abs(there[1] - here[1])) <= range_ and covers(turret, here, there)
        for here in comes_to(robot, width, height)
        for there in targets
        for turret in turrets
    )


def is_dead(position: str, width: int, height: int) -> bool:
    """X13: no robot can ever hit an enemy."""
    robots = {name: robot for name, robot in read(position).items() if robot is not None}
    return not any(
        can_ever_hit(robot, other, width, height)
        for name, robot in robots.items()
        for rival, other in robots.items()
        if name[0] != rival[0]
    )


def play(position: str, orders: dict, width: int = 8, height: int = 8) -> tuple:
    """One turn (X3): the position after it, which shots hit, and the scores, None if the match goes on.

    `orders` are of all who are in; those who give "resign" leave before anything is played (G1).
    """
    robots = read(position)
    playing = {name[0] for name, robot in robots.items() if robot is not None}
    for seat, order in orders.items():
        if order == "resign":
            playing.remove(seat)
            for name in robots:
                if name[0] == seat:
                    robots[name] = None
    acts: dict = {}
    for seat, order in orders.items():
        if order != "resign":
            mine = [name for name, robot in robots.items() if name[0] == seat and robot is not None]
            acts.update(zip(mine, order.split(";"), strict=True))
    boosters_spent = set()
    for name, act in acts.items():  # all moves; X6: nobody is in the way
        robot, total = robots[name], 0
        for letter, n in legs(act.split(" ")[0]):
            dx, dy = robot["slots"][letter][1]
            robot["at"] = (robot["at"][0] + n * dx, robot["at"][1] + n * dy)
            total += n
        if total > intact(robot, "engine"):  # X5
            boosters_spent.add(name)
    hits, damage = {}, []
    for name, act in acts.items():  # all shots at once
        words = act.split(" ")
        if len(words) == 3:
            robot = robots[name]
            target, letter = aim(robots, name, words[2])
            range_ = intact(robot, "laser")  # X7
            if intact(robot, "booster") and name not in boosters_spent:
                range_ *= 2
            hits[name] = False
            if robots[target] is not None:
                here, there = robot["at"], robots[target]["at"]
                near = max(abs(there[0] - here[0]), abs(there[1] - here[1])) <= range_
                if near and covers(robot["slots"][words[1]][1], here, there):
                    hits[name] = True
                    damage.append((target, letter))
    for target, letter in damage:
        robot = robots[target]
        if letter in robot["slots"]:  # else another shot has destroyed it in this turn
            kind = robot["slots"].pop(letter)[0]
            shown = {"laser": f"({letter})", "booster": f"[{letter}]", "engine": letter}[kind]
            robot["text"] = robot["text"].replace(shown, "*")
    for name, robot in robots.items():  # X11
        if robot is not None and not (intact(robot, "laser") and intact(robot, "engine")):
            robots[name] = None
    left = {name[0] for name, robot in robots.items() if robot is not None}
    scores = None
    if len(left) <= 1 or is_dead(write(robots), width, height):
        winners = left or playing
        seats = sorted({name[0] for name in robots})
        scores = {seat: Fraction(1, len(winners)) if seat in winners else 0 for seat in seats}
    return write(robots), hits, scores
