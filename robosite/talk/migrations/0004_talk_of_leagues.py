import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """Has messages belong to a match or a league. Older releases go on writing the column `once`."""

    dependencies = [
        ("leagues", "0015_addresses_of_strangers"),
        ("talk", "0001_release_2026_11_25"),
    ]

    operations = [
        migrations.AlterField(
            "message", "once", models.CharField(blank=True, db_default="", default="", max_length=32)
        ),
        migrations.AlterField(
            "message",
            "match",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="messages",
                to="matches.match",
            ),
        ),
        migrations.AddField(
            "message",
            "league",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="messages",
                to="leagues.league",
            ),
        ),
        migrations.AddField(
            "message",
            "place",
            models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="leagues.place",
            ),
        ),
        migrations.AddIndex(
            "message",
            models.Index(
                condition=models.Q(("league", None), _negated=True),
                fields=["league", "sent_at"],
                name="said_among_a_league",
            ),
        ),
        migrations.AddConstraint(
            "message",
            models.CheckConstraint(
                condition=models.Q(("league__isnull", False), ("match", None))
                | models.Q(("league", None), ("match__isnull", False)),
                name="said_in_a_match_or_a_league",
            ),
        ),
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RemoveIndex("message", "said_once"),
                migrations.RemoveField("message", "once"),
            ]
        ),
    ]
