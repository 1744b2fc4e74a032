import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leagues", "0022_starts_at"),
        ("people", "0014_explanations_seen"),
    ]

    operations = [
        migrations.CreateModel(
            name="Waiting",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("asked_at", models.DateTimeField(auto_now_add=True)),
                (
                    "guest",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="awaited_seasons",
                        to="people.guest",
                    ),
                ),
                (
                    "league",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="waiting",
                        to="leagues.league",
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "waiting",
                "constraints": [
                    models.UniqueConstraint(fields=("league", "guest"), name="one_wait_a_guest_and_league")
                ],
            },
        ),
    ]
