from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("leagues", "0012_unsettled_leagues")]

    operations = [
        migrations.AddField(
            model_name="league",
            name="changed_at",
            field=models.DateTimeField(null=True, verbose_name="last change before the start"),
        ),
    ]
