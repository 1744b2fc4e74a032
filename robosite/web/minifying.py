"""Static files storage that minifies the site's own style sheets and scripts when they are collected."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import tinycss2
from django.conf import settings
from django.core.files.base import ContentFile, File
from rjsmin import jsmin
from whitenoise.compress import Compressor
from whitenoise.storage import CompressedManifestStaticFilesStorage

OWN = ("css/", "js/")
"""The folders of the site's own files, which are minified; files of libraries are left unchanged."""
PART = re.compile(r'^@import "([^"/]+)";$', re.MULTILINE)


class MinifyingStorage(CompressedManifestStaticFilesStorage):
    """Static files storage with hashed names, compressed copies, and minified style sheets and scripts.

    Imports between scripts use the hashed names too, so that a browser does not run a script twice.
    """

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
    """A wrapper around a storage; `open` minifies the site's own style sheets and scripts."""

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
    light = minified_css(with_parts(name, text)) if kind == ".css" else jsmin(text)
    return ContentFile(light.encode())


def parts_of(name: str) -> list[str]:
    """The style sheets that the style sheet `name` imports, as names of static files, in the text's order."""
    imported = PART.findall(_read(name))
    return [str(PurePosixPath(name).with_name(part)) for part in imported]


def with_parts(name: str, text: str) -> str:
    """Returns `text` with the imported style sheets in place of its `@import` rules.

    `text` is the text of the style sheet `name`. The imported style sheets are read from the same folder.
    """
    return PART.sub(lambda found: _read(str(PurePosixPath(name).with_name(found[1]))), text)


def _read(name: str) -> str:
    return Path(settings.BASE_DIR, "static", name).read_text(encoding="utf-8")


def minified_css(text: str) -> str:
    """The style sheet without comments and without white space that has no meaning, in nested rules too."""
    light: str = tinycss2.serialize(_minified_nodes(tinycss2.parse_component_value_list(text)))
    return light


def _minified_nodes(nodes: list[Any]) -> list[Any]:
    result: list[Any] = []
    for node in nodes:
        if node.type == "comment":
            continue
        if node.type == "whitespace":
            if result and not _absorbs_space(result[-1]):
                node.value = " "
                result.append(node)
            continue
        if result and result[-1].type == "whitespace" and (node.type == "{} block" or node == ";"):
            result.pop()
        for inside in ("content", "arguments"):
            if isinstance(getattr(node, inside, None), list):
                setattr(node, inside, _minified_nodes(getattr(node, inside)))
        result.append(node)
    if result and result[-1].type == "whitespace":
        result.pop()
    return result


def _absorbs_space(node: Any) -> bool:
    """Returns True if white space after the tinycss2 node `node` has no meaning."""
    return node.type in ("whitespace", "{} block") or node in (";", ",")
