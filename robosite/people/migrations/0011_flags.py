from django.db import migrations, models


class Migration(migrations.Migration):
    """Renames `Guest.extras` to `flags` without SQL, so that two versions of the site can share a database."""

    dependencies = [
        ("people", "0010_rights_to_answer_letters"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameField("guest", "extras", "flags"),
                migrations.AlterField(
                    "guest",
                    "flags",
                    models.PositiveSmallIntegerField("flags of rare things", default=0, db_column="extras"),
                ),
            ]
        )
    ]
