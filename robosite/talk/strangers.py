"""Limits on talk between strangers who met at an open table: at first, they may use only stock phrases."""

from __future__ import annotations

from django.db.models import Count, Q

from robosite.matches.flow import Refused
from robosite.matches.models import Match, MatchFlag, Seat
from robosite.talk.models import TurnNote

SEALS = 2
"""The number of orders that each player has to seal before anybody may type text."""


def only_phrases(match: Match) -> bool:
    """Returns True if the players of a match may use only stock phrases, and may not type text.

    - While strangers may still sit down, returns True.
    - If strangers may no longer sit down, and none has sat down, returns False.
    - If strangers have sat down, returns True until each player has sealed SEALS orders themselves. Players
      who have resigned do not count if at least two players have not resigned.
    """
    if is_open(match):
        return True
    if not match.may_have(MatchFlag.STRANGERS):
        return False
    own = Q(programs__by="", programs__sealed_at__isnull=False) & ~Q(programs__seal="")
    people = Seat.objects.filter(match=match, taken_at__isnull=False).exclude(kind=Seat.Kind.BOT)
    seats = list(people.annotate(sealed=Count("programs", filter=own)))
    staying = [seat for seat in seats if seat.resigned_turn is None]
    return any(seat.sealed < SEALS for seat in (staying if len(staying) > 1 else seats))


def is_open(match: Match) -> bool:
    """Returns True if strangers may still take a seat: the match is on the public list and has not begun.

    A match that was listed too long ago to be shown counts too.
    """
    return match.listed and match.status == Match.Status.OPEN


def check_may_type(match: Match) -> None:
    """Raises Refused if the players may use only stock phrases (`only_phrases`).

    Call this function while the match is locked.
    """
    if is_open(match):
        raise Refused("Anybody may sit down at this table, so you choose from the quick phrases for now.")
    if only_phrases(match):
        raise Refused("Until each of you has sealed twice, you choose from the quick phrases.")


def check_may_seal_words(match: Match) -> None:
    """Raises Refused if the players may not write messages that are revealed with a turn (`only_phrases`).

    Call this function while the match is locked.
    """
    if is_open(match):
        raise Refused("Anybody may sit down at this table, so no message can be sealed with a turn for now.")
    if only_phrases(match):
        raise Refused("Until each of you has sealed twice, no message can be sealed with a turn.")


def typed_before(seat: Seat) -> Q:
    """Returns a condition for messages that the seat's player may not read: typed before the seat was taken.

    The condition matches no message if no strangers met in the match, or if the seat is free.
    """
    if not (seat.taken_at and seat.match.may_have(MatchFlag.STRANGERS)):
        return Q(pk=None)
    return Q(sent_at__lt=seat.taken_at) & ~Q(text="")


def was_among_friends(match: Match, word: TurnNote) -> bool:
    """Returns True if strangers met in the match, and `word` was written before any of them sat down.

    `word` is a message that was revealed with a turn. It is known to be that old if it is for one of the
    first SEALS turns, since nobody can write a message for these turns once a stranger sits in the match.
    Returns False if the message was written after a take-back.
    """
    return match.may_have(MatchFlag.STRANGERS) and word.turn < SEALS and not word.line
