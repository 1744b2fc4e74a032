"""Adds flags for rare things that a match or a seat has. Rows from before this migration get all flags."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("matches", "0013_lanes_of_bots")]

    operations = [
        migrations.AddField(
            "match", "extras", models.PositiveSmallIntegerField("what it has that few have", default=7)
        ),
        migrations.AlterField(
            "match", "extras", models.PositiveSmallIntegerField("what it has that few have", default=0)
        ),
        migrations.AddField(
            "seat", "addressed", models.BooleanField("messages were written to it", default=True)
        ),
        migrations.AlterField(
            "seat", "addressed", models.BooleanField("messages were written to it", default=False)
        ),
    ]
