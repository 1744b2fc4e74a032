"""The requests of a planner's form: a tap, a typed order, guesses of the others, or the big button."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from contextlib import suppress

from games.core import IllegalOrder
from robosite.matches import flow
from robosite.matches.flow import tap_marks
from robosite.matches.history import state_of
from robosite.matches.models import Hold, Match, Seat
from robosite.matches.seals import Secret
from robosite.play import planning, what_if
from robosite.play.decorators import number


class Unfinished(Exception):
    """The order lacks something still, as its plan says (`Plan.missing`)."""


class PlanChanged(flow.Refused):
    """The draft is not the one on the page that sent the form: nothing was changed.

    Another page has changed it since, or this is a request that was sent once before.
    """


class PlannerForm:
    """A form of the seat's planner, read step by step.

    `text` is the order so far. A step that is refused (IllegalOrder, flow.Refused) leaves it as the step
    before made it, so refused input loses nothing.
    """

    def __init__(self, seat: Seat, post: Mapping[str, str]) -> None:
        self.seat, self.post = seat, post
        self.turn = number(post.get("turn"))
        self.taken_back = taken_back(post)
        self.text = ""
        self.as_typed = False
        """Whether the order to be sealed stands in the field for text, and is no draft."""
        self.guesses = what_if.NONE
        self.keys = planning.keys_of(post)
        self.tab = post.get("tab", "")[:40]
        self.page, first = tap_marks.parse_mark(post.get("once", ""))
        self.number = first + len(self.keys[1:])
        """That of the last tap in the form; they are numbered one after the other."""
        self.taken: int | None = None
        """The number of this page's last tap that is in the draft, as far as it is known (`tap_marks`)."""
        self._goes_on = False
        """Whether the draft is as the first taps of this request left it, whatever its page shows."""
        self.refusal: IllegalOrder | flow.Refused | None = None
        """Why something of the form was not done; taps before it are in the draft all the same."""

    @property
    def seals(self) -> bool:
        return "seal" in self.post

    @property
    def how_far(self) -> str:
        """The number of the page's last tap in the draft, or ?, and whether something was refused."""
        known = "?" if self.taken is None else str(self.taken)
        return f"{known} refused" if self.refusal else known

    def read(self, match: Match, draft: Secret) -> str:
        """Return the draft with what was typed and tapped applied; reads the guesses, too."""
        post, self.text = self.post, draft.text
        if match.status in flow.GOING_ON and not (self.seals and post.get("typed", "").strip()):
            # a typed order may be sent again later: the same one gets the same receipt
            flow.check_current(match, self.turn, self.taken_back)
        if self.turn == match.turn:
            self.guesses = what_if.parse_guesses(state_of(match).view(self.seat.at), self.seat.at, post)
        if "choose" in post or "use" in post or (self.seals and not post.get("typed", "").strip()):
            if not self._goes_on:
                self._check_seen(draft)
        if "typed" in post and ("use" in post or post["typed"].strip() not in ("", self.text)):
            self.as_typed = self.seals
            self.text = post["typed"] if self.seals else self._readable(match, post["typed"])
        if self.keys:
            self._tap(match)
        return self.text

    def _tap(self, match: Match) -> None:
        """Makes the choices in their order; one that is refused after others leaves those as they are."""
        state = state_of(match)
        tapped = planning.choose_all(
            lambda text: planning.show_plan(state, self.seat, text), self.text, self.keys
        )
        if tapped.refusal and not tapped.taken:
            raise tapped.refusal
        self.text, self.refusal = tapped.text, tapped.refusal
        self.number -= len(self.keys) - tapped.taken

    def _check_seen(self, draft: Secret) -> None:
        """Raises PlanChanged if the page says that it showed another draft than `draft`."""
        mark = mark_of(draft.text, draft.nonce)
        if self.post.get("seen", mark) != mark:
            raise PlanChanged(
                "Your plan was not as this page showed it any more, so this press changed nothing. "
                "This is how it stands."
            )

    def seal(self, shown_to: Hold | None = None) -> flow.Receipt:
        """Seals the order: typed text unchanged, a tapped order without the plan's own marks.

        `shown_to` as in `flow.seal`. Raises Unfinished if a seat that owes an order has planned only a part
        of one.
        """
        if not self.as_typed:
            self._make_whole()
        return flow.seal(self.seat, self.turn, self.text, taken_back=self.taken_back, shown_to=shown_to)

    def _make_whole(self) -> None:
        """Leaves the plan's own marks out of a draft; raises Unfinished as `seal` does."""
        plan = planning.show_plan(state_of(self.seat.match), self.seat, self.text)
        if not plan.missing:
            self.text = plan.order
        elif not self.post.get("typed", "").strip() and self.seat.at in flow.owing(self.seat.match):
            raise Unfinished

    def keep_draft(self, change: Callable[[Match, Secret], str]) -> flow.Standing:
        """Keeps what `change` makes of the draft; of taps that come again, those that are not in it yet."""

        def go_on(match: Match, old: Secret) -> Secret:
            if self._leaves_out(old):
                return old
            text = change(match, old)
            self.taken = self.number
            return Secret(text, tap_marks.add_mark(old.nonce, self.page and f"{self.page}.{self.number}"))

        standing = flow.redraft(self.seat, self.turn, go_on, self.tab, taken_back=self.taken_back)
        self.text = flow.draft_of(standing.match, self.seat, standing)
        return standing

    def _leaves_out(self, old: Secret) -> bool:
        """Leaves out the taps that are in this draft already; whether nothing is left."""
        if not self.page:
            return False
        last = self.taken = tap_marks.last_tap(old.nonce, self.page, empty=not old.text)
        if last and last >= self.number:
            return True
        first = self.number - max(len(self.keys), 1) + 1
        again = max((last or 0) - first + 1, 0)
        self.keys = self.keys[again:]
        self._goes_on = again > 0 and tap_marks.is_last(old.nonce, self.page)
        return False

    def keep_refused(self) -> None:
        """Stores an order that could not be sealed as a draft, if the game can read it."""
        with suppress(flow.Refused, IllegalOrder):
            self.keep_draft(lambda match, _draft: self._readable(match, self.text))

    def _readable(self, match: Match, typed: str) -> str:
        return planning.readable(state_of(match).view(self.seat.at), self.seat.at, typed)


def mark_of(draft: str, marks: str = "") -> str:
    """The mark by which a planner says beside which draft, with its `tap_marks`, something was pressed."""
    known = draft + tap_marks.reopening_of(marks)
    return hashlib.sha256(known.encode("utf-8", "surrogatepass")).hexdigest()[:12]


def taken_back(post: Mapping[str, str]) -> int | None:
    """The number of turns taken back when the page was rendered; None if it does not say so."""
    given = post.get("taken_back")
    return None if given is None else number(given)
