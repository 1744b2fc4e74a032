"""Idempotent forms: a form that is sent twice (by two taps, Back, or a proxy that retries) has one effect.

Two requests are the same form if their CSRF tokens, URLs and contents are equal. The CSRF token identifies
the copy of a page from which a form comes, since Django masks the browser's secret anew for each copy. The
outcome of a form is stored for a day, encrypted under the token and the browser's secret. Neither the token
nor the secret is stored, so only the sender can find and decrypt the outcome.

A browser without a guest may send two different forms at once, from two tabs. The guest whom the first one
creates is stored like an outcome, encrypted under the browser's secret alone; the second one waits, and is
then handled for this guest.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import wraps
from typing import Any, NamedTuple, TypeVar, cast

from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.csrf import CSRF_TOKEN_LENGTH
from django.shortcuts import redirect
from django_htmx.http import HttpResponseClientRedirect

from robosite.people.current_guest import become, current_guest, session_ended
from robosite.people.models import Guest, SentForm
from robosite.people.outcomes import KEPT_FOR, Outcomes, lock, unlock

FORMS = Outcomes(SentForm)
NEWCOMER_FOR = timedelta(minutes=1)
"""The time for which a new guest is found by forms that the browser has sent before it had the session."""

View = TypeVar("View", bound=Callable[..., HttpResponseBase])
Value = TypeVar("Value")


class Outcome(NamedTuple):
    """The stored outcome of a form.

    `value` is a JSON value. `guest` is the primary key of the browser's guest after the form was handled, or
    None. `round` is the number of times that this guest had signed out other browsers (0 without a guest).
    """

    value: Any
    guest: int | None
    round: int


def once(
    request: HttpRequest, make: Callable[[], Value], *, keeps: Callable[[Value], bool] = lambda value: True
) -> Value:
    """Returns the result of `make` for this form, or the stored result if the same form was sent before.

    `make` runs in a transaction, and its result, which must be serializable as JSON, is stored in the same
    transaction unless `keeps` returns False for it. If the form does not come from a page of the site, `make`
    runs without a transaction, and nothing is stored.
    """
    form = _form_of(request)
    if form is None:
        return make()
    before = request.session.session_key
    try:
        with transaction.atomic(), _newcomer(request):
            row, outcome = _begin(request, form)
            if outcome is not None:
                return cast(Value, outcome.value)
            value = make()
            if keeps(value):
                _keep(request, form, row, value)
            else:
                row.delete()
            return value
    except BaseException:
        if request.session.session_key != before:  # the new session is undone, the browser keeps the old one
            request.session.modified = False
        raise


def sent_once(view: View) -> View:
    """View decorator: a repeated POST has no effect, and is redirected to where the first POST has led.

    The first response must be a redirect, or have an attribute `leads_to`: the path of a page with the same
    content as the fragment that was sent to htmx. After any other response, a repeated POST is handled like a
    new one.
    """

    @wraps(view)
    def guarded(request: HttpRequest, *args: Any, **more: Any) -> HttpResponseBase:
        if request.method != "POST":
            return view(request, *args, **more)
        answers: list[HttpResponseBase] = []

        def answer() -> dict[str, Any]:
            response = view(request, *args, **more)
            answers.append(response)
            addresses = (response.headers.get(name) for name in ("Location", "HX-Redirect"))
            to = next(filter(None, addresses), getattr(response, "leads_to", ""))
            return {"to": to, **{name: of(response) for name, (of, _give) in _extras.items()}}

        stored = once(request, answer, keeps=lambda told: bool(told["to"]))
        return answers[0] if answers else _lead(request, stored)

    guarded.sent_once = True  # type: ignore[attr-defined]
    return cast(View, guarded)


Extra = tuple[Callable[[HttpResponseBase], Any], Callable[[HttpRequest, HttpResponse, Any], None]]
_extras: dict[str, Extra] = {}


def register(
    name: str,
    of: Callable[[HttpResponseBase], Any],
    give: Callable[[HttpRequest, HttpResponse, Any], None],
) -> None:
    """Registers a value that is taken from each response to a form and repeated if the form is sent again."""
    _extras[name] = of, give


def _lead(request: HttpRequest, answer: dict[str, Any]) -> HttpResponse:
    """Returns a redirect to the stored URL `answer["to"]`, in the form that htmx or a browser needs.

    The other stored values in `answer` are added to the response (`register`).
    """
    response: HttpResponse
    if request.headers.get("HX-Request"):
        response = HttpResponseClientRedirect(answer["to"], status=204)
    else:
        response = redirect(answer["to"])
    response["Cache-Control"] = "no-store, private"
    for name, (_of, give) in _extras.items():
        if answer.get(name):
            give(request, response, answer[name])
    return response


# What is kept


def _begin(request: HttpRequest, form: bytes) -> tuple[SentForm, Outcome | None]:
    """Returns the stored row of this form with its outcome or, for a new form, a new row and None.

    If the stored outcome is not for this browser (`_becomes_its_guest`), another row is used, for this form
    and the browser's guest. Waits while another request handles the same form.
    """
    found_by = _found_by(form)
    while True:
        row, is_new = _row(found_by, KEPT_FOR)
        if is_new:
            return row, None
        outcome = _opened(form, row)
        if _becomes_its_guest(request, outcome):
            return row, outcome
        guest = current_guest(request)
        found_by = hashlib.sha256(f"{found_by} {guest and guest.pk}".encode()).hexdigest()


def _row(found_by: str, kept_for: timedelta) -> tuple[SentForm, bool]:
    """Returns the row with this hash, and True if it is new. Waits while another request handles it."""
    while True:  # a row may go meanwhile, since its sender has just been refused
        if new := FORMS.begin(found_by):
            return cast(SentForm, new), True
        if row := FORMS.find(found_by, kept_for):
            return row, False


@contextmanager
def _newcomer(request: HttpRequest) -> Iterator[None]:
    """Context manager: if this browser has no guest, but has just got one, signs it in as this guest.

    Meant for a form that the browser sent before the session of its new guest arrived. Otherwise, a guest
    who is created inside the context is stored for such forms; guests who were there before are not.
    """
    browser = request.META["CSRF_COOKIE"].encode()
    row = None if current_guest(request) else _row_of_newcomer(request, browser)
    yield
    if row is None:
        return
    guest = current_guest(request)
    if guest and guest.created_at >= row.made_at:
        _keep(request, browser, row, None)
    else:
        row.delete()


def _row_of_newcomer(request: HttpRequest, browser: bytes) -> SentForm | None:
    while True:
        row, is_new = _row(_found_by(browser), NEWCOMER_FOR)
        if is_new:
            return row
        _value, pk, signed_out = _opened(browser, row)
        guest = Guest.objects.filter(pk=pk or 0, round=signed_out, became=None, leaving_at=None).first()
        if guest:
            become(request, guest)
            return None
        row.delete()


def _forget_newcomer(*, request: HttpRequest, **_signal: Any) -> None:
    SentForm.objects.filter(found_by=_found_by(request.META.get("CSRF_COOKIE", "").encode())).delete()


session_ended.connect(_forget_newcomer, dispatch_uid="sent forms")


def _becomes_its_guest(request: HttpRequest, outcome: Outcome) -> bool:
    """Returns True if this browser may have an outcome; signs the browser in again if its session was lost.

    The session is lost if the first response brought a new session, but did not reach the browser. There are
    four cases:

    - If the outcome has no guest, returns True.
    - If the outcome's guest is erased or being erased, returns False.
    - If a guest is at this browser, returns True only if it is the outcome's guest.
    - If no guest is at this browser, signs the browser in as the outcome's guest and returns True. If this
      guest has signed out all other browsers since, returns False instead.
    """
    if outcome.guest is None:
        return True
    guest, here = Guest.objects.filter(pk=outcome.guest).first(), current_guest(request)
    if guest is None or guest.leaving_at:
        return False
    present = guest.became or guest
    if here != present if here else guest.round != outcome.round:
        return False
    key = request.session.session_key  # missing if the response that replaced it did not arrive
    if here is None or key is None or not request.session.exists(key):
        become(request, present)
    return True


def _keep(request: HttpRequest, form: bytes, row: SentForm, value: Any) -> None:
    guest = current_guest(request)
    outcome = Outcome(value, *((guest.pk, guest.round) if guest else (None, 0)))
    lock(row, _key(form, row.found_by), json.dumps(outcome).encode())


def _opened(form: bytes, row: SentForm) -> Outcome:
    return Outcome(*json.loads(unlock(row, _key(form, row.found_by))))


def _form_of(request: HttpRequest) -> bytes | None:
    """A key that is equal only for the same form; None if the form does not come from a page of the site."""
    secret = request.META.get("CSRF_COOKIE", "")
    token = request.POST.get("csrfmiddlewaretoken") or request.headers.get("X-CSRFToken", "")
    if not secret or len(token) != CSRF_TOKEN_LENGTH:
        return None
    given = sorted((name, values) for name, values in request.POST.lists() if name != "csrfmiddlewaretoken")
    return json.dumps([secret, token, request.get_full_path(), given]).encode()


def _found_by(form: bytes) -> str:
    return hashlib.sha256(b"robosite-form/1 find " + form).hexdigest()


def _key(form: bytes, found_by: str) -> bytes:
    return hashlib.sha256(b"robosite-form/1 open " + found_by.encode() + form).digest()
