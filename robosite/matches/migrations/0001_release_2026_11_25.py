"""The tables as the release of 2026.11.25 left them, in place of the migrations up to it."""

import django.db.models.deletion
import django.db.models.functions.text
from django.db import migrations, models

import robosite.web.link_secrets


class Migration(migrations.Migration):
    replaces = [
        ("matches", "0001_initial"),
        ("matches", "0002_bots"),
        ("matches", "0003_players_only"),
        ("matches", "0004_taken_back"),
        ("matches", "0005_endings"),
        ("matches", "0006_clocks"),
        ("matches", "0007_who_acts"),
        ("matches", "0008_lost_seats"),
        ("matches", "0009_breaks"),
        ("matches", "0010_lost_seats_at_the_tables_pace"),
        ("matches", "0011_sittings"),
        ("matches", "0012_recounts"),
        ("matches", "0013_lanes_of_bots"),
        ("matches", "0014_extras"),
        ("matches", "0015_found_in_long_lists"),
        ("matches", "0016_series"),
        ("matches", "0017_imports_and_figures"),
        ("matches", "0018_seats_of_programs"),
        ("matches", "0019_indexes_for_prune"),
        ("matches", "0020_versions_of_bots"),
        ("matches", "0021_heartbeats_and_keys"),
    ]

    initial = True

    dependencies = [
        ("people", "0001_release_2026_11_25"),
    ]

    operations = [
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
            options={
                "verbose_name_plural": "figures",
            },
        ),
        migrations.CreateModel(
            name="Heartbeat",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="KeyCheck",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("locked", models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name="ProcessHeartbeat",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("part", models.CharField(max_length=16, unique=True)),
                ("at", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Holiday",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("first", models.DateField(verbose_name="first day")),
                ("last", models.DateField(verbose_name="last day")),
                ("begins", models.DateTimeField()),
                ("ends", models.DateTimeField(db_index=True)),
                (
                    "guest",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="holidays",
                        to="people.guest",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Match",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "key",
                    models.CharField(
                        default=robosite.web.link_secrets.new_key,
                        editable=False,
                        max_length=16,
                        unique=True,
                    ),
                ),
                ("game_slug", models.SlugField(max_length=32, verbose_name="game")),
                ("rules", models.PositiveSmallIntegerField()),
                ("given_options", models.JSONField(default=dict, verbose_name="options")),
                ("setup", models.JSONField(default=dict)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("open", "open"),
                            ("playing", "playing"),
                            ("over", "over"),
                            ("aborted", "called off"),
                        ],
                        db_index=True,
                        default="open",
                        max_length=8,
                    ),
                ),
                ("turn", models.PositiveIntegerField(default=0, verbose_name="turns played")),
                ("version", models.PositiveIntegerField(default=1)),
                ("listed", models.BooleanField(default=False, verbose_name="an open table")),
                ("invite_hash", models.CharField(blank=True, db_index=True, max_length=64)),
                ("opened_at", models.DateTimeField(null=True, verbose_name="invite opened")),
                ("opened_by", models.CharField(blank=True, max_length=200)),
                ("deadline_hours", models.FloatField(null=True)),
                (
                    "late",
                    models.CharField(
                        choices=[
                            ("claim", "the others may stop waiting"),
                            ("fill", "the draft is played, else a legal order"),
                            ("forfeit", "who is late resigns"),
                        ],
                        default="claim",
                        max_length=8,
                    ),
                ),
                ("deadline", models.DateTimeField(null=True)),
                (
                    "overdue",
                    models.BooleanField(default=False, verbose_name="the deadline has been noted as past"),
                ),
                ("outcome_json", models.JSONField(null=True, verbose_name="outcome")),
                ("created_at", models.DateTimeField(auto_now_add=True, db_index=True)),
                ("changed_at", models.DateTimeField(auto_now=True, db_index=True)),
                ("watched", models.BooleanField(default=True, verbose_name="watchers are welcome")),
                ("taken_back", models.PositiveIntegerField(default=0, verbose_name="turns taken back")),
                (
                    "due",
                    models.DateTimeField(
                        db_index=True, null=True, verbose_name="when something follows from time alone"
                    ),
                ),
                (
                    "left",
                    models.DurationField(null=True, verbose_name="time left while the clock stands still"),
                ),
                (
                    "paused",
                    models.BooleanField(default=False, verbose_name="all people still in it want a pause"),
                ),
                (
                    "weekends_off",
                    models.BooleanField(default=False, verbose_name="Saturdays and Sundays do not count"),
                ),
                (
                    "zone",
                    models.CharField(default="UTC", max_length=64, verbose_name="time zone of the table"),
                ),
                (
                    "to_act",
                    models.CharField(max_length=8, null=True, verbose_name="who acts in the present turn"),
                ),
                (
                    "handover_at",
                    models.DateTimeField(db_index=True, null=True, verbose_name="when a lost seat passes"),
                ),
                (
                    "breaks",
                    models.JSONField(
                        blank=True, default=list, verbose_name="holidays by which the clock goes"
                    ),
                ),
                ("lane", models.PositiveSmallIntegerField(default=0, verbose_name="in which its bots wait")),
                (
                    "extras",
                    models.PositiveSmallIntegerField(default=0, verbose_name="what it has that few have"),
                ),
                ("series", models.JSONField(blank=True, null=True, verbose_name="its place in a series")),
                (
                    "imported",
                    models.BooleanField(default=False, verbose_name="made from a record, not played here"),
                ),
                (
                    "rematch_of",
                    models.OneToOneField(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="rematch",
                        to="matches.match",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "matches",
            },
        ),
        migrations.CreateModel(
            name="Recount",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("at", models.DateTimeField()),
                ("after", models.PositiveBigIntegerField(default=0)),
                (
                    "guest",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="recount", to="people.guest"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Seat",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("letter", models.CharField(max_length=1)),
                ("name", models.CharField(blank=True, max_length=200)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("human", "human"),
                            ("bot", "bot"),
                            ("program", "program that plays over the API"),
                        ],
                        default="human",
                        max_length=8,
                    ),
                ),
                ("host", models.BooleanField(default=False, verbose_name="made the match")),
                ("link_hash", models.CharField(blank=True, db_index=True, max_length=64)),
                ("taken_at", models.DateTimeField(null=True)),
                (
                    "resigned_turn",
                    models.PositiveIntegerField(null=True, verbose_name="gives resign for turn"),
                ),
                ("draw_turn", models.PositiveIntegerField(null=True, verbose_name="offered a draw in turn")),
                (
                    "player",
                    models.CharField(
                        blank=True, max_length=16, verbose_name="which program plays a bot's seat"
                    ),
                ),
                (
                    "was",
                    models.CharField(
                        blank=True, max_length=1, verbose_name="letter before the start with fewer"
                    ),
                ),
                ("wish_declined", models.BooleanField(default=False, verbose_name="the others declined")),
                (
                    "wish_turn",
                    models.PositiveIntegerField(
                        null=True, verbose_name="asked to take its turn back in turn"
                    ),
                ),
                ("draw_no", models.PositiveIntegerField(null=True, verbose_name="declined a draw in turn")),
                (
                    "off_no",
                    models.PositiveIntegerField(null=True, verbose_name="declined to call it off in turn"),
                ),
                (
                    "off_turn",
                    models.PositiveIntegerField(
                        null=True, verbose_name="asked to call the match off in turn"
                    ),
                ),
                (
                    "missed",
                    models.PositiveSmallIntegerField(default=0, verbose_name="deadlines missed in a row"),
                ),
                ("wants_pause", models.BooleanField(default=False, verbose_name="wants a pause")),
                (
                    "passed_at",
                    models.DateTimeField(null=True, verbose_name="when it passed to who had asked for it"),
                ),
                (
                    "passed_turn",
                    models.PositiveIntegerField(null=True, verbose_name="turns played when it passed"),
                ),
                (
                    "sitting",
                    models.PositiveIntegerField(
                        default=0, verbose_name="how often who may act was decided anew"
                    ),
                ),
                ("addressed", models.BooleanField(default=False, verbose_name="messages were written to it")),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="seats", to="matches.match"
                    ),
                ),
            ],
            options={
                "ordering": ("letter",),
            },
        ),
        migrations.CreateModel(
            name="Program",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("turn", models.PositiveIntegerField()),
                ("secret", models.BinaryField(null=True)),
                ("seal", models.CharField(blank=True, max_length=64)),
                ("sealed_at", models.DateTimeField(null=True)),
                ("order", models.TextField(blank=True)),
                ("nonce", models.CharField(blank=True, max_length=64)),
                ("by", models.CharField(blank=True, max_length=8)),
                ("by_version", models.PositiveSmallIntegerField(null=True)),
                (
                    "seat",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="programs",
                        to="matches.seat",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Nudge",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("turn", models.PositiveIntegerField()),
                ("at", models.DateTimeField()),
                (
                    "seat",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="nudges", to="matches.seat"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Hold",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("seen_turn", models.PositiveIntegerField(default=0, verbose_name="turns seen")),
                ("sitting", models.PositiveIntegerField(default=0)),
                (
                    "guest",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="holds", to="people.guest"
                    ),
                ),
                (
                    "seat",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="holds", to="matches.seat"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="FormerHold",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("sat_at", models.DateTimeField()),
                (
                    "guest",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="former_holds",
                        to="people.guest",
                    ),
                ),
                (
                    "seat",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="former_holds",
                        to="matches.seat",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Asking",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("asked_at", models.DateTimeField()),
                (
                    "answer",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("", "open"),
                            ("yes", "somebody at the table said yes"),
                            ("no", "somebody at the table said no"),
                            ("objected", "who sits there objects"),
                        ],
                        max_length=8,
                    ),
                ),
                ("due", models.DateTimeField(null=True)),
                ("origin", models.CharField(blank=True, max_length=32)),
                (
                    "guest",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="askings", to="people.guest"
                    ),
                ),
                (
                    "answered_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="matches.seat",
                    ),
                ),
                (
                    "seat",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="askings", to="matches.seat"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="TakenBack",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("turn", models.PositiveIntegerField()),
                ("order", models.TextField()),
                ("nonce", models.CharField(max_length=64)),
                ("seal", models.CharField(max_length=64)),
                ("sealed_at", models.DateTimeField(null=True)),
                ("taken_back_at", models.DateTimeField(auto_now_add=True)),
                (
                    "seat",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="taken_back",
                        to="matches.seat",
                    ),
                ),
            ],
            options={
                "verbose_name": "turn taken back",
                "verbose_name_plural": "turns taken back",
            },
        ),
        migrations.AddIndex(
            model_name="match",
            index=models.Index(
                condition=models.Q(("imported", True)), fields=["created_at"], name="imported_matches"
            ),
        ),
        migrations.AddIndex(
            model_name="match",
            index=models.Index(
                condition=models.Q(("turn", 0)), fields=["changed_at"], name="matches_without_a_turn"
            ),
        ),
        migrations.AddIndex(
            model_name="seat",
            index=models.Index(django.db.models.functions.text.Upper("name"), name="seats_by_name"),
        ),
        migrations.AddIndex(
            model_name="seat",
            index=models.Index(condition=models.Q(("kind", "bot")), fields=["match"], name="seats_of_bots"),
        ),
        migrations.AddConstraint(
            model_name="seat",
            constraint=models.UniqueConstraint(fields=("match", "letter"), name="one_seat_a_letter"),
        ),
        migrations.AddConstraint(
            model_name="program",
            constraint=models.UniqueConstraint(fields=("seat", "turn"), name="one_program_a_turn"),
        ),
        migrations.AddConstraint(
            model_name="hold",
            constraint=models.UniqueConstraint(fields=("seat", "guest"), name="one_hold_a_guest"),
        ),
        migrations.AddConstraint(
            model_name="asking",
            constraint=models.UniqueConstraint(fields=("seat", "guest"), name="one_asking_a_guest"),
        ),
        migrations.AddConstraint(
            model_name="takenback",
            constraint=models.UniqueConstraint(fields=("seat", "number"), name="one_turn_a_number"),
        ),
    ]
