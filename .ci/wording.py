"""The house rules for words that a machine can check: contractions, retired words, signs, long buttons."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

LONGEST_BUTTON = 18
FACT = re.compile(r"\{\w+\}|%\(\w+\)s")

FORMAL = re.compile(
    r"/(?:rules|paper|_texts)\.html|^templates/ops/|^templates/leagues/_\w*terms|^robosite/(?:api|ops)/"
    r"|^games/(?!\w+/(?:presentation|teaching)/)|^games/\w+/presentation/(?:planner|sketch|drafts)\.py"
)
"""Where long forms may stay: rules, law and privacy, errors that programs read too."""
LONG_FORM = re.compile(
    r"\b(?:do|does|did|is|are|was|were|could|would|should|has|have|had|will) not\b(?! *[.,;:?!”]|$)"
    r"|\bcannot\b|\bI am\b|(?:^|[.!?:] |“)(?:It|That|There|You|They|We) (?:is|are)\b(?! *[.,;:?!”]|$)"
)
UNIT_OF = r"(?:(?<=\d)|(?<=\})) "
WORDS = {
    "en": {
        r"(every|some|any|no)body\b": "everyone, someone, anyone, no one",
        r"(?<=\w)'(?=\w)|(?<=s)' ": "’",
        r"customiz": "customise",
        r"watchers?\b": "spectator",
        r"talk\b(?! to| with)": "chat",
        r"sat down\b|sits? down\b|sitting down\b": "join",
        r"call(ed|s|ing)? (it |the match |this match )?off\b": "cancel",
        r"moving picture": "GIF",
        r"(changed sides|sides changed)\b": "sides swapped",
        r"organizer": "organiser",
        r"hulks?\b": "wreck",
    },
    "de": {
        rf"{UNIT_OF}(?:%|(?:Std|Min|Tg)\.|s\b)|k\. o\.|z\. B\.": "a non-breaking space",
        r"(Wähl|Setz|Misch|Zerstör|Schick|(?<!ein )Tipp (auf|ein|die|den|das))\b": "the form with -e",
        r"(Durch|Rück)blick|durchgesehen": "Analyse, analysiert",
        r"Gespräch": "Chat",
        r"bewegtes Bild": "GIF",
        r"um die Kante": "um den Rand",
        r"vertauscht": "getauscht",
        r"versäumt": "verpasst",
        r"Widerspruch": "Einspruch",
        r"absagen|abgesagt": "abbrechen",
        r"(?<=\}) je Zug": "pro Zug",
        r"(erspielte|ausgespielte)n? Sieg": "Siege am Brett",
        r"Vergiss mich": "Daten löschen",
        r"unentschieden": "remis",
    },
    "es": {
        rf"{UNIT_OF}(?:%|(?:h|min|s)\b)|K\. O\.": "a non-breaking space",
        r"charla": "chat",
        r"vosotros|vuestr[oa]s?\b|\w+[áé]is\b(?<!seis)": "ustedes, or a noun",
        r"cog(er|e|es|ido|ida)\b": "elegir, tomar",
        r"(des|re)tapar|descubr|descub": "revelar",
        r"enemig": "rival",
        r"fila de casa": "fila de salida",
        r"imagen animada": "GIF",
        r"(va|vas) tarde|se retrasa": "llega tarde",
        r"noquead|nocaut|fuera de combate": "K. O.",
        r"chatarra": "restos",
        r"propulsor": "impulsor",
        r"(da|dar|dé) la vuelta(?! por| al)": "voltear",
        r"Olvídame": "Borrar mis datos",
        r"mesa nueva": "partida nueva",
    },
}
"""Words that gave way to one name for one thing, by language; each pattern begins at a word."""
RETIRED = {
    language: [
        (re.compile(word if word.startswith("(?") else rf"(?<![\w’])(?:{word})", re.IGNORECASE), instead)
        for word, instead in words.items()
    ]
    for language, words in WORDS.items()
}
FOR_THE_EYE = re.compile(r"[←-⇿⋯⌀-⏿■-◿★☆✓-✘×]")
"""Signs that a screen reader passes over or spells out; in a sentence they are named."""
KEPT = {"Somebody": "the name of forgotten guests in the database"}
"""English texts that keep a retired word, each with its reason."""
LONG_BUTTONS = {
    "Continuous feedback": "the designer's name of the variant",
    "I’m %(name)s: ask for my seat": "says who asks, and for what",
    "I’m %(name)s and have lost my seat": "the same",
}
"""English texts that may be long on a button, each with its reason."""

ATTRIBUTES = r"(?:[^>{]|\{\{.*?\}\}|\{%.*?%\}|\{(?![{%]))*"
BUTTON = re.compile(
    rf"<(?P<tag>button|summary|a)\b(?P<attributes>{ATTRIBUTES})>(?P<inside>.*?)</(?P=tag)>", re.DOTALL
)
ASIDE = re.compile(r"<(small|span)[^>]*\bclass=\"[^\"]*(?:visually-hidden|hint)[^\"]*\".*?</\1>", re.DOTALL)
TEXT = re.compile(
    r"\{%-? *trans\b.*?%\}(.*?)\{%-? *endtrans *-?%\}|(?<!\w)_\(\s*\"((?:[^\"\\]|\\.)*)\"\s*[,)]", re.DOTALL
)


TABLE = re.compile(r"^  (en|de|es): \{$(.*?)^  \},?$", re.DOTALL | re.MULTILINE)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`([^`]*)`')
"""The words of a script, and the texts in them: some scripts have a table of each language."""
ON_PAGE = re.compile(r"<[^>]+\bdata-says=[^>]*>(.*?)</", re.DOTALL)
"""The English words of a page that has a script's table for the other languages."""

