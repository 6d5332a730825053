"""Creatures and items have documents as well: marks by kind, and what folds have changed since. Mark everything."""

from django.db import migrations, models
from django.db.models.functions import Now

MARK_ALL = "INSERT INTO recounted (kind, number) SELECT 'all', 0 WHERE EXISTS (SELECT FROM zone)"


class Migration(migrations.Migration):
    dependencies = [("maps", "0009_staged_bytes")]

    operations = [
        migrations.DeleteModel("StaleDocument"),
        migrations.CreateModel(
            name="StaleDocument",
            fields=[
                ("pk", models.CompositePrimaryKey("kind", "number", blank=True, editable=False, primary_key=True, serialize=False)),
                ("kind", models.TextField()),
                ("number", models.BigIntegerField()),
                ("since", models.DateTimeField(db_default=Now())),
            ],
            options={
                "db_table": "stale_document",
                "indexes": [models.Index(fields=["kind", "since", "number"], name="stale_document_oldest")],
            },
        ),
        migrations.CreateModel(
            name="Recounted",
            fields=[
                ("pk", models.CompositePrimaryKey("kind", "number", blank=True, editable=False, primary_key=True, serialize=False)),
                ("kind", models.TextField()),
                ("number", models.BigIntegerField()),
            ],
            options={"db_table": "recounted"},
        ),
        migrations.RunSQL(MARK_ALL, migrations.RunSQL.noop),
    ]
