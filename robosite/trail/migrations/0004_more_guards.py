from django.db import migrations

from robosite.trail import guards


class Migration(migrations.Migration):
    """The database refuses to empty any table of the trail, and to lower or delete a tally."""

    dependencies = [("trail", "0003_telling_and_tally")]

    operations = [
        migrations.RunPython(
            lambda apps, editor: guards.create_triggers(editor.connection), migrations.RunPython.noop
        )
    ]
