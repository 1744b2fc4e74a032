"""Adds flags for rare things that guests have, so that other tables are queried only for guests with a flag.

Guests who exist already may have any of these things, so they get all flags.
"""

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
