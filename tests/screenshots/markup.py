"""Markup as a list of what counts in it, and its forms."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

BLOCKS = set(
    re.findall(
        r"\S+",
        """
    html head body meta link title base script style template div p ul ol li dl dt dd section article
    aside nav header footer main form fieldset legend table thead tbody tfoot tr th td caption h1 h2 h3
    h4 h5 h6 details summary figure figcaption blockquote hr pre option optgroup noscript
    """,
    )
)
"""White space beside these is not seen."""
WORDS = {"text", "tspan", "title", "desc", "style", "foreignobject"}
"""Elements of a drawing in which white space may be seen."""
EXACT = {"pre", "textarea", "script", "style"}
SPACED = {"class", "d", "points", "transform", "viewbox", "content", "aria-label", "aria-labelledby", "sizes"}
"""Attributes in which one space is as good as many."""
STEP = re.compile(r"[a-zA-Z]|[-+]?(?:\d+\.?\d*|\.\d+)")
"""A command of a path, or a number."""
SECRET = re.compile(r"\b[A-Za-z0-9]{64}\b")


@dataclass
class Form:
    """A form: where it goes, what it sends by itself, and its buttons."""

    action: str
    fields: dict[str, str] = field(default_factory=dict)
    pressed: list[tuple[str, str]] = field(default_factory=list)

    def buttons(self, *names: str) -> list[tuple[str, str]]:
        return [(name, value) for name, value in self.pressed if name in names]


class Reader(HTMLParser):
    """Reads markup as lines, one for each tag and each run of text."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.forms: list[Form] = []
        self.named: dict[str, Form] = {}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        kind = "html" if "svg" in self.open else tag
        self.parts.append((kind, f"<{tag}{''.join(_attribute(*one) for one in sorted(attrs))}>"))
        if tag == "svg" or "svg" in self.open or tag in EXACT:
            self.open.append(tag)
        self._in_form(tag, {name: value or "" for name, value in attrs})

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.open:
            del self.open[len(self.open) - 1 - self.open[::-1].index(tag) :]
        self.parts.append(("html" if "svg" in self.open else tag, f"</{tag}>"))

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in EXACT:
            self.parts.append(("exact", repr(data)))
        elif self.parts and self.parts[-1][0] == "":
            self.parts[-1] = ("", self.parts[-1][1] + data)
        else:
            drawn = "svg" in self.open and self.open[-1] not in WORDS
            self.parts.append(("" if not drawn else "drawn", data))

    def handle_decl(self, decl: str) -> None:
        self.parts.append(("html", f"<!{decl}>"))

    def handle_pi(self, data: str) -> None:
        self.parts.append(("html", f"<?{data}>"))

    def _in_form(self, tag: str, attrs: dict[str, str]) -> None:
        if tag == "form":
            self.forms.append(Form(attrs.get("action", "")))
            self.named[attrs.get("id", "")] = self.forms[-1]
        form = self.named.get(attrs["form"]) if "form" in attrs else self.forms[-1] if self.forms else None
        if form is None or not attrs.get("name") or "disabled" in attrs:
            return
        if tag == "button":
            form.pressed.append((attrs["name"], attrs.get("value", "")))
        elif tag == "input" and (attrs.get("type") not in ("radio", "checkbox") or "checked" in attrs):
            form.fields[attrs["name"]] = attrs.get("value", "")


def _attribute(name: str, value: str | None) -> str:
    if value is None:
        return f" {name}"
    if value.startswith("{"):
        value = json.dumps(json.loads(SECRET.sub("SECRET", value)))
    if name == "d":
        value = " ".join(STEP.findall(value))
    value = " ".join(value.split()) if name in SPACED else value
    return f' {name}="{SECRET.sub("SECRET", value)}"'


def tree_of(markup: str) -> list[str]:
    """A line for each tag, with its attributes in order, and for each text that is seen.

    A space at the edge of an inline element stands outside of it, and none stands beside a block.
    """
    reader = Reader()
    reader.feed(markup)
    reader.close()
    lines: list[str] = []
    space, at_block = False, True
    opened = 0  # where the inline elements began that were opened just now
    for kind, said in reader.parts:
        if kind in ("drawn", "exact"):
            said = said.strip() if kind == "drawn" else said
            lines += [said] if said else []
            opened = len(lines)
        elif kind in BLOCKS:
            lines.append(said)
            space, at_block, opened = False, True, len(lines)
        elif kind == "button":  # what stands in it is a block of its own
            if said[1] != "/" and space and not at_block:
                lines.insert(opened, "' '")
            lines.append(said)
            space, at_block, opened = False, said[1] != "/", len(lines)
        elif kind:
            lines.append(said)
            opened = len(lines) if said.startswith("</") else opened
        else:
            words = re.sub(r"[ \t\r\n]+", " ", said)
            space = space or words.startswith(" ")
            if not words.strip(" "):
                continue
            if space and not at_block:
                lines.insert(opened, "' '")
            lines.append(repr(words.strip(" ")))
            space, at_block, opened = words.endswith(" "), False, len(lines)
    return lines


def forms_of(markup: str) -> list[Form]:
    reader = Reader()
    reader.feed(markup)
    reader.close()
    return reader.forms
