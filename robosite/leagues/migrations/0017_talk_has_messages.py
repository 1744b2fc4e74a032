import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Leaves the messages to the app `talk`.

    The table stays for older releases, without its foreign keys: rows of tables that it refers to may go.
    """

    dependencies = [
        ("leagues", "0016_versions"),
        ("moderation", "0010_messages_of_leagues"),
    ]

    operations = [
        migrations.AlterField(
            "leaguemessage",
            "league",
            models.ForeignKey(
                db_constraint=False,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="messages_before",
                to="leagues.league",
            ),
        ),
        migrations.AlterField(
            "leaguemessage",
            "place",
            models.ForeignKey(
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="leagues.place",
            ),
        ),
        migrations.AlterField(
            "leaguemessage",
            "guest",
            models.ForeignKey(
                db_constraint=False,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="people.guest",
            ),
        ),
        migrations.SeparateDatabaseAndState(state_operations=[migrations.DeleteModel("LeagueMessage")]),
    ]
