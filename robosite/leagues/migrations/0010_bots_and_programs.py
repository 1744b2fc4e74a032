from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leagues", "0009_cups")]

    operations = [
        migrations.AddField(
            model_name="league",
            name="for_programs",
            field=models.BooleanField(db_default=False, default=False, verbose_name="only programs play"),
        ),
        migrations.AddField(
            model_name="place",
            name="player",
            field=models.CharField(blank=True, db_default="", default="", max_length=16, verbose_name="bot"),
        ),
    ]
