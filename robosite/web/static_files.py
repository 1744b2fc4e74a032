"""Serves static files: those of this version, and those of a newer version that is being installed."""

import re
from pathlib import Path
from typing import Any

from django.http import HttpRequest, HttpResponseBase
from whitenoise.middleware import WhiteNoiseMiddleware

HASHED = re.compile(r"\.[0-9a-f]{12}\.\w+$")
"""Matches the end of a file name that contains a hash of the file's content."""


class StaticFiles(WhiteNoiseMiddleware):
    """WhiteNoise's middleware, which also finds files of a newer version that is being installed."""

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        path = request.path_info
        if not self.autorefresh and path.startswith(self.static_prefix) and path not in self.files:
            self._look_for(path)
        answer: HttpResponseBase = super().__call__(request)
        return answer

    def _look_for(self, url: str) -> None:
        if not HASHED.search(url):
            return
        root = Path(self.static_root).resolve()
        path = Path(root, url.removeprefix(self.static_prefix)).resolve()
        if path.is_relative_to(root) and path.is_file():
            self.add_file_to_dictionary(url, str(path))

    def immutable_file_test(self, path: str, url: str) -> Any:
        """Returns True if browsers may cache the file for ever, since its name has a hash of its content."""
        return url.startswith(self.static_prefix) and HASHED.search(url) is not None
