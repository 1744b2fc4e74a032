"""Parses and applies the planner's form: taps, a typed order, guesses of others' orders, the seal button."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from games.core import IllegalOrder
from robosite.matches import flow
from robosite.matches.flow import tap_marks
from robosite.matches.history import state_of
from robosite.matches.models import Match, Seat
from robosite.matches.seals import Secret
from robosite.play import planning, what_if
from robosite.play.decorators import number


class PlanChanged(flow.Refused):
    """Raised if the draft (unfinished order) has changed since the form's page was rendered.

    The form then changes nothing.
    """


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of applying the planner's form to a player's draft (unfinished order).

    `text` is the unfinished order or, if `as_typed`, the order typed into the field, which is to be sealed.
    `guesses` are guesses of others' orders. `taken` is the number of the page's last tap that is in the
    draft; None if it is not known. `refusal` is the reason why a part of the form was refused, or None.
    """

    text: str
    """The unfinished order, or the typed order if `as_typed`.

    Input that is refused leaves the unfinished order as it was, so that nothing is lost.
    """
    guesses: what_if.Guesses = what_if.NONE
    as_typed: bool = False
    """A flag: True if the order to seal is the text typed into the field, not the draft."""
    taken: int | None = None
    """The number of the page's last tap that is in the draft; None if it is not known (`tap_marks`)."""
    refusal: IllegalOrder | flow.Refused | None = None
    """The reason why a part of the form was refused, or None.

    Taps before that part are in the draft all the same.
    """
    former: str | None = None
    """The unfinished order before the last tap, if that tap replaced more than one part of it."""

    @property
    def taps_header(self) -> str:
        """The value of the header TAPS_HEADER: the number `taken`, or "?" if `taken` is None.

        If the form was refused, " refused" is appended. Nothing is appended after PlanChanged, since the form
        may then be sent again.
        """
        known = "?" if self.taken is None else str(self.taken)
        refused = self.refusal and not isinstance(self.refusal, PlanChanged)  # then it may be sent again
        return f"{known} refused" if refused else known


