from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("matches", "0015_found_in_long_lists"),
    ]

    operations = [
        migrations.AddField(
            model_name="match",
            name="series",
            field=models.JSONField(blank=True, null=True, verbose_name="its place in a series"),
        ),
    ]
