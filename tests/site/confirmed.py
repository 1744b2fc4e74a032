"""A member of the staff who presses a button, reads the page that asks, and says yes."""

from __future__ import annotations

import html
import re
from typing import Any

from django.test import Client

from tests.site.browsers import text

FIELD = re.compile(r'<input type="hidden" name="([^"]*)" value="([^"]*)">')


def asked(answer: Any) -> dict[str, Any]:
    """The fields that the “Yes” of a page sends; a page without one is no page that asks."""
    assert answer.status_code == 200 and "cannot be taken back" in text(answer)
    fields: dict[str, list[str]] = {}
    for name, value in FIELD.findall(text(answer)):
        fields.setdefault(name, []).append(html.unescape(value))
    fields.pop("csrfmiddlewaretoken", None)
    assert fields["sure"]
    return fields


def confirm(client: Client, at: str, data: dict[str, Any], *, follow: bool = False, **more: Any) -> Any:
    """The answer once the page that asks has been confirmed."""
    return client.post(at, asked(client.post(at, data, **more)), follow=follow, **more)
