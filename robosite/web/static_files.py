"""Static files as they are served: those of this version, and of the one that is being installed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware

HASHED = re.compile(r"\.[0-9a-f]{12}\.\w+$")
"""The end of a name with a hash of the file's content."""


class StaticFiles(WhiteNoiseMiddleware):
    """WhiteNoise, which knows the files of its start, and here finds those that came later too.

    While a new version is rolled out, a page of the new process asks the old one for its style sheet.
    """

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        path = request.path_info
        if not self.autorefresh and path.startswith(self.static_prefix) and path not in self.files:
            self._look_for(path)
        answer: HttpResponseBase = super().__call__(request)
        return answer

    def _look_for(self, url: str) -> None:
        """Adds a file with a hash in its name that was collected after the start, if there is one."""
        if not HASHED.search(url):
            return
        root = Path(self.static_root).resolve()
        path = Path(root, url.removeprefix(self.static_prefix)).resolve()
        if path.is_relative_to(root) and path.is_file():
            self.add_file_to_dictionary(url, str(path))

    def immutable_file_test(self, path: str, url: str) -> Any:
        """Tell whether the file may be kept for ever: its name changes with its content, in every version."""
        return url.startswith(self.static_prefix) and HASHED.search(url) is not None
