"""What a player writes in the margin of a turn: a word that is sealed with it, and notes to himself.

Both are encrypted at rest. A word is shown once the order that it went with is shown; whether it is follows
from the facts, so nobody has to remember to reveal it. It is no part of the order, nor of its seal.
"""

from __future__ import annotations

from contextlib import suppress
from typing import NamedTuple

from django.db import transaction

from robosite.matches import flow
from robosite.matches.flow import Refused
from robosite.matches.models import Match, Program, Seat, TakenBack
from robosite.matches.seals import Lost, Secret, lock, unlock
from robosite.talk.models import Scribble

LONGEST = {Scribble.Kind.WORD: 200, Scribble.Kind.NOTE: 1_000}
"""The most characters of each."""
SHOWN = 30
"""How many notes a page shows at once."""


class Note(NamedTuple):
    turn: int
    text: str


def write(seat: Seat, kind: Scribble.Kind, turn: int, text: str) -> None:
    """Keeps a word for the present turn, or a note on it or an earlier one; no text takes it away."""
    text = text.replace("\r\n", "\n").strip()
    if len(text) > LONGEST[kind]:
        raise Refused("This is too long: {n} characters, {most} at most.", n=len(text), most=LONGEST[kind])
    with transaction.atomic():
        match = Match.objects.select_for_update().get(pk=seat.match_id)
        if kind == Scribble.Kind.WORD and (turn != match.turn or match.status not in flow.GOING_ON):
            raise Refused("That turn has been played meanwhile, without this word.")
        if not 0 <= turn <= match.turn:
            raise Refused("There is no such turn yet.")
        if not text:
            Scribble.objects.filter(seat=seat, turn=turn, kind=kind).delete()
            return
        secret = lock(_place(seat, kind, turn), Secret(text))
        kept = {"line": match.taken_back, "secret": secret}
        Scribble.objects.update_or_create(seat=seat, turn=turn, kind=kind, defaults=kept)


def word_of(seat: Seat, match: Match) -> str:
    """The word that goes with this seat's present turn, "" for none; for its own eyes."""
    return _words(match, match.turn, Scribble.objects.filter(seat=seat)).get(seat.letter, "")


def words_with(match: Match, turn: int) -> dict[str, str]:
    """The words that came with a turn that was played, by letter: each as soon as its order is known."""
    if turn >= match.turn:
        return {}
    shown = Program.objects.filter(seat__match=match, turn=turn, by="").exclude(seal="").exclude(order="")
    return _words(match, turn, Scribble.objects.filter(seat__programs__in=shown))


def notes_of(seat: Seat, before: int | None = None) -> tuple[list[Note], bool]:
    """The seat's last notes, or those before a turn, newest first; and whether there are older ones."""
    rows = Scribble.objects.filter(seat=seat, kind=Scribble.Kind.NOTE).order_by("-turn")
    if before is not None:
        rows = rows.filter(turn__lt=before)
    found = [Note(row.turn, text) for row in rows[: SHOWN + 1] if (text := read(seat, row))]
    return found[:SHOWN], len(found) > SHOWN


def note_of(seat: Seat, turn: int) -> str:
    row = Scribble.objects.filter(seat=seat, kind=Scribble.Kind.NOTE, turn=turn).first()
    return read(seat, row) if row else ""


def _words(match: Match, turn: int, rows: object) -> dict[str, str]:
    words = {}
    for row in Scribble.objects.filter(
        pk__in=rows, seat__match=match, turn=turn, kind=Scribble.Kind.WORD
    ).select_related("seat"):
        gone = TakenBack.objects.filter(seat__match=match, turn__lte=turn, number__gt=row.line)
        if not gone.exists() and (text := read(row.seat, row)):
            words[row.seat.letter] = text
    return dict(sorted(words.items()))


def read(seat: Seat, row: Scribble) -> str:
    """What is written there; "" if somebody else wrote it who sat there before, or no key opens it."""
    with suppress(Lost):
        return unlock(_place(seat, row.kind, row.turn), row.secret).text
    return ""


def _place(seat: Seat, kind: str, turn: int) -> str:
    """What it is bound to: a seat while the same person has it, whatever its letter becomes."""
    since = seat.taken_at.timestamp() if seat.taken_at else 0
    return f"{kind}/{seat.pk}/{since}/{turn}"
