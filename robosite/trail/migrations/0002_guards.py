from django.db import migrations

from robosite.trail import guards


class Migration(migrations.Migration):
    """The database refuses to change or delete entries."""

    dependencies = [("trail", "0001_initial")]

    operations = [
        migrations.RunPython(
            lambda apps, editor: guards.put_up(editor.connection),
            lambda apps, editor: guards.take_down(editor.connection),
        )
    ]
