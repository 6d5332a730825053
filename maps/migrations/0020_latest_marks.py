"""Marks of documents tell when something changed last. Mark those that hold more than a zone's documents do now."""

import django.db.models.functions.datetime
from django.db import migrations, models

MARK = """
INSERT INTO stale_document (kind, number)
SELECT 'zone-map', zone FROM presence WHERE subject > 0 GROUP BY zone HAVING count(DISTINCT subject) > 2000
UNION
SELECT 'zone-map', zone FROM (SELECT zone, mob, count(*) AS points FROM spawn GROUP BY zone, mob) AS s
GROUP BY zone HAVING sum(points) > 50000 OR max(points) > 1000
UNION
SELECT 'zone-sources', zone FROM presence WHERE subject < 0
GROUP BY zone HAVING count(DISTINCT subject) > 2000 OR sum(position_count) > 5000
ON CONFLICT (kind, number) DO NOTHING
"""


class Migration(migrations.Migration):
    dependencies = [("maps", "0019_days_and_holes")]

    operations = [
        migrations.AddField(
            model_name="staledocument",
            name="latest",
            field=models.DateTimeField(db_default=django.db.models.functions.datetime.Now()),
        ),
        migrations.AddIndex(
            model_name="staledocument",
            index=models.Index(fields=["kind", "-latest", "number"], name="stale_document_newest"),
        ),
        migrations.RunSQL(MARK, migrations.RunSQL.noop),
    ]
