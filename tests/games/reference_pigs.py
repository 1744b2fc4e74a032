"""Robo Battle Pigs a second time, as plainly as the rulings say it, to compare the real rules with.

It knows nothing of `games`: a position is a line of text, a command is letters, both as in the record. It is
slow and has no tables on purpose, and it was written from the rulings alone.
"""

from fractions import Fraction

AHEAD = {"N": (0, 1), "E": (1, 0), "S": (0, -1), "W": (-1, 0)}
ROUND_THE_CLOCK = "NESW"


def read(text: str) -> dict:
    """`A=d8S0` as {"A": {"at": (3, 7), "facing": "S", "damage": 0}}; a hulk's damage is "x", None is gone.

    `A=d8S2+3` has "dealt": 3 too.
    """
    pigs: dict = {}
    for word in text.split(" "):
        seat, _, rest = word.partition("=")
        if rest == "-":
            pigs[seat] = None
        else:
            at = ("abcdefgh".index(rest[0]), int(rest[1]) - 1)
            taken, _, dealt = rest[3:].partition("+")
            pigs[seat] = {"at": at, "facing": rest[2], "damage": "x" if taken == "x" else int(taken)}
            if dealt:
                pigs[seat]["dealt"] = int(dealt)
    return pigs


def write(pigs: dict) -> str:
    words = []
    for seat, pig in pigs.items():
        if pig is None:
            words.append(f"{seat}=-")
        else:
            x, y = pig["at"]
            dealt = f"+{pig['dealt']}" if "dealt" in pig and pig["damage"] != "x" else ""
            words.append(f"{seat}={'abcdefgh'[x]}{y + 1}{pig['facing']}{pig['damage']}{dealt}")
    return " ".join(words)


def living(pigs: dict) -> list:
    return [seat for seat, pig in pigs.items() if pig is not None and pig["damage"] != "x"]


def walk(pig: dict, command: str) -> tuple:
    """The square a command leads to if nothing is in the way."""
    x, y = pig["at"]
    fx, fy = AHEAD[pig["facing"]]
    lx, ly = -fy, fx  # a quarter turn counter-clockwise: to the pig's left
    if command == "^":
        return (x + fx, y + fy)
    if command == "v":
        return (x - fx, y - fy)
    if command == "\\":
        return (x + fx + lx, y + fy + ly)
    if command == "/":
        return (x + fx - lx, y + fy - ly)
    return (x, y)


def on_board(square: tuple) -> bool:
    return 0 <= square[0] <= 7 and 0 <= square[1] <= 7


def step(
    pigs: dict,
    commands: dict,
    *,
    side_cross: str = "pass",
    laser: str = "first",
    race: bool = False,
    repaired: tuple = (),
) -> dict:
    """The position after one command of every living pig. `repaired`: those whose R is the fifth (P10).

    `race`: nobody is destroyed, and hits dealt are counted (P14).
    """
    alive = living(pigs)
    here = {seat: pigs[seat]["at"] for seat in alive}

    # P4: who would leave the board does not move.
    target = {seat: walk(pigs[seat], commands[seat]) for seat in alive}
    for seat in alive:
        if not on_board(target[seat]):
            target[seat] = here[seat]

    def exchanging(seat):
        for other in alive:
            if other != seat and target[seat] != here[seat]:
                if target[seat] == here[other] and target[other] == here[seat]:
                    return True
        return False

    # P6: side by side, diagonals that cross in one point, not stopped by an exchange.
    if side_cross == "forward":
        crossing = set()
        for one in alive:
            for two in alive:
                if one == two or commands[one] not in "\\/" or commands[two] not in "\\/":
                    continue
                if target[one] == here[one] or target[two] == here[two]:
                    continue
                gap = abs(here[one][0] - here[two][0]) + abs(here[one][1] - here[two][1])
                middle_one = [Fraction(here[one][i] + target[one][i], 2) for i in (0, 1)]
                middle_two = [Fraction(here[two][i] + target[two][i], 2) for i in (0, 1)]
                if gap == 1 and middle_one == middle_two and not exchanging(one) and not exchanging(two):
                    crossing.add(one)
        for seat in crossing:
            target[seat] = walk(pigs[seat], "^")
            if not on_board(target[seat]):
                target[seat] = here[seat]

    # P5, repeated until nothing changes; each time all look at once.
    while True:
        stopped = set()
        for seat in alive:
            if target[seat] == here[seat]:
                continue
            for other in alive:
                if other == seat:
                    continue
                other_moves = target[other] != here[other]
                if other_moves and target[other] == target[seat]:
                    stopped.add(seat)
                if not other_moves and here[other] == target[seat]:
                    stopped.add(seat)
                if other_moves and target[other] == here[seat] and target[seat] == here[other]:
                    stopped.add(seat)
        if not stopped:
            break
        for seat in stopped:
            target[seat] = here[seat]

    after: dict = {seat: None if pig is None else dict(pig) for seat, pig in pigs.items()}
    for seat in alive:
        if target[seat] != here[seat]:
            for other, pig in after.items():  # P12
                if pig is not None and pig["damage"] == "x" and pig["at"] == target[seat]:
                    after[other] = None
        after[seat]["at"] = target[seat]
        turn = {"TL": -1, "TR": 1}.get(commands[seat], 0)
        after[seat]["facing"] = ROUND_THE_CLOCK[(ROUND_THE_CLOCK.index(pigs[seat]["facing"]) + turn) % 4]

    # P3: then all attacks at once.
    hits = dict.fromkeys(alive, 0)
    points = dict.fromkeys(alive, 0)
    for seat in alive:
        x, y = after[seat]["at"]
        fx, fy = AHEAD[after[seat]["facing"]]
        if commands[seat] == "F":  # P7
            for distance in range(1, 8):
                square = (x + distance * fx, y + distance * fy)
                there = [other for other, pig in after.items() if pig is not None and pig["at"] == square]
                if there:
                    if there[0] in hits:
                        hits[there[0]] += 1
                        points[seat] += 1
                    if laser == "first":
                        break
        if commands[seat] == "H":  # P8
            for command in "\\^/":
                square = walk(after[seat], command)
                for other in alive:
                    if after[other]["at"] == square:
                        hits[other] += 1
                        points[seat] += 1

    for seat in alive:
        damage = after[seat]["damage"] + hits[seat] - (1 if seat in repaired else 0)  # P10
        after[seat]["damage"] = damage if damage < 5 or race else "x"
        if race:
            after[seat]["dealt"] += points[seat]
    return after


