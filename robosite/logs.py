"""Logs that hold no secrets: whatever follows the prefix of secret links is cut, line breaks are escaped."""

from __future__ import annotations

import logging
import re

# The kind of link stays, if there is one: a link that was typed or copied wrong can hold its secret anywhere.
_SECRET = re.compile(r"(/s/(?:[a-z]{1,12}/(?=[^\s/?#'\"]))?)[^\s/?#'\"]+", re.IGNORECASE)


def without_secrets(text: str) -> str:
    return _SECRET.sub(r"\1…", text).replace("\r", "\\r").replace("\n", "\\n")


class NoSecrets(logging.Filter):
    """Rewrites a record's message; a traceback keeps its own lines."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg = without_secrets(record.getMessage())
        record.args = ()
        return True
