"""Scripts are linted, and written safely."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from robosite.matches.models import Match
from tests.checkers import check
from tests.servers import ROOT
from tests.site.browsers import MORE_SHOTS, SHOTS, Browser, Table, text

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


def test_templates_escape_everything() -> None:
    assert len(TEMPLATES) > 50
    for file in TEMPLATES:
        written = file.read_text(encoding="utf-8")
        assert "|safe" not in written and "{% autoescape" not in written, file
        assert "safeseq" not in written, file


def test_only_where_the_site_draws_itself_is_anything_marked_as_safe() -> None:
    for file in CODE:
        if not OWN_MARKUP & set(file.parts):
            assert not re.search(r"mark_safe|SafeString|Markup|__html__", file.read_text(encoding="utf-8")), (
                file
            )


def test_scripts_stand_in_files_and_data_in_json_script() -> None:
    for file in TEMPLATES:
        written = file.read_text(encoding="utf-8")
        for tag in re.findall(r"<script\b[^>]*>", written):
            assert " src=" in tag or file.name == "verify.html", (file, tag)  # a file of its own, for a disk
        assert not re.search(r"""\son[a-z]+=["']|javascript:|\sstyle=["']""", written), file


def test_scripts_evaluate_no_text() -> None:
    assert SCRIPTS
    for file in SCRIPTS:
        written = file.read_text(encoding="utf-8")
        assert not re.search(r"\beval\(|new Function|insertAdjacentHTML|document\.write", written), file


def test_drawings_hold_no_foreign_objects() -> None:
    for file in TEMPLATES:
        assert "foreignObject" not in file.read_text(encoding="utf-8"), file


def test_htmx_evaluates_nothing_and_asks_only_here(table: Table) -> None:
    page = text(table.alice.get(f"/m/{table.key}/A/"))
    config = re.search(r"""<meta name="htmx-config"\s+content='(\{[^']*\})'""", page)
    assert config, page[:2000]
    for said in ('"allowEval":false', '"selfRequestsOnly":true', '"allowScriptTags":false'):
        assert said in config[1].replace(" ", "")


@pytest.mark.parametrize("slug", ["pigs", "robosoccer"])
def test_chance_is_drawn_before_anybody_seals(alice: Browser, bob: Browser, slug: str) -> None:
    """The setup is there when the match is made, and no turn changes it."""
    match = alice.make(game=slug)
    setup = Match.objects.values_list("setup", flat=True).get(pk=match.pk)
    invite = alice.own_links(match.seats.get(letter="A"))["invite"]
    bob.join(invite)
    table = Table(match.key, alice, bob, alice, invite)
    table.play_some(4, seed=3)
    assert table.match.turn >= 4
    assert table.match.setup == setup


def test_the_record_tells_the_same_setup_before_and_after(table: Table) -> None:
    before = table.match.setup
    table.play(SHOTS, MORE_SHOTS)
    assert table.charlie.get(f"/m/{table.key}/record/").json()["setup"] == before


@pytest.mark.parametrize("name", ["site", "servers", "dev"])
def test_every_package_is_pinned_with_its_hash(name: str) -> None:
    written = (ROOT / "requirements" / f"{name}.txt").read_text(encoding="utf-8")
    packages = [block for block in re.split(r"\n(?=\S)", written.strip()) if not block.startswith("#")]
    assert packages
    for block in packages:
        assert re.match(r"[A-Za-z0-9._-]+(\[[^\]]+\])?==", block), block[:80]
        assert "--hash=sha256:" in block, block[:80]


def test_no_migration_is_missing(db: Any) -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def test_no_view_goes_without_the_forms_token_but_the_apis() -> None:
    excused = {
        str(file.relative_to(ROOT))
        for file in CODE
        if "csrf_exempt" in Path(file).read_text(encoding="utf-8")
    }
    assert {name.split("/")[1] for name in excused} <= {"api", "notices"}  # one-click unsubscribing


LINTER = "node_modules/eslint/bin/eslint.js"
STATE, LISTENER = "no-restricted-syntax", "site/one-listener"

LISTENS = "document.addEventListener('click', () => {});\n"


@pytest.mark.parametrize(
    ("script", "broken"),
    [
        ("let timer = 0;\ntimer += 1;", [STATE]),
        ("export let timer = 0;\ntimer += 1;", [STATE]),
        ("const waiting = [];\nwaiting.push(1);", [STATE]),
        ("const lost = new WeakMap();\nlost.set({}, 1);", [STATE]),
        ("const line = { timer: 0, waiting: [], lost: new Map() };\nline.timer = 1;", []),
        ("const NAMES = ['A'], KEYS = new Set(['a']);\nKEYS.has(NAMES[0]);", []),
        ("export function wait() {\n  let timer = 0;\n  timer += 1;\n  return timer;\n}", []),
        ("export const late = () => Date.now() > 5;", [STATE]),
        ("export const now = () => new Date();", [STATE]),
        ("export const at = (text) => new Date(text);", []),
        ("localStorage.setItem('theme', 'dark');", [STATE]),
        (LISTENS * 2, [LISTENER]),
        (LISTENS + "if (location.hash) document.addEventListener('click', () => {});", [LISTENER]),
        ("addEventListener('click', () => {});\nwindow.addEventListener('click', () => {});", [LISTENER]),
        (LISTENS + "addEventListener('click', () => {});", []),
        (LISTENS + "document.addEventListener('click', () => {}, true);", []),
        (LISTENS + "document.addEventListener('click', () => {}, { once: true });", []),
        (LISTENS + "export function more() {\n  " + LISTENS + "}", []),
    ],
)
def test_a_script_keeps_its_state_in_a_record_and_listens_once(script: str, broken: list[str]) -> None:
    given = ("--config", "eslint.config.mjs", "--format", "json", "--stdin", "--stdin-filename", "a.js")
    (found,) = json.loads(check(LINTER, *given, given=script).stdout)
    rules = [one["ruleId"] for one in found["messages"]]
    assert [rule for rule in rules if rule in (STATE, LISTENER)] == broken
