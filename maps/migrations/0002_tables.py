"""The tables of one locale (`maps.models`)."""

import django.contrib.gis.db.models.fields
import django.contrib.postgres.fields
import django.contrib.postgres.indexes
import django.db.models.functions.comparison
import django.db.models.functions.datetime
import maps.models
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [("maps", "0001_extensions")]

    operations = [
        migrations.CreateModel(
            name='ChangedCount',
            fields=[
                ('pk', models.CompositePrimaryKey('kind', 'number', blank=True, editable=False, primary_key=True, serialize=False)),
                ('kind', models.TextField()),
                ('number', models.BigIntegerField()),
            ],
            options={
                'db_table': 'changed_count',
            },
        ),
        migrations.CreateModel(
            name='Creature',
            fields=[
                ('id', models.BigIntegerField(primary_key=True, serialize=False)),
                ('level_min', models.SmallIntegerField(null=True)),
                ('level_max', models.SmallIntegerField(null=True)),
                ('boss', models.BooleanField()),
                ('reactions', django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), size=6)),
                ('uploads', models.IntegerField()),
                ('first_seen', models.DateField()),
                ('last_seen', models.DateField()),
                ('reports', django.contrib.postgres.fields.ArrayField(base_field=models.BigIntegerField(), size=None)),
                ('report_counts', django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), size=None)),
            ],
            options={
                'db_table': 'creature',
            },
        ),
        migrations.CreateModel(
            name='Drop',
            fields=[
                ('pk', models.CompositePrimaryKey('source', 'item', 'zone', 'floor', 'difficulty', blank=True, editable=False, primary_key=True, serialize=False)),
                ('source', models.IntegerField()),
                ('item', models.IntegerField(db_index=True)),
                ('zone', models.IntegerField()),
                ('floor', models.IntegerField()),
                ('difficulty', models.TextField()),
                ('drops', models.BigIntegerField()),
            ],
            options={
                'db_table': 'item_drop',
            },
        ),
        migrations.CreateModel(
            name='Ledger',
            fields=[
                ('content_hash', models.BinaryField(max_length=32, primary_key=True, serialize=False)),
                ('upload', models.UUIDField(unique=True)),
                ('merged_at', models.DateTimeField()),
                ('contribution', models.JSONField()),
            ],
            options={
                'db_table': 'ledger',
            },
        ),
        migrations.CreateModel(
            name='Loot',
            fields=[
                ('pk', models.CompositePrimaryKey('source', 'zone', 'floor', 'difficulty', blank=True, editable=False, primary_key=True, serialize=False)),
                ('source', models.IntegerField()),
                ('zone', models.IntegerField()),
                ('floor', models.IntegerField()),
                ('difficulty', models.TextField()),
                ('lootings', models.BigIntegerField()),
                ('money_lootings', models.BigIntegerField(help_text='Lootings with at least one money slot.')),
                ('copper', models.BigIntegerField()),
            ],
            options={
                'db_table': 'loot',
            },
        ),
        migrations.CreateModel(
            name='StaleSpawns',
            fields=[
                ('pk', models.CompositePrimaryKey('mob', 'zone', blank=True, editable=False, primary_key=True, serialize=False)),
                ('mob', models.BigIntegerField()),
                ('zone', models.IntegerField()),
            ],
            options={
                'db_table': 'stale_spawns',
            },
        ),
        migrations.CreateModel(
            name='Uploader',
            fields=[
                ('id', models.AutoField(primary_key=True, serialize=False)),
                ('sender', models.TextField(unique=True)),
            ],
            options={
                'db_table': 'uploader',
            },
        ),
        migrations.CreateModel(
            name='CreatureName',
            fields=[
                ('pk', models.CompositePrimaryKey('creature', 'name', blank=True, editable=False, primary_key=True, serialize=False)),
                ('creature', models.BigIntegerField()),
                ('name', models.TextField()),
                ('uploads', models.IntegerField()),
                ('searched', models.GeneratedField(db_persist=True, expression=maps.models.Searched(models.F('name')), output_field=models.TextField())),
            ],
            options={
                'db_table': 'creature_name',
                'indexes': [models.Index(fields=['name'], name='creature_name_name'), django.contrib.postgres.indexes.GinIndex(django.contrib.postgres.indexes.OpClass(models.F('searched'), name='gin_trgm_ops'), name='creature_search')],
            },
        ),
        migrations.CreateModel(
            name='Habitat',
            fields=[
                ('pk', models.CompositePrimaryKey('subject', 'zone', 'floor', blank=True, editable=False, primary_key=True, serialize=False)),
                ('subject', models.BigIntegerField()),
                ('zone', models.IntegerField()),
                ('floor', models.IntegerField()),
                ('xy', django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), size=None)),
                ('sightings', django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), size=None)),
                ('uploaders', django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), size=None)),
                ('first_seen', django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), size=None)),
                ('last_seen', django.contrib.postgres.fields.ArrayField(base_field=models.IntegerField(), size=None)),
                ('seen_by', models.BinaryField()),
                ('seen_when', models.BinaryField()),
                ('unplaced_by', models.BinaryField()),
                ('unplaced', models.IntegerField()),
                ('position_count', models.IntegerField()),
                ('sighting_count', models.BigIntegerField()),
                ('last_seen_day', models.IntegerField()),
            ],
            options={
                'db_table': 'habitat',
                'indexes': [models.Index(fields=['zone', 'subject'], name='habitat_zone')],
            },
        ),
        migrations.CreateModel(
            name='Item',
            fields=[
                ('id', models.IntegerField(primary_key=True, serialize=False)),
                ('name', models.TextField()),
                ('searched', models.GeneratedField(db_persist=True, expression=maps.models.Searched(models.F('name')), output_field=models.TextField())),
            ],
            options={
                'db_table': 'item',
                'indexes': [django.contrib.postgres.indexes.GinIndex(django.contrib.postgres.indexes.OpClass(models.F('searched'), name='gin_trgm_ops'), name='item_search')],
            },
        ),
        migrations.CreateModel(
            name='NamedCreature',
            fields=[
                ('id', models.BigIntegerField(primary_key=True, serialize=False)),
                ('name', models.TextField(unique=True)),
                ('shown_as', models.BigIntegerField(db_index=True, null=True)),
                ('searched', models.GeneratedField(db_persist=True, expression=maps.models.Searched(models.F('name')), output_field=models.TextField())),
            ],
            options={
                'db_table': 'named_creature',
                'indexes': [django.contrib.postgres.indexes.GinIndex(django.contrib.postgres.indexes.OpClass(models.F('searched'), name='gin_trgm_ops'), name='named_creature_search')],
            },
        ),
        migrations.CreateModel(
            name='Source',
            fields=[
                ('id', models.AutoField(primary_key=True, serialize=False)),
                ('kind', models.TextField()),
                ('creature', models.BigIntegerField(db_index=True, null=True)),
                ('object', models.TextField(null=True)),
                ('item', models.IntegerField(null=True)),
                ('zone', models.IntegerField(null=True)),
            ],
            options={
                'db_table': 'source',
                'constraints': [models.UniqueConstraint(models.F('kind'), django.db.models.functions.comparison.Coalesce('creature', models.Value(0)), django.db.models.functions.comparison.Coalesce('object', models.Value('')), django.db.models.functions.comparison.Coalesce('item', models.Value(0)), django.db.models.functions.comparison.Coalesce('zone', models.Value(0)), name='source_key')],
            },
        ),
        migrations.CreateModel(
            name='Spawn',
            fields=[
                ('id', models.BigAutoField(primary_key=True, serialize=False)),
                ('mob', models.BigIntegerField()),
                ('zone', models.IntegerField()),
                ('floor', models.IntegerField()),
                ('point', django.contrib.gis.db.models.fields.PointField(help_text="x and y in percent of the zone's map, y down", srid=0)),
                ('radius', models.FloatField(help_text='percent')),
                ('sightings', models.IntegerField()),
                ('uploaders', models.IntegerField()),
                ('confirmed', models.BooleanField(help_text='seen by at least two uploaders')),
                ('area', django.contrib.gis.db.models.fields.PolygonField(help_text='where it walks, for a patrol', null=True, spatial_index=False, srid=0)),
            ],
            options={
                'db_table': 'spawn',
                'indexes': [models.Index(fields=['zone', 'mob'], name='spawn_zone_mob'), models.Index(fields=['mob', 'zone'], name='spawn_mob_zone')],
            },
        ),
        migrations.CreateModel(
            name='StaleFile',
            fields=[
                ('pk', models.CompositePrimaryKey('kind', 'number', blank=True, editable=False, primary_key=True, serialize=False)),
                ('kind', models.TextField()),
                ('number', models.BigIntegerField()),
                ('since', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('latest', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
            options={
                'db_table': 'stale_file',
                'indexes': [models.Index(fields=['kind', 'since', 'number'], name='stale_file_oldest'), models.Index(fields=['kind', '-latest', 'number'], name='stale_file_newest')],
            },
        ),
        migrations.CreateModel(
            name='Zone',
            fields=[
                ('id', models.AutoField(primary_key=True, serialize=False)),
                ('name', models.TextField(unique=True)),
                ('searched', models.GeneratedField(db_persist=True, expression=maps.models.Searched(models.F('name')), output_field=models.TextField())),
            ],
            options={
                'db_table': 'zone',
                'indexes': [django.contrib.postgres.indexes.GinIndex(django.contrib.postgres.indexes.OpClass(models.F('searched'), name='gin_trgm_ops'), name='zone_search')],
            },
        ),
    ]
