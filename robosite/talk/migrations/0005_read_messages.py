from django.db import migrations, models
from django.db.models import Exists, F, OuterRef


def note_read(apps, schema_editor):
    """Has older messages count as read, but private ones only where their recipients have read them."""
    apps.get_model("talk", "Message").objects.update(read_at=F("sent_at"))
    heard = apps.get_model("talk", "Heard").objects.filter(
        hold__seat=OuterRef("seat"), upto__gte=OuterRef("sent_at")
    )
    apps.get_model("talk", "Recipient").objects.filter(Exists(heard)).update(read_at=F("sent_at"))


class Migration(migrations.Migration):
    dependencies = [
        ("talk", "0004_talk_of_leagues"),
    ]

    operations = [
        migrations.AddField(
            "message", "read_at", models.DateTimeField("first read by somebody else", null=True)
        ),
        migrations.AddField("recipient", "read_at", models.DateTimeField(null=True)),
        migrations.RunPython(note_read, migrations.RunPython.noop),
    ]
