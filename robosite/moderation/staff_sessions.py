"""Middleware for staff in the admin: a login lasts twelve hours, the session's guest stays."""

from datetime import timedelta
from typing import Any

from asgiref.sync import sync_to_async
from django.contrib import auth
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.models import AnonymousUser
from django.contrib.auth.signals import user_logged_in
from django.contrib.messages.middleware import MessageMiddleware
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone
from django.utils.deprecation import MiddlewareMixin
from django.utils.functional import SimpleLazyObject
from django_otp import DEVICE_ID_SESSION_KEY
from django_otp.middleware import OTPMiddleware

LASTS = timedelta(hours=12)
ADMIN = "/admin/"
SINCE = "staff_since"


LOGIN_KEYS = (
    auth.SESSION_KEY,
    auth.BACKEND_SESSION_KEY,
    auth.HASH_SESSION_KEY,
    SINCE,
    DEVICE_ID_SESSION_KEY,
)


class _InAdmin(MiddlewareMixin):
    def __call__(self, request: HttpRequest) -> Any:
        here = request.path_info.startswith(ADMIN)
        return super().__call__(request) if here else self.get_response(request)


class StaffMessages(_InAdmin, MessageMiddleware):
    """Django's MessageMiddleware, for the admin only."""


class StaffSessions(_InAdmin, AuthenticationMiddleware):
    """Django's AuthenticationMiddleware, for the admin only; logins expire after twelve hours."""

    def process_request(self, request: HttpRequest) -> None:
        super().process_request(request)
        request.user = SimpleLazyObject(lambda: user_here(request))  # type: ignore[assignment]
        request.auser = sync_to_async(lambda: user_here(request))


class StaffDevices(OTPMiddleware):
    """django-otp's middleware, for the admin only: sets `request.user.otp_device`."""

    async_capable = False  # robosite/asgi.py calls all middleware as sync code

    def __call__(self, request: HttpRequest) -> Any:
        here = request.path_info.startswith(ADMIN)
        return super().__call__(request) if here else self.get_response(request)


def user_here(request: HttpRequest) -> Any:
    """Returns the staff member who is logged in at this browser, or AnonymousUser; cached in the request."""
    if not hasattr(request, "_staff"):
        request._staff = _user(request)  # type: ignore[attr-defined]
    return request._staff  # type: ignore[attr-defined]


def _user(request: HttpRequest) -> Any:
    session = request.session
    if auth.SESSION_KEY not in session:
        return AnonymousUser()
    since = session.get(SINCE, 0)
    if not 0 <= timezone.now().timestamp() - since < LASTS.total_seconds():
        for key in LOGIN_KEYS:
            session.pop(key, None)
        return AnonymousUser()
    return auth.get_user(request)


@receiver(user_logged_in)
def note_login(sender: object, request: HttpRequest, **more: object) -> None:
    """Signal receiver of Django's `user_logged_in`: stores the time of the login in the session."""
    request.session.pop(DEVICE_ID_SESSION_KEY, None)
    request.session[SINCE] = timezone.now().timestamp()
