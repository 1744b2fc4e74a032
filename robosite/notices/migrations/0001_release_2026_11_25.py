"""The tables as the release of 2026.11.25 left them, in place of the migrations up to it."""

import django.db.models.deletion
from django.db import migrations, models

import robosite.notices.models


class Migration(migrations.Migration):
    replaces = [
        ("notices", "0001_initial"),
        ("notices", "0002_asked_seats"),
        ("notices", "0003_passed_seats"),
        ("notices", "0004_programs_and_proposals"),
    ]

    initial = True

    dependencies = [
        ("matches", "0001_release_2026_11_25"),
        ("people", "0001_release_2026_11_25"),
    ]

    operations = [
        migrations.CreateModel(
            name="Channel",
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
                        choices=[
                            ("mail", "e-mail"),
                            ("push", "push"),
                            ("atom", "feed"),
                            ("calendar", "calendar"),
                            ("webhook", "webhook"),
                            ("ntfy", "ntfy"),
                        ],
                        max_length=8,
                    ),
                ),
                (
                    "label",
                    models.CharField(blank=True, max_length=60, verbose_name="what its owner calls it"),
                ),
                ("secret", models.BinaryField(null=True)),
                ("link_hash", models.CharField(blank=True, db_index=True, max_length=64)),
                ("tells", models.JSONField(default=list, verbose_name="kinds of notices")),
                (
                    "when",
                    models.CharField(
                        choices=[
                            ("now", "at once"),
                            ("soon", "after five minutes, if it still waits"),
                            ("daily", "once a day"),
                        ],
                        default="now",
                        max_length=8,
                    ),
                ),
                ("on", models.BooleanField(default=True)),
                (
                    "number",
                    models.UUIDField(default=robosite.notices.models.new_number, editable=False, unique=True),
                ),
                ("made_at", models.DateTimeField(auto_now_add=True)),
                ("succeeded_at", models.DateTimeField(null=True, verbose_name="last success")),
                ("failed_at", models.DateTimeField(null=True, verbose_name="last failure")),
                ("fault", models.CharField(blank=True, max_length=40, verbose_name="what failed")),
                (
                    "failures",
                    models.PositiveSmallIntegerField(
                        default=0, verbose_name="failures since the last success"
                    ),
                ),
                (
                    "guest",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="channels",
                        to="people.guest",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.CreateModel(
            name="Notice",
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
                        choices=[
                            ("asked", "a seat is asked for"),
                            ("passed", "a seat has passed"),
                            ("deadline", "the deadline is near"),
                            ("nudge", "somebody nudges"),
                            ("proposed", "something is proposed"),
                            ("turn", "your turn"),
                            ("over", "the match is over"),
                            ("message", "a message"),
                            ("sat", "somebody sat down"),
                            ("revealed", "a turn was revealed"),
                        ],
                        max_length=8,
                    ),
                ),
                ("fact", models.CharField(max_length=64)),
                ("turn", models.PositiveIntegerField()),
                ("who", models.CharField(blank=True, max_length=200)),
                (
                    "hours",
                    models.PositiveSmallIntegerField(null=True, verbose_name="hours before the deadline"),
                ),
                ("noted_at", models.DateTimeField()),
                ("done_at", models.DateTimeField(null=True, verbose_name="dealt with")),
                (
                    "guest",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="notices", to="people.guest"
                    ),
                ),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notices",
                        to="matches.match",
                    ),
                ),
                (
                    "seat",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="notices", to="matches.seat"
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
            },
        ),
        migrations.CreateModel(
            name="Parcel",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "what",
                    models.CharField(
                        choices=[
                            ("notices", "notices"),
                            ("test", "a test"),
                            ("done", "what was told is dealt with"),
                            ("invited", "a program is invited to a match"),
                        ],
                        default="notices",
                        max_length=8,
                    ),
                ),
                (
                    "number",
                    models.UUIDField(default=robosite.notices.models.new_number, editable=False, unique=True),
                ),
                ("due_at", models.DateTimeField()),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waits", "waits"),
                            ("sent", "sent"),
                            ("gone", "withdrawn"),
                            ("given up", "given up"),
                        ],
                        default="waits",
                        max_length=8,
                    ),
                ),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("unclear", models.PositiveSmallIntegerField(default=0)),
                ("claimed_until", models.DateTimeField(null=True)),
                ("closed_at", models.DateTimeField(null=True)),
                (
                    "channel",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="parcels",
                        to="notices.channel",
                    ),
                ),
                (
                    "match",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="matches.match",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "channel",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="notices.channel",
                    ),
                ),
                (
                    "notice",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="notices.notice",
                    ),
                ),
                (
                    "parcel",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="notices.parcel",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "deliveries",
            },
        ),
        migrations.CreateModel(
            name="Wishes",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("steps", models.JSONField(default=list, verbose_name="hours before a deadline")),
                ("quiet_from", models.PositiveSmallIntegerField(null=True)),
                ("quiet_until", models.PositiveSmallIntegerField(null=True)),
                ("digest_hour", models.PositiveSmallIntegerField(default=18)),
                ("sound", models.BooleanField(default=False)),
                (
                    "origin",
                    models.CharField(
                        blank=True, max_length=200, verbose_name="the site's address as he knows it"
                    ),
                ),
                (
                    "guest",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="wishes", to="people.guest"
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "wishes",
            },
        ),
        migrations.AddIndex(
            model_name="notice",
            index=models.Index(fields=["match", "done_at"], name="notices_not_match_i_fed5c3_idx"),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.UniqueConstraint(
                fields=("guest", "seat", "kind", "fact"), name="one_notice_a_fact"
            ),
        ),
        migrations.AddIndex(
            model_name="parcel",
            index=models.Index(fields=["state", "due_at"], name="notices_par_state_9b4e9b_idx"),
        ),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.UniqueConstraint(fields=("notice", "channel"), name="one_delivery_a_channel"),
        ),
    ]
