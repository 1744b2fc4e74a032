from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("matches", "0028_holidays_taken"),
    ]

    operations = [
        migrations.AddField(
            model_name="match",
            name="listed_from",
            field=models.CharField(
                db_default="", default="", max_length=33, verbose_name="hash of the address that listed it"
            ),
        ),
        migrations.AddField(
            model_name="seat",
            name="stranger_from",
            field=models.CharField(
                db_default="",
                default="",
                max_length=33,
                verbose_name="hash of the address of a stranger who has not sealed",
            ),
        ),
        migrations.AddIndex(
            model_name="seat",
            index=models.Index(
                condition=models.Q(("stranger_from", ""), _negated=True),
                fields=["stranger_from"],
                name="strangers",
            ),
        ),
    ]
