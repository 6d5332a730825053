"""Count how often folds have failed one after the other, so that a fold that can't succeed is noticed."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("maps", "0010_documents_of_everything")]
    operations = [
        migrations.RunSQL(
            "ALTER TABLE hot_state ADD tries int NOT NULL DEFAULT 0", "ALTER TABLE hot_state DROP tries"
        ),
    ]
