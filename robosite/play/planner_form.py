"""Parses and applies the planner's form: taps, a typed order, guesses of others' orders, the seal button."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from games.core import IllegalOrder
from robosite.matches import flow
from robosite.matches.flow import orders
from robosite.matches.history import state_of
from robosite.matches.models import Match, Seat
from robosite.matches.seals import Secret
from robosite.play import planning, what_if
from robosite.play.decorators import number


class PlanChanged(flow.Refused):
    """Raised if the draft has changed since the form's page was rendered; the form then changes nothing."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The result of applying the planner's form to a player's draft (unfinished order)."""

    text: str
    """The new draft, or the typed order if `as_typed`; refused input leaves the draft as it was."""
    guesses: what_if.Guesses = what_if.NONE
    as_typed: bool = False
    """True if the order to seal is the text typed into the field, not the draft."""
    taken: int | None = None
    """The number of the page's last tap that is in the draft; None if it is not known."""
    refusal: IllegalOrder | flow.Refused | None = None
    """The refusal of a part of the form, or None; taps before that part are in the draft all the same."""
    former: str | None = None
    """The draft before the last tap, if that tap replaced more than one part of it."""

    @property
    def taps_header(self) -> str:
        """The value of TAPS_HEADER: such as "3", "?" (not known) or, unless by PlanChanged, "3 refused"."""
        known = "?" if self.taken is None else str(self.taken)
        refused = self.refusal and not isinstance(self.refusal, PlanChanged)  # then it may be sent again
        return f"{known} refused" if refused else known


class PlannerForm:
    """The posted form with which a player plans an order: taps, typed text, guesses, the seal button."""

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
        self.page, first = orders.parse_mark(post.get("once", ""))
        self.last = first + len(self.keys[1:])
        """The number of the last tap in the form; a page numbers its taps consecutively."""

    def read(self, match: Match, draft: Secret, again: int = 0, *, goes_on: bool = False) -> Reading:
        """Applies the form to `draft` without storing anything; a refusal is returned, not raised.

        `again` is the number of the form's taps that the draft has already. `goes_on`: this page made the
        draft's last change, so the form applies even if the page showed an older draft.
        """
        reading = Reading(draft.text)
        try:
            if match.status in flow.GOING_ON and not (self.seals and self.typed.strip()):
                # a typed order may be sent again later: the same one gets the same receipt
                flow.check_current(match, self.turn, self.taken_back)
            if self.turn == match.turn:
                view = state_of(match).view(self.seat.at)
                reading = replace(reading, guesses=what_if.parse_guesses(view, self.seat.at, self.post))
            if not goes_on:
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

    def _check_seen(self, draft: Secret) -> None:
        depends = "choose" in self.post or "use" in self.post or (self.seals and not self.typed.strip())
        mark = mark_of(draft.text, draft.nonce)
        if depends and self.post.get("seen", mark) != mark:
            raise PlanChanged("Your plan had already changed, so nothing was done. This is how it stands.")

    def _tap(self, match: Match, reading: Reading, keys: Sequence[str]) -> Reading:
        state = state_of(match)
        tapped = planning.choose_all(
            lambda text: planning.show_plan(state, self.seat, text), reading.text, keys
        )
        if tapped.refusal and not tapped.taken:
            raise tapped.refusal
        taken = self.last - len(keys) + tapped.taken
        return replace(reading, text=tapped.text, taken=taken, refusal=tapped.refusal, former=tapped.former)

    def was_played(self) -> bool:
        """Returns True if the draft that the form is to seal was sealed before and has been played."""
        if not self.seals or self.typed.strip() or self.taken_back not in (None, self.seat.match.taken_back):
            return False
        order = flow.played_order(self.seat, self.turn)
        return order is not None and self.post.get("seen", "").startswith(mark_of(order))

    def keep(self) -> tuple[flow.Standing | None, Reading]:
        """Stores the draft with the form's new taps or text; if refused, returns None for the Standing."""
        return self._keep(self._read_within)

    def _read_within(self, match: Match, old: Secret, known: int | None) -> Reading:
        first = self.last - max(len(self.keys), 1) + 1
        again = max(known - first + 1, 0) if known else 0
        reading = self.read(match, old, again, goes_on=again > 0 and orders.is_last(old.nonce, self.page))
        return reading if self.keys or reading.refusal else replace(reading, taken=self.last)

    def _keep(
        self, change: Callable[[Match, Secret, int | None], Reading]
    ) -> tuple[flow.Standing | None, Reading]:
        """Stores the draft that `change` makes of the old one, unless refused before any tap was applied.

        `change` also gets the number of the page's last tap in the draft: 0 if none is, None if that is not
        known. It is not called if the whole form is in the draft already.
        """

        def within(match: Match, old: Secret) -> tuple[Secret, Reading]:
            known = orders.last_tap(old.nonce, self.page, empty=not old.text) if self.page else None
            if known and known >= self.last:  # all of the form is in the draft
                return old, Reading(old.text, taken=known)
            reading = change(match, old, known)
            if reading.refusal and reading.taken is None:  # none of its taps was accepted
                return old, replace(reading, taken=known)
            once = self.page and f"{self.page}.{reading.taken}"
            return Secret(reading.text, orders.add_mark(old.nonce, once)), reading

        try:
            return flow.redraft(self.seat, self.turn, within, self.tab, taken_back=self.taken_back)
        except (IllegalOrder, flow.Refused) as refusal:
            return None, Reading(flow.draft_of(self.seat.match, self.seat), refusal=refusal)

    def keep_refused(self, text: str) -> Reading:
        """Stores an order that could not be sealed as the draft, if the game can read it."""
        _standing, reading = self._keep(
            lambda match, _old, _known: Reading(self._readable(match, text), taken=self.last)
        )
        return reading

    def _readable(self, match: Match, typed: str) -> str:
        return planning.readable(state_of(match).view(self.seat.at), self.seat.at, typed)

    def whole_order(self, reading: Reading) -> str | None:
        """The order to seal; None if the plan is incomplete, the turn waits for it, and nothing was typed."""
        if reading.as_typed:
            return reading.text
        plan = planning.show_plan(state_of(self.seat.match), self.seat, reading.text)
        if not plan.missing:
            return plan.order
        if not self.typed.strip() and self.seat.at in flow.owing(self.seat.match):
            return None
        return reading.text


def mark_of(draft: str, marks: str = "") -> str:
    """A hash that identifies the draft on a page; the random mark of a reopened draft is appended."""
    hashed = hashlib.sha256(draft.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return hashed + orders.reopening_of(marks).removeprefix(orders.REOPENED)


def taken_back(post: Mapping[str, str]) -> int | None:
    given = post.get("taken_back")
    return None if given is None else number(given)
