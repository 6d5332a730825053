"""Room for the interim tables: two sets of them, and which one is being filled.

The tables themselves are made by ingest (`ingest/sql/hot_tables.sql`), in RAM where there is a tablespace
for it, and may vanish at any moment. What is here is permanent.
"""

from django.db import migrations

FORWARD = """
CREATE SCHEMA hot_0;
CREATE SCHEMA hot_1;
-- One row: the set that is being filled, and when the other was last folded.
CREATE TABLE hot_state (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    filling smallint NOT NULL DEFAULT 0 CHECK (filling IN (0, 1)),
    folded_at timestamptz NOT NULL DEFAULT now()
);
INSERT INTO hot_state DEFAULT VALUES;
-- Numbers for staged uploads. They come round after two thousand million; no set holds that many.
CREATE SEQUENCE staging_no AS int CYCLE;
"""
BACKWARD = """
DROP SEQUENCE staging_no;
DROP TABLE hot_state;
DROP SCHEMA hot_1 CASCADE;
DROP SCHEMA hot_0 CASCADE;
"""


class Migration(migrations.Migration):
    dependencies = [("maps", "0004_named_ids")]
    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
