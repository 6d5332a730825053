"""Note how often work on an upload has failed by what it holds, and find such uploads by an index."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("ingest", "0005_staged")]
    operations = [
        migrations.AddField(
            model_name="upload",
            name="faults",
            field=models.PositiveSmallIntegerField(
                db_default=0,
                default=0,
                help_text="How far it has been singled out, because work on it and others failed by what they hold.",
                verbose_name="faults",
            ),
        ),
        AddIndexConcurrently(
            model_name="upload",
            index=models.Index(
                fields=["locale", "faults"],
                condition=models.Q(faults__gt=0),
                name="upload_suspect",
            ),
        ),
    ]
