"""Compares names by their looks (Unicode's confusables, UTS 39), and recognizes reserved words."""

import hashlib
import json
import re
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from itertools import groupby
from pathlib import Path

import confusable_homoglyphs
import regex

SEAT_LETTERS = "abcdefgh"


def look_alike(name: str) -> str:
    """A key shared by all names that look alike in lower case; for a stricter comparison, use `skeletons`."""
    return _skeleton(_bare(name).casefold())


def name_code(name: str) -> str:
    """Returns a SHA-256 code that is the same for all names that look alike; it does not reveal the name."""
    return hashlib.sha256(look_alike(name).encode()).hexdigest()


def skeletons(name: str) -> set[str]:
    """Returns the skeletons of three spellings of a name: as written, in lower case, and in upper case."""
    plain = _bare(name)
    return {_skeleton(one) for one in (plain, plain.casefold(), plain.upper())}


def _skeleton(text: str) -> str:
    """The skeleton of a text: the same for all texts that look alike in some typeface (UTS 39)."""
    drawn = "".join(prototypes().get(sign, sign) for sign in unicodedata.normalize("NFD", text))
    return "".join(prototypes().get(sign, sign) for sign in _bare(drawn).casefold()).translate(_ALIKE)


def _bare(text: str) -> str:
    """The text without accents, spaces, joiners and variation selectors (NFKD)."""
    apart = unicodedata.normalize("NFKD", text)
    return "".join(c for c in apart if not (unicodedata.combining(c) or c.isspace() or c in _UNSEEN))


_UNSEEN = "\ufe0e\ufe0f\u200c\u200d"
_ALIKE = str.maketrans("0l1|!", "oiiii")


@cache
def prototypes() -> dict[str, str]:
    """Returns the prototype of each confusable character, which replaces it in skeletons.

    It is the entry that pairs with all others of a group; of two, the longer or the lower code point.
    """
    alike: dict[str, set[str]] = {}
    for sign, others in json.loads(_CONFUSABLES.read_bytes()).items():
        alike[_plain(sign)] = alike.get(_plain(sign), set()) | {_plain(other["c"]) for other in others}
    found = {}
    for sign, others in alike.items():
        if len(sign) == len(others) == 1:
            (other,) = others
            if len(other) > 1 or len(alike.get(other, ())) > 1 or other < sign:
                found[sign] = other
    return {sign: "".join(found.get(c, c) for c in drawn) for sign, drawn in found.items()}


def _plain(signs: str) -> str:
    return signs.replace("\u200e", "")


_CONFUSABLES = Path(confusable_homoglyphs.__file__).with_name("confusables.json")


# Words that are not for names


@lru_cache(4096)
def is_reserved(name: str) -> bool:
    """Returns True if a name looks like a seat's letter, or ANYWHERE, STAFF, SITE or SEATS refuse it."""
    letters = regex.sub(r"[^\p{L}\p{M}\p{N}]", "", unicodedata.normalize("NFKC", name))
    if any(one in _seat_letters() for one in skeletons(letters)):
        return True
    read = {tuple(words) for reading in set(_readings(name)) for words in _words(reading)}
    return any(_is_reserved(words) for words in read)


def _is_reserved(words: tuple[str, ...]) -> bool:
    whole = "".join(words)
    if _anywhere().search(whole) or _whole().fullmatch(whole):
        return True
    if len(words) == 2 and len(words[1]) <= 2 and _seat().fullmatch(words[0]):
        return True
    return bool(_word().search(f" {' '.join(words)} "))


def _readings(name: str) -> Iterator[str]:
    """Four readings of a name: signs as letters; as spaces; digits as spaces too; that, split at capitals."""
    text = "".join(map(_latin, regex.sub(r"['’ʼʻ\u200c\u200d]", "", unicodedata.normalize("NFKC", name))))
    yield text.translate(_LEET)
    yield regex.sub(r"[^\p{L}\p{M}\p{N}]", " ", text).translate(_LEET)
    letters = regex.sub(r"[^\p{L}\p{M}]", " ", text)
    yield letters
    yield regex.sub(r"(?<=\p{Ll})(?=\p{Lu})", " ", letters)


_LEET = str.maketrans("34578@$€+¡", "eastbaseti")
"""Maps digits and signs to the letters that they look like. The digits 0 and 1 are in `_ALIKE`."""


