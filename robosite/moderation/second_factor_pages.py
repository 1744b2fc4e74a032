"""The admin's pages for second factors: one to enter a code at login, one to set up and change a factor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import django_otp
import segno
from django.contrib.auth.views import redirect_to_login
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.decorators import method_decorator
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods

from robosite.matches.seals import KeyMissing
from robosite.moderation import login_limits, second_factor
from robosite.moderation.login_limits import CODES
from robosite.moderation.models import SecondFactor
from robosite.people.sent_forms import once
from robosite.people.shares import too_many
from robosite.trail.entries import note, subject_of
from robosite.web.http import secret

if TYPE_CHECKING:
    from robosite.moderation.site import StaffSite

WRONG = "This code is not right, or was used before. The app shows a new one every half a minute."
asked = require_http_methods(["GET", "HEAD", "POST"])


def next_step(request: HttpRequest, then: str = "") -> HttpResponse | None:
    """Redirects to the page that asks for a code or sets up a factor; None if the login is complete."""
    if second_factor.is_passed(request.user):
        return None
    has_one = second_factor.factor_of(request.user) is not None
    page = "admin:second_factor_code" if has_one else "admin:second_factor"
    return HttpResponseRedirect(reverse(page, query={"next": _safe(request, then)}))


class Pages:
    """The views for second factors; they check users themselves, as the site's check wants a factor."""

    def __init__(self, site: StaffSite) -> None:
        self.site = site

    @method_decorator([asked, secret])
    def code(self, request: HttpRequest) -> HttpResponse:
        """View: asks for a code of the second factor, after the password."""
        then = _safe(request, request.GET.get("next", ""))
        if not self.site.is_staff(request):
            return redirect_to_login(then, reverse("admin:login"))
        if request.method == "POST" and "leave" in request.POST:
            return self.site.logout(request)
        if second_factor.is_passed(request.user):
            return HttpResponseRedirect(then)
        if second_factor.factor_of(request.user) is None:
            return HttpResponseRedirect(reverse("admin:second_factor"))
        if request.method != "POST":
            return self._page(request, "code", "Your code")
        factor, error, seconds = check(request)
        if factor is None:
            return self._page(request, "code", "Your code", error=error, seconds=seconds)
        answer = HttpResponseRedirect(then)
        django_otp.login(request, factor)
        self.site.note_login(request, answer)
        return answer

    @method_decorator([asked, secret])
    def own(self, request: HttpRequest) -> HttpResponse:
        """View: shows the second factor of the logged-in user, or changes it."""
        user: Any = request.user
        if not self.site.is_staff(request):
            return redirect_to_login(request.path, reverse("admin:login"))
        if not second_factor.is_passed(user) and second_factor.factor_of(user) is not None:
            return HttpResponseRedirect(reverse("admin:second_factor_code", query={"next": request.path}))
        if request.method != "POST":
            return self._own_page(request)
        do = request.POST.get("do", "")
        if do == "confirm":
            return self._confirm(request)
        if do not in DOES:
            return self._own_page(request)
        if second_factor.factor_of(user) is not None:
            factor, error, seconds = check(request)
            if factor is None:
                return self._own_page(request, error=error, seconds=seconds)
        return DOES[do](self, request)

    def _confirm(self, request: HttpRequest) -> HttpResponse:
        user: Any = request.user
        if seconds := login_limits.wait(CODES, request, user.get_username()):
            return self._own_page(request, new_error=too_many(seconds), seconds=seconds)

        def confirm() -> dict[str, Any]:
            confirmed = second_factor.confirm(user, request.POST.get("code", ""))
            if confirmed is None:
                note(user, "code-refused", subject_of(user), origin=login_limits.origin(request))
                return {}
            note(user, "second-factor-set", subject_of(user), origin=login_limits.origin(request))
            return {"device": confirmed[0].pk, "codes": confirmed[1]}

        confirmed = once(request, confirm, keeps=bool)
        factor = second_factor.factor_of(user)
        if factor is None or factor.pk != confirmed.get("device"):
            return self._own_page(request, new_error=WRONG)
        login_limits.was_right(CODES, request, user.get_username())
        django_otp.login(request, factor)
        return self._codes_page(request, confirmed["codes"])

    def _begin(self, request: HttpRequest) -> HttpResponse:
        second_factor.begin(request.user)  # type: ignore[arg-type]
        return HttpResponseRedirect(reverse("admin:second_factor"))

    def _new_codes(self, request: HttpRequest) -> HttpResponse:
        factor = second_factor.factor_of(request.user)
        if factor is None:
            return self._own_page(request)
        user: Any = request.user
        with transaction.atomic():
            codes = second_factor.new_backup_codes(factor)
            note(user, "second-factor-codes", subject_of(user))
        return self._codes_page(request, codes)

    def _remove(self, request: HttpRequest) -> HttpResponse:
        if second_factor.is_required():
            return self._own_page(
                request, error="This site wants all staff to have one. Set up another app instead."
            )
        user: Any = request.user
        with transaction.atomic():
            if second_factor.remove(user):
                note(user, "second-factor-removed", subject_of(user))
        return HttpResponseRedirect(reverse("admin:second_factor"))

    def _own_page(self, request: HttpRequest, **more: Any) -> HttpResponse:
        factor = second_factor.factor_of(request.user)
        new = second_factor.factor_of(request.user, confirmed=False)
        context: dict[str, Any] = {
            "factor": factor,
            "codes_left": factor.backup_codes.count() if factor else 0,
            "required": second_factor.is_required(),
            **more,
        }
        if new is not None:
            try:
                address = second_factor.address_for_apps(new)
                context["new_key"] = second_factor.typed_key(new)
                context["new_address"] = address
                context["qr"] = segno.make(address, error="m").svg_data_uri(border=2, scale=5, light="#fff")
            except KeyMissing:
                context["new_error"] = "The key of this site has changed meanwhile. Please begin anew."
        return self._page(request, "own", "Second factor", **context)

    def _codes_page(self, request: HttpRequest, codes: list[str]) -> HttpResponse:
        return self._page(request, "codes", "Your backup codes", codes=codes)

    def _page(self, request: HttpRequest, name: str, title: str, **more: Any) -> HttpResponse:
        context = {
            **self.site.each_context(request),
            "title": title,
            "next": _safe(request, request.GET.get("next", "")),
            **more,
        }
        answer = TemplateResponse(request, f"moderation/second_factor/{name}.html", context)
        if seconds := more.get("seconds"):
            answer.status_code = 429
            answer["Retry-After"] = str(seconds)
        elif more.get("error") or more.get("new_error"):
            answer.status_code = 422
        return answer


DOES = {"begin": Pages._begin, "codes": Pages._new_codes, "remove": Pages._remove}
"""Methods by the posted `do`, called after a right code if a factor is in use."""


def check(request: HttpRequest) -> tuple[SecondFactor | None, str, int]:
    """Checks the posted code; returns the factor or None, an error, and the seconds to wait."""
    user: Any = request.user
    if seconds := login_limits.wait(CODES, request, user.get_username()):
        return None, too_many(seconds), seconds
    factor = second_factor.verify(user, request.POST.get("code", ""))
    if factor is None:
        note(user, "code-refused", subject_of(user), origin=login_limits.origin(request))
        return None, WRONG, 0
    login_limits.was_right(CODES, request, user.get_username())
    return factor, "", 0


def _safe(request: HttpRequest, to: str) -> str:
    ours = url_has_allowed_host_and_scheme(to, None)
    return to if ours and to.startswith(reverse("admin:index")) else reverse("admin:index")
