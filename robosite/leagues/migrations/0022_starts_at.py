from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("leagues", "0021_early_endings"),
    ]

    operations = [
        migrations.AddField(
            model_name="league",
            name="starts_at",
            field=models.DateTimeField(null=True, verbose_name="when it starts by itself"),
        ),
        migrations.AddIndex(
            model_name="league",
            index=models.Index(
                fields=["starts_at"],
                name="seasons_to_start",
                condition=Q(status="open", starts_at__isnull=False),
            ),
        ),
    ]
