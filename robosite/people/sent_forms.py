"""Idempotent forms: a form that is sent twice (by two taps, Back, or a proxy that retries) has one effect.

Forms are the same if CSRF token (masked anew for each copy of a page), URL and content are equal. The outcome
is kept for a day, encrypted under token and browser's secret, which are not stored.

A browser without a guest may send two forms at once: the guest whom the first one creates is stored likewise,
and the second is handled for them. The calls of the API (`api/idempotency.py`) keep their `Outcomes` alike.
"""

import base64
import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import wraps
from typing import Any, NamedTuple, TypeVar, cast

from cryptography.fernet import Fernet
from django.db import IntegrityError, transaction
from django.db.models import Model
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.csrf import CSRF_TOKEN_LENGTH
from django.shortcuts import redirect
from django.utils import timezone
from django_htmx.http import HttpResponseClientRedirect

from robosite.people.current_guest import become, current_guest, session_ended
from robosite.people.models import Guest, SentForm
from robosite.web.transactions import lock_rows

KEPT_FOR = timedelta(hours=24)
AT_A_TIME = 50
"""The maximum number of expired rows that are deleted when a new one is stored."""


@dataclass(frozen=True, slots=True)
class Outcomes:
    """The outcomes in one table, whose rows have `found_by` (unique), `locked` and `made_at`."""

    table: Any

    def begin(self, found_by: str) -> Model | None:
        """Deletes old rows; creates one, for which others wait until the commit; None if there is one."""
        old = lock_rows(self._rows(made_at__lte=timezone.now() - KEPT_FOR), skip_locked=True)
        self._rows(pk__in=[one.pk for one in old[:AT_A_TIME]]).delete()
        try:
            with transaction.atomic():
                row: Model = self.table.objects.create(found_by=found_by, locked=b"", made_at=timezone.now())
                return row
        except IntegrityError:
            return None

    def find(self, found_by: str, kept_for: timedelta = KEPT_FOR) -> Any:
        """The row of an outcome, or None; one that is older than `kept_for` is deleted."""
        row = self._rows(found_by=found_by).first()
        if row and row.made_at <= timezone.now() - kept_for:
            row.delete()
            return None
        return row

    def _rows(self, **given: Any) -> Any:
        return self.table.objects.filter(**given)


def lock(row: Any, key: bytes, plain: bytes) -> None:
    """Stores an outcome in its row, encrypted under a key of 32 bytes."""
    row.locked = Fernet(base64.urlsafe_b64encode(key)).encrypt(plain)
    row.save()


def unlock(row: Any, key: bytes) -> bytes:
    return Fernet(base64.urlsafe_b64encode(key)).decrypt(bytes(row.locked))


FORMS = Outcomes(SentForm)
NEWCOMER_FOR = timedelta(minutes=1)
"""The time for which a new guest is found by forms that the browser has sent before it had the session."""

View = TypeVar("View", bound=Callable[..., HttpResponseBase])
Value = TypeVar("Value")


class Outcome(NamedTuple):
    """The result of a form (JSON), and the guest who sent it, or None, with the guest's `round` then."""

    value: Any
    guest: int | None
    round: int


def once(
    request: HttpRequest, make: Callable[[], Value], *, keeps: Callable[[Value], bool] = lambda value: True
) -> Value:
    """Returns the result of `make` for this form, or the stored one if the same form was sent before.

    `make` runs in a transaction, with which its result, a JSON value, is stored if `keeps` says so.
    A form that no page of the site has made runs `make` each time, in no transaction, and nothing is stored.
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
    """View decorator: a repeated POST has no effect, and is redirected to where the first one has led.

    That is a redirect's address, or the attribute `leads_to` of a fragment. Any other response, such as a
    refusal, is not stored: the view then handles the POST anew.
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


Extra = tuple[Callable[[HttpResponseBase], Any], Callable[[HttpRequest, HttpResponse, Any], object]]
_extras: dict[str, Extra] = {}


def register(
    name: str,
    of: Callable[[HttpResponseBase], Any],
    give: Callable[[HttpRequest, HttpResponse, Any], object],
) -> None:
    """Registers a value that is taken from each response to a form and repeated if the form is sent again."""
    _extras[name] = of, give


def _lead(request: HttpRequest, answer: dict[str, Any]) -> HttpResponse:
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
    """The form's row and outcome, or a new row and None; another row if the outcome is not this browser's."""
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
    """A new row and True, or the stored row and False; waits while another request handles the same row."""
    while True:  # a row may go meanwhile, since its sender has just been refused
        if new := FORMS.begin(found_by):
            return cast(SentForm, new), True
        if row := FORMS.find(found_by, kept_for):
            return row, False


@contextmanager
def _newcomer(request: HttpRequest) -> Iterator[None]:
    """Signs in the guest whom a form sent just before created; stores one created inside for later forms."""
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


@receiver(session_ended)
def _forget_newcomer(*, request: HttpRequest, **_signal: Any) -> None:
    SentForm.objects.filter(found_by=_found_by(request.META.get("CSRF_COOKIE", "").encode())).delete()


def _becomes_its_guest(request: HttpRequest, outcome: Outcome) -> bool:
    """Returns True if this browser may have an outcome; signs it in again if the first response was lost."""
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
    """Bytes that are equal only for the same form; None if the form does not come from a page of the site."""
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
