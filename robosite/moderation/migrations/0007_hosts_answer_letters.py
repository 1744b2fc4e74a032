from django.db import migrations

RIGHTS = (
    ("view_guest", "Can view guest"),
    ("export_guest", "Can download what is kept about a guest who has asked for it"),
    ("erase_guest", "Can erase a guest who has asked for it"),
)


def make(apps, editor):
    """Gives the group of hosts its permissions for guests.

    Django creates permissions only after all migrations, so those that are needed are created here.
    """
    database = editor.connection.alias
    Group = apps.get_model("auth", "Group").objects.using(database)
    Permission = apps.get_model("auth", "Permission").objects.using(database)
    ContentType = apps.get_model("contenttypes", "ContentType").objects.using(database)
    host, _ = Group.get_or_create(name="host")
    kind, _ = ContentType.get_or_create(app_label="people", model="guest")
    for codename, name in RIGHTS:
        right, _ = Permission.get_or_create(content_type=kind, codename=codename, defaults={"name": name})
        host.permissions.add(right)


def remove(apps, editor):
    groups = apps.get_model("auth", "Group").objects.using(editor.connection.alias)
    Permission = apps.get_model("auth", "Permission").objects.using(editor.connection.alias)
    rights = Permission.filter(codename__in=[codename for codename, _ in RIGHTS], content_type__model="guest")
    for host in groups.filter(name="host"):
        host.permissions.remove(*rights)


class Migration(migrations.Migration):
    """Lets hosts answer written requests of people who want a copy of their data or want it erased."""

    dependencies = [
        ("moderation", "0006_second_factors"),
        ("people", "0010_rights_to_answer_letters"),
    ]

    operations = [migrations.RunPython(make, remove)]
