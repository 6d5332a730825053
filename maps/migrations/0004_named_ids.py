"""Ids for creatures known by name alone: from 2³¹ up, where no game id can be."""

from django.db import migrations

from maps.models import FIRST_NAMED_ID


class Migration(migrations.Migration):
    dependencies = [("maps", "0003_reading")]
    operations = [
        migrations.RunSQL(
            f"""
            CREATE SEQUENCE named_creature_id AS bigint START {FIRST_NAMED_ID} OWNED BY named_creature.id;
            ALTER TABLE named_creature ALTER COLUMN id SET DEFAULT nextval('named_creature_id');
            """,
            """
            ALTER TABLE named_creature ALTER COLUMN id DROP DEFAULT;
            DROP SEQUENCE named_creature_id;
            """,
        )
    ]
