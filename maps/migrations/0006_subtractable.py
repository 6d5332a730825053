"""Keep what an upload needs to be taken away again: per coordinate and uploader how often and between which days.

That can't be told from what older tables hold. Their counts are emptied, and merged anew from the archive by
`./manage.py requeue`; the dictionaries stay, so ids and addresses do too.
"""

import django.contrib.postgres.fields
from django.db import migrations, models

FORWARD = """
TRUNCATE creature, creature_name, presence, loot, item_drop, ledger, spawn, changed;
ALTER TABLE hot_state ADD took interval NOT NULL DEFAULT interval '0';
-- Their columns have changed; ingest makes them again. What they held is in the spool.
DROP TABLE IF EXISTS hot_0.staged_upload, hot_0.staged_creature, hot_0.staged_position, hot_0.staged_loot,
    hot_0.staged_drop, hot_1.staged_upload, hot_1.staged_creature, hot_1.staged_position, hot_1.staged_loot,
    hot_1.staged_drop;
"""
# Packed arrays are rewritten whole by every fold that touches them: lz4 takes a fifth of the default's time.
COMPRESSION = """
ALTER TABLE presence
    ALTER xy SET COMPRESSION lz4, ALTER sightings SET COMPRESSION lz4, ALTER uploaders SET COMPRESSION lz4,
    ALTER first_seen SET COMPRESSION lz4, ALTER last_seen SET COMPRESSION lz4, ALTER seen_by SET COMPRESSION lz4,
    ALTER seen_times SET COMPRESSION lz4, ALTER seen_first SET COMPRESSION lz4, ALTER seen_last SET COMPRESSION lz4;
ALTER TABLE creature ALTER notes SET COMPRESSION lz4, ALTER note_times SET COMPRESSION lz4;
"""


def _array(model: str, name: str, field: type[models.Field]) -> migrations.AddField:
    # The default is for the moment of the change only: the tables are empty.
    column = django.contrib.postgres.fields.ArrayField(base_field=field(), size=None, default=list)
    return migrations.AddField(model_name=model, name=name, field=column, preserve_default=False)


class Migration(migrations.Migration):
    dependencies = [("maps", "0005_hot")]
    operations = [
        migrations.RunSQL(FORWARD, "ALTER TABLE hot_state DROP took"),
        _array("creature", "notes", models.BigIntegerField),
        _array("creature", "note_times", models.IntegerField),
        *(
            _array("presence", name, models.IntegerField)
            for name in ("seen_times", "seen_first", "seen_last", "unplaced_by", "unplaced_times", "unplaced_last")
        ),
        migrations.RunSQL(COMPRESSION, migrations.RunSQL.noop),
    ]
