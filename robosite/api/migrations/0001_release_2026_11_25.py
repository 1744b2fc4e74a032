"""The tables as the release of 2026.11.25 left them, in place of the migrations up to it."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [("api", "0001_initial"), ("api", "0002_programs"), ("api", "0003_paces_of_programs")]

    initial = True

    dependencies = [
        ("matches", "0001_release_2026_11_25"),
        ("people", "0001_release_2026_11_25"),
    ]

    operations = [
        migrations.CreateModel(
            name="KeptAnswer",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("found_by", models.CharField(max_length=64, unique=True)),
                ("locked", models.BinaryField()),
                ("last", models.BooleanField(default=False, verbose_name="its token opens nothing any more")),
                ("made_at", models.DateTimeField(auto_now_add=True, db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name="NamedProgram",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "about",
                    models.CharField(blank=True, max_length=300, verbose_name="what it says of itself"),
                ),
                ("url", models.URLField(blank=True, verbose_name="where there is more about it")),
                (
                    "takes",
                    models.CharField(
                        blank=True, max_length=800, verbose_name="the games to which people may invite it"
                    ),
                ),
                ("alike", models.CharField(max_length=64, unique=True)),
                ("token_hash", models.CharField(max_length=64, unique=True)),
                ("next_hash", models.CharField(blank=True, db_index=True, max_length=64)),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                (
                    "used_at",
                    models.DateTimeField(db_index=True, verbose_name="day on which it was last used"),
                ),
                ("least_hours", models.FloatField(null=True)),
                ("most_hours", models.FloatField(null=True)),
                (
                    "guest",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="program", to="people.guest"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="KeptReceipt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("link_hash", models.CharField(max_length=64)),
                ("turn", models.PositiveIntegerField()),
                ("order", models.BinaryField()),
                ("seal", models.CharField(max_length=64)),
                ("sealed_at", models.DateTimeField()),
                ("revealed", models.BooleanField()),
                ("version", models.PositiveIntegerField()),
                (
                    "seat",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="matches.seat"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("seat", "turn"), name="one_receipt_a_turn")],
            },
        ),
        migrations.CreateModel(
            name="Challenge",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("declined", models.BooleanField(default=False)),
                ("made_at", models.DateTimeField(auto_now_add=True, db_index=True)),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="challenges",
                        to="matches.match",
                    ),
                ),
                (
                    "program",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="challenges",
                        to="api.namedprogram",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("match", "program"), name="one_challenge_a_program")
                ],
            },
        ),
    ]
