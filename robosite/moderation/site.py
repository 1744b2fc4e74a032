"""The admin site: its login, with a second factor and limited attempts, and its front page."""

from typing import Any

from django.contrib.admin import AdminSite
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path

from robosite.moderation import login_limits, second_factor
from robosite.moderation.login_limits import LOGINS
from robosite.moderation.second_factor_pages import Pages, next_step
from robosite.people.shares import too_many
from robosite.trail.entries import note, subject_of
from robosite.trail.models import Entry


class LoginForm(AdminAuthenticationForm):
    seconds = 0
    """Seconds to wait before the next login attempt; 0 if the present attempt is within the limits."""

    def clean(self) -> Any:
        assert self.request
        self.seconds = login_limits.wait(LOGINS, self.request, self.cleaned_data.get("username", ""))
        if self.seconds:
            raise ValidationError(too_many(self.seconds), code="too_often")
        cleaned = super().clean()
        login_limits.was_right(LOGINS, self.request, cleaned.get("username", ""))
        return cleaned


def _user(request: HttpRequest) -> User:
    assert request.user.is_authenticated
    return request.user


class StaffSite(AdminSite):
    """Django's AdminSite with limited logins, a second factor and the audit trail."""

    site_header = site_title = "Robosite"
    index_title = "Moderation"
    login_form = LoginForm

    def get_urls(self) -> list[URLResolver | URLPattern]:
        """Adds the pages for second factors; leaves out `view_on_site`, which checks no permissions."""
        pages = Pages(self)
        own = [
            path("second-factor/", pages.own, name="second_factor"),
            path("second-factor/code/", pages.code, name="second_factor_code"),
        ]
        return [*own, *(url for url in super().get_urls() if getattr(url, "name", "") != "view_on_site")]

    def is_staff(self, request: HttpRequest) -> bool:
        """Returns True if the user is staff and has given the password, with or without a second factor."""
        return super().has_permission(request)

    def has_permission(self, request: HttpRequest) -> bool:
        """Returns True if the user is staff and has completed the login, with a second factor if needed."""
        return super().has_permission(request) and second_factor.is_passed(request.user)

    def autocomplete_view(self, request: HttpRequest) -> HttpResponse:
        """Raises PermissionDenied: no page needs this view, and the audit trail would not record its use."""
        raise PermissionDenied

    def login(self, request: HttpRequest, extra_context: Any = None) -> Any:
        if request.method != "POST" and self.is_staff(request):
            step = next_step(request, request.GET.get(REDIRECT_FIELD_NAME, ""))
            if step is not None:
                return step
        answer = super().login(request, extra_context)
        if request.method != "POST":
            return answer
        if isinstance(answer, TemplateResponse):
            return self._refused(request, answer)
        step = next_step(request, answer["Location"])
        if step is not None:
            note(
                _user(request),
                "password-right",
                subject_of(_user(request)),
                origin=login_limits.origin(request),
            )
            return step
        self.note_login(request, answer)
        return answer

    def note_login(self, request: HttpRequest, answer: HttpResponse) -> None:
        """Records a completed login, and has the browser known at the next one (`login_limits.remember`)."""
        user = _user(request)
        factor = second_factor.factor_of(user)
        facts = {"codes_left": factor.backup_codes.count()} if factor else {}
        note(user, "login", subject_of(user), origin=login_limits.origin(request), **facts)
        login_limits.remember(request, answer, user.get_username())

    def _refused(self, request: HttpRequest, answer: TemplateResponse) -> HttpResponse:
        form = (answer.context_data or {})["form"]
        if form.seconds:
            answer.status_code = 429
            answer["Retry-After"] = str(form.seconds)
        elif name := form.cleaned_data.get("username"):
            # the text typed may be a password in the wrong field
            user = User.objects.filter(username=name).first()
            subject = subject_of(user) if user else "user:unknown"
            note("nobody", "login-refused", subject, origin=login_limits.origin(request))
        return answer

    def index(self, request: HttpRequest, extra_context: Any = None) -> Any:
        from robosite.moderation.overview import overview

        context = {"overview": overview(), "newest": None, **(extra_context or {})}
        if request.user.has_perm("trail.view_entry"):
            context["newest"] = Entry.objects.order_by("-number")[:10]
        return super().index(request, context)

    def logout(self, request: HttpRequest, extra_context: Any = None) -> Any:
        if request.method == "POST" and isinstance(request.user, User):
            note(request.user, "logout", subject_of(request.user))
        return super().logout(request, extra_context)

    def password_change(self, request: HttpRequest, extra_context: Any = None) -> Any:
        with transaction.atomic():
            answer = super().password_change(request, extra_context)
            if request.method == "POST" and answer.status_code == 302 and isinstance(request.user, User):
                note(request.user, "password", subject_of(request.user))
        return answer
