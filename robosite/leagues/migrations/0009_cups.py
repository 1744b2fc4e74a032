from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leagues", "0008_seasons"),
    ]

    operations = [
        migrations.AddField(
            model_name="league",
            name="format",
            field=models.CharField(
                choices=[("league", "league"), ("cup", "cup")],
                db_default="league",
                default="league",
                max_length=8,
            ),
        ),
    ]
