"""Views for the guest at this browser: the page “You”, and the ways back."""

import re
from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import unquote

import segno
from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import EmailValidator
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from django.views.i18n import set_language

from robosite.people import letters, offline, personal_data, recovery_phrases, shares
from robosite.people.browser_links import keep_links, own_links
from robosite.people.current_guest import (
    become,
    current_guest,
    forget,
    leave_browser,
    merge,
    sign_others_out,
)
from robosite.people.letters import LIFETIMES, new_ticket, ticket_of, use
from robosite.people.models import Guest, GuestFlag, Ticket
from robosite.people.names import RefusedName, clean_name
from robosite.people.sent_forms import once, sent_once
from robosite.web.http import absolute, next_page, or_404, own_cookie, private, render_form, secret
from robosite.web.transactions import lock_rows

ASKED = "asked"
"""The name and salt of the cookie with the number of the letter that this browser has asked for last."""


def own(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """View decorator that passes this browser's guest to the view; without a guest, it redirects to `me`."""

    @wraps(view)
    def with_guest(request: HttpRequest, **more: Any) -> HttpResponseBase:
        guest = current_guest(request)
        return redirect("me") if guest is None else view(request, guest, **more)

    return with_guest


@require_safe
@private
def me(request: HttpRequest) -> HttpResponse:
    return _me(request)


UNTYPED = dict.fromkeys(
    (
        *("typed", "typed_name", "typed_email", "typed_link"),
        *("name_error", "mail_error", "phrase_error", "link_error", "asked_for"),
    ),
    "",
)
"""The template variables for typed text and for errors. All of them are "", as before a form is sent."""


def _me(request: HttpRequest, status: int = 200, seconds: int = 0, **more: Any) -> HttpResponse:
    guest = current_guest(request)
    letter = letters.asked_by(guest) if guest and settings.MAIL else None
    context = {
        "you": guest,
        "letter": letters.state_of(letter) if letter else "",
        "keeps_boards": offline.wished(request, guest),
        "unseen": guest and guest.may_have(GuestFlag.UNSEEN),
        "mails": settings.MAIL,
        "said": request.GET.get("said", ""),
        "open": _open_row(request, more),
        **UNTYPED,
        **more,
    }
    return render_form(request, "people/me.html", context, status=status, seconds=seconds)


def _open_row(request: HttpRequest, more: dict[str, Any]) -> str:
    said = request.GET.get("said", "")
    if "name_error" in more:
        return "your-name"
    if "mail_error" in more or "mail" in said:
        return "recovery"
    return request.GET.get("settings", "") or ("1" if said else "")


@require_POST
@own
def rename(request: HttpRequest, guest: Guest) -> HttpResponse:
    try:
        with transaction.atomic():
            for present in lock_rows(Guest.objects.filter(pk=guest.pk), no_key=True):
                present.name = clean_name(request.POST.get("name", ""), guest=present)
                present.save(update_fields=["name"])
    except RefusedName as fault:
        return _me(request, 422, name_error=str(fault), typed_name=request.POST.get("name", ""))
    return redirect(reverse("me") + "?said=name")


# To another device


@require_POST
@secret
@own
def device(request: HttpRequest, guest: Guest) -> HttpResponse:
    """View: creates a link that signs another browser in as this guest. Only this page shows the link."""
    ticket = once(request, lambda: new_ticket(Ticket.Kind.DEVICE, guest))
    link = absolute(request, reverse("you-link", args=[ticket]))
    code = segno.make(link, error="m").svg_data_uri(border=2, scale=6, light="#fff")
    return render(request, "people/device.html", {"link": link, "code": code})


@require_POST
@secret
@own
def phrase(request: HttpRequest, guest: Guest) -> HttpResponse:
    """View: replaces the guest's recovery phrase and shows the new one. No other page shows the phrase."""
    recovery_phrases.prepare_phrase(guest)
    words = once(request, lambda: recovery_phrases.new_phrase(guest))
    return render(request, "people/phrase.html", {"words": words.split()})


@require_POST
@sent_once
@own
def others_out(request: HttpRequest, guest: Guest) -> HttpResponse:
    links = own_links(request)
    sign_others_out(request, guest)
    return keep_links(request, redirect(reverse("me") + "?said=others"), links)  # for the guest's new round


@require_safe
@secret
def you_link(request: HttpRequest, secret: str) -> HttpResponse:
    return _take_page(request, secret, _leads_to(secret)[1])


def _leads_to(secret: str) -> tuple[Ticket, list[Guest]]:
    ticket = ticket_of(secret, Ticket.Kind.DEVICE, Ticket.Kind.BACK)
    if ticket.kind == Ticket.Kind.DEVICE:
        guests = [ticket.guest.became or ticket.guest] if ticket.guest else []
    else:
        guests = list(Guest.objects.filter(email=ticket.email).order_by("pk")) if ticket.email else []
    if not guests:
        raise Http404
    return ticket, guests


def _take_page(request: HttpRequest, secret: str, guests: list[Guest]) -> HttpResponse:
    here = current_guest(request)
    context = {
        "secret": secret,
        "guests": [(guest, personal_data.has(guest)) for guest in guests],
        "here": here if here not in guests else None,
        "brings": personal_data.has(here) if here and here not in guests else [],
        "already": here in guests and len(guests) == 1,
    }
    return render(request, "people/take.html", context)


@require_POST
@secret
@sent_once
def you_take(request: HttpRequest, secret: str) -> HttpResponse:
    """View: signs this browser in as the posted `guest` of a link; with `bring`, merges in who was here."""
    with transaction.atomic():
        ticket, guests = _leads_to(secret)
        asked = request.POST.get("guest", "")
        guest = next((one for one in guests if str(one.pk) == asked), guests[0])
        here = current_guest(request)
        if here and here != guest and "bring" in request.POST:
            merge(here, guest)  # locks matches, so it comes before all other locks
        use(ticket)
        if ticket.kind == Ticket.Kind.BACK:
            shares.mail_was_right(request, ticket.email)
    become(request, guest)
    return redirect("my-games")


# Back again


@require_safe
@private
def back(request: HttpRequest) -> HttpResponse:
    return _back(request)


def _back(request: HttpRequest, status: int = 200, seconds: int = 0, **more: Any) -> HttpResponse:
    context = {"mails": settings.MAIL, "length": recovery_phrases.LENGTH, **UNTYPED, **more}
    return render_form(request, "people/back.html", context, status=status, seconds=seconds)


@require_POST
@secret
def back_by_phrase(request: HttpRequest) -> HttpResponse:
    """View: signs in by a recovery phrase; asks first if another guest here has something to keep."""
    typed = request.POST.get("phrase", "")[:400]
    try:
        words = recovery_phrases.parse_phrase(typed)
    except recovery_phrases.NoPhrase as fault:
        return _back(request, 422, phrase_error=str(fault), typed=typed)
    if seconds := shares.PHRASES.wait(request):
        return _back(request, 429, seconds, phrase_error=shares.too_many(seconds), typed=typed)
    guest = recovery_phrases.guest_who_says(words)
    if guest is None:
        wrong = _("No one has this recovery phrase. A new one replaces the old: is this the newest?")
        return _back(request, 422, phrase_error=wrong, typed=typed)
    shares.PHRASES.give_back(request)
    here = current_guest(request)
    if here and here != guest and personal_data.has(here):
        return redirect("you-link", new_ticket(Ticket.Kind.DEVICE, guest))
    become(request, guest)
    return redirect("my-games")


@require_POST
@secret
def back_by_mail(request: HttpRequest) -> HttpResponse:
    """View: mails a link to sign in, if a guest has this address, which the response does not reveal."""
    typed = request.POST.get("email", "")
    try:
        email = _address(typed)
    except ValidationError as fault:
        return _back(request, 422, mail_error=fault.message, typed_email=typed[:254])
    if not settings.MAIL:
        return _back(request, 409, mail_error=_("This site sends no e-mails."), typed_email=typed[:254])
    seconds, number = once(request, lambda: _write_to(request, email), keeps=lambda told: not told[0])
    if seconds:
        return _back(request, 429, seconds, mail_error=shares.too_many(seconds), typed_email=typed[:254])
    response = _back(request, asked_for=typed)
    secure = request.is_secure()
    name = own_cookie(request, ASKED)
    response.set_signed_cookie(
        name, number, ASKED, max_age=LIFETIMES[Ticket.Kind.BACK], httponly=True, secure=secure, samesite="Lax"
    )
    return response


def _write_to(request: HttpRequest, email: str) -> tuple[int, str]:
    if seconds := shares.wait_to_write(request, email):
        return seconds, ""
    known = Guest.objects.filter(email=email).exists()
    return 0, letters.write(Ticket.Kind.BACK, email if known else "", _origin(request)).number


LINK = re.compile(r"/(?:s/[a-z]+|m|l|tables)/[\w-]+")


@require_POST
@secret
def back_by_link(request: HttpRequest) -> HttpResponse:
    """View: redirects to a pasted secret link, or to a mail's link by its code, in the browser that asked."""
    typed = request.POST.get("link", "").strip()[:400]
    if pasted := LINK.search(unquote(typed)):
        return redirect(f"{pasted[0]}/")
    code = "".join(typed.split())
    if not (code.isascii() and code.isdigit()):
        wrong = _("This is neither a link to this site nor a code. Please paste the whole link.")
        return _back(request, 422, link_error=wrong, typed_link=typed)
    number = request.get_signed_cookie(own_cookie(request, ASKED), "", ASKED, LIFETIMES[Ticket.Kind.BACK])
    found = letters.secret_for(number or "", code)
    if found:
        return redirect("you-link", found)
    wrong = _("This code is wrong, too old, or from another browser. Is it the newest one?")
    if found == "":
        wrong = _("Too many attempts. Ask for a new e-mail, or open the link in it.")
    return _back(request, 422, link_error=wrong, typed_link=typed)


def _origin(request: HttpRequest) -> str:
    return absolute(request, "/").rstrip("/")


def _address(typed: str) -> str:
    email = typed.strip().lower()
    check = EmailValidator(_("This isn’t an e-mail address. Please check it."))
    if len(email) > 254:
        raise ValidationError(check.message)
    check(email)
    return email


# E-mail


@require_POST
@own
def my_mail(request: HttpRequest, guest: Guest) -> HttpResponse:
    """View: mails a link to confirm an address, or with `remove` deletes the guest's present address."""
    if "remove" in request.POST:
        guest.email, guest.email_confirmed_at = "", None
        guest.save(update_fields=["email", "email_confirmed_at"])
        guest.tickets.filter(kind=Ticket.Kind.CONFIRM).delete()
        return redirect(reverse("me") + "?said=no-mail")
    typed = request.POST.get("email", "")
    try:
        email = _address(typed)
    except ValidationError as fault:
        return _me(request, 422, mail_error=fault.message, typed_email=typed[:254])
    if not settings.MAIL:
        return _me(request, 409, mail_error=_("This site sends no e-mails."), typed_email=typed[:254])
    if seconds := once(request, lambda: _ask_to_confirm(request, guest, email), keeps=lambda wait: not wait):
        return _me(request, 429, seconds, mail_error=shares.too_many(seconds), typed_email=typed[:254])
    return redirect(reverse("me") + "?said=mail")


def _ask_to_confirm(request: HttpRequest, guest: Guest, email: str) -> int:
    if seconds := shares.wait_to_write(request, email):
        return seconds
    letters.write(Ticket.Kind.CONFIRM, email, _origin(request), guest)
    return 0


@require_safe
@secret
def mail_link(request: HttpRequest, secret: str) -> HttpResponse:
    ticket = ticket_of(secret, Ticket.Kind.CONFIRM)
    return render(request, "people/confirm.html", {"ticket": ticket, "secret": secret})


@require_POST
@secret
def mail_confirm(request: HttpRequest, secret: str) -> HttpResponse:
    """View: stores the address that a guest has confirmed, without signing the browser in."""

    def confirm() -> dict[str, Any]:
        ticket = ticket_of(secret, Ticket.Kind.CONFIRM)
        use(ticket)
        guest = or_404(ticket.guest)
        guest.email, guest.email_confirmed_at = ticket.email, timezone.now()
        guest.save(update_fields=["email", "email_confirmed_at"])
        shares.mail_was_right(request, ticket.email)
        letters.confirmed.send(Guest, guest=guest)
        return {"name": guest.name, "own": guest == current_guest(request)}

    with transaction.atomic():
        confirmed = once(request, confirm)
    return render(request, "people/confirmed.html", confirmed)


@require_POST
@own
def offline_boards(request: HttpRequest, guest: Guest) -> HttpResponse:
    """View: stores whether this browser may keep the guest's boards for use offline (`kept` in the form)."""
    response = HttpResponse(status=204)
    offline.wish(request, response, guest, kept=bool(request.POST.get("kept")))
    return response


# My data


@require_safe
@secret
@own
def export(request: HttpRequest, guest: Guest) -> HttpResponse:
    """View: a JSON file to download, with all stored data about the guest that may be shown to them."""
    response = HttpResponse(personal_data.export_all(guest, request), content_type="application/json")
    response["Content-Disposition"] = 'attachment; filename="robosite.json"'
    return response


@require_POST
@own
def leave(request: HttpRequest, _guest: Guest) -> HttpResponse:
    """View: signs the guest out of this browser, which forgets the guest. The guest's data stays."""
    return _gone(request)


@require_http_methods(["GET", "HEAD", "POST"])
@private
@own
def forget_me(request: HttpRequest, guest: Guest) -> HttpResponse:
    """View: shows the consequences of being erased; a POST with `sure` erases the guest."""
    if request.method == "POST" and "sure" in request.POST:
        forget(guest)
        return _gone(request)
    context = {
        "you": guest,
        "warnings": personal_data.warnings(guest),
        "stays": personal_data.what_stays(),
    }
    return render(request, "people/forget.html", context)


def _gone(request: HttpRequest) -> HttpResponse:
    leave_browser(request)
    response = redirect("home")
    response.delete_cookie(settings.CSRF_COOKIE_NAME)  # no form of an open page is sent for the next guest
    return response


@require_POST
def language(request: HttpRequest) -> HttpResponseBase:
    """View: sets the language of all pages in this browser, and of mails to the guest at this browser."""
    chosen = request.POST.get("language", "")
    guest = current_guest(request)
    if guest and translation.check_for_language(chosen):
        guest.language = chosen
        guest.save(update_fields=["language"])
    given: Any = request.POST.copy()
    given["next"] = next_page(request)
    request.POST = given
    return set_language(request)
