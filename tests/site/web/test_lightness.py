"""Scripts and style sheets: light, written safely, for old browsers too."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
import tinycss2
from django.conf import settings
from django.core.management import call_command
from whitenoise.compress import Compressor

from robosite.matches.models import Match
from robosite.web.minifying import OLDEST, MinifyingStorage, minified_css, parts_of
from tests.checkers import CHECKERS, brought, check
from tests.servers import ROOT
from tests.site.browsers import Browser, Table, text

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


SIZES = ("tiny", "small", "body", "lead", "head", "large", "title")
DRAWN = r"[\d.]+px|calc\(.*\)|inherit|0|[\d.]+em"
"""Sizes of type within drawings and on paper, and what goes with the words around it."""
NOT_PAGES = {"embed.css", "staff.css"}


def test_pages_have_seven_sizes_of_type() -> None:
    size = re.compile(rf"(?:[47]00 |600 )?(?:var\(--({'|'.join(SIZES)})\)|{DRAWN})(?:/[\d.]+)?(?: .*)?")
    for sheet in (settings.BASE_DIR / "static/css").rglob("*.css"):
        for told in re.findall(r"\bfont(?:-size)?: ([^;}]+)", sheet.read_text()):
            assert sheet.name in NOT_PAGES or size.fullmatch(told) or told.startswith("400 1.0625rem"), told


def test_scripts_lose_their_comments_and_name_what_they_import_by_its_hash() -> None:
    hashed = [path for path in JS.glob("*.js") if path.name.count(".") == 2]
    assert len(hashed) >= 8
    for path in hashed:
        text = path.read_text()
        assert text and "\n//" not in text and "/**" not in text
        for imported in re.findall(r"""\b(?:from|import)[ (]*["']\./([^"']+)["']""", text):
            assert (JS / imported) in hashed, (path.name, imported)
        assert path.with_name(f"{path.name}.gz").exists() or len(text) < 300


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


PLAINER = {
    *(":has", "@container", "container", "container-type", "cqw"),  # the layout fits less closely
    *("grid-template-columns: subgrid", "text-wrap", "field-sizing", "break-before: column"),
    *("anchor-name", "anchor", "timeline-scope", "view-timeline", "overflow-anchor"),
    *("view-transition", "view-transition-name", "selection", "resize", "cursor", "outline", "paint-order"),
    *(
        "forced-color-adjust",
        "@media (forced-colors",
        "@page",
        "break-after: avoid",
        "font-family: ui-monospace",
    ),
}
"""What some of the oldest browsers lack or know in part, and what only makes a page plainer."""
UNITS = {
    "cqw": "container_query_length_units",
    "dvh": "viewport_percentage_units_dynamic",
    "svh": "viewport_percentage_units_small",
}
SHEETS = sorted(
    path for path in Path(settings.STATIC_ROOT, "css").resolve().rglob("*.css") if path.name.count(".") == 1
)


def number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version))


def is_old(compat: Any) -> bool:
    """Whether each of the oldest browsers has this feature, with a prefix or without."""
    for line in OLDEST:
        browser, version = line.replace("ios_saf", "safari_ios").split(" >= ")
        told = compat["support"][browser]
        since = [
            one["version_added"] for one in (told if isinstance(told, list) else [told]) if "flags" not in one
        ]
        if not any(one and one != "preview" and number(one) <= number(version) for one in since):
            return False
    return True


@cache
def mdn() -> Any:
    return json.loads(brought("node_modules/@mdn/browser-compat-data/data.json").read_text())["css"]


@cache
def types() -> dict[str, Any]:
    """What MDN tells of each function, by its name."""
    found: dict[str, Any] = {}

    def look(tree: dict[str, Any]) -> None:
        for name, inside in tree.items():
            if name != "__compat":
                found.setdefault(name, inside.get("__compat"))
                look(inside)

    look(mdn()["types"])
    return found


def compat(*path: str) -> Any:
    entry = mdn()
    for part in path:
        entry = entry.get(part, {})
    return entry.get("__compat")


def features(rules: list[Any], told: Callable[[str], None]) -> Iterator[tuple[str, Any]]:
    """The names of all that a style sheet uses, each with what MDN tells of it.

    What stands in `@supports` is not looked at: it has been asked for. `told` hears of nested rules.
    """
    for rule in rules:
        if rule.type == "at-rule":
            name = rule.lower_at_keyword
            yield f"@{name}", compat("at-rules", name)
            for asked in re.findall(r"\(([a-z-]+)", tinycss2.serialize(rule.prelude)):
                yield f"@{name} ({asked}", compat("at-rules", name, asked)
            if name in ("media", "container"):
                yield from features(tinycss2.parse_rule_list(rule.content), told)
            continue
        if rule.type != "qualified-rule":
            continue
        selector = re.sub(r'"[^"]*"', "", tinycss2.serialize(rule.prelude))
        for name in re.findall(r"(?<!\\):([a-z-]+)", selector):
            yield f":{name}" if name == "has" else name, compat("selectors", name)
        for one in tinycss2.parse_blocks_contents(rule.content, True, True):
            if one.type != "declaration":
                told(f"{selector} holds another rule")
                continue
            yield one.lower_name, compat("properties", one.lower_name)
            yield from values(one.lower_name, one.value)


def values(name: str, tokens: list[Any]) -> Iterator[tuple[str, Any]]:
    for token in tokens:
        if token.type == "ident":
            yield f"{name}: {token.value}", compat("properties", name, token.value)
        elif token.type == "dimension" and token.lower_unit in UNITS:
            yield token.lower_unit, compat("types", "length", UNITS[token.lower_unit])
        elif token.type == "function":
            yield token.lower_name, types().get(token.lower_name)
            yield from values(name, token.arguments)


@pytest.mark.parametrize("path", SHEETS, ids=lambda path: path.stem)
def test_style_sheets_are_old_enough_or_have_a_fallback(path: Path) -> None:
    sheet = path.read_text()
    rules = tinycss2.parse_stylesheet(sheet, True, True)
    wrong: list[str] = []
    for name, told in features(rules, wrong.append):
        plain = name.partition(":")[0] if not name.startswith(":") else name
        if told and not {name, plain} & PLAINER and not is_old(told):
            wrong.append(name)
    assert "light-dark(" not in sheet
    assert not wrong, sorted(set(wrong))
    for rule in rules:
        if rule.type != "qualified-rule":
            continue
        selector, text = tinycss2.serialize(rule.prelude), tinycss2.serialize(rule.content)
        for content in re.findall(r'content:[^;}]*/ ""', text):
            assert f"{content.partition('/')[0].strip()};{content}" in text, (selector, content)


TEMPLATES = sorted((ROOT / "templates").rglob("*.*"))
SCRIPTS = sorted((ROOT / "static" / "js").rglob("*.js"))
CODE = sorted((ROOT / "robosite").rglob("*.py"))

OWN_MARKUP = {
    "template_functions.py",
    "functions.py",
    "environment.py",
    "thumbnails.py",
    "game_lists.py",
    "pictures",
    "moderation",
    "http.py",
    "plain_pages.py",
    "written_names.py",
}
"""The places where the site marks its own drawings as safe; each of these tests its escaping."""


def test_templates_escape_everything_and_scripts_stand_in_files_and_data_in_json_script() -> None:
    assert len(TEMPLATES) > 50
    for file in TEMPLATES:
        written = file.read_text(encoding="utf-8")
        assert "|safe" not in written and "{% autoescape" not in written, file
        assert "safeseq" not in written and "foreignObject" not in written, file
        for tag in re.findall(r"<script\b[^>]*>", written):
            assert " src=" in tag or file.name == "verify.html", (file, tag)  # a file of its own, for a disk
        assert not re.search(r"""\son[a-z]+=["']|javascript:|\sstyle=["']""", written), file


def test_only_where_the_site_draws_is_anything_safe_and_only_the_api_goes_without_the_forms_token() -> None:
    for file in CODE:
        if not OWN_MARKUP & set(file.parts):
            assert not re.search(r"mark_safe|SafeString|Markup|__html__", file.read_text(encoding="utf-8")), (
                file
            )
    excused = {
        str(file.relative_to(ROOT))
        for file in CODE
        if "csrf_exempt" in Path(file).read_text(encoding="utf-8")
    }
    assert {name.split("/")[1] for name in excused} <= {"api", "notices"}  # one-click unsubscribing


def test_scripts_evaluate_no_text() -> None:
    assert SCRIPTS
    for file in SCRIPTS:
        written = file.read_text(encoding="utf-8")
        assert not re.search(r"\beval\(|new Function|insertAdjacentHTML|document\.write", written), file
        if file.parent.name == "js":
            assert not re.search(r"\$\{[^}`]*`", written), "rjsmin cannot tell where such a literal ends"


def test_htmx_evaluates_nothing_and_asks_only_here(table: Table) -> None:
    page = text(table.alice.get(f"/m/{table.key}/A/"))
    config = re.search(r"""<meta name="htmx-config"\s+content='(\{[^']*\})'""", page)
    assert config, page[:2000]
    for said in ('"allowEval":false', '"selfRequestsOnly":true', '"allowScriptTags":false'):
        assert said in config[1].replace(" ", "")


@pytest.mark.parametrize("slug", ["pigs", "robosoccer"])
def test_chance_is_drawn_before_anybody_seals(alice: Browser, bob: Browser, slug: str) -> None:
    """The setup is there when the match is made, no turn changes it, and the record tells it."""
    match = alice.make(game=slug)
    setup = Match.objects.values_list("setup", flat=True).get(pk=match.pk)
    invite = alice.own_links(match.seats.get(letter="A"))["invite"]
    bob.join(invite)
    table = Table(match.key, alice, bob, alice, invite)
    table.play_some(4, seed=3)
    assert table.match.turn >= 4
    assert table.match.setup == setup == alice.get(f"/m/{match.key}/record/").json()["setup"]


@pytest.mark.parametrize("name", ["site", "servers", "dev"])
def test_every_package_is_pinned_with_its_hash(name: str) -> None:
    written = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    packages = [block for block in re.split(r"\n(?=\S)", written.strip()) if not block.startswith("#")]
    assert packages
    for block in packages:
        assert re.match(r"[A-Za-z0-9._-]+(\[[^\]]+\])?==", block), block[:80]
        assert "--hash=sha256:" in block, block[:80]


def test_no_migration_is_missing() -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


LINTER = "node_modules/eslint/bin/eslint.js"
STATE, LISTENER = "no-restricted-syntax", "site/one-listener"

LISTENS = "document.addEventListener('click', () => {});\n"


LINTED = [
    ("let timer = 0;\ntimer += 1;", [STATE]),
    ("const waiting = [];\nwaiting.push(1);", [STATE]),
    ("const line = { timer: 0, waiting: [], lost: new Map() };\nline.timer = 1;", []),
    ("const NAMES = ['A'], KEYS = new Set(['a']);\nKEYS.has(NAMES[0]);", []),
    ("export function wait() {\n  let timer = 0;\n  timer += 1;\n  return timer;\n}", []),
    ("export const late = () => Date.now() > 5;", [STATE]),
    ("export const at = (text) => new Date(text);", []),
    ("localStorage.setItem('theme', 'dark');", [STATE]),
    (LISTENS * 2, [LISTENER]),
    (LISTENS + "if (location.hash) document.addEventListener('click', () => {});", [LISTENER]),
    ("addEventListener('click', () => {});\nwindow.addEventListener('click', () => {});", [LISTENER]),
    (LISTENS + "document.addEventListener('click', () => {}, true);", []),
    (LISTENS + "document.addEventListener('click', () => {}, { once: true });", []),
]
"""Scripts, and the rules that each of them breaks."""


def test_a_script_keeps_its_state_in_a_record_and_listens_once() -> None:
    given = ("--config", "eslint.config.mjs", "--format", "json")
    brought(LINTER)
    with TemporaryDirectory(dir=CHECKERS) as folder:  # the configuration is for files below its own folder
        for n, (script, _broken) in enumerate(LINTED):
            Path(folder, f"{n:02}.js").write_text(script)
        found = json.loads(check(LINTER, *given, folder).stdout)
    for (script, broken), one in zip(LINTED, sorted(found, key=lambda one: one["filePath"]), strict=True):
        rules = [message["ruleId"] for message in one["messages"]]
        assert [rule for rule in rules if rule in (STATE, LISTENER)] == broken, script
