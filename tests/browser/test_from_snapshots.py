"""Each game is played to its end from ARIA snapshots alone, and tasks are solved: all that is known is said.

They have nothing but the names, words and announcements of the accessibility tree, and the rules of the
game; each choice below is made from words. In Robosoccer the other player is a program at the API that does
nothing dangerous.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Seated, Visit
from tests.browser.ears import Ear, Steps, presses, tab_to_turn
from tests.browser.people import DESKTOP, STILL, A, B, sit
from tests.receivers import until
from tests.screenshots.town import Table

Ways = tuple[int, int]


def two(visit: Visit, table: Table) -> tuple[Ear, Ear]:
    ada, ben = (Ear(sit(visit(name, **DESKTOP, **STILL), table, at)) for name, at in (("Ada", A), ("Ben", B)))
    ada.listen()
    ben.listen()
    return ada, ben


def at(square: str) -> Ways:
    return ord(square[0]) - ord("a"), int(square[1:])


# Robo Battle Pigs: Ada walks to where she faces Ben, Ben fires whenever she stands before his laser.

HEADINGS: dict[str, Ways] = {"north": (0, 1), "east": (1, 0), "south": (0, -1), "west": (-1, 0)}
STANDS = re.compile(r"(\w+) stands? on (\w\d), faces? (\w+)")


def aside(here: str, faces: str, there: str) -> Ways:
    """The distances to somebody: ahead of me, and to my right."""
    (x, y), (there_x, there_y), (east, north) = at(here), at(there), HEADINGS[faces]
    dx, dy = there_x - x, there_y - y
    return dx * east + dy * north, dx * north - dy * east


def hunt(ahead: int, right: int) -> str:
    """The command that brings a pig to bear upon another one."""
    if ahead > 0 and not right:
        return "fire"
    if ahead > 0:
        return "ahead right" if right > 0 else "ahead left"
    return "turn right" if right >= 0 else "turn left"


def lie_in_wait(ahead: int, right: int) -> str:
    return "fire" if ahead > 0 and not right else "punch"


def plan_round(ear: Ear, decide: Callable[[int, int], str], me: str, other: str) -> list[str]:
    """Fills the free slots: each command from where the last announcement says that it begins."""
    known = {told[1]: told for sentence in ear.board() if (told := STANDS.search(sentence))}
    here, faces, there = known[me][2], known[me][3], known[other][2]
    slots = ear.names("button")
    planned = []
    for _ in range(sum(name.endswith(("free.", "free. Fill it next.")) for name in slots)):
        planned.append(decide(*aside(here, faces, there)))
        said = ear.plan(f"^{planned[-1]}$")
        assert said.startswith("Slot ")
        if moved := re.search(r"you go to (\w\d), facing (\w+)", said):
            here, faces = moved[1], moved[2]
        elif turned := re.search(r"you face (\w+)", said):
            faces = turned[1]
    return planned


@pytest.mark.more
def test_pigs(visit: Visit, seated: Seated) -> None:
    ada, ben = two(visit, seated("pigs", "by snapshots"))
    for number in range(1, 9):
        planned = plan_round(ada, hunt, "You", "Ben")
        assert "fire" in planned
        ada.press("^Seal$")
        ada.hears("Sealed")
        plan_round(ben, lie_in_wait, "You", "Ada")
        ben.press("^Seal$")
        for ear in (ada, ben):
            *_, told = ear.hears_film(f"What happened in round {number}")
        if "is destroyed!" in told:
            break
        for ear in (ada, ben):
            ear.come_to_turn()
    assert told.endswith("Your pig is destroyed!")
    assert (ben.said[-1], ada.said[-1]) == ("You lost.", "You won!")
    ada.hears("You won!")
    ben.hears("You lost.")


# Robble: each stone goes where the words promise the most, and takes none off the board, so that it fills up.

SQUARE = re.compile("[a-e][1-5]: ")


def worth(name: str, own: str, other: str) -> int:
    """The gain of a stone on an empty square, as the square's name says, in stones of one's own."""
    won, lost = (len(re.findall(f"turns over and is {colour}", name)) for colour in (own, other))
    return won - lost - 9 * name.count("off the board")


def place(ear: Ear) -> str:
    """Reads the board, chooses a square by its name, and plays it; the name that was chosen."""
    words = " ".join(ear.board())
    own = "black" if "You play Black" in words else "white"
    other = {"black": "white", "white": "black"}[own]
    squares = [name for name in ear.names("button") if SQUARE.match(name)]
    best = max(squares, key=lambda name: worth(name, own, other))
    said = ear.plan(f"^{re.escape(best)}$")
    assert said.startswith(f"You place a {own} stone on {best[:2]}.")
    ear.press(f"^Place on {best[:2]}$")
    return best


@pytest.mark.more
def test_robble(visit: Visit, seated: Seated) -> None:
    ada, ben = two(visit, seated("robble", "by snapshots", "small"))
    chosen = [place(ada)]
    ben.hears("or swap colours")
    assert ben.plan("^Swap colours: take Black$").startswith("You swap colours: you play Black")
    ben.press("^Swap colours$")
    *_, told = ada.hears_film("What happened in turn 2")
    assert "Ben plays Black from now on, and you play White." in told
    ada.hears("Ben has swapped colours, so you play White now.")
    ear, other = ada, ben
    while not re.search("You won!|You lost.|The board is full\\.", ear.snapshot()):
        ear.hears("It’s your turn")
        ear.come_to_turn()
        chosen.append(place(ear))
        *_, told = other.hears_film(f"What happened in turn {len(chosen) + 1}")
        did = chosen[-1].partition(": ")[2]
        assert did == "nothing else changes" or did in told, (did, told)
        ear, other = other, ear
    assert len(chosen) >= 24 and any("turns over" in name for name in chosen)
    assert "The board is full." in told
    assert {"You won!", "You lost."} == {str(ear.hears("You won!|You lost.")[0]) for ear in (ada, ben)}


# Roboxing: both come nearer until a laser covers the square on which the words say that the other stands.

IS_ON = re.compile(r"(\w+) stands? on (\w\d)")
WAYS = {
    f"{north}{'-' if north and east else ''}{east}": (x, y)
    for y, north in ((1, "north"), (0, ""), (-1, "south"))
    for x, east in ((-1, "west"), (0, ""), (1, "east"))
}


def fire(ear: Ear, enemy: str, wishes: tuple[str, ...]) -> str:
    """Fires the laser that covers the enemy, at a letter by what the words say of it; "" if none does."""
    covers = re.compile(f"^laser .*: fire. {enemy} is in reach")
    if not any(covers.match(name) for name in ear.names("button")):
        return ""
    ear.plan(covers.pattern)
    aims = re.compile(f"aim at {enemy}’s slot (\\w)")
    letters = [name for name in ear.names("button") if aims.match(name)]
    wanted = next(name for wish in wishes for name in letters if wish in name)
    letter = wanted[aims.match(wanted).end() - 1]
    said = ear.plan(f"^{re.escape(wanted)}$")
    assert re.search(f"Laser . fires at {enemy}’s slot {letter}", said), said
    return letter


def come_nearer(ear: Ear, me: str, enemy: str) -> bool:
    """One step with the engine that leads there best, by where the words say that both stand, or will."""
    known = {told[1]: at(told[2]) for sentence in ear.board() if (told := IS_ON.match(sentence))}
    if planned := re.findall(r"Engine .: .* spaces? [\w-]+, to (\w\d)\.", ear.snapshot()):
        known[me] = at(planned[-1])
    engines = [name for name in ear.names("button") if name.startswith("engine ")]

    def distance(name: str) -> int:
        way = WAYS[name.rpartition("step ")[2]]
        return max(abs(known[enemy][n] - known[me][n] - way[n]) for n in (0, 1))

    if engines:
        said = ear.plan(f"^{re.escape(min(engines, key=distance))}$")
        assert re.search(r"Engine .: .* to \w\d\.", said), said
    return bool(engines)


def fight(ear: Ear, enemy: str, wishes: tuple[str, ...], most: int) -> str:
    """Comes nearer by up to so many steps until a laser covers the enemy; the letter shot at, or ""."""
    ear.come_to_turn()
    ear.hears("Your engines and lasers")
    aimed = fire(ear, enemy, wishes)
    while not aimed and most and come_nearer(ear, "You", enemy):
        aimed, most = fire(ear, enemy, wishes), most - 1
    if "Seal" not in ear.names("button"):
        ear.plan("^Stay$")
    ear.press("^Seal$")
    return aimed


@pytest.mark.more
def test_roboxing(visit: Visit, seated: Seated) -> None:
    ada, ben = two(visit, seated("roboxing", "by snapshots"))
    for ear in (ada, ben):
        ear.hears("Its nine parts are a secret")
        ear.page.keyboard.press("Escape")  # puts the guide away, which is said as well
        assert re.search("You hold .*, north\\.", ear.plan("^north: .* Pick it up.$"))
        ear.plan("^north: .* Put it down again.$")
        ear.press("^Seal$")
    aimed, told = "", ""
    for number in range(1, 16):
        for ear in (ada, ben):
            told = " ".join(ear.hears_film(f"What happened in turn {number}"))
        assert not aimed or f"at your slot {aimed} and " in told
        if "knocked out" in told:
            break
        aimed = fight(ada, "Ben", ("is an engine", "is a laser", ""), 8)
        fight(ben, "Ada", ("", "is an engine", "is a laser"), 1)
    assert "You’re knocked out" in told
    ada.hears("You won!")
    ben.hears("You lost.")


READ = "window.read = []; addEventListener('focusin', ({ target }) => window.read.push(target.outerHTML))"
TASKS: dict[str, tuple[Steps, str]] = {
    "/puzzles/pigs/1/": (
        [
            ("8", "Slot 1: forward; you go to f5, facing north. 4 slots are still free."),
            ("z", "z. 4 slots are still free."),
            ("8", "Slot 2: forward; you go to f6, facing north. 3 slots are still free."),
            ("f", "Slot 3: fire; you stand on f6, facing north. 2 slots are still free."),
            ("f", "Slot 4: fire; you stand on f6, facing north. One slot is still free."),
            ("Control+Enter", "One slot is still free."),
            ("h", "Slot 5: punch; you stand on f6, facing north. Control+Enter: Seal."),
        ],
        "Solved.",
    ),
    "/puzzles/roboxing/3/": (
        [
            ("-", "Stays on g8. Control+Enter: Seal."),
            ("e", "Laser e, south-west: A is in reach. It covers .* Choose a letter for laser e."),
            ("h", "Laser e fires at A’s slot h. Control+Enter: Seal."),
        ],
        "Solved.",
    ),
    "/puzzles/robosoccer/1/": (
        [
            ("c8", "Tap where it goes: move c8 to d8, move c8 to c7, move c8 to b8."),
            ("b8", "Action 1: move c8 to b8. Play it, .* Control[+]Enter: Play this turn."),
            ("b8", "Tap where it goes: push b7 to b6, .* with the ball on a7."),
            (
                "a7",
                "Action 2: switch the robot on b8 with the ball on a7. Goal! Play it. Control[+]Enter: Goal!",
            ),
        ],
        "Solved.",
    ),
    "/puzzles/robble/3/": (
        [
            ("b1", "b1: black stone. Choose an empty square for the stone."),
            ("a1", "You place a black stone on a1. .* Control[+]Enter: Place on a1."),
        ],
        "That doesn’t always win.",
    ),
    "/learn/pigs/1/": (
        [
            ("888", "Slot 3: forward; you go to d5, facing north. 2 slots are still free."),
            ("hh", "Slot 5: punch; you stand on d5, facing north. Control+Enter: Seal."),
        ],
        "Well done.",
    ),
}


def opened(visit: Visit, address: str) -> Ear:
    ear = Ear(visit("Ada", **DESKTOP, **STILL))
    ear.page.goto(address)
    ear.listen()
    expect(ear.page.get_by_role("grid")).to_be_attached()
    return ear


def solves(visit: Visit, address: str) -> Ear:
    """Plays a task: its verdict has the focus, is a heading, and the title begins with it."""
    steps, verdict = TASKS[address]
    ear = opened(visit, address)
    tab_to_turn(ear)
    presses(ear, steps)
    ear.page.keyboard.press("Control+Enter")
    heading = ear.page.get_by_role("heading", name=verdict, exact=True)
    expect(heading).to_be_focused()
    expect(ear.page).to_have_title(
        re.compile(f"^{re.escape(verdict)} · .*{'puzzle' if 'puzzles' in address else '1 of'}")
    )
    return ear


def test_a_puzzle_is_solved_by_ear_and_its_laser_names_whom_it_reaches(visit: Visit) -> None:
    ear = solves(visit, "/puzzles/roboxing/3/")
    ear.page.goto("/puzzles/roboxing/3/")
    lasers = [name for name in ear.names("button") if name.startswith("laser ")]
    assert any(name.endswith(": fire. A is in reach.") for name in lasers), lasers


@pytest.mark.more
@pytest.mark.parametrize("address", [one for one in TASKS if one != "/puzzles/roboxing/3/"])
def test_what_is_said_of_a_task(visit: Visit, address: str) -> None:
    solves(visit, address)


def test_a_hint_is_what_its_page_begins_with(visit: Visit) -> None:
    ear = opened(visit, "/puzzles/robosoccer/9/?order=&again#lesson")
    expect(ear.page.locator(":focus")).to_have_text("The first action begins on a7.")


def test_a_key_that_cannot_be_used_is_told_why_and_an_answer_does_not_read_the_button_again(
    visit: Visit,
) -> None:
    ear = opened(visit, "/learn/pigs/1/")
    ear.page.wait_for_timeout(2500)  # the scripts that nobody waits for
    tab_to_turn(ear)
    presses(ear, [("Control+Enter", "5 slots are still free.")])
    ear.page.wait_for_timeout(500)
    assert len(ear.said) == 1, ear.said
    is_not_read_again(ear, "8")
    (forward, said), punch = TASKS["/learn/pigs/1/"][0]
    presses(ear, [(forward[1:], said), punch])

    def is_refused() -> bool:
        ear.page.keyboard.press("f")  # nothing is refused while taps wait
        return ear.said[-1] == "All slots are taken. Empty one first."

    until(is_refused)


def test_an_answer_on_a_board_does_not_read_its_square_again(visit: Visit) -> None:
    ear = opened(visit, "/learn/robble/1/")
    ear.page.wait_for_timeout(2500)
    tab_to_turn(ear)
    is_not_read_again(ear, "c4")


def is_not_read_again(ear: Ear, key: str) -> None:
    """The key is answered while the focus stays where it is."""
    told = len(ear.said)
    ear.page.evaluate(READ)
    button = ear.page.evaluate_handle("document.activeElement")
    ear.page.keyboard.type(key)
    until(lambda: len(ear.said) > told)
    assert button.evaluate("button => button === document.activeElement")
    assert ear.page.evaluate("window.read") == []
