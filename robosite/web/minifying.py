"""Static files: minifies the site's own, with styles in syntax that the oldest browsers know; serves them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from django.conf import settings
from django.core.files.base import ContentFile, File
from django.http import HttpRequest, HttpResponseBase
from rjsmin import jsmin
from whitenoise.compress import Compressor
from whitenoise.middleware import WhiteNoiseMiddleware
from whitenoise.storage import CompressedManifestStaticFilesStorage

OWN = ("css/", "js/")
"""The folders of the site's own files, which are minified; files of libraries are left unchanged."""
OLDEST = Path(settings.BASE_DIR, "static", ".browserslistrc").read_text(encoding="utf-8").split("\n")[:-1]
"""The oldest browsers for which the site is made, in the language of browserslist; ESLint reads them too."""
HASHED = re.compile(r"\.[0-9a-f]{12}\.\w+$")
"""Matches the end of a file name that contains a hash of the file's content."""
PART = re.compile(r'^@import "([^"/]+)";$', re.MULTILINE)


class MinifyingStorage(CompressedManifestStaticFilesStorage):
    """Storage with hashed file names, also in scripts' imports: a script under two names would run twice."""

    patterns = (
        *CompressedManifestStaticFilesStorage.patterns,
        (
            "js/*.js",
            (
                (r"""(?P<matched>\bfrom\s*["'](?P<url>\./[^"']+)["'])""", 'from "%(url)s"'),
                (r"""(?P<matched>\bimport\s*["'](?P<url>\./[^"']+)["'])""", 'import "%(url)s"'),
                (r"""(?P<matched>\bimport\(["'](?P<url>\./[^"']+)["']\))""", 'import("%(url)s")'),
            ),
        ),
    )

    def post_process(
        self, paths: dict[str, tuple[Any, str]], dry_run: bool = False, **options: Any
    ) -> Iterator[tuple[str, str, bool]]:
        """Computes the hashed names from the minified files, which `_MinifiedFiles` provides."""
        light = {name: (_MinifiedFiles(storage), path) for name, (storage, path) in paths.items()}
        yield from super().post_process(light, dry_run, **options)

    def create_compressor(self, **settings_of_it: Any) -> Compressor:
        return AtomicCompressor(**settings_of_it)

    def save(self, name: str | None, content: Any, max_length: int | None = None) -> str:
        """Stores a file under its unhashed name, with the site's own style sheets and scripts minified."""
        return super().save(name, _minified(name or "", content), max_length)


class AtomicCompressor(Compressor):
    """Replaces compressed copies atomically, since a running process may be sending the previous ones."""

    def write_data(self, path: str, data: bytes, suffix: str, stat_result: Any) -> str:
        """Writes the copy to a temporary file, renames the file to its final path, and returns this path."""
        made: str = super().write_data(path, data, f"{suffix}.new", stat_result)
        whole = path + suffix
        Path(made).replace(whole)
        return whole


class _MinifiedFiles:
    def __init__(self, storage: Any) -> None:
        self.storage = storage

    def open(self, name: str) -> File[Any]:
        with self.storage.open(name) as whole:
            return _minified(name, ContentFile(whole.read()))


def _minified(name: str, content: File[Any]) -> File[Any]:
    kind = PurePosixPath(name).suffix
    if not name.startswith(OWN) or kind not in (".css", ".js"):
        return content
    text = b"".join(content.chunks()).decode()
    if kind == ".css":
        text = PART.sub(lambda found: _read(str(PurePosixPath(name).with_name(found[1]))), text)
        return ContentFile(minified_css(text).encode())
    return ContentFile(jsmin(text).encode())


def parts_of(name: str) -> list[str]:
    """The style sheets that the style sheet `name` imports, as names of static files, in the text's order."""
    imported = PART.findall(_read(name))
    return [str(PurePosixPath(name).with_name(part)) for part in imported]


def _read(name: str) -> str:
    return Path(settings.BASE_DIR, "static", name).read_text(encoding="utf-8")


def minified_css(text: str) -> str:
    """The style sheet minified, in syntax that the oldest browsers know (docs/browsers.md)."""
    from lightningcss import process_stylesheet  # only where files are collected: a compiled library of 12 MB

    light: str = process_stylesheet(text, browsers_list=OLDEST)
    return light.replace("--lightningcss-", "--is-")  # many times in each: forty bytes of a first sight


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