@lru_cache(4096)
def _latin(sign: str) -> str:
    """The plain letter of a decorated Latin one, such as a small capital; others unchanged."""
    if sign.isascii():
        return sign
    found = regex.fullmatch(
        r"(?:LATIN (?:SMALL|CAPITAL) LETTER|LATIN LETTER SMALL CAPITAL|REGIONAL INDICATOR SYMBOL LETTER"
        r"|NEGATIVE (?:CIRCLED|SQUARED) LATIN CAPITAL LETTER|(?:CROSSED )?NEGATIVE SQUARED LATIN CAPITAL"
        r" LETTER|LATIN SMALL LETTER DOTLESS|LATIN CAPITAL LETTER DOTLESS) ([A-Z])(?: WITH .*)?",
        unicodedata.name(sign, ""),
    )
    return str(found[1]).lower() if found else sign


def _words(text: str) -> Iterator[list[str]]:
    """Lists of the words' skeletons, in each case; single letters in a row also joined into one word."""
    for cased in {text, text.casefold(), text.upper()}:
        words = [_bare(word) for word in regex.findall(r"[\p{L}\p{M}\p{N}|!]+", cased)]
        spelt = [
            run
            for single, some in groupby(words, key=lambda word: len(word) == 1)
            for run in (["".join(some)] if single else list(some))
        ]
        yield [_seen(word) for word in words]
        if spelt != words:
            yield [_seen(word) for word in spelt]


def _seen(word: str) -> str:
    return _skeleton(word).replace("ʍ", "rn")


@cache
def _anywhere() -> re.Pattern[str]:
    return re.compile("|".join(map(_look, ANYWHERE)))


@cache
def _word() -> re.Pattern[str]:
    words = (_look(word, between=" *" if len(word) >= 5 else "") for word in STAFF)
    return re.compile(f" (?:{'|'.join(words)}) ")


@cache
def _seat() -> re.Pattern[str]:
    return re.compile("|".join(map(_look, SEATS)))


@cache
def _seat_letters() -> frozenset[str]:
    return frozenset(_skeleton(letter) for letter in SEAT_LETTERS)


@cache
def _whole() -> re.Pattern[str]:
    letters = "".join(sorted(_seat_letters()))
    long = "|".join(_look(word) for word in SEATS if len(word) > 5)
    return re.compile("|".join([*map(_look, (*SITE, *SEATS)), f"(?:{long})[{letters}]"]))


def _look(word: str, between: str = "") -> str:
    return between.join(f"(?:{re.escape(_seen(sign))})+" for sign in _bare(word))


ANYWHERE = (
    "robosite",
    "moderator", "administrator", "webmaster", "sysadmin", "superadmin",
    "moderador", "moderadora", "administrador", "administradora",
    "moderateur", "administrateur", "moderatore", "amministratore", "модератор", "администратор",
)  # fmt: skip
"""Words that are refused anywhere in a name, since no person's name contains them."""

STAFF = (
    "admin", "admins", "mod", "mods", "moderators", "moderation", "administration", "staff", "support",
    "siteadmin", "theadmin", "teamadmin", "adminteam", "modteam", "themod", "supportteam", "sysop",
    "moderacion", "administracion", "soporte",
    "moderatorin", "administratorin", "betreiber", "betreiberin", "админ",
)  # fmt: skip
"""Words that are refused as one of the words of a name: “Admin Ben” is refused, “Adminah” is not."""

SITE = (
    "system", "the system", "server", "the server", "site", "the site", "website", "root", "host", "owner",
    "operator", "official", "team", "the team", "superuser",
    "sistema", "el sistema", "servidor", "sitio", "el sitio", "operador", "oficial", "equipo", "el equipo",
    "das system", "seite", "die seite", "webseite", "offiziell", "das team", "leitung", "spielleiter",
    "somebody", "someone", "nobody", "everybody", "everyone", "anybody", "anyone", "anonymous", "unknown",
    "alguien", "nadie", "todos", "anonimo", "anonima", "desconocido",
    "jemand", "niemand", "alle", "anonym", "unbekannt",
    "watcher", "watchers", "spectator", "spectators", "espectador", "espectadores", "zuschauer",
)  # fmt: skip
"""Words that are refused as a whole name: “System” is refused, “Systema” and “Joe Root” are not."""

SEATS = (
    "player", "players", "seat", "seats",
    "jugador", "jugadora", "jugadores", "asiento", "asientos",
    "spieler", "spielerin", "platz", "sitz", "sitzplatz",
)  # fmt: skip
"""Words that are refused as a whole name, also with a number or up to two letters (“Player B”)."""
