"""The text of a position of Robo Battle Pigs, which has one word for each pig (docs/record.md)."""

from typing import NamedTuple

from games.core import seat_letters
from games.pigs import lists
from games.pigs.lists import List
from games.pigs.steps import GONE, HULK, LIVES, POSE_TEXTS, Pose, pose

TEXTS = {
    d: (*(f"{POSE_TEXTS[p]}{'x' if d == HULK else d}" for p in range(GONE)), "-")
    for d in (*range(LIVES), HULK)
}
"""The text of a pig or hulk by its damage (0 to 4, or HULK) and by its pose."""

COUNTS = frozenset(map(str, range(HULK)))
"""The texts of the numbers of hits, taken or dealt, that a position may contain: 0 to 99."""


class Pig(NamedTuple):
    """A parsed pig; `dealt` counts its hits in a race; `listed`: its list, and True if that is hidden."""

    pose: Pose
    damage: int
    dealt: int
    listed: tuple[List, bool]


def pig_text(p: Pose, damage: int) -> str:
    """Returns a pig as text, such as `d8S0` (pose and damage); `d8Sx` if it is destroyed, `-` if removed."""
    known = TEXTS.get(damage)
    return known[p] if known else f"{POSE_TEXTS[p]}{damage}"  # more than four hits were taken: a race (P14)


def read(text: str, seats: int, *, lasting: bool, race: bool) -> list[Pig]:
    """Parses the text of a position into its pigs, in seat order; raises ValueError for a bad text.

    A living pig has a list in continuous feedback (`lasting`, P15), and its hits in a `race` (P14).
    """
    words = text.split(" ")
    if len(words) != seats:
        raise ValueError(f"“{text}” has {len(words)} pigs, not {seats}.")
    pigs = []
    for letter, word in zip(seat_letters(seats), words, strict=True):
        seat, _, rest = word.partition("=")
        if seat != letter:
            raise ValueError(f"“{word}” should begin with “{letter}=”.")
        pigs.append(_pig(rest, word, lasting, race))
    standing = [pig.pose // 4 for pig in pigs if pig.pose != GONE]
    if len(set(standing)) < len(standing):
        raise ValueError(f"“{text}” has two pigs on one square.")
    return pigs


def _pig(rest: str, word: str, lasting: bool, race: bool) -> Pig:
    rest, bracket, listed = rest.partition("[")
    rest, plus, dealt = rest.partition("+")
    points = rest[3:]
    lives = rest != "-" and points != "x"
    if bool(bracket) != (lasting and lives):
        raise ValueError(f"“{word}” should have a list if the pig lives and the mode is continuous.")
    if bool(plus) != (race and lives):
        raise ValueError(f"“{word}” should have its hits after a + if the pig lives and this is a race.")
    if plus and dealt not in COUNTS:
        raise ValueError(f"“{word}” has no number of hits after its +.")
    if lives and not (points in COUNTS and (race or int(points) < LIVES)):
        raise ValueError(f"“{word}” has no damage that a pig can have here, and no x.")
    return Pig(
        GONE if rest == "-" else pose(rest[:3]),
        int(points) if lives else HULK,
        int(dealt or 0),
        lists.read(bracket + listed) if bracket else ((), False),
    )
