"""A small page about a finished match that other sites can embed, and its oEmbed response.

Since any site may frame the page, its only control is a link, its view reads no session and sets no cookie,
and the page is the same for all readers of a language.
"""

import re
from typing import Any
from urllib.parse import urlsplit

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.html import format_html
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from robosite.matches import flow
from robosite.matches.models import Match
from robosite.matches.wording import headed, imported_note, with_note
from robosite.play.decorators import absolute, match_of
from robosite.play.drawings import is_drawn
from robosite.play.film import result
from robosite.share.comic import names_in
from robosite.web.http import public, split_url

WIDTH, HEIGHT = 480, 640
"""The size of an embed in pixels, unless the embedding site asks for less."""
LEAST = 240
SECONDS = 300
"""Seconds for which caches may keep an embed; a forgotten guest's name may stay visible for as long."""
POLICY = "; ".join(
    [
        "default-src 'none'",
        "img-src 'self'",
        "style-src 'self'",
        "font-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors *",
    ]
)
OF_A_MATCH = re.compile(r"/m/([a-z0-9]{12})(/.*)?")


@require_safe
@xframe_options_exempt
@public(SECONDS)
def embed(request: HttpRequest, key: str) -> HttpResponse:
    """The page that other sites embed: a GIF of the highlights, the players, the result, and a link."""
    match = _embeddable(key)
    page = render_to_string("share/embed.html", _facts(match) | {"match": match})  # nothing of the reader
    response = HttpResponse(page)
    response["Content-Security-Policy"] = POLICY
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


@require_safe
@public(SECONDS)
def oembed(request: HttpRequest) -> HttpResponse:
    """The oEmbed response (oembed.com), in JSON, for an embeddable match whose URL is `?url=`."""
    form = request.GET.get("format", "json")
    if form != "json":
        return JsonResponse({"error": "only format=json"}, status=501 if form == "xml" else 400)
    asked = split_url(request.GET.get("url", "")[:500])
    found = OF_A_MATCH.fullmatch(asked.path)
    if not found or asked.netloc != urlsplit(absolute(request, "/")).netloc:
        raise Http404
    match = _embeddable(found[1])
    width, height = _fitting(request, "maxwidth", WIDTH), _fitting(request, "maxheight", HEIGHT)
    title = with_note("{title}: {others}".format(**_facts(match)), imported=match.imported)
    frame = format_html(
        '<iframe src="{}" width="{}" height="{}" title="{}" loading="lazy" frameborder="0"></iframe>',
        absolute(request, reverse("embed", args=[match.key])),
        width,
        height,
        title,
    )
    answer = JsonResponse(
        {
            "version": "1.0",
            "type": "rich",
            "provider_name": "Robosite",
            "provider_url": absolute(request, "/"),
            "title": title,
            "html": frame,
            "width": width,
            "height": height,
            "cache_age": SECONDS,
        }
    )
    answer["Access-Control-Allow-Origin"] = "*"
    return answer


def _embeddable(key: str) -> Match:
    match = flow.apply_due(match_of(key))
    if match.status != Match.Status.OVER or not match.watched or not is_drawn(match.game_slug):
        raise Http404
    return match


def _facts(match: Match) -> dict[str, Any]:
    names = names_in(flow.standing_of(match).seats)
    return {
        "title": match.game.name,
        "others": headed(list(names.values())),
        "result": result(match, names),
        "note": imported_note(imported=match.imported),
    }


def _fitting(request: HttpRequest, name: str, most: int) -> int:
    wished = request.GET.get(name, "")
    return max(LEAST, min(most, int(wished))) if re.fullmatch("[0-9]{1,5}", wished) else most
