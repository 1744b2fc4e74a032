from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("matches", "0023_conditional_replies"),
    ]

    operations = [
        migrations.AddField(
            model_name="match",
            name="reveal_at",
            field=models.JSONField(
                blank=True, null=True, verbose_name="hour of the day at which turns are played"
            ),
        ),
        migrations.AddField(
            model_name="match",
            name="open_since",
            field=models.DateTimeField(null=True, verbose_name="since when the present turn could be sealed"),
        ),
        migrations.AddField(
            model_name="match",
            name="revealed_at",
            field=models.DateTimeField(null=True, verbose_name="the last hour at which a turn was played"),
        ),
        migrations.AddField(
            model_name="match",
            name="revealed_turn",
            field=models.PositiveIntegerField(null=True, verbose_name="the turn that was played then"),
        ),
    ]
