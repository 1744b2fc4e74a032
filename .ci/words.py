"""Keeps locale/ in step with the texts of the site: collects and compiles them; with `--check` only judges.
`wording.py` has the house rules for their words.

Texts come from templates (`_`, `trans`: Babel reads them), from calls in Python (`gettext`, `Sentence`,
`IllegalOrder`, `Refused` …) and from the catalogue of games. The argument of such a call may be a literal, a
choice between literals, or a table of them with a name of its own; anything else is passed over, and the test
that plays random matches in every language says so.
"""

from __future__ import annotations

import ast
import os
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import django
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
CALLS = {
    "_",
    "gettext",
    "gettext_lazy",
    "gettext_noop",
    "ngettext",
    "ngettext_lazy",
    "Sentence",
    "IllegalOrder",
    "IllegalReply",
    "IllegalOption",
    "Refused",
    "RefusedName",
    "TooLong",
    "TooManyTables",
    "Fault",
    "WrongInvite",
    "PlanChanged",
}
PLURALS = {"ngettext", "ngettext_lazy"}
MARKED = {"_": None, "gettext": None, "ngettext": (1, 2)}
READING = {"trim_blocks": "true", "lstrip_blocks": "true", "newstyle_gettext": "true", "silent": "false"}
"""The options for reading texts out of templates; `robosite/jinja/environment.py` has the same for pages."""
FACT = re.compile(r"\{\w+\}|%\(\w+\)s")

NO_DATE = datetime(2026, 1, 1, tzinfo=UTC)
"""In the heads of the files, so that the same texts make the same file."""

Text = str | tuple[str, str]
"""A text, or its singular and plural."""


def main(check: bool) -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "robosite.settings")
    sys.path.insert(0, str(ROOT))
    django.setup()
    from django.conf import settings

    placed = collect()
    texts = set(placed)
    faults: list[str] = []
    said: dict[str, dict[Text, tuple[str, ...]]] = {"en": {text: _forms(text) for text in texts}}
    for language in (code for code, _name in settings.LANGUAGES if code != settings.LANGUAGE_CODE):
        catalog = updated(language, texts)
        if check:
            faults += list(judge(language, catalog))
            said[language] = {_id(message): _forms(message.string) for message in catalog if message.id}
        else:
            save(language, catalog)
    if check:
        from wording import ill_worded, in_scripts, long_buttons

        faults += [*ill_worded(said, placed), *ill_worded(*in_scripts(ROOT))]
        faults += long_buttons(said, ROOT / "templates")
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        print(f"{len(faults)} faults in the translations; `make words` collects.", file=sys.stderr)
    return 1 if faults else 0


# Collecting


def collect() -> dict[Text, set[str]]:
    """Every text of the site that is shown to people, with the files that have it."""
    placed: dict[Text, set[str]] = {}
    for path, text in _collected():
        placed.setdefault(text, set()).add(path.relative_to(ROOT).as_posix())
    return placed


