from django.db import migrations, models


class Migration(migrations.Migration):
    """Renames `Match.extras` to `flags` without SQL, so that two versions of the site can share a database."""

    dependencies = [
        ("matches", "0025_timed_out"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField("match", "extras", "flags"),
                migrations.AlterField(
                    "match",
                    "flags",
                    models.PositiveSmallIntegerField("flags of rare things", default=0, db_column="extras"),
                ),
            ]
        )
    ]
