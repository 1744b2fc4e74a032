"""The tables as the release of 2026.11.25 left them, in place of the migrations up to it."""

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import robosite.moderation.models


class Migration(migrations.Migration):
    replaces = [
        ("moderation", "0001_reports_and_measures"),
        ("moderation", "0003_traces"),
        ("moderation", "0004_plainer_reasons"),
        ("moderation", "0005_taken_names"),
    ]

    initial = True

    dependencies = [
        ("matches", "0001_release_2026_11_25"),
        ("people", "0001_release_2026_11_25"),
        ("talk", "0001_release_2026_11_25"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Salt",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("secret", models.CharField(max_length=64)),
                ("made_at", models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name="Measure",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "number",
                    models.BigIntegerField(
                        default=robosite.moderation.models.new_number, editable=False, unique=True
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("warn", "a warning"),
                            ("rename", "another name"),
                            ("hide", "a message hidden"),
                            ("mute", "a mute"),
                            ("unlist", "off the open tables"),
                            ("close", "a match closed"),
                            ("revoke", "a seat's link revoked"),
                            ("ban", "a ban"),
                        ],
                        max_length=6,
                    ),
                ),
                ("network", models.CharField(blank=True, max_length=50, verbose_name="range of addresses")),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("insult", "It insults, threatens or harasses somebody"),
                            ("spam", "Advertising, or the same thing again and again"),
                            ("private", "It reveals something private about somebody"),
                            ("unfair", "Unfair play"),
                            ("other", "Something else"),
                        ],
                        default="other",
                        max_length=8,
                    ),
                ),
                ("why", models.TextField(blank=True, verbose_name="what the guest is told")),
                ("made_at", models.DateTimeField()),
                ("ends_at", models.DateTimeField(null=True)),
                ("lifted_at", models.DateTimeField(null=True)),
                ("read_at", models.DateTimeField(null=True, verbose_name="confirmed by the guest")),
                ("objected_at", models.DateTimeField(null=True)),
                ("objection", models.TextField(blank=True)),
                ("code", models.CharField(blank=True, max_length=64)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "guest",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="measures",
                        to="people.guest",
                    ),
                ),
                (
                    "match",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="measures",
                        to="matches.match",
                    ),
                ),
                (
                    "message",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="measures",
                        to="talk.message",
                    ),
                ),
                (
                    "seat",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="measures",
                        to="matches.seat",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Report",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "number",
                    models.BigIntegerField(
                        default=robosite.moderation.models.new_number, editable=False, unique=True
                    ),
                ),
                (
                    "what",
                    models.CharField(
                        choices=[
                            ("match", "a match"),
                            ("seat", "a seat"),
                            ("name", "a name"),
                            ("message", "a message"),
                            ("objection", "an objection"),
                        ],
                        max_length=9,
                        verbose_name="what is reported",
                    ),
                ),
                ("subject", models.CharField(db_index=True, max_length=32)),
                ("shown", models.TextField(blank=True, verbose_name="as it stood")),
                (
                    "reason",
                    models.CharField(
                        choices=[
                            ("insult", "It insults, threatens or harasses somebody"),
                            ("spam", "Advertising, or the same thing again and again"),
                            ("private", "It reveals something private about somebody"),
                            ("unfair", "Unfair play"),
                            ("other", "Something else"),
                        ],
                        default="other",
                        max_length=8,
                    ),
                ),
                ("words", models.TextField(blank=True, verbose_name="what the reporter says")),
                ("made_at", models.DateTimeField(db_index=True)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("open", "open"),
                            ("dealt", "dealt with"),
                            ("dismissed", "nothing was done"),
                        ],
                        db_index=True,
                        default="open",
                        max_length=9,
                    ),
                ),
                ("closed_at", models.DateTimeField(null=True)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="reports",
                        to="people.guest",
                    ),
                ),
                (
                    "guest",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="reported",
                        to="people.guest",
                    ),
                ),
                (
                    "match",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="reports",
                        to="matches.match",
                    ),
                ),
                (
                    "measure",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="objections",
                        to="moderation.measure",
                        verbose_name="objects to",
                    ),
                ),
                (
                    "message",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="reports",
                        to="talk.message",
                    ),
                ),
                (
                    "seat",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="reports",
                        to="matches.seat",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Note",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.TextField()),
                ("made_at", models.DateTimeField()),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "report",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notes",
                        to="moderation.report",
                    ),
                ),
            ],
            options={
                "ordering": ("pk",),
            },
        ),
        migrations.AddField(
            model_name="measure",
            name="report",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="measures",
                to="moderation.report",
            ),
        ),
        migrations.AddField(
            model_name="measure",
            name="salt",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="measures",
                to="moderation.salt",
            ),
        ),
        migrations.CreateModel(
            name="TakenName",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("code", models.CharField(max_length=64)),
                (
                    "guest",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="taken_names",
                        to="people.guest",
                    ),
                ),
                (
                    "match",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="taken_names",
                        to="matches.match",
                    ),
                ),
                (
                    "measure",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="taken_names",
                        to="moderation.measure",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Trace",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("code", models.CharField(max_length=64)),
                (
                    "guest",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="trace", to="people.guest"
                    ),
                ),
                (
                    "salt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="traces",
                        to="moderation.salt",
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="measure",
            index=models.Index(fields=["kind", "network"], name="banned_networks"),
        ),
        migrations.AddIndex(
            model_name="takenname",
            index=models.Index(fields=["guest", "code"], name="taken_from_guests"),
        ),
        migrations.AddIndex(
            model_name="takenname",
            index=models.Index(fields=["match", "code"], name="taken_at_tables"),
        ),
    ]
