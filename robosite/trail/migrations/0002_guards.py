from django.db import migrations

from robosite.trail import guards


class Migration(migrations.Migration):
    """The database refuses to change or delete entries."""

    dependencies = [("trail", "0001_initial")]

    operations = [
        migrations.RunPython(
            lambda apps, editor: guards.create_triggers(editor.connection),
            lambda apps, editor: guards.drop_triggers(editor.connection),
        )
    ]
