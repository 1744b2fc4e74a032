"""Style sheets and scripts: lighter on their way than in their files, with names that change with them."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from whitenoise.compress import Compressor

from robosite.web.minifying import MinifyingStorage, minified_css, parts_of

JS = Path(settings.STATIC_ROOT) / "js"


def test_a_style_sheet_is_sent_together_with_its_parts() -> None:
    parts = parts_of("css/site.css")
    assert len(parts) >= 6
    css = Path(settings.STATIC_ROOT) / "css"
    named = list(css.glob("site.*.css"))
    assert len(named) == 1, named
    for path in (css / "site.css", *named):
        sent = path.read_text()
        assert "@import" not in sent
        for part in parts:
            light = minified_css((settings.BASE_DIR / "static" / part).read_text())
            assert light[-60:] in sent, (path.name, part)  # what comes before may name a font by its hash


def test_scripts_lose_their_comments_and_name_what_they_import_by_its_hash() -> None:
    hashed = [path for path in JS.glob("*.js") if path.name.count(".") == 2]
    assert len(hashed) >= 8
    for path in hashed:
        text = path.read_text()
        assert text and "\n//" not in text and "/**" not in text
        for imported in re.findall(r"""\b(?:from|import)[ (]*["']\./([^"']+)["']""", text):
            assert (JS / imported) in hashed, (path.name, imported)
        assert path.with_name(f"{path.name}.gz").exists() or len(text) < 300


def test_no_template_literal_stands_within_another() -> None:
    """rjsmin cannot tell where such a one ends."""
    for path in (settings.BASE_DIR / "static/js").glob("*.js"):
        assert not re.search(r"\$\{[^}`]*`", path.read_text()), path.name


def test_a_compressed_copy_that_is_being_sent_stays_whole(tmp_path: Path) -> None:
    """Collecting the files again while a process sends one puts a new one in its place."""
    file = tmp_path / "site.css"
    file.write_text("a { color: red }\n" * 200)
    compressor = MinifyingStorage(location=str(tmp_path)).create_compressor(quiet=True)
    first = [Path(made) for made in compressor.compress(str(file))]
    assert first
    under_way = [os.open(made, os.O_RDONLY) for made in first]
    sizes = [made.stat().st_size for made in first]
    seen: list[int] = []
    written = Compressor.write_data

    def write(self: Any, path: str, data: bytes, suffix: str, stat_result: Any) -> str:
        made = written(self, path, b"", suffix, stat_result)  # as it is while it is being written
        seen.extend(os.fstat(one).st_size for one in under_way)
        return made

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Compressor, "write_data", write)
        list(compressor.compress(str(file)))
    assert seen == sizes * len(first)
    assert sorted(one.name for one in tmp_path.iterdir()) == sorted([file.name, *(one.name for one in first)])
