"""Idempotent forms: a form that is sent twice (by two taps, Back, or a proxy that retries) has one effect.

Two requests are the same form if their CSRF tokens, URLs and contents are equal. The CSRF token identifies
the copy of a page from which a form comes, since Django masks the browser's secret anew for each copy. The
outcome of a form is stored for a day, encrypted under the token and the browser's secret. Neither the token
nor the secret is stored, so only the sender can find and decrypt the outcome.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import Any, NamedTuple, TypeVar, cast

from cryptography.fernet import Fernet
from django.db import IntegrityError, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.csrf import CSRF_TOKEN_LENGTH
from django.shortcuts import redirect
from django.utils import timezone
from django_htmx.http import HttpResponseClientRedirect

from robosite.people.current_guest import become, current_guest
from robosite.people.models import Guest, SentForm
from robosite.web.locking import lock_rows

KEPT_FOR = timedelta(hours=24)
AT_A_TIME = 50
"""The maximum number of expired rows that are deleted when a new one is stored."""

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
        with transaction.atomic():
            row, outcome = _begin(request, form)
            if outcome is not None:
                return cast(Value, outcome.value)
            value = make()
            if keeps(value):
                guest = current_guest(request)
                row.locked = _box(form, row.found_by).encrypt(
                    json.dumps(Outcome(value, *((guest.pk, guest.round) if guest else (None, 0)))).encode()
                )
                row.save(update_fields=["locked"])
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
    """Registers a value that is taken from each response to a form and repeated if the form is sent again.

    `of` reads the value from the response, and the value is stored under the key `name`. If the form is sent
    again, `give` adds the stored value, unless it is empty, to the new response.
    """
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
    and the browser's guest. Waits while another request handles the same form. Also deletes some expired
    rows.
    """
    now = timezone.now()
    old = lock_rows(SentForm.objects.filter(made_at__lte=now - KEPT_FOR), skip_locked=True)
    SentForm.objects.filter(pk__in=[one.pk for one in old[:AT_A_TIME]]).delete()
    found_by = _found_by(form)
    while True:
        try:
            with transaction.atomic():
                return SentForm.objects.create(found_by=found_by, locked=b"", made_at=now), None
        except IntegrityError:
            row = SentForm.objects.filter(found_by=found_by).first()
        if row is None:
            continue  # its sender has just been refused
        if row.made_at <= now - KEPT_FOR:
            row.delete()
            continue
        outcome = _opened(form, row)
        if _becomes_its_guest(request, outcome):
            return row, outcome
        guest = current_guest(request)
        found_by = hashlib.sha256(f"{found_by} {guest and guest.pk}".encode()).hexdigest()


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
    if here is None or not _has_session(request):
        become(request, present)
    return True


def _has_session(request: HttpRequest) -> bool:
    """Returns True if the session that this browser's cookie names still exists in the database.

    The session may be missing because the first response, which did not reach the browser, replaced it.
    """
    key = request.session.session_key
    return key is not None and request.session.exists(key)


def _opened(form: bytes, row: SentForm) -> Outcome:
    return Outcome(*json.loads(_box(form, row.found_by).decrypt(bytes(row.locked))))


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


def _box(form: bytes, found_by: str) -> Fernet:
    key = hashlib.sha256(b"robosite-form/1 open " + found_by.encode() + form).digest()
    return Fernet(base64.urlsafe_b64encode(key))
