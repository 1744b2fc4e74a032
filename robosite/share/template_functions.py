"""Template functions for what chats show: previews of links, and the texts that players send."""

from collections.abc import Callable
from typing import Any

from django.template.loader import render_to_string
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from jinja2 import pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from robosite.play.decorators import absolute
from robosite.share.messages import invitation, match_summary
from robosite.web.caches import once_made
from robosite.web.paths import path_of


@pass_context
def preview(context: Context, title: str = "", text: str = "", picture: str = "") -> Markup:
    """The meta tags of which chats make a link's preview, by default the site's; translates `text`."""
    request = context.get("request")
    address = absolute(request, picture or path_of("site-card")) if request else ""

    def render() -> Markup:
        shown = {
            "title": title or _("Battle your friends’ robots – whenever you have a minute"),
            "text": _(text) if text else _("Create a match, send the link, plan in secret. No account."),
            "picture": address,
        }
        return Markup(render_to_string("share/preview.html", shown))  # noqa: S704

    return once_made(("preview", get_language(), title, text, address), render)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    function.__name__: function for function in (preview, invitation, match_summary)
}
