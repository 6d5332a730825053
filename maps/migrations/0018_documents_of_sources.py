"""What is gathered has documents of its own: mark them, so that there are some."""

from django.db import migrations

MARK = """
INSERT INTO stale_document (kind, number)
SELECT k.kind, s.id
FROM source s
CROSS JOIN (VALUES ('source'), ('source-places')) AS k (kind)
WHERE s.kind IN ('herb', 'ore', 'chest', 'fishing')
ON CONFLICT (kind, number) DO NOTHING
"""


class Migration(migrations.Migration):
    dependencies = [("maps", "0017_more_documents")]

    operations = [migrations.RunSQL(MARK, migrations.RunSQL.noop)]
