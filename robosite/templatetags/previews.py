"""What a chat shows of a link: `{% preview title text picture %}` in a page's head."""

from __future__ import annotations

from typing import Any

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.translation import gettext as _

from games.core import Game
from robosite.matches.asked import absolute
from robosite.matches.drawings import is_drawn

register = template.Library()


@register.inclusion_tag("pictures/preview.html", takes_context=True)
def preview(context: Context, title: str = "", text: str = "", picture: str = "") -> dict[str, Any]:
    """`picture` is the address of a card; without one, the site's own."""
    request = context.get("request")
    return {
        "title": title or _("Battle your friends’ robots, each in your own time"),
        "text": _(text) if text else _("Make a match, send the link, plan in secret. No account needed."),
        "picture": absolute(request, picture or reverse("site-card")) if request else "",
    }


@register.filter
def pictured(game: Game) -> bool:
    """Whether there are pictures of this game."""
    return is_drawn(game.slug)
