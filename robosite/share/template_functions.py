"""The template function `preview`, for the previews of links that chats show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.template.loader import render_to_string
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from robosite.play.decorators import absolute
from robosite.web.caches import BoundedCache
from robosite.web.paths import path_of

MOST_PREVIEWS = 1_000_000
"""The maximum total length of the previews that a process caches, in characters of HTML."""


previews: BoundedCache[tuple[Any, ...], Markup] = BoundedCache(MOST_PREVIEWS, len)


@pass_context
def preview(context: Context, title: str = "", text: str = "", picture: str = "") -> Markup:
    """Renders the meta tags from which chats make a preview of a link to the page.

    `text` is translated here; `title` is shown as it is. An empty title or text stands for the site's own.
    `picture` is the path of a picture, by default of the site's preview picture.
    """
    request = context.get("request")
    key = (
        get_language(),
        title,
        text,
        absolute(request, picture or path_of("site-card")) if request else "",
    )
    html = previews.get(key)
    if html is None:
        shown = {
            "title": title or _("Battle your friends’ robots, everyone in their own time"),
            "text": _(text) if text else _("Make a match, send the link, plan in secret. No account needed."),
            "picture": key[-1],
        }
        html = previews[key] = Markup(render_to_string("share/preview.html", shown))  # noqa: S704
    return html


FUNCTIONS: dict[str, Callable[..., Any]] = {function.__name__: function for function in (preview,)}
