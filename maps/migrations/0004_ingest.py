"""What ingest needs in addition to the tables: ids of named creatures, hot tables, the baseline, and compression."""

from django.db import migrations

from maps.models import FIRST_NAMED_ID

# Creatures known by name alone get ids from 2³¹ up, which the game does not use.
NAMED_CREATURE_IDS = f"""
CREATE SEQUENCE named_creature_id AS bigint START {FIRST_NAMED_ID} OWNED BY named_creature.id;
ALTER TABLE named_creature ALTER COLUMN id SET DEFAULT nextval('named_creature_id');
"""

# Two schemas for the hot tables. Ingest creates the tables (`ingest/merge/sql/hot_tables.sql`), in RAM if there is a
# tablespace for them; they are interim and may be lost at any moment. The table and sequence here are permanent.
HOT = """
CREATE SCHEMA hot_0;
CREATE SCHEMA hot_1;
-- One row: the set that is being filled, when the last fold ended and how long it took, how many folds in a row failed.
CREATE TABLE hot_state (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    filling smallint NOT NULL DEFAULT 0 CHECK (filling IN (0, 1)),
    folded_at timestamptz NOT NULL DEFAULT now(),
    took interval NOT NULL DEFAULT interval '0',
    tries int NOT NULL DEFAULT 0
);
INSERT INTO hot_state DEFAULT VALUES;
-- Numbers of staged uploads. They wrap around after 2³¹; no set holds that many.
CREATE SEQUENCE staging_no AS int CYCLE;
"""

# A fold rewrites packed columns completely: lz4 takes a fifth of the time of the default compression.
COMPRESSION = """
ALTER TABLE habitat
    ALTER xy SET COMPRESSION lz4, ALTER sightings SET COMPRESSION lz4, ALTER uploaders SET COMPRESSION lz4,
    ALTER first_seen SET COMPRESSION lz4, ALTER last_seen SET COMPRESSION lz4, ALTER seen_by SET COMPRESSION lz4,
    ALTER seen_when SET COMPRESSION lz4;
ALTER TABLE creature ALTER reports SET COMPRESSION lz4, ALTER report_counts SET COMPRESSION lz4;
"""

# The baseline: the merged tables with their keys, for the counts of uploads whose documents expired
# (`ingest.maintenance.baseline`). A migration that changes columns of the live tables must change these as well.
BASELINE_KEYS = {
    "creature": "id",
    "creature_name": "creature, name",
    "habitat": "subject, zone, floor",
    "loot": "source, zone, floor, difficulty",
    "item_drop": "source, item, zone, floor, difficulty",
    "ledger": "content_hash",
}
BASELINE = "CREATE SCHEMA baseline;\n" + "".join(
    f"CREATE TABLE baseline.{table} (LIKE public.{table} INCLUDING ALL EXCLUDING INDEXES, PRIMARY KEY ({key}));\n"
    for table, key in BASELINE_KEYS.items()
)


class Migration(migrations.Migration):
    dependencies = [("maps", "0003_reading")]
    operations = [
        migrations.RunSQL(
            NAMED_CREATURE_IDS,
            "ALTER TABLE named_creature ALTER COLUMN id DROP DEFAULT; DROP SEQUENCE named_creature_id",
        ),
        migrations.RunSQL(
            HOT, "DROP SEQUENCE staging_no; DROP TABLE hot_state; DROP SCHEMA hot_1 CASCADE; DROP SCHEMA hot_0 CASCADE"
        ),
        migrations.RunSQL(COMPRESSION, migrations.RunSQL.noop),
        migrations.RunSQL(BASELINE, "DROP SCHEMA baseline CASCADE"),
    ]
