from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("matches", "0026_flags")]

    operations = [
        migrations.AddField(
            model_name="heartbeat",
            name="boot",
            field=models.CharField(blank=True, db_default="", default="", max_length=36),
        ),
        migrations.AddField(
            model_name="heartbeat",
            name="booted_at",
            field=models.DateTimeField(null=True),
        ),
        migrations.AddField(
            model_name="heartbeat",
            name="agreed_at",
            field=models.DateTimeField(null=True),
        ),
    ]
