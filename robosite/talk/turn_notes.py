"""Texts that a player writes for a turn: a word (a message revealed with the turn), or a private note.

Both are encrypted in the database. Others get a word once the order of the same seat and turn is revealed; it
is part of neither the order nor its seal.
"""

from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Exists, F, OuterRef, QuerySet, Subquery

from robosite.engine.prepared import Prepared, prepared
from robosite.matches import flow, locks
from robosite.matches.flow import Refused
from robosite.matches.models import Match, Program, Seat, TakenBack
from robosite.matches.seals import KeyMissing, Secret, decrypt_secret, encrypt_secret
from robosite.matches.wording import wording_of
from robosite.talk.models import TurnNote
from robosite.talk.strangers import was_among_friends, why_no_words
from robosite.web.caches import Made, made_once

LONGEST = {TurnNote.Kind.WORD: 200, TurnNote.Kind.NOTE: 1_000}
"""The maximum length of a text in characters, by its kind."""
BYTES_OF_A_CHARACTER = 6
"""The maximum number of bytes of a character. A control character escaped in JSON has six."""
SHOWN = 30
"""The maximum number of notes that a page shows at once."""
RECENT = 50
"""The number of a match's last turns whose revealed messages can count as unread."""


class Note(NamedTuple):
    turn: int
    text: str


class SealedWord(NamedTuple):
    """A player's message that was revealed with a turn, as listed among the other messages of its match."""

    match_id: int
    turn: int
    seat_id: int
    shown_name: str
    text: str
    sent_at: datetime
    """The time of the last seal in the turn. At this time, the turn was revealed."""
    to_all: bool = True
    hidden: bool = False
    phrase: str = ""

    @property
    def author(self) -> int:
        return self.seat_id


def write(seat: Seat, kind: TurnNote.Kind, turn: int, text: str) -> None:
    """Stores a player's text for a turn: a message to be revealed with the turn, or a private note.

    A word is for the present turn; a note may be on an earlier one. An empty text deletes the stored one.
    Raises Refused if the text or turn is not allowed, and SeatLost if the guest has lost the seat.
    """
    text = text.replace("\r\n", "\n").strip()
    if len(text) > LONGEST[kind]:
        raise Refused("This is too long: {n} characters, {most} at most.", n=len(text), most=LONGEST[kind])
    with locks.locked(seat.match_id) as match:
        flow.confirm_seat(seat)
        if not 0 <= turn <= match.turn:
            raise flow.why_not_this_turn(match, turn)
        if kind == TurnNote.Kind.WORD and (turn < match.turn or match.status not in flow.GOING_ON):
            raise Refused(wording_of(match.game).gone_without)
        if text and kind == TurnNote.Kind.WORD:
            if why := why_no_words(match):
                raise why
            flow.note_addressed(one for one in match.seats.all() if one.pk != seat.pk)
        if not text:
            TurnNote.objects.filter(seat=seat, turn=turn, kind=kind).delete()
            return
        room = BYTES_OF_A_CHARACTER * LONGEST[kind]
        secret = encrypt_secret(_place(seat, kind, turn), Secret(text), room=room)
        columns = {"line": match.taken_back, "secret": secret}
        TurnNote.objects.update_or_create(seat=seat, turn=turn, kind=kind, defaults=columns)


def word_of(seat: Seat, match: Match) -> str:
    """The message that the seat has written to be revealed with the present turn, or "".

    A message from somebody who has got the seat since `seat` was read cannot be decrypted with it.
    """
    rows = _own_words.rows(match.pk, match.turn, seat.pk)
    for row in rows:
        row.seat = seat
    return _words(match, match.turn, rows).get(seat.letter, "")


def words_with(match: Match, turn: int) -> dict[str, str]:
    """Returns the players' messages that were revealed with a turn (words), by the seat's letter."""
    if turn >= match.turn:
        return {}
    key = "words", match.key, match.version, turn
    made = made_once.get(key)
    if made is None:
        made = Made(_revealed(match, turn), 4 * LONGEST[TurnNote.Kind.WORD])
        transaction.on_commit(lambda: made_once.update({key: made}))  # else never revealed
    return dict(made.value)


