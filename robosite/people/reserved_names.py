"""Words that nobody may be called by: those of the staff, of the site itself, and of seats.

Each line is one language. They are compared by how they look, so digits for letters (M0derator), foreign
letters, accents, doubled letters and separators need no lines of their own (`look_alikes.py`).
"""

from __future__ import annotations

ANYWHERE = (
    "robosite",
    "moderator", "administrator", "webmaster", "sysadmin", "superadmin",
    "moderador", "moderadora", "administrador", "administradora",
    "moderateur", "administrateur", "moderatore", "amministratore", "модератор", "администратор",
)  # fmt: skip
"""Refused wherever they stand in a name, since no name of a person has them in it."""

STAFF = (
    "admin", "admins", "mod", "mods", "moderators", "moderation", "administration", "staff", "support",
    "siteadmin", "theadmin", "teamadmin", "adminteam", "modteam", "themod", "supportteam", "sysop",
    "moderacion", "administracion", "soporte",
    "moderatorin", "administratorin", "betreiber", "betreiberin", "админ",
)  # fmt: skip
"""Refused as a word of a name: “Admin Ben”, but not “Adminah”."""

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
"""Refused as a whole name: “System”, but not “Systema” or “Joe Root”."""

SEATS = (
    "player", "players", "seat", "seats",
    "jugador", "jugadora", "jugadores", "asiento", "asientos",
    "spieler", "spielerin", "platz", "sitz", "sitzplatz",
)  # fmt: skip
"""Refused as a whole name, alone or with one letter or a number: “Player B”. So is a seat's letter alone."""
