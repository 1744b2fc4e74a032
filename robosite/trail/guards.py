"""Database triggers that reject changes and deletions in the trail's tables.

They stop mistakes and every program that does not drop them first; what was changed without them, the chain
of hashes or a head kept elsewhere reveals. A migration that alters a table recreates it on SQLite: it must
call `create_triggers` at its end.
"""

from django.db.backends.base.base import BaseDatabaseWrapper

_SAYS = "the audit trail is append-only"

_SQLITE = {
    "trail_entry_update": "BEFORE UPDATE ON trail_entry",
    "trail_entry_delete": "BEFORE DELETE ON trail_entry",
    "trail_entry_replace": "BEFORE INSERT ON trail_entry"
    " WHEN EXISTS (SELECT 1 FROM trail_entry WHERE number = NEW.number)",
    "trail_head_update": "BEFORE UPDATE ON trail_head WHEN NEW.number <> OLD.number + 1",
    "trail_head_delete": "BEFORE DELETE ON trail_head",
    "trail_head_replace": "BEFORE INSERT ON trail_head"
    " WHEN EXISTS (SELECT 1 FROM trail_head WHERE id = NEW.id)",
    "trail_telling_delete": "BEFORE DELETE ON trail_telling",
    "trail_tally_lower": "BEFORE UPDATE ON trail_tally"
    " WHEN NEW.count < OLD.count OR NEW.day <> OLD.day OR NEW.what <> OLD.what",
    "trail_tally_delete": "BEFORE DELETE ON trail_tally",
}

_POSTGRESQL = {
    "trail_entry_change": "BEFORE UPDATE OR DELETE ON trail_entry FOR EACH ROW",
    "trail_entry_empty": "BEFORE TRUNCATE ON trail_entry FOR EACH STATEMENT",
    "trail_head_update": "BEFORE UPDATE ON trail_head FOR EACH ROW WHEN (NEW.number <> OLD.number + 1)",
    "trail_head_delete": "BEFORE DELETE ON trail_head FOR EACH ROW",
    "trail_head_empty": "BEFORE TRUNCATE ON trail_head FOR EACH STATEMENT",
    "trail_telling_delete": "BEFORE DELETE ON trail_telling FOR EACH ROW",
    "trail_telling_empty": "BEFORE TRUNCATE ON trail_telling FOR EACH STATEMENT",
    "trail_tally_lower": "BEFORE UPDATE ON trail_tally FOR EACH ROW"
    " WHEN (NEW.count < OLD.count OR NEW.day <> OLD.day OR NEW.what <> OLD.what)",
    "trail_tally_delete": "BEFORE DELETE ON trail_tally FOR EACH ROW",
    "trail_tally_empty": "BEFORE TRUNCATE ON trail_tally FOR EACH STATEMENT",
}


def create_triggers(connection: BaseDatabaseWrapper) -> None:
    """Creates the triggers that protect the audit trail, in place of any that exist."""
    drop_triggers(connection)
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            for name, when in _SQLITE.items():
                cursor.execute(f"CREATE TRIGGER {name} {when} BEGIN SELECT RAISE(ABORT, '{_SAYS}'); END")
        elif connection.vendor == "postgresql":
            cursor.execute(
                "CREATE OR REPLACE FUNCTION trail_refuses() RETURNS trigger LANGUAGE plpgsql AS "
                f"$$ BEGIN RAISE EXCEPTION '{_SAYS}' USING ERRCODE = 'integrity_constraint_violation'; END $$"
            )
            for name, when in _POSTGRESQL.items():
                cursor.execute(f"CREATE TRIGGER {name} {when} EXECUTE FUNCTION trail_refuses()")


def drop_triggers(connection: BaseDatabaseWrapper) -> None:
    """Drops the triggers that protect the audit trail, for a backward migration and for tests."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            for name in _SQLITE:
                cursor.execute(f"DROP TRIGGER IF EXISTS {name}")
        elif connection.vendor == "postgresql":
            for name, when in _POSTGRESQL.items():
                cursor.execute(f"DROP TRIGGER IF EXISTS {name} ON {_table(when)}")


def _table(when: str) -> str:
    return when.partition(" ON ")[2].partition(" ")[0]
