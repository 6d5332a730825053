"""Keep what only ingest and numpy read of presence as bytes: moving them costs no work per element.

The same numbers as before, written by int8send and int4send: the pairs of coordinate and uploader in `seen_by`, how
often and between which days in `seen_when`, and the uploaders without a position in `unplaced_by`. The hot tables'
sightings are written in this way, too: the old ones are dropped, ingest makes them again, and the sweep sends what they
held back to the queue.
"""

from django.db import migrations, models

PACK = """
CREATE FUNCTION pg_temp.packed(numbers bigint[]) RETURNS bytea LANGUAGE sql AS $$
    SELECT coalesce(string_agg(int8send(n), ''::bytea ORDER BY at), ''::bytea)
    FROM unnest(numbers) WITH ORDINALITY AS u (n, at)
$$;
CREATE FUNCTION pg_temp.packed(a int[], b int[], c int[]) RETURNS bytea LANGUAGE sql AS $$
    SELECT coalesce(string_agg(int4send(x) || int4send(y) || int4send(z), ''::bytea ORDER BY at), ''::bytea)
    FROM unnest(a, b, c) WITH ORDINALITY AS u (x, y, z, at)
$$;
ALTER TABLE presence
    ALTER seen_by TYPE bytea USING pg_temp.packed(seen_by),
    ALTER seen_times TYPE bytea USING pg_temp.packed(seen_times, seen_first, seen_last),
    ALTER unplaced_by TYPE bytea USING pg_temp.packed(unplaced_by, unplaced_times, unplaced_last);
ALTER TABLE presence
    DROP seen_first, DROP seen_last, DROP unplaced_times, DROP unplaced_last,
    ALTER seen_by SET COMPRESSION lz4, ALTER seen_times SET COMPRESSION lz4;
ALTER TABLE presence RENAME seen_times TO seen_when;
DROP FUNCTION pg_temp.packed(bigint[]), pg_temp.packed(int[], int[], int[]);
"""
DROP_HOT = """
DROP TABLE IF EXISTS hot_0.staged_upload, hot_0.staged_creature, hot_0.staged_position, hot_0.staged_loot,
    hot_0.staged_drop, hot_1.staged_upload, hot_1.staged_creature, hot_1.staged_position, hot_1.staged_loot,
    hot_1.staged_drop;
"""
STATE = [
    migrations.AlterField("presence", "seen_by", models.BinaryField()),
    migrations.RenameField("presence", "seen_times", "seen_when"),
    migrations.AlterField("presence", "seen_when", models.BinaryField()),
    migrations.AlterField("presence", "unplaced_by", models.BinaryField()),
    *(
        migrations.RemoveField("presence", name)
        for name in ("seen_first", "seen_last", "unplaced_times", "unplaced_last")
    ),
]


class Migration(migrations.Migration):
    dependencies = [("maps", "0012_searched_names")]
    operations = [migrations.RunSQL(PACK, state_operations=STATE), migrations.RunSQL(DROP_HOT)]
