"""Zones' gathering places tell their days, and maps the holes in patrols: mark those documents that lack them."""

from django.db import migrations

MARK = """
INSERT INTO stale_document (kind, number)
SELECT 'zone-sources', zone FROM presence WHERE subject < 0
UNION
SELECT 'zone-map', zone FROM spawn WHERE ST_NumInteriorRings(area) > 0
ON CONFLICT (kind, number) DO NOTHING
"""


class Migration(migrations.Migration):
    dependencies = [("maps", "0018_documents_of_sources")]

    operations = [migrations.RunSQL(MARK, migrations.RunSQL.noop)]
