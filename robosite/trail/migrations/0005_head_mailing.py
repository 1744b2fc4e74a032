from django.db import migrations


class Migration(migrations.Migration):
    """Renames the model `Telling` without SQL, so that two versions of the site can share a database."""

    dependencies = [
        ("trail", "0004_more_guards"),
    ]

    operations = [
        migrations.SeparateDatabaseAndState(
            state_operations=[
                migrations.RenameModel("Telling", "HeadMailing"),
                migrations.AlterModelTable("headmailing", "trail_telling"),
            ]
        )
    ]
