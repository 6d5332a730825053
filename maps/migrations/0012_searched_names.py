"""Names in the form in which they are searched, kept beside them by PostgreSQL itself.

The indexes were over search_key(name): found names had to be brought into that form again, several times each,
which took most of a search's time.
"""

import django.contrib.postgres.indexes
from django.db import migrations, models

import maps.models

INDEXES = {
    "creaturename": "creature_search",
    "item": "item_search",
    "namedcreature": "named_creature_search",
    "zone": "zone_search",
}


def _column() -> models.GeneratedField:
    return models.GeneratedField(
        expression=maps.models.Searched(models.F("name")), output_field=models.TextField(), db_persist=True
    )


def _index(name: str) -> django.contrib.postgres.indexes.GinIndex:
    return django.contrib.postgres.indexes.GinIndex(
        django.contrib.postgres.indexes.OpClass(models.F("searched"), name="gin_trgm_ops"), name=name
    )


class Migration(migrations.Migration):
    dependencies = [("maps", "0011_fold_tries")]
    operations = [
        migrations.RunSQL(
            "DROP INDEX named_creature_search",
            "CREATE INDEX named_creature_search ON named_creature USING gin (search_key(name) gin_trgm_ops)",
        ),
        *[migrations.RemoveIndex(model, name) for model, name in INDEXES.items() if model != "namedcreature"],
        *[migrations.AddField(model, "searched", _column()) for model in INDEXES],
        *[migrations.AddIndex(model, _index(name)) for model, name in INDEXES.items()],
    ]
