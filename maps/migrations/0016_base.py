"""Room for what is merged of uploads whose documents are deleted from the archive (`ingest.base`).

The same tables as the live ones, found by their keys alone. Whatever changes the columns of those changes these, too.
"""

from django.db import migrations

KEYS = {
    "creature": "id",
    "creature_name": "creature, name",
    "presence": "subject, zone, floor",
    "loot": "source, zone, floor, difficulty",
    "item_drop": "source, item, zone, floor, difficulty",
    "ledger": "content_hash",
}
TABLES = "".join(
    f"CREATE TABLE base.{table} (LIKE public.{table} INCLUDING ALL EXCLUDING INDEXES, PRIMARY KEY ({key}));\n"
    for table, key in KEYS.items()
)


class Migration(migrations.Migration):
    dependencies = [("maps", "0015_hot_without_autovacuum")]
    operations = [migrations.RunSQL(f"CREATE SCHEMA base;\n{TABLES}", "DROP SCHEMA base CASCADE")]
