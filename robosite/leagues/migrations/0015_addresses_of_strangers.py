from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leagues", "0014_own_places_and_holidays_taken"),
    ]

    operations = [
        migrations.AddField(
            model_name="league",
            name="listed_from",
            field=models.CharField(
                db_default="", default="", max_length=33, verbose_name="hash of the address that listed it"
            ),
        ),
        migrations.AddField(
            model_name="place",
            name="stranger_from",
            field=models.CharField(
                db_default="",
                default="",
                max_length=33,
                verbose_name="hash of the address of a stranger, until the start",
            ),
        ),
    ]
