"""The merged data of one locale. Each hosted locale has these tables in a database of its own.

`ingest` adds names (the dictionaries) and folds counts; `maps.publish` derives spawn points and published files;
`import_names` writes item names. Everything else only reads.

Dictionaries (insert-only, may contain names that nothing refers to):
    Zone, NamedCreature, Source, Uploader
Merged counts (changed only by the fold, in one transaction with the ledger):
    Creature, CreatureName, Habitat, Loot, Drop, Ledger
Derived (can be computed again from the counts at any time):
    NamedCreature.shown_as, Spawn, StaleSpawns, ChangedCount, StaleFile
Imported:
    Item
"""

from __future__ import annotations

from django.contrib.gis.db.models import PointField, PolygonField
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models
from django.db.models import F, Func, TextField, Value
from django.db.models.functions import Coalesce, Now

#: Ids from here on are the server's own, for creatures known by name alone.
FIRST_NAMED_ID = 2**31


class SearchKey(Func):
    """The form of a name for searching, without accents and case (function `search_key` in the database)."""

    function = "search_key"
    output_field = TextField()


class Searched(SearchKey):
    """The search key with a blank before it, so that each word follows a blank: " odlander bar"."""

    template = "' ' || %(function)s(%(expressions)s)"


def _searched() -> models.GeneratedField:
    """Return a generated column with the search key of the name: computed when the row is written."""
    return models.GeneratedField(expression=Searched(F("name")), output_field=TextField(), db_persist=True)


def _trigrams(name: str) -> GinIndex:
    return GinIndex(OpClass(F("searched"), name="gin_trgm_ops"), name=name)


class Zone(models.Model):
    """A zone. Its localized name is the only key that uploads contain. Ids never change."""

    id = models.AutoField(primary_key=True)
    name = models.TextField(unique=True)
    searched = _searched()

    class Meta:
        db_table = "zone"
        indexes = [_trigrams("zone_search")]


class NamedCreature(models.Model):
    """A creature that uploads name without a game id (version 42, skinning).

    Its id (2³¹ and up) never changes. While its name belongs to exactly one creature with a game id, `shown_as` is
    that id, and readers see the two as one mob.
    """

    id = models.BigIntegerField(primary_key=True)
    name = models.TextField(unique=True)
    shown_as = models.BigIntegerField(null=True, db_index=True)
    searched = _searched()

    class Meta:
        db_table = "named_creature"
        indexes = [_trigrams("named_creature_search")]


class Source(models.Model):
    """What loot comes from: a kind and a target.

    Kinds: kill, skinning, pickpocketing, herb, ore, engineering, chest, item, disenchanting,
    prospecting, milling, fishing. The target is a creature (raw id), an object by its localized
    name, an item, or a zone (fishing); the other columns are null.
    """

    id = models.AutoField(primary_key=True)
    kind = models.TextField()
    creature = models.BigIntegerField(null=True, db_index=True)
    object = models.TextField(null=True)
    item = models.IntegerField(null=True)
    zone = models.IntegerField(null=True)

    class Meta:
        db_table = "source"
        constraints = [
            # Nulls are replaced, as in the joins of `ingest`: a join can't use an index to find nulls.
            models.UniqueConstraint(
                "kind",
                Coalesce("creature", Value(0)),
                Coalesce("object", Value("")),
                Coalesce("item", Value(0)),
                Coalesce("zone", Value(0)),
                name="source_key",
            )
        ]


class Uploader(models.Model):
    """A small number for `Upload.sender`, to count distinct uploaders."""

    id = models.AutoField(primary_key=True)
    sender = models.TextField(unique=True)

    class Meta:
        db_table = "uploader"


class Creature(models.Model):
    """A creature without its habitats. The id is raw: the game's or a NamedCreature's."""

    id = models.BigIntegerField(primary_key=True)
    #: Lowest and highest level seen, without bosses ("??"); null if it was only seen as a boss.
    level_min = models.SmallIntegerField(null=True)
    level_max = models.SmallIntegerField(null=True)
    boss = models.BooleanField()
    #: Uploads per reaction: hostile, neutral, friendly to the Alliance, then the same to the Horde.
    reactions = ArrayField(models.IntegerField(), size=6)
    uploads = models.IntegerField()
    first_seen = models.DateField()
    last_seen = models.DateField()
    #: Each distinct report of levels and days with the number of uploads that contain it. Levels and days are computed
    #: from them, so that an upload can be subtracted. Packed by `ingest/merge/sql/fold_creatures.sql`; only the fold
    #: reads them.
    reports = ArrayField(models.BigIntegerField())
    report_counts = ArrayField(models.IntegerField())

    class Meta:
        db_table = "creature"


class CreatureName(models.Model):
    """How many uploads give a creature (raw id) this name. Readers see the most frequent name."""

    pk = models.CompositePrimaryKey("creature", "name")
    creature = models.BigIntegerField()
    name = models.TextField()
    uploads = models.IntegerField()
    searched = _searched()

    class Meta:
        db_table = "creature_name"
        indexes = [models.Index(fields=["name"], name="creature_name_name"), _trigrams("creature_search")]


