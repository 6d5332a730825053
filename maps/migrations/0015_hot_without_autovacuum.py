"""Hot tables are no work for autovacuum: drop those that it still looks after.

Ingest makes them again. What they held is in the spool, and the sweep sends it back to the queue.
"""

from django.db import migrations

FORWARD = """
DROP TABLE IF EXISTS hot_0.staged_upload, hot_0.staged_creature, hot_0.staged_position, hot_0.staged_loot,
    hot_0.staged_drop, hot_1.staged_upload, hot_1.staged_creature, hot_1.staged_position, hot_1.staged_loot,
    hot_1.staged_drop;
"""


class Migration(migrations.Migration):
    dependencies = [("maps", "0014_source_key")]
    operations = [migrations.RunSQL(FORWARD, migrations.RunSQL.noop)]
