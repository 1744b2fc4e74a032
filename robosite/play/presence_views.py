"""The setting by which a guest shows or hides that they have a match's page open."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from robosite.matches.live import push
from robosite.people.current_guest import current_guest
from robosite.people.models import GuestFlag


@require_POST
def presence(request: HttpRequest) -> HttpResponse:
    """Stores whether others may see that the guest has a match's page open; open pages apply it at once."""
    guest = current_guest(request)
    if guest is None:
        return redirect("me")
    shown = bool(request.POST.get("shown"))
    if shown:
        guest.clear_flag(GuestFlag.UNSEEN)
    else:
        guest.set_flag(GuestFlag.UNSEEN)
    push.shown(guest.pk, shown=shown)
    return redirect(reverse("me") + "?settings=1&said=presence")
