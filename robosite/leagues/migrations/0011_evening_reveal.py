from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leagues", "0010_bots_and_programs"),
    ]

    operations = [
        migrations.AddField(
            model_name="league",
            name="reveal_at",
            field=models.JSONField(
                blank=True, null=True, verbose_name="hour of the day at which turns are played"
            ),
        ),
    ]
