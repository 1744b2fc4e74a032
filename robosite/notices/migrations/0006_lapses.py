import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leagues", "0013_last_change"),
        ("notices", "0005_browsers_of_pushes"),
    ]

    operations = [
        migrations.AddField(
            model_name="parcel",
            name="league",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name="+",
                to="leagues.league",
            ),
        ),
        migrations.AlterField(
            model_name="parcel",
            name="what",
            field=models.CharField(
                choices=[
                    ("notices", "notices"),
                    ("test", "a test"),
                    ("done", "what was told is dealt with"),
                    ("invited", "a program is invited to a match"),
                    ("lapses", "a match or league that never began will be deleted"),
                ],
                default="notices",
                max_length=8,
            ),
        ),
    ]