def words_among_messages(matches: Collection[int], since: datetime | None = None) -> Iterator[SealedWord]:
    """Yields the players' messages that were revealed with turns, sorted by match, turn and seat."""
    own = Program.objects.filter(seat=OuterRef("seat"), turn=OuterRef("turn"), by="")
    shown = own.exclude(seal="").exclude(order="")
    rows = recently_revealed().filter(at__gt=since) if since else _revealed_notes()
    rows = rows.filter(Exists(shown), seat__match__in=matches, at__isnull=False)
    rows = rows.select_related("seat__match").order_by("seat__match", "turn", "seat")
    back = TakenBack.objects.filter(seat__match__in=matches) if rows else TakenBack.objects.none()
    gone = set(back.values_list("seat__match", "turn", "number"))
    for row in rows:
        match = row.seat.match
        if any(at == match.pk and turn <= row.turn and number > row.line for at, turn, number in gone):
            continue
        if was_among_friends(match, row):
            continue
        if text := text_of(row.seat, row):
            yield SealedWord(match.pk, row.turn, row.seat_id, row.seat.shown_name, text, row.at)


def recently_revealed() -> QuerySet[Any]:
    """Returns the `_revealed_notes` of the last RECENT turns of every match."""
    return _revealed_notes().filter(turn__gte=F("seat__match__turn") - RECENT)


def _revealed_notes() -> QuerySet[Any]:
    """Returns the words of played turns, each with the time of the reveal (the turn's last seal) as `at`."""
    of_turn = Program.objects.filter(seat__match=OuterRef("seat__match"), turn=OuterRef("turn"))
    last = of_turn.exclude(sealed_at=None).order_by("-sealed_at").values("sealed_at")[:1]
    rows: QuerySet[Any] = TurnNote.objects.filter(kind=TurnNote.Kind.WORD, turn__lt=F("seat__match__turn"))
    return rows.annotate(at=Subquery(last))


def _revealed(match: Match, turn: int) -> dict[str, str]:
    rows = _shown_words.rows(match.pk, turn)
    return _words(match, turn, [row for row in rows if not was_among_friends(match, row)])


def _words_of_turn(match: int, turn: int) -> QuerySet[TurnNote]:
    words = TurnNote.objects.filter(seat__match=match, turn=turn, kind=TurnNote.Kind.WORD)
    return words.select_related("seat")


@prepared(int, int)
def _shown_words(match: int, turn: int) -> QuerySet[TurnNote]:
    """Returns a turn's messages whose authors' own orders are revealed; runs for each revealed turn."""
    shown = Program.objects.filter(seat__match=match, turn=turn, by="").exclude(seal="").exclude(order="")
    return _words_of_turn(match, turn).filter(seat__in=shown.values("seat"))


_own_words = Prepared(lambda match, turn, seat: _words_of_turn(match, turn).filter(seat=seat), int, int, int)
"""A seat's message for a turn; prepared, since each page of a seat that may plan reads it."""


def notes_of(seat: Seat, before: int | None = None) -> tuple[list[Note], bool]:
    """Returns the seat's latest notes, latest turn first, and True if there are older notes, else False."""
    rows = TurnNote.objects.filter(seat=seat, kind=TurnNote.Kind.NOTE).order_by("-turn")
    if before is not None:
        rows = rows.filter(turn__lt=before)
    found = [Note(row.turn, text) for row in rows[: SHOWN + 1] if (text := text_of(seat, row))]
    return found[:SHOWN], len(found) > SHOWN


def note_of(seat: Seat, turn: int) -> str:
    row = TurnNote.objects.filter(seat=seat, kind=TurnNote.Kind.NOTE, turn=turn).first()
    return text_of(seat, row) if row else ""


def _words(match: Match, turn: int, rows: Iterable[TurnNote]) -> dict[str, str]:
    words = {}
    for row in rows:
        gone = TakenBack.objects.filter(seat__match=match, turn__lte=turn, number__gt=row.line)
        if not gone.exists() and (text := text_of(row.seat, row)):
            words[row.seat.letter] = text
    return dict(sorted(words.items()))


def text_of(seat: Seat, row: TurnNote) -> str:
    with suppress(KeyMissing):
        return decrypt_secret(_place(seat, row.kind, row.turn), row.secret).text
    return ""


def _place(seat: Seat, kind: str, turn: int) -> str:
    """The additional data to which the encryption of a text is bound, so that rows cannot be swapped."""
    since = seat.taken_at.timestamp() if seat.taken_at else 0
    return f"{kind}/{seat.pk}/{since}/{turn}"
