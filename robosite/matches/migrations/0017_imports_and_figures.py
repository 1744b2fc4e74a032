from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("matches", "0016_series"),
    ]

    operations = [
        migrations.AddField(
            model_name="match",
            name="imported",
            field=models.BooleanField(default=False, verbose_name="made from a record, not played here"),
        ),
        migrations.CreateModel(
            name="Figures",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=8, unique=True)),
                ("data", models.JSONField(default=dict)),
                ("at", models.DateTimeField()),
            ],
            options={"verbose_name_plural": "figures"},
        ),
    ]