class PlannerForm:
    """The posted form with which a player plans an order: taps on the board, typed text, the seal button.

    `seat` is the player's seat. The methods return results and do not change the form.
    """

    def __init__(self, seat: Seat, post: Mapping[str, str]) -> None:
        self.seat, self.post = seat, post
        self.turn = number(post.get("turn"))
        self.taken_back = taken_back(post)
        self.seals = "seal" in post
        self.typed = post.get("typed", "")
        self.restored = None if post.get("use", "1") == "1" else post["use"]
        """The former order that the undo button brings back; None for any other button."""
        self.ready = post.get("ready", "")
        """The order with which the page's planner began, shown to a newcomer whose draft is empty; or ""."""
        self.tab = post.get("tab", "")[:40]
        self.keys = planning.keys_of(post)
        self.page, first = tap_marks.parse_mark(post.get("once", ""))
        self.last = first + len(self.keys[1:])
        """The number of the last tap in the form; a page numbers its taps consecutively."""

    def read(self, match: Match, draft: Secret, again: int = 0, *, goes_on: bool = False) -> Reading:
        """Applies the form's text, taps and guesses to `draft` (the unfinished order); stores nothing.

        The first `again` taps are skipped, since they are in the draft already. `goes_on` tells whether the
        skipped taps were the draft's last change; the form then applies even if its page showed an older
        draft. A refusal is not raised, but returned in `Reading.refusal`.
        """
        reading = Reading(draft.text)
        try:
            if match.status in flow.GOING_ON and not (self.seals and self.typed.strip()):
                # a typed order may be sent again later: the same one gets the same receipt
                flow.check_current(match, self.turn, self.taken_back)
            if self.turn == match.turn:
                view = state_of(match).view(self.seat.at)
                reading = replace(reading, guesses=what_if.parse_guesses(view, self.seat.at, self.post))
            if self._depends_on_the_draft() and not goes_on:
                self._check_seen(draft)
            if self.ready and not draft.text and self.turn == match.turn:
                reading = replace(reading, text=self._readable(match, self.ready))
            if self.restored is not None:
                return replace(reading, text=self._readable(match, self.restored))
            if "typed" in self.post and ("use" in self.post or self.typed.strip() not in ("", draft.text)):
                text = self.typed if self.seals else self._readable(match, self.typed)
                reading = replace(reading, text=text, as_typed=self.seals)
            return self._tap(match, reading, self.keys[again:]) if self.keys else reading
        except (IllegalOrder, flow.Refused) as refusal:
            return replace(reading, refusal=refusal)

    def _depends_on_the_draft(self) -> bool:
        seals_the_draft = self.seals and not self.typed.strip()
        return "choose" in self.post or "use" in self.post or seals_the_draft

    def _check_seen(self, draft: Secret) -> None:
        """Raises PlanChanged if the form says that its page showed another draft than `draft`."""
        mark = mark_of(draft.text, draft.nonce)
        if self.post.get("seen", mark) != mark:
            raise PlanChanged("Your plan had already changed, so nothing was done. This is how it stands.")

    def _tap(self, match: Match, reading: Reading, keys: Sequence[str]) -> Reading:
        """Applies at most MOST_TAPS of the choices `keys`, in order, and stops before one that is refused.

        A choice is a tap that adds to the unfinished order in `reading`. Raises IllegalOrder if the first
        choice is refused.
        """
        state = state_of(match)
        tapped = planning.choose_all(
            lambda text: planning.show_plan(state, self.seat, text), reading.text, keys
        )
        if tapped.refusal and not tapped.taken:
            raise tapped.refusal
        taken = self.last - len(keys) + tapped.taken
        return replace(reading, text=tapped.text, taken=taken, refusal=tapped.refusal, former=tapped.former)

    def was_played(self) -> bool:
        """Returns True if the form is to seal a draft that was already sealed and has been played.

        That happens if the form is sent twice. Returns False for a typed order.
        """
        if not self.seals or self.typed.strip() or self.taken_back not in (None, self.seat.match.taken_back):
            return False
        order = flow.played_order(self.seat, self.turn)
        return order is not None and self.post.get("seen") == mark_of(order)

    def keep(self) -> tuple[flow.Standing | None, Reading]:
        """Applies the form to the draft (unfinished order), and stores the new draft.

        Taps that are in the draft already are skipped. Returns a pair: the match with its seats and orders
        after the change (None if the change was refused), and the result of applying the form.
        """
        return self._keep(self._read_within)

    def _read_within(self, match: Match, old: Secret, known: int | None) -> Reading:
        first = self.last - max(len(self.keys), 1) + 1
        again = max(known - first + 1, 0) if known else 0
        reading = self.read(match, old, again, goes_on=again > 0 and tap_marks.is_last(old.nonce, self.page))
        return reading if self.keys or reading.refusal else replace(reading, taken=self.last)

    def _keep(
        self, change: Callable[[Match, Secret, int | None], Reading]
    ) -> tuple[flow.Standing | None, Reading]:
        """Stores the draft that `change` returns, and returns the same as `keep`.

        If a part of the form was refused, the draft is stored only if at least one tap before that part was
        applied. `change` gets the match, the seat's draft, and the number of the page's last tap that is in
        the draft: 0 if none is, None if that is not known. If the whole form is in the draft already,
        `change` is not called.
        """

        def within(match: Match, old: Secret) -> tuple[Secret, Reading]:
            known = tap_marks.last_tap(old.nonce, self.page, empty=not old.text) if self.page else None
            if known and known >= self.last:  # all of the form is in the draft
                return old, Reading(old.text, taken=known)
            reading = change(match, old, known)
            if reading.refusal and reading.taken is None:  # none of its taps was accepted
                return old, replace(reading, taken=known)
            once = self.page and f"{self.page}.{reading.taken}"
            return Secret(reading.text, tap_marks.add_mark(old.nonce, once)), reading

        try:
            return flow.redraft(self.seat, self.turn, within, self.tab, taken_back=self.taken_back)
        except (IllegalOrder, flow.Refused) as refusal:
            return None, Reading(flow.draft_of(self.seat.match, self.seat), refusal=refusal)

    def keep_refused(self, text: str) -> Reading:
        """Stores `text`, an order that could not be sealed, as the draft.

        If the game cannot read the text, or the change is refused, the draft stays unchanged and the result
        has the `refusal`.
        """
        _standing, reading = self._keep(
            lambda match, _old, _known: Reading(self._readable(match, text), taken=self.last)
        )
        return reading

    def _readable(self, match: Match, typed: str) -> str:
        return planning.readable(state_of(match).view(self.seat.at), self.seat.at, typed)

    def whole_order(self, reading: Reading) -> str | None:
        """The order to seal: the typed text unchanged, or the planned order.

        Returns None if the planned order is incomplete, the turn waits for it, and no text was typed. In all
        other cases, an incomplete order is returned as it is.
        """
        if reading.as_typed:
            return reading.text
        plan = planning.show_plan(state_of(self.seat.match), self.seat, reading.text)
        if not plan.missing:
            return plan.order
        if not self.typed.strip() and self.seat.at in flow.owing(self.seat.match):
            return None
        return reading.text


def mark_of(draft: str, marks: str = "") -> str:
    """A hash of a draft (unfinished order), by which a form says which draft its page showed.

    `marks` are the marks that are stored with the draft (`tap_marks.py`). Of these, only the mark of a
    reopened draft changes the hash.
    """
    known = draft + tap_marks.reopening_of(marks)
    return hashlib.sha256(known.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def taken_back(post: Mapping[str, str]) -> int | None:
    """The number of turns that were taken back before the form's page was rendered; None if it is missing."""
    given = post.get("taken_back")
    return None if given is None else number(given)