def _collected() -> Iterator[tuple[Path, Text]]:
    for path in sorted((ROOT / "templates").rglob("*.*")):
        if "staff" not in path.relative_to(ROOT).parts:
            yield from ((path, text) for text in in_template(path))
    for folder in ("games", "robosite"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if "migrations" not in path.parts:
                yield from ((path, text) for text in Module(path).texts())
    yield from ((ROOT / "games", text) for text in in_catalogue())


def in_template(path: Path) -> Iterator[Text]:
    """The texts that Babel finds in a Jinja2 template: `_("…")` and `{% trans %}`."""
    with path.open("rb") as file:
        for _line, text, _comments, _context in extract("jinja2", file, MARKED, (), READING):
            yield text if isinstance(text, str) else (text[0], text[1])


def _of_call(call: ast.AST) -> Iterator[Text]:
    assert isinstance(call, ast.Call) and isinstance(call.func, ast.Name)
    words = [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    yield (words[0], words[1]) if call.func.id in PLURALS else words[0]


def in_catalogue() -> Iterator[Text]:
    """The texts in which the games describe themselves, their options and their presets."""
    from dataclasses import fields

    from games import GAMES

    for versions in GAMES.values():
        for game in versions.values():
            yield from (text for text in (game.says, game.brief, game.notation) if text)
            yield from (game.box.mechanics, *game.box.notes, *game.box.credits)
            yield from game.second_person.values()
            for preset in game.presets.values():
                yield from filter(None, (preset.name, preset.says, preset.brief))
            for option in fields(game.options):
                words = option.metadata["words"]
                told = [words] if isinstance(words, str) else words.values()
                given = (option.metadata["name"], option.metadata["says"], *told)
                yield from (text for text in given if text and text != "{value}")


class Module:
    """A Python file, and the texts that its calls are given."""

    def __init__(self, path: Path) -> None:
        self.tree = ast.parse(path.read_text())
        self.constants = {
            target.id: node.value
            for node in self.tree.body
            for target in _targets(node)
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value
        }
        self.imported = {
            alias.asname or alias.name: (node.module, alias.name)
            for node in self.tree.body
            if isinstance(node, ast.ImportFrom) and node.module
            for alias in node.names
        }

    def texts(self) -> Iterator[Text]:
        for scope in ast.walk(self.tree):
            if isinstance(scope, ast.FunctionDef):
                yield from self._in(scope, scope)
        for node in self.tree.body:
            if not isinstance(node, ast.FunctionDef | ast.ClassDef):
                yield from self._in(node, None)
            elif isinstance(node, ast.ClassDef):
                for part in node.body:
                    if not isinstance(part, ast.FunctionDef):
                        yield from self._in(part, None)
                if any(isinstance(base, ast.Name) and base.id in CALLS for base in node.bases):
                    yield from self._of_kind(node)

    def _in(self, node: ast.AST, scope: ast.FunctionDef | None) -> Iterator[Text]:
        for call in ast.walk(node):
            name = isinstance(call, ast.Call) and getattr(call.func, "id", getattr(call.func, "attr", None))
            if name not in CALLS or not isinstance(call, ast.Call) or not call.args:
                continue
            if name in PLURALS:
                yield from _of_call(call)
            else:
                yield from self._given(call.args[0], scope)

    def _of_kind(self, node: ast.ClassDef) -> Iterator[str]:
        """The literals that a subclass hands on to such a call: `super().__init__("…")`."""
        for call in ast.walk(node):
            if isinstance(call, ast.Call) and call.args and getattr(call.func, "attr", "") == "__init__":
                yield from self._given(call.args[0], None)

    def _given(self, value: ast.expr | None, scope: ast.FunctionDef | None) -> Iterator[str]:
        """The literals that an expression may be."""
        match value:
            case ast.Constant(value=str(text)) if text.strip():
                yield text
            case ast.IfExp(body=one, orelse=other):
                yield from self._given(one, scope)
                yield from self._given(other, scope)
            case ast.BoolOp(values=parts) | ast.Tuple(elts=parts) | ast.List(elts=parts):
                for part in parts:
                    yield from self._given(part, scope)
            case ast.Dict(values=parts):
                for part in parts:
                    yield from self._given(part, scope)
            case ast.Subscript(value=table):
                yield from self._given(table, scope)
            case ast.Call(func=ast.Attribute(value=table, attr="get"), args=[_, *others]):
                yield from self._given(table, scope)
                for other in others:
                    yield from self._given(other, scope)
            case ast.Name(id=name):
                yield from self._named(name, scope)

    def _named(self, name: str, scope: ast.FunctionDef | None) -> Iterator[str]:
        local = False
        for node in ast.walk(scope) if scope else ():
            if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and any(
                target.id == name for target in _targets(node)
            ):
                local = True
                yield from self._given(node.value, scope)
        if not local and name in self.constants:
            yield from self._given(self.constants[name], None)
        elif not local and name in self.imported:
            module, name = self.imported[name]
            path = ROOT / f"{module.replace('.', '/')}.py"
            if path.exists():
                yield from Module(path)._named(name, None)


def _targets(node: ast.AST) -> list[ast.Name]:
    found = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [target for target in found if isinstance(target, ast.Name)]


# The files


def path_of(language: str) -> Path:
    return ROOT / "locale" / language / "LC_MESSAGES" / "django.po"


def updated(language: str, texts: set[Text]) -> Catalog:
    """The catalogue with exactly these texts, translated where they have been."""
    path = path_of(language)
    known: dict[Text, str | tuple[str, ...]] = {}
    if path.exists():
        with path.open("rb") as file:
            known = {_id(message): message.string for message in read_po(file, locale=language) if message.id}
    catalog = Catalog(
        locale=language,
        header_comment=f"# The words of Robosite: {language}.",
        project="Robosite",
        version="1",
        msgid_bugs_address="",
        last_translator="",
        language_team="",
        creation_date=NO_DATE,
        revision_date=NO_DATE,
        fuzzy=False,
    )
    for text in sorted(texts, key=lambda text: text if isinstance(text, str) else text[0]):
        flags = {"python-brace-format"} if "{" in str(text) else set()
        untranslated = ("",) * catalog.num_plurals if isinstance(text, tuple) else ""
        catalog.add(text, known.get(text, untranslated), flags=flags)
    return catalog


def _forms(text: str | tuple[str, ...]) -> tuple[str, ...]:
    return (text,) if isinstance(text, str) else tuple(text)


def _id(message: Message) -> Text:
    return message.id if isinstance(message.id, str) else (message.id[0], message.id[1])


def written(catalog: Catalog) -> bytes:
    file = BytesIO()
    write_po(file, catalog, width=0)
    return file.getvalue()


def compiled(catalog: Catalog) -> bytes:
    file = BytesIO()
    write_mo(file, catalog)
    return file.getvalue()


def save(language: str, catalog: Catalog) -> None:
    path = path_of(language)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(written(catalog))
    path.with_suffix(".mo").write_bytes(compiled(catalog))
    left = sum(not message.string or not all(message.string) for message in catalog if message.id)
    print(f"{language}: {len(catalog)} texts, {left} to be translated")


# Judging


def judge(language: str, catalog: Catalog) -> Iterator[str]:
    """The faults in a language, a line each."""
    path = path_of(language)
    if not path.exists() or path.read_bytes() != written(catalog):
        yield f"{language}: {path.name} is not in step with the texts."
    for message in catalog:
        if message.id:
            yield from _wrong(language, message)
    binary = path.with_suffix(".mo")
    if not binary.exists() or binary.read_bytes() != compiled(catalog):
        yield f"{language}: {binary.name} is not what {path.name} makes."


def _wrong(language: str, message: Message) -> Iterator[str]:
    asked, given = _forms(message.id), _forms(message.string)
    if not all(given):
        yield f"{language}: not translated: {asked[0]}"
        return
    facts = set(FACT.findall(" ".join(asked)))
    for text in given:
        if set(FACT.findall(text)) - facts or (len(asked) == 1 and facts - set(FACT.findall(text))):
            yield f"{language}: other facts than in the text: {asked[0]} → {text}"


if __name__ == "__main__":
    sys.exit(main("--check" in sys.argv[1:]))
