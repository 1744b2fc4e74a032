"""The tables as the release of 2026.11.25 left them, in place of the migrations up to it."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [("talk", "0001_messages"), ("talk", "0002_said_once"), ("talk", "0003_standard_names")]

    initial = True

    dependencies = [
        ("matches", "0001_release_2026_11_25"),
        ("people", "0001_release_2026_11_25"),
    ]

    operations = [
        migrations.CreateModel(
            name="Heard",
            fields=[
                (
                    "hold",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="heard",
                        serialize=False,
                        to="matches.hold",
                    ),
                ),
                ("upto", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Message",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("watchers", models.BooleanField(default=False, verbose_name="among watchers")),
                ("to_all", models.BooleanField(default=True)),
                ("name", models.CharField(max_length=200)),
                ("phrase", models.CharField(blank=True, max_length=16)),
                ("text", models.TextField(blank=True)),
                ("hidden", models.BooleanField(default=False, verbose_name="hidden by a moderator")),
                ("sent_at", models.DateTimeField()),
                ("once", models.CharField(blank=True, max_length=32)),
                (
                    "guest",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="messages",
                        to="people.guest",
                    ),
                ),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="messages",
                        to="matches.match",
                    ),
                ),
                (
                    "seat",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="messages",
                        to="matches.seat",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Recipient",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sent_at", models.DateTimeField()),
                (
                    "message",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="recipients",
                        to="talk.message",
                    ),
                ),
                (
                    "seat",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="recipients",
                        to="matches.seat",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="TurnNote",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("turn", models.PositiveIntegerField()),
                ("kind", models.CharField(choices=[("word", "Word"), ("note", "Note")], max_length=4)),
                ("line", models.PositiveIntegerField(default=0)),
                ("secret", models.BinaryField()),
                (
                    "seat",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="turn_notes",
                        to="matches.seat",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(fields=["match", "watchers", "to_all", "sent_at"], name="said_at_a_table"),
        ),
        migrations.AddIndex(
            model_name="message",
            index=models.Index(
                condition=models.Q(("once", ""), _negated=True), fields=["match", "once"], name="said_once"
            ),
        ),
        migrations.AddIndex(
            model_name="recipient",
            index=models.Index(fields=["seat", "sent_at"], name="said_to_a_seat"),
        ),
        migrations.AddConstraint(
            model_name="turnnote",
            constraint=models.UniqueConstraint(fields=("seat", "turn", "kind"), name="one_scribble_a_turn"),
        ),
    ]
