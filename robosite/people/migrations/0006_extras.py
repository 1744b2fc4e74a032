"""The few guests who have a thing are known from their rows; those who were there before may have
everything."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("people", "0005_leaving")]

    operations = [
        migrations.AddField(
            "guest", "extras", models.PositiveSmallIntegerField("what he has that few have", default=3)
        ),
        migrations.AlterField(
            "guest", "extras", models.PositiveSmallIntegerField("what he has that few have", default=0)
        ),
    ]
