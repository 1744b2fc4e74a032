"""Words that guests must not use as names: words for the staff, for the site itself, and for seats.

The words are in several languages. Names that look like one of the words are refused too (`look_alikes.py`),
so spellings with digits (M0derator), foreign letters, accents, doubled letters or separators need no entries.
"""

from __future__ import annotations

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
"""Words that are refused as a whole name, also with a number or up to two letters added (“Player B”).

A seat's letter alone is refused too."""
