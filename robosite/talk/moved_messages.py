"""Moves messages of leagues out of the table in which releases before 2026.11.29 keep them.

The migration of that release moves them, and `prune` those that an older process has written since. This
module may go a year after the last older release.
"""

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper

_STATEMENTS = (
    """
    INSERT INTO talk_message
        (league_id, place_id, guest_id, name, phrase, text, hidden, sent_at, watchers, to_all, once)
    SELECT league_id, place_id, guest_id, name, phrase, text, hidden, sent_at, false, true, 'league ' || id
    FROM leagues_leaguemessage
    """,
    """
    UPDATE moderation_report
    SET message_id = (SELECT id FROM talk_message WHERE once = 'league ' || league_message_id),
        subject = 'message ' || (SELECT id FROM talk_message WHERE once = 'league ' || league_message_id),
        league_message_id = NULL
    WHERE league_message_id IS NOT NULL
    """,
    """
    UPDATE moderation_measure
    SET message_id = (SELECT id FROM talk_message WHERE once = 'league ' || league_message_id),
        league_message_id = NULL
    WHERE league_message_id IS NOT NULL
    """,
    """
    DELETE FROM leagues_leaguemessage
    WHERE 'league ' || id IN (SELECT once FROM talk_message WHERE league_id IS NOT NULL)
    """,
    "UPDATE talk_message SET once = '' WHERE league_id IS NOT NULL AND once <> ''",
)
"""The SQL that moves messages; the column `once`, known only to older releases, tells their former rows."""


def move_messages(connection: BaseDatabaseWrapper) -> None:
    """Moves leagues' messages, and points their reports and measures to the new rows."""
    with transaction.atomic(connection.alias), connection.cursor() as cursor:
        for statement in _STATEMENTS:
            cursor.execute(statement)
