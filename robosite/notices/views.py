"""The page on which guests choose their notices and channels; unsubscribing; the service worker."""

import hashlib
from functools import cache
from uuid import UUID

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core import signing
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from robosite.matches import flow
from robosite.matches.locks import all_locked
from robosite.matches.models import Match, held_by
from robosite.notices import facts, outbox, safe_http, services, webpush
from robosite.notices.models import STEPS, USUAL, Channel, Kind, Parcel, Wishes
from robosite.notices.subscriptions import keep_subscription, subscription_of
from robosite.notices.texts import fault_of, retry_of, unwarned_of
from robosite.notices.transports import UNSUBSCRIBE, kept_of
from robosite.notices.webhooks import Refused, point_at
from robosite.people import offline
from robosite.people.browser_links import keep_links, own_links
from robosite.people.current_guest import current_guest
from robosite.people.models import Guest, GuestFlag
from robosite.people.sent_forms import sent_once
from robosite.people.shares import too_many
from robosite.play.decorators import Request, absolute, number, secret
from robosite.web import limits
from robosite.web.http import next_page
from robosite.web.link_secrets import hash_secret, new_secret

MOST = 20
LOOKED = 40
"""The most matches whose facts are stored for a new channel, so that it tells no old news (`_know`)."""

HOURS = range(24)


@require_safe
@secret
def page(request: Request) -> HttpResponse:
    return _page(request)


def _page(request: Request, error: str = "", status: int = 200, given: str = "") -> HttpResponse:
    guest = current_guest(request)
    channels = list(guest.channels.defer("secret")) if guest else []
    links, retries = own_links(request), outbox.retries(guest) if guest else {}
    for one in channels:
        # attributes for the template
        secret = links.get(_link_key(one), "")
        opens = hash_secret(secret) == one.link_hash
        one.link = absolute(request, reverse(_ADDRESS[one.kind], args=[secret])) if opens else ""  # type: ignore[attr-defined]
        webcal = one.kind == Channel.Kind.CALENDAR and one.link  # type: ignore[attr-defined]
        one.subscribe = "webcal://" + webcal.partition("://")[2] if webcal else ""  # type: ignore[attr-defined]
        one.unwarned = unwarned_of(one, outbox.wishes_of(guest)) if guest else ""  # type: ignore[attr-defined]
        sentences = (fault_of(one), retry_of(retries.get(one.pk)))
        one.trouble = " ".join(filter(None, sentences)) if one.fault else ""  # type: ignore[attr-defined]
        one.title = _title(one, guest)  # type: ignore[attr-defined]
        one.key = kept_of(one)["key"] if one.kind == Channel.Kind.WEBHOOK else ""  # type: ignore[attr-defined]
    has = {one.kind for one in channels}
    tests = Parcel.objects.filter(channel__guest=guest, what=Parcel.What.TEST, state=Parcel.State.WAITS)
    context = {
        "guest": guest,
        "channels": channels,
        "testing": set(tests.values_list("channel_id", flat=True)) if guest else set(),
        "has": has,
        "kinds": _kinds(),
        "whens": _whens(),
        "wishes": outbox.wishes_of(guest) if guest else None,
        "zone": guest.zone or settings.TIME_ZONE if guest else "",
        "steps": STEPS,
        "mail": settings.MAIL,
        "push_key": webpush.application_key() if settings.VAPID_KEY else "",
        "webhooks": [kind for kind in ("ntfy", "json") if services.is_on(kind)],
        "error": error,
        "given": given,
    }
    return render(request, "notices/page.html", context, status=status)


def _kinds() -> list[tuple[str, str]]:
    return [
        (Kind.TURN, _("It’s my turn")),
        (Kind.DEADLINE, _("My deadline is near")),
        (Kind.NUDGE, _("Someone nudges me")),
        (Kind.PROPOSED, _("Someone offers a draw, or asks for a pause, a takeback or a rematch")),
        (Kind.MESSAGE, _("A chat message")),
        (Kind.SAT, _("Someone joined")),
        (Kind.OVER, _("A match is over")),
        (Kind.REVEALED, _("Every turn that’s played")),
    ]


def _whens() -> list[tuple[str, str]]:
    return [
        (Channel.When.AT_ONCE, _("At once")),
        (Channel.When.SOON, _("After five minutes, if it still matters")),
        (Channel.When.DAILY, _("Daily digest")),
    ]


_ADDRESS: dict[str, str] = {Channel.Kind.ATOM: "feed", Channel.Kind.CALENDAR: "calendar"}


