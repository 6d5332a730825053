"""Patrols as areas. Every creature's spawn points are estimated anew, as they are found by another method now."""

import django.contrib.gis.db.models.fields
from django.db import migrations

MARK_ALL = "INSERT INTO changed (mob, zone) SELECT DISTINCT mob, zone FROM spawn ON CONFLICT DO NOTHING"


class Migration(migrations.Migration):
    dependencies = [("maps", "0006_subtractable")]

    operations = [
        migrations.AddField(
            model_name="spawn",
            name="area",
            field=django.contrib.gis.db.models.fields.PolygonField(
                help_text="where it walks, for a patrol", null=True, spatial_index=False, srid=0
            ),
        ),
        migrations.RunSQL(MARK_ALL, migrations.RunSQL.noop),
    ]
