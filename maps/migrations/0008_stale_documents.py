"""Zones whose published document is older than the tables. To begin with, every zone that has none yet."""

from django.db import migrations, models
from django.db.models.functions import Now

MARK_ALL = "INSERT INTO stale_document (zone) SELECT id FROM zone"


class Migration(migrations.Migration):
    dependencies = [("maps", "0007_patrols")]

    operations = [
        migrations.CreateModel(
            name="StaleDocument",
            fields=[
                ("zone", models.IntegerField(primary_key=True, serialize=False)),
                ("since", models.DateTimeField(db_default=Now())),
            ],
            options={"db_table": "stale_document"},
        ),
        migrations.RunSQL(MARK_ALL, migrations.RunSQL.noop),
    ]