def play_round(
    text: str,
    programs: dict,
    *,
    side_cross: str = "pass",
    ends: str = "first_down",
    laser: str = "first",
    damage_moves: bool = True,
) -> tuple:
    """The positions after each step of a round, and the scores if it ends the game (else None)."""
    pigs = read(text)
    for seat, order in programs.items():  # G1
        if order == "resign":
            pigs[seat]["damage"] = "x"
    race = not damage_moves and ends == "first_down"
    words = {seat: program.split(" ") for seat, program in programs.items()}
    positions = []
    for number in range(5):
        before = living(pigs)
        commands = {seat: words[seat][number] for seat in before}
        repaired = tuple(seat for seat in before if number == 4 and words[seat] == ["R"] * 5)
        pigs = step(pigs, commands, side_cross=side_cross, laser=laser, race=race, repaired=repaired)
        positions.append(write(pigs))
        scores = judge(pigs, before, ends, race)
        if scores:
            return positions, scores
    return positions, None


def judge(pigs: dict, before: list, ends: str, race: bool) -> dict | None:
    """Each seat's share if a step ends the game, before which those lived; else None (P11, P13, P14)."""
    standing = living(pigs)
    fallen = [seat for seat in before if seat not in standing]
    if race:
        winners = [seat for seat in standing if pigs[seat]["dealt"] >= 5]
    elif ends == "first_down" and fallen and standing:
        fewest = min(pigs[seat]["damage"] for seat in standing)
        winners = [seat for seat in standing if pigs[seat]["damage"] == fewest]
    elif ends == "first_down":
        winners = fallen
    else:
        winners = [] if len(standing) >= 2 else standing or fallen
    return {seat: (1 / len(winners) if seat in winners else 0) for seat in pigs} if winners else None


def play_turn_of_lists(
    text: str,
    orders: dict,
    *,
    side_cross: str = "pass",
    ends: str = "first_down",
    laser: str = "first",
    damage_moves: bool = True,
) -> tuple:
    """P15: the position after a turn of continuous feedback, and the scores if it ends the game."""
    plain, lists = [], {}
    for word in text.split(" "):
        pig, bracket, listed = word.partition("[")
        plain.append(pig)
        if bracket:
            lists[word[0]] = [command for command in listed[:-1].split(",") if command]
    pigs = read(" ".join(plain))
    for seat, order in orders.items():
        if order == "resign":  # G1
            pigs[seat]["damage"] = "x"
        else:
            lists[seat] += order.split(" ")
    race = not damage_moves and ends == "first_down"
    before = living(pigs)
    taken = {seat: pigs[seat]["damage"] for seat in before}
    commands = {seat: lists[seat].pop(0) for seat in before}
    pigs = step(pigs, commands, side_cross=side_cross, laser=laser, race=race)
    words = write(pigs).split(" ")
    for i, seat in enumerate(pigs):
        if seat in living(pigs):
            if damage_moves:
                lists[seat] += [lists[seat][-1]] * (pigs[seat]["damage"] - taken[seat])
            words[i] += f"[{','.join(lists[seat])}]"
    return " ".join(words), judge(pigs, before, ends, race)
