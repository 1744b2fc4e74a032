"""The page of the channel of a match or league, with the forms to begin and end it."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from robosite.leagues.flow import locked_league, organisers_place
from robosite.leagues.models import League
from robosite.leagues.pages.actions import organises_in_lock
from robosite.leagues.pages.league_page import league_with, organises_it, own_place
from robosite.matches import flow
from robosite.matches.models import Match, Seat
from robosite.notices import group_channels, services, webhooks
from robosite.notices.services import Address
from robosite.people.current_guest import current_guest
from robosite.people.sent_forms import sent_once
from robosite.play.decorators import Request, absolute, public_page, seat_page, secret
from robosite.web import limits
from robosite.web.written_names import Name, name_to_show


def _steps() -> dict[str, tuple[str, str, str]]:
    copy = _("Paste the address below.")
    return {
        "discord": (
            _("In Discord: the channel’s settings, “Integrations”, “Webhooks”."),
            _("“New Webhook”, then “Copy Webhook URL”."),
            copy,
        ),
        "slack": (
            _("On api.slack.com/apps: create an app and switch on “Incoming Webhooks”; copy the address."),
            _("A webhook can’t edit messages, so each turn played becomes a new one."),
            _("To edit one message: the channel’s link, and the token of a bot with chat:write."),
        ),
        "matrix": (
            _("Create an account for the site and invite it into the room."),
            _("Copy its access token: “Settings”, “Help & About”."),
            _("The address is https://, the home server, / and the room’s internal number (!…)."),
        ),
        "telegram": (
            _("Write to @BotFather: /newbot. Copy the token."),
            _("Add the bot to your group."),
            _("The address is the link of a message in the group, or https://t.me/ and the group’s name."),
        ),
        "ntfy": (
            _("Choose a topic no one can guess."),
            _("Subscribe to it in the ntfy app."),
            _("The address is https://ntfy.sh/ and the topic; a token only if your server wants one."),
        ),
        "json": (
            _("Your program takes POST requests with JSON at an https address."),
            _("The id stays the same: show the newest version."),
            _("With a key, each message is signed as the Standard Webhooks describe it."),
        ),
    }


NEEDS_TOKEN = ("matrix", "telegram")


@require_http_methods(["GET", "HEAD", "POST"])
@seat_page
@secret
@sent_once
def seat_channel(request: Request, seat: Seat) -> HttpResponse:
    """A match's channel, for a player: its creator can begin it, and anybody who plays can end it."""
    page = partial(_page, request, seat.match, seat.get_absolute_url(), may_make=seat.host, may_end=True)
    lock, who = flow.locked_seat(seat), f"seat {seat.pk}"
    given = {"guest": request.hold.guest, "name": seat.name}
    return _posted(request, page, lock, who, may_make=seat.host, **given)


@public_page
def match_channel(request: Request, match: Match) -> HttpResponse:
    return _page(request, match, match.get_absolute_url())


@require_http_methods(["GET", "HEAD", "POST"])
@secret
@sent_once
def league_channel(request: Request, key: str) -> HttpResponse:
    """A league's channel: everybody sees it, and the organiser begins and ends it."""
    league, guest = league_with(key), current_guest(request)
    organises = organises_it(request, league, guest)
    page = partial(_page, request, league, league.get_absolute_url(), may_make=organises, may_end=organises)
    if request.method == "POST" and not organises:
        raise Http404
    lock = locked_league(league.pk, organises_in_lock(request, guest), quiet=True)
    place = own_place(league, guest) or organisers_place(league)
    name = place.name if place else guest.name if guest else ""
    try:
        return _posted(request, page, lock, f"league {league.pk}", guest=guest, name=name)
    except flow.SeatLost:
        raise Http404 from None


def _posted(
    request: Request,
    page: Callable[..., HttpResponse],
    lock: AbstractContextManager[Match | League],
    who: str,
    *,
    may_make: bool = True,
    **given: Any,
) -> HttpResponse:
    if request.method != "POST":
        return page()
    try:
        if request.POST.get("do") == "end":
            group_channels.end(lock)
        elif not may_make:
            raise flow.Refused("Only the creator of the match can post it to a chat.")
        else:
            _make(request, who, lock=lock, **given)
    except webhooks.Refused as fault:
        return page(error=str(fault), status=422)
    except flow.Refused as refusal:
        return page(error=str(refusal), status=409)
    return redirect(request.path)


def _make(request: Request, who: str, **given: Any) -> None:
    limits.take(("test", who), ("test/address", limits.address(request)))
    kind, address, token = (request.POST.get(name, "").strip() for name in ("kind", "address", "token"))
    if kind not in services.SERVICES:
        raise Http404
    site = absolute(request, "/").rstrip("/")
    group_channels.make(kind=kind, address=Address(address, token), site=site, **given)


def _page(
    request: Request,
    about: Match | League,
    back: str,
    *,
    error: str = "",
    status: int = 200,
    may_make: bool = False,
    may_end: bool = False,
) -> HttpResponse:
    channel, steps = group_channels.channel_of(about), _steps()
    going_on = about.status in group_channels.GOING_ON
    context: dict[str, Any] = {
        "title": about.title if isinstance(about, League) else about.game.name,
        "back": back,
        "path": request.path,
        "channel": channel,
        "maker": Name(name_to_show(channel.made_by)) if channel and channel.made_by else "",
        "service": services.SERVICES[channel.kind].name if channel else "",
        "may_make": may_make and not channel and going_on,
        "may_end": may_end and channel is not None,
        "of_league": isinstance(about, League),
        "kinds": [
            (kind, service.name, steps[kind], kind in NEEDS_TOKEN, kind != "discord")
            for kind, service in services.SERVICES.items()
            if services.is_on(kind)
        ],
        "given": request.POST.get("kind", ""),
        "error": error,
    }
    return render(request, "notices/group_channel.html", context, status=status)
