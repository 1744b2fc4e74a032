"""Does at once, in this thread, what background processes do: moves on, sends notices, plays for bots."""

from robosite.bots import owed_orders
from robosite.bots.worker import ORDER, think
from robosite.matches.clock import due_matches, move_on
from robosite.notices import group_channels, parcels, sender

ALL = 10**6


def tick() -> int:
    """Moves on all matches whose time is up, without a rest between them; says how many."""
    matches = due_matches(ALL)
    for match in matches:
        move_on(match)
    return len(matches)


def send_all() -> int:
    """Sends all that is due; returns how many."""
    sent = 0
    group_channels.note_changed()
    group_channels.move_on()
    while claimed := parcels.claim_letter() or parcels.claim_parcel() or group_channels.claim():
        sender.note_outcome(claimed, sender.ready(claimed)())
        sent += 1
    return sent


def answer_all() -> int:
    """Answers all questions to bots; returns how many."""
    answered = 0
    while tasks := [task for pk, _, _ in owed_orders.changed_since(None) for task in owed_orders.owed(pk)]:
        for task in tasks:
            owed_orders.give(task, think(task.question))
        answered += len(tasks)
        if all(task.question.what != ORDER for task in tasks):
            break
    return answered
