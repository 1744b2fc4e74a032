"""The tables as the release of 2026.11.25 left them, in place of the migrations up to it."""

import django.db.models.deletion
import django.db.models.functions.text
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("people", "0001_initial"),
        ("people", "0002_zones"),
        ("people", "0003_mail_and_language"),
        ("people", "0004_ways_back"),
        ("people", "0005_leaving"),
        ("people", "0006_extras"),
        ("people", "0007_found_by_name"),
        ("people", "0008_sent_forms"),
    ]

    initial = True

    dependencies = []

    operations = [
        migrations.CreateModel(
            name="SentForm",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("found_by", models.CharField(max_length=64, unique=True)),
                ("locked", models.BinaryField()),
                ("made_at", models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name="Guest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(blank=True, max_length=200)),
                ("created_at", models.DateTimeField(auto_now_add=True)),
                ("zone", models.CharField(blank=True, max_length=64, verbose_name="time zone")),
                ("email", models.EmailField(blank=True, db_index=True, max_length=254)),
                ("email_confirmed_at", models.DateTimeField(null=True)),
                ("language", models.CharField(blank=True, max_length=8)),
                ("phrase_hash", models.CharField(blank=True, max_length=200)),
                ("phrase_lookup", models.CharField(blank=True, db_index=True, max_length=64)),
                ("phrase_made_at", models.DateTimeField(null=True)),
                ("round", models.PositiveIntegerField(default=0)),
                ("leaving_at", models.DateTimeField(db_index=True, null=True)),
                (
                    "extras",
                    models.PositiveSmallIntegerField(default=0, verbose_name="what he has that few have"),
                ),
                (
                    "became",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="earlier",
                        to="people.guest",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Ticket",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("device", "Device"), ("back", "Back"), ("confirm", "Confirm")], max_length=8
                    ),
                ),
                ("secret_hash", models.CharField(max_length=64, unique=True)),
                ("email", models.EmailField(blank=True, max_length=254)),
                ("expires_at", models.DateTimeField(db_index=True)),
                (
                    "guest",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tickets",
                        to="people.guest",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="guest",
            index=models.Index(django.db.models.functions.text.Upper("name"), name="guests_by_name"),
        ),
    ]
