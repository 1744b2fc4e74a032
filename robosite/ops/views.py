"""The privacy page."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_safe

from robosite.ops.periods import RETENTIONS


@require_safe
def privacy(request: HttpRequest) -> HttpResponse:
    """View: shows which data is kept and for how long, from the table that `manage.py prune` uses."""
    rows = [(gettext(one.says), _for(one.days())) for one in RETENTIONS]
    return render(request, "ops/privacy.html", {"kept": rows})


def _for(days: float) -> str:
    if not days:
        return gettext("for good")
    whole = round(days)
    return ngettext("one day", "%(days)s days", whole) % {"days": whole}
