"""The reason why a shot missed, as far as the viewer of a position may know it (rulings X7, X8, X12).

A viewer who knows the shooter's layout gets a reason that follows from the zone; others get one that follows
from what everybody has seen.
"""

from games.core import Sentence
from games.roboxing.deduction import fitting_kinds, gone_before, seen, target_of
from games.roboxing.orders import legs_of, spent
from games.roboxing.ring import OFF, robot
from games.roboxing.robot import CENTRE, FAR, SLOT_NAMES, SLOTS, ZONES, Layout, reach
from games.roboxing.rules import Position


def why_missed(state: Position, i: int) -> Sentence:
    """Returns the reason why the last turn's shot of robot `i` missed, as the second half of a sentence."""
    ring, cause = state.ring, state.past[-1]
    shot = cause.acts[i].partition(" ")[2]
    target = target_of(ring, i, shot)
    here, there = cause.after[i], cause.after[target]
    at = robot(ring, ring.names[target])
    if there == OFF:
        return Sentence("{at} has left the ring.", at=at)
    square = str(ring.square(there))
    if here == there:
        return Sentence("both stand on {square}, and no laser hits its own square.", square=square)
    layout = state.layouts[i]
    if layout is None:
        return _as_seen(state, i, square, ZONES[CENTRE][there - here])
    return _as_known(state, i, layout, target)


def _as_known(state: Position, i: int, layout: Layout, target: int) -> Sentence:
    ring, cause = state.ring, state.past[-1]
    move, turret, _ = cause.acts[i].split(" ")
    moved, gone = spent(legs_of(move)), gone_before(state, i)
    here, was, there = cause.after[i], cause.before[target], cause.after[target]
    far, zone = reach(layout, gone, moved), layout.zones[turret]
    square, away = str(ring.square(there)), ZONES[CENTRE][there - here]
    if was != there and zone.get(was - here, FAR) <= far:
        facts = {"at": robot(ring, ring.names[target]), "was": str(ring.square(was)), "square": square}
        return Sentence("{at} moved out of the danger zone, from {was} to {square}.", **facts)
    if there - here not in zone:
        way = Sentence(SLOT_NAMES[SLOTS[layout.slot(turret)]])
        return Sentence("it fires {way}, and {square} isn’t on that side.", way=way, square=square)
    template = "{square} is {n} squares away, and its reach is {reach}."
    if away <= reach(layout, gone, 0):
        template = (
            "{square} is {n} squares away, and its reach is {reach}: the booster was spent on the move."
        )
    return Sentence(template, square=square, n=away, reach=far)


def _as_seen(state: Position, i: int, square: str, away: int) -> Sentence:
    """Returns the reason for those who do not know the robot's layout (ruling X12)."""
    moved, gone = spent(legs_of(state.past[-1].acts[i].partition(" ")[0])), gone_before(state, i)
    stood = seen(state, i)._replace(gone=gone)  # what it lost in this turn may have knocked it out
    reaches = [reach(kinds, gone, moved) for kinds in fitting_kinds(stood)]
    if away > max(reaches):
        return Sentence("{square} is {n} squares away, too far for it.", square=square, n=away)
    if away <= min(reaches):
        return Sentence("{square} isn’t on the side to which it fires.", square=square)
    here = str(state.ring.square(state.past[-1].after[i]))
    return Sentence("from {here} it doesn’t cover {square}.", here=here, square=square)
