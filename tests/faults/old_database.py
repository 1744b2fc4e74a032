"""Makes a database as an older Robosite left it, from rows: `python -m tests.faults.old_database ROWS`.

ROWS is a pickled file: the migrations of then, as pairs, and for each model its rows as dicts. Columns that
were not there then are left out.
"""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import django


def main(file: Path) -> None:
    django.setup()
    from django.core.management.color import no_style
    from django.db import connection
    from django.db.migrations.executor import MigrationExecutor

    then, rows = pickle.loads(file.read_bytes())
    executor = MigrationExecutor(connection)
    executor.migrate(then)
    apps = executor.loader.project_state(then).apps
    for label, given in rows.items():
        model = apps.get_model(label)
        names = {field.attname for field in model._meta.concrete_fields}
        objects = model._default_manager.bulk_create(
            model(**{name: value for name, value in row.items() if name in names}) for row in given
        )
        for field in model._meta.concrete_fields:  # what a save would set to the present
            if getattr(field, "auto_now", False) or getattr(field, "auto_now_add", False):
                for one, row in zip(objects, given, strict=True):
                    model._default_manager.filter(pk=one.pk).update(**{field.attname: row[field.attname]})
    for told in connection.ops.sequence_reset_sql(no_style(), [apps.get_model(label) for label in rows]):
        with connection.cursor() as cursor:  # rows came with their own keys: the next ones follow
            cursor.execute(told)
    print({label: len(given) for label, given in rows.items()})


if __name__ == "__main__":
    main(Path(sys.argv[1]))