class Habitat(models.Model):
    """A habitat: all coordinates of one subject on one floor of one zone, packed into arrays sorted by `xy`.

    `subject` is a raw creature id, or minus the `Source.id` of a gathering source (herbs, chests, …).
    A coordinate is `xy = x * 1024 + y` in tenths of a percent (0…1000 each). `xy`, `sightings`, `uploaders`,
    `first_seen` and `last_seen` are parallel arrays; days count from 1970-01-01.

    `seen_by` and `seen_when` are the entries of all uploaders, sorted by coordinate and uploader. `seen_by` has eight
    bytes per entry: `xy << 32 | uploader`. `seen_when` has twelve bytes per entry, three numbers of four bytes:
    sightings, first day, last day. The arrays are computed from the entries, so that an upload can be subtracted
    exactly. `unplaced_by` has twelve bytes for each uploader who saw the subject without a position (`-1/-1`):
    uploader, sightings, last day. All numbers are big-endian.

    Packed, a locale takes about a seventh of the space of one row per coordinate, and a map request reads one row.
    """

    pk = models.CompositePrimaryKey("subject", "zone", "floor")
    subject = models.BigIntegerField()
    zone = models.IntegerField()
    floor = models.IntegerField()
    xy = ArrayField(models.IntegerField())
    sightings = ArrayField(models.IntegerField())
    uploaders = ArrayField(models.IntegerField())
    first_seen = ArrayField(models.IntegerField())
    last_seen = ArrayField(models.IntegerField())
    seen_by = models.BinaryField()
    seen_when = models.BinaryField()
    unplaced_by = models.BinaryField()
    #: Uploads with the subject here without a position (`-1/-1`).
    unplaced = models.IntegerField()
    #: Length of `xy`, sum of `sightings`, and latest of `last_seen`: lists need not unpack the arrays.
    position_count = models.IntegerField()
    sighting_count = models.BigIntegerField()
    last_seen_day = models.IntegerField()

    class Meta:
        db_table = "habitat"
        indexes = [models.Index(fields=["zone", "subject"], name="habitat_zone")]


class Loot(models.Model):
    """Lootings of a source at one location: zone, floor and difficulty ('' outside instances)."""

    pk = models.CompositePrimaryKey("source", "zone", "floor", "difficulty")
    source = models.IntegerField()
    zone = models.IntegerField()
    floor = models.IntegerField()
    difficulty = models.TextField()
    lootings = models.BigIntegerField()
    money_lootings = models.BigIntegerField(help_text="Lootings with at least one money slot.")
    copper = models.BigIntegerField()

    class Meta:
        db_table = "loot"


class Drop(models.Model):
    """Lootings of a source that contained an item at least once, at the same locations as in Loot."""

    pk = models.CompositePrimaryKey("source", "item", "zone", "floor", "difficulty")
    source = models.IntegerField()
    item = models.IntegerField(db_index=True)
    zone = models.IntegerField()
    floor = models.IntegerField()
    difficulty = models.TextField()
    drops = models.BigIntegerField()

    class Meta:
        db_table = "item_drop"


class Item(models.Model):
    """An item's localized name (`./manage.py import_names items`); uploads contain only ids."""

    id = models.IntegerField(primary_key=True)
    name = models.TextField()
    searched = _searched()

    class Meta:
        db_table = "item"
        indexes = [_trigrams("item_search")]


class Ledger(models.Model):
    """The content hashes of all merged uploads, changed in the same transaction as the counts (exactly once).

    `contribution` is what the upload's merge added.
    """

    content_hash = models.BinaryField(primary_key=True, max_length=32)
    upload = models.UUIDField(unique=True)
    merged_at = models.DateTimeField()
    contribution = models.JSONField()

    class Meta:
        db_table = "ledger"


class Spawn(models.Model):
    """An estimated spawn point or patrol of a mob, derived from its habitats by `maps.publish`.

    `radius` is the root mean square distance of the coordinates behind a spawn point from it. A patrol has an `area`
    around its route; its `point` is on the route, and its `radius` is the distance from there to the furthest end.
    """

    id = models.BigAutoField(primary_key=True)
    mob = models.BigIntegerField()
    zone = models.IntegerField()
    floor = models.IntegerField()
    point = PointField(srid=0, help_text="x and y in percent of the zone's map, y down")
    radius = models.FloatField(help_text="percent")
    sightings = models.IntegerField()
    uploaders = models.IntegerField()
    confirmed = models.BooleanField(help_text="seen by at least two uploaders")
    area = PolygonField(srid=0, null=True, spatial_index=False, help_text="where it walks, for a patrol")

    class Meta:
        db_table = "spawn"
        indexes = [
            models.Index(fields=["zone", "mob"], name="spawn_zone_mob"),
            models.Index(fields=["mob", "zone"], name="spawn_mob_zone"),
        ]


class StaleSpawns(models.Model):
    """Pairs of mob and zone whose spawn points are older than the habitat. Publishing deletes the rows."""

    pk = models.CompositePrimaryKey("mob", "zone")
    mob = models.BigIntegerField()
    zone = models.IntegerField()

    class Meta:
        db_table = "stale_spawns"


class ChangedCount(models.Model):
    """Counts that folds have changed and that are not propagated yet to the files that show them (`StaleFile`).

    `kind` is `creature` (a raw id), `source`, `item` (its name, or loot from it), `zone` (gathering or loot there),
    or `all` with the number 0. A fold also locks rows that exist already: publishing must not take such a row before
    the fold's changes are visible. The same holds for `StaleSpawns`.
    """

    pk = models.CompositePrimaryKey("kind", "number")
    kind = models.TextField()
    number = models.BigIntegerField()

    class Meta:
        db_table = "changed_count"


class StaleFile(models.Model):
    """A published file that is older than the tables. `kind` is one of `maps.publish.kinds`.

    `since` is the time of the first change that the file does not show, or in the future if building it is delayed;
    `latest` is the time of the last such change.
    """

    pk = models.CompositePrimaryKey("kind", "number")
    kind = models.TextField()
    number = models.BigIntegerField()
    since = models.DateTimeField(db_default=Now())
    latest = models.DateTimeField(db_default=Now())

    class Meta:
        db_table = "stale_file"
        indexes = [
            models.Index(fields=["kind", "since", "number"], name="stale_file_oldest"),
            models.Index(fields=["kind", "-latest", "number"], name="stale_file_newest"),
        ]
