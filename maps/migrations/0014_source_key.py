"""Let sources be looked up by their keys: until now every batch read the whole table."""

from django.db import migrations, models
from django.db.models import Value
from django.db.models.functions import Coalesce

KEY = models.UniqueConstraint(
    "kind",
    Coalesce("creature", Value(0)),
    Coalesce("object", Value("")),
    Coalesce("item", Value(0)),
    Coalesce("zone", Value(0)),
    name="source_key",
)


class Migration(migrations.Migration):
    dependencies = [("maps", "0013_packed_pairs")]
    operations = [
        migrations.RemoveConstraint("source", "source_key"),
        migrations.AddConstraint("source", KEY),
    ]
