"""Find staged uploads by an index: the sweep asks for them every few seconds, among all that was ever merged.

Made beside running work: uploads are accepted and merged meanwhile.
"""

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db import migrations, models


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("ingest", "0004_withdrawing")]
    operations = [
        AddIndexConcurrently(
            model_name="upload",
            index=models.Index(
                fields=["locale", "staged_at"], condition=models.Q(status="staged"), name="upload_staged"
            ),
        ),
    ]