def _title(channel: Channel, guest: Guest | None) -> str:
    if channel.kind == Channel.Kind.MAIL:
        return _("E-mail to {address}").format(address=guest.email) if guest and guest.email else _("E-mail")
    if channel.kind == Channel.Kind.PUSH:
        return _("Push to {browser}").format(browser=channel.label or _("a browser"))
    if channel.kind == Channel.Kind.ATOM:
        return _("My RSS feed")
    if channel.kind == Channel.Kind.CALENDAR:
        return _("My deadline calendar")
    return f"{'ntfy' if channel.kind == Channel.Kind.NTFY else 'Webhook'}: {channel.label}"


def _link_key(channel: Channel) -> str:
    return f"{channel.kind}/{channel.number.hex}"


# Choosing


@require_POST
@secret
def wishes(request: Request) -> HttpResponse:
    guest = current_guest(request)
    if guest:
        _wishes(request, guest)
    return HttpResponseRedirect(next_page(request, otherwise=reverse("notices")))


def _wishes(request: Request, guest: Guest) -> Wishes:
    """Stores the site's base URL and, if the form shows them, the posted preferences of a guest."""
    given = request.POST
    found, _made = Wishes.objects.get_or_create(guest=guest, defaults={"steps": [24, 3]})
    found.origin = absolute(request, "/").rstrip("/")
    if "steps-shown" in given:
        found.steps = [hours for hours in STEPS if str(hours) in given.getlist("steps")]
        found.quiet_from, found.quiet_until = _hour(given, "quiet-from"), _hour(given, "quiet-until")
        if found.quiet_from is None or found.quiet_until is None or found.quiet_from == found.quiet_until:
            found.quiet_from = found.quiet_until = None
        digest = _hour(given, "digest")
        found.digest_hour = 18 if digest is None else digest
        found.sound = "sound" in given
    found.save()
    if found.sound:
        guest.set_flag(GuestFlag.SOUND)
    return found


def _hour(given: QueryDict, name: str) -> int | None:
    hour = number(given.get(name))
    return hour if hour in HOURS else None


@require_POST
@secret
@sent_once
def add(request: Request) -> HttpResponse:
    """Adds a channel, or renews a push subscription, or shows why that is impossible."""
    guest, kind = current_guest(request), request.POST.get("kind", "")
    if guest is None or kind not in Channel.Kind.values:
        return redirect("notices")
    renews = "was" in request.POST or "renews" in request.POST
    if guest.channels.count() >= MOST and not renews:
        return _page(request, _("You can’t add more ways. Remove one first."), 409)
    try:
        with transaction.atomic():
            made, secret_part = _make(request, guest, kind)
    except Refused as refusal:
        return _page(request, str(refusal), 422, request.POST.get("address", "")[:300])
    if "was" not in request.POST:
        _know(guest)
    made.save()
    response = redirect(_shown(made))
    return keep_links(request, response, {_link_key(made): secret_part}) if secret_part else response


def _make(request: Request, guest: Guest, kind: str) -> tuple[Channel, str]:
    """The unsaved channel for the posted form, and the secret of its link, or "".

    For mail and push, it is the guest's existing one if there is one. Raises Refused, and Http404 as `_push`
    does.
    """
    given, link = request.POST, ""
    wishes = _wishes(request, guest)
    when = Channel.When.SOON if kind == Channel.Kind.MAIL else Channel.When.AT_ONCE
    channel = Channel(guest=guest, kind=kind, when=when, tells=[str(one) for one in USUAL])
    if kind == Channel.Kind.MAIL:
        if not guest.email or not settings.MAIL:
            raise Refused(_("Confirm an e-mail address first."))
        channel = guest.channels.filter(kind=kind).first() or channel
        channel.on, channel.fault, channel.failures = True, "", 0
    elif kind == Channel.Kind.PUSH:
        channel = _push(request, guest, channel)
    elif kind in _ADDRESS:
        link = new_secret()
        channel.link_hash = hash_secret(link)
        if kind == Channel.Kind.ATOM:
            channel.tells = list(Kind.values)
    else:
        point_at(channel, given.get("address", "").strip())
    guest.wishes = wishes
    return channel, link


def _know(guest: Guest) -> None:
    """Stores, unsent, what has already happened in LOOKED going matches of a guest who adds a channel."""
    going_on = Match.objects.filter(held_by(guest, "seats__"), status__in=flow.GOING_ON).distinct()
    for pk in list(going_on.order_by("-changed_at", "-pk").values_list("pk", flat=True)[:LOOKED]):
        with all_locked([pk]) as found:
            for match in found:
                facts.derive(match, quietly=True, also=guest)


