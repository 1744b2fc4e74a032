"""Middleware for staff in the admin: a login lasts twelve hours, the session's guest stays."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.contrib import auth
from django.contrib.auth.middleware import AuthenticationMiddleware
from django.contrib.auth.signals import user_logged_in
from django.contrib.messages.middleware import MessageMiddleware
from django.dispatch import receiver
from django.http import HttpRequest
from django.utils import timezone
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


class _InAdmin:
    get_response: Callable[[HttpRequest], Any]

    def __call__(self, request: HttpRequest) -> Any:
        here = request.path_info.startswith(ADMIN)
        return super().__call__(request) if here else self.get_response(request)  # type: ignore[misc]


class StaffMessages(_InAdmin, MessageMiddleware):
    """Django's MessageMiddleware, for the admin only."""


class StaffSessions(_InAdmin, AuthenticationMiddleware):
    """Django's AuthenticationMiddleware, for the admin only; logins expire after twelve hours."""

    def process_request(self, request: HttpRequest) -> None:
        session = request.session
        if not 0 <= timezone.now().timestamp() - session.get(SINCE, 0) < LASTS.total_seconds():
            for key in LOGIN_KEYS:
                session.pop(key, None)
        super().process_request(request)


class StaffDevices(_InAdmin, OTPMiddleware):
    """django-otp's middleware, for the admin only: sets `request.user.otp_device`."""

    async_capable = False  # robosite/asgi.py calls all middleware as sync code


@receiver(user_logged_in)
def note_login(sender: object, request: HttpRequest, **more: object) -> None:
    """Signal receiver of Django's `user_logged_in`: stores the time of the login in the session."""
    request.session.pop(DEVICE_ID_SESSION_KEY, None)
    request.session[SINCE] = timezone.now().timestamp()
