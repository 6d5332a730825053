"""Zones' pictures and sources and creatures' places are documents as well: mark everything, so that there are some."""

from django.db import migrations

MARK_ALL = (
    "INSERT INTO recounted (kind, number) SELECT 'all', 0 WHERE EXISTS (SELECT FROM zone)"
    " ON CONFLICT (kind, number) DO NOTHING"
)


class Migration(migrations.Migration):
    dependencies = [("maps", "0016_base")]

    operations = [migrations.RunSQL(MARK_ALL, migrations.RunSQL.noop)]
