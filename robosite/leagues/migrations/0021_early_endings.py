from typing import Any

from django.db import migrations, models
from django.db.models import Count, F, Q


def note(apps: Any, _schema_editor: Any) -> None:
    """Notes for each match that was played whether it ended before all in its last turn had sealed twice."""
    fixtures, seats = apps.get_model("leagues", "Fixture"), apps.get_model("matches", "Seat")
    of_match = Q(programs__turn__lt=F("match__turn")) & ~Q(programs__seal="")
    for fixture in fixtures.objects.filter(decided="play").exclude(match=None).iterator():
        there = seats.objects.filter(match=fixture.match_id).exclude(resigned_turn__lt=F("match__turn") - 1)
        if there.annotate(n=Count("programs", filter=of_match)).filter(n__lt=2).exists():
            fixtures.objects.filter(pk=fixture.pk).update(early=True)


class Migration(migrations.Migration):
    dependencies = [
        ("leagues", "0020_late_words"),
    ]

    operations = [
        migrations.AddField(
            model_name="fixture",
            name="early",
            field=models.BooleanField(
                db_default=False, default=False, verbose_name="ended before all had sealed twice"
            ),
        ),
        migrations.RunPython(note, migrations.RunPython.noop, elidable=False),
    ]