def _push(request: Request, guest: Guest, channel: Channel) -> Channel:
    """The push channel of this browser, with the posted subscription, unsaved.

    A posted `was` is the old endpoint of a subscription that the browser has renewed by itself, `renews` the
    number of a channel that this browser takes over; Http404 if the guest has none for them. Raises Refused.
    """
    was, renews = request.POST.get("was", "")[: safe_http.LONGEST], request.POST.get("renews", "")
    try:
        given = webpush.Subscription.read(request.POST.get("subscription", "")[:4000])
        safe_http.check(given.endpoint)
    except (ValueError, safe_http.Forbidden):
        raise Refused(_("Your browser gave us no push address. Please try again.")) from None
    if not settings.VAPID_KEY:
        raise Refused(_("This site sends no push notifications."))
    known = subscription_of(guest, *filter(None, [was, given.endpoint]))
    if was and known is None:
        raise Http404
    channel = known or channel
    if renews:
        channel = get_object_or_404(guest.channels, kind=Channel.Kind.PUSH, number=_uuid(renews))
        if known and known != channel:
            known.delete()
    channel.label = browser_of(request)
    if not was:
        channel.on = True
    keep_subscription(channel, given, request.session.session_key or "")
    return channel


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def browser_of(request: Request) -> str:
    """The names of the browser and its system, such as “Firefox, Android”, as a channel's label."""
    agent = request.headers.get("User-Agent", "")
    browsers = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "Chrome": "Chrome", "Safari": "Safari"}
    systems = {"Android": "Android", "iPhone": "iPhone", "iPad": "iPad", "Windows": "Windows", "Mac": "Mac"}
    browser = next((name for sign, name in browsers.items() if sign in agent), "")
    system = next((name for sign, name in {**systems, "Linux": "Linux"}.items() if sign in agent), "")
    return ", ".join(filter(None, [browser, system]))


# One channel


@require_POST
@secret
def channel(request: Request, number: UUID) -> HttpResponse:
    """Saves, tests, renews, switches on or removes one of the guest's own channels."""
    guest = current_guest(request)
    if guest is None:
        return redirect("notices")
    if request.POST.get("do") != "save":
        return _once(request, guest, number)
    mine, given = get_object_or_404(Channel, guest=guest, number=number), request.POST
    mine.tells = [kind for kind in Kind.values if kind in given.getlist("tells")]
    if given.get("when") in Channel.When.values:
        mine.when = given["when"]
    has_address = mine.kind != Channel.Kind.PUSH or mine.secret
    mine.on = bool("on" in given and has_address) or not mine.sends
    mine.fault, mine.failures = "", 0
    mine.save(update_fields=["tells", "when", "on", "fault", "failures"])
    return redirect(_shown(mine))


def _shown(channel: Channel) -> str:
    return f"{reverse('notices')}#{channel.number}"


@sent_once
def _once(request: Request, guest: Guest, number: UUID) -> HttpResponse:
    mine = get_object_or_404(Channel, guest=guest, number=number)
    do, response = request.POST.get("do", ""), redirect(_shown(mine))
    if do == "remove":
        mine.delete()
        return redirect("notices")
    if do == "test" and mine.sends:
        tests = [("test", str(guest.pk)), ("test/address", limits.address(request))]
        if seconds := limits.wait_for(tests):
            refused = _page(request, too_many(seconds), 429)
            refused["Retry-After"] = str(seconds)
            return refused
        _wishes(request, guest)
        outbox.test(mine)
    elif do == "again" and mine.sends:
        mine.on, mine.fault, mine.failures = True, "", 0
        mine.save(update_fields=["on", "fault", "failures"])
    elif do == "renew" and mine.kind in _ADDRESS:
        link = new_secret()
        mine.link_hash = hash_secret(link)
        mine.save(update_fields=["link_hash"])
        keep_links(request, response, {_link_key(mine): link})
    return response


# Pages that no session opens


@csrf_exempt  # mail programs, which have no cookie, send this; the token is enough
@require_http_methods(["GET", "HEAD", "POST"])
@secret
def unsubscribe(request: HttpRequest, token: str) -> HttpResponse:
    """The page of the unsubscribe link in mails; a POST (its button, or one click by RFC 8058) stops them."""
    try:
        number = UUID(hex=signing.loads(token, salt=UNSUBSCRIBE))
    except (signing.BadSignature, ValueError, TypeError, AttributeError):
        raise Http404 from None
    channels = Channel.objects.filter(number=number, kind=Channel.Kind.MAIL)
    if request.method == "POST":
        channels.update(on=False, fault="")
    return render(request, "notices/unsubscribe.html", {"on": channels.filter(on=True).exists()})


@require_safe
@cache_control(no_cache=True)
def service_worker(request: HttpRequest) -> HttpResponse:
    """The script of the service worker, which shows pushes and, with `?keep`, works without a network."""
    text = render_to_string("notices/sw.js", {"version": _version(), "nobody": offline.NOBODY})
    return HttpResponse(text, content_type="text/javascript; charset=utf-8")


@cache
def _version() -> str:
    files = getattr(staticfiles_storage, "hashed_files", {})
    return hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16]
