from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("notices", "0007_group_channels"),
    ]

    operations = [
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
                    ("season", "a season that somebody has waited for is announced"),
                ],
                default="notices",
                max_length=8,
            ),
        ),
    ]
