from django.db import migrations


class Migration(migrations.Migration):
    """Adds the permissions of a host who answers a guest's written request for personal data."""

    dependencies = [
        ("people", "0009_letters"),
    ]

    operations = [
        migrations.AlterModelOptions(
            name="guest",
            options={
                "permissions": [
                    ("export_guest", "Can download what is kept about a guest who has asked for it"),
                    ("erase_guest", "Can erase a guest who has asked for it"),
                ]
            },
        ),
    ]