Said = Mapping[str, Mapping[Any, tuple[str, ...]]]
"""By language: the forms (singular, plural) of each text, under the English text or pair of texts."""


def ill_worded(said: Said, placed: Mapping[Any, set[str]]) -> Iterator[str]:
    """The faults in the words of all texts; `placed` has the files of each."""
    for language, texts in said.items():
        for key, forms in texts.items():
            formal = all(FORMAL.search(path) for path in placed[key])
            for text in forms:
                if language == "en" and not formal and LONG_FORM.search(text):
                    yield f"{language}: no contraction: {text}"
                if key not in KEPT:
                    yield from _retired(language, text)
                if sign := FOR_THE_EYE.search(text):
                    yield f"{language}: “{sign[0]}” is for the eye alone: {text}"


def in_scripts(root: Path) -> tuple[Said, Mapping[Any, set[str]]]:
    """What `ill_worded` takes, for the words of scripts and of the page that is saved."""
    said: dict[str, dict[Any, tuple[str, ...]]] = {"en": {}, "de": {}, "es": {}}
    placed: dict[Any, set[str]] = {}
    page = root / "templates" / "share" / "verify.html"
    found = [("en", text, page) for text in ON_PAGE.findall(page.read_text())]
    for script in sorted(root.glob("static/js/**/*.js")):
        for language, table in TABLE.findall(script.read_text()):
            texts = ("".join(parts) for parts in LITERAL.findall(table))
            found += [(language, re.sub(r"\$\{[^}]*\}", "{fact}", text), script) for text in texts]
    for language, text, path in found:
        said[language][text] = (re.sub(r"[ \n]+", " ", text).strip(),)
        placed.setdefault(text, set()).add(path.relative_to(root).as_posix())
    return said, placed


def _retired(language: str, text: str) -> Iterator[str]:
    bare = FACT.sub("{}", text)
    for word, instead in RETIRED[language]:
        if found := word.search(bare):
            yield f"{language}: “{found[0]}”, better {instead}: {text}"


def long_buttons(said: Said, templates: Path) -> Iterator[str]:
    """The texts on buttons, links that look like one, and folds that are longer than LONGEST_BUTTON."""
    pages = [path.read_text() for path in sorted(templates.rglob("*.html")) if "staff" not in path.parts]
    asked = {text for page in pages for text in _on_buttons(page)} - LONG_BUTTONS.keys()
    for language, texts in said.items():
        for key, forms in texts.items():
            for text in forms if asked.intersection((key,) if isinstance(key, str) else key) else ():
                length = len(FACT.sub("", text).replace("%%", "%").strip())
                if length > LONGEST_BUTTON:
                    yield f"{language}: {length} characters on a button: {text}"


def _on_buttons(page: str) -> Iterator[str]:
    for found in BUTTON.finditer(page):
        looks = re.search(r"class=\"(?:[^\"]* )?(?:primary|secondary|key)\b", found["attributes"])
        if found["tag"] == "a" and not looks:
            continue
        for block, literal in TEXT.findall(ASIDE.sub("", found["inside"])):
            text = " ".join(re.sub(r"\{\{ *(\w+) *\}\}", r"%(\1)s", block or literal).split())
            yield from re.split(r" ?\{%-? *pluralize[^%]*%\} ?", text)
