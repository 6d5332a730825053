"""Note down whose documents are deleted from the archive, and find those that are begun and not finished."""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("ingest", "0006_faults")]
    operations = [
        migrations.AddField(
            model_name="upload",
            name="expired_at",
            field=models.DateTimeField(blank=True, null=True, verbose_name="document deleted at"),
        ),
        AddIndexConcurrently(
            model_name="upload",
            index=models.Index(
                fields=["locale", "id"],
                condition=models.Q(expired_at__isnull=False, document__gt=""),
                name="upload_expiring",
            ),
        ),
    ]
