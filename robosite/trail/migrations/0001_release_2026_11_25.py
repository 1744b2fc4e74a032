"""The tables as the release of 2026.11.25 left them, in place of the migrations up to it."""

from django.db import migrations, models

from robosite.trail import guards


class Migration(migrations.Migration):
    replaces = [
        ("trail", "0001_initial"),
        ("trail", "0002_guards"),
        ("trail", "0003_telling_and_tally"),
        ("trail", "0004_more_guards"),
    ]

    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="Entry",
            fields=[
                ("number", models.PositiveBigIntegerField(primary_key=True, serialize=False)),
                ("at", models.DateTimeField(db_index=True)),
                ("who", models.CharField(max_length=200)),
                ("action", models.SlugField(max_length=32)),
                ("subject", models.CharField(db_index=True, max_length=200)),
                ("facts", models.TextField(default="{}")),
                ("before", models.CharField(max_length=64)),
                ("hash", models.CharField(max_length=64)),
            ],
            options={
                "verbose_name_plural": "entries",
            },
        ),
        migrations.CreateModel(
            name="Head",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveBigIntegerField(default=0)),
                (
                    "hash",
                    models.CharField(
                        default="0000000000000000000000000000000000000000000000000000000000000000",
                        max_length=64,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Telling",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("due_at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Tally",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("day", models.DateField()),
                ("what", models.CharField(max_length=16)),
                ("count", models.PositiveIntegerField(default=0)),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("day", "what"), name="one_tally_a_day")],
            },
        ),
        migrations.RunPython(
            lambda apps, editor: guards.create_triggers(editor.connection),
            lambda apps, editor: guards.drop_triggers(editor.connection),
        ),
    ]
