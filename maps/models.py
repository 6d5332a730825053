"""The merged data of one locale. Every hosted locale has these tables in a database of its own.

Who writes what: `ingest` interns names (the dictionaries) and folds counts; `maps.publish` derives
spawn points and documents; `import_names` writes item names. Everything else only reads.

Dictionaries (insert-only, may hold names that nothing refers to yet):
    Zone, NamedCreature, Source, Uploader
Merged counts (changed only by the fold, together with the ledger, in one transaction):
    Creature, CreatureName, Habitat, Loot, Drop, Ledger
Derived (can be made anew from the counts at any time):
    NamedCreature.shown_as, Spawn, StaleSpawns, ChangedCount, StaleFile
"""

from __future__ import annotations

from django.contrib.gis.db.models import PointField, PolygonField
from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex, OpClass
from django.db import models
from django.db.models import F, Func, TextField, Value
from django.db.models.functions import Coalesce, Now

#: Ids from here up are the server's own: creatures known by name alone.
FIRST_NAMED_ID = 2**31


class SearchKey(Func):
    """The form in which names are searched: accents and case ignored (`search_key` in the database)."""

    function = "search_key"
    output_field = TextField()


class Searched(SearchKey):
    """The same with a blank before it, so that every word begins behind a blank: " odlander bar"."""

    template = "' ' || %(function)s(%(expressions)s)"


def _searched() -> models.GeneratedField:
    """Return a column that PostgreSQL keeps with the name: made once, when it is written, not at every search."""
    return models.GeneratedField(expression=Searched(F("name")), output_field=TextField(), db_persist=True)


def _trigrams(name: str) -> GinIndex:
    return GinIndex(OpClass(F("searched"), name="gin_trgm_ops"), name=name)


class Zone(models.Model):
    """A zone by its localized name, the only key there is. Ids stay for good."""

    id = models.AutoField(primary_key=True)
    name = models.TextField(unique=True)
    searched = _searched()

    class Meta:
        db_table = "zone"
        indexes = [_trigrams("zone_search")]


class NamedCreature(models.Model):
    """A creature that uploads call by name alone (version 42, skinning).

    Its rows keep this id (2³¹ and up) for good. While its name belongs to exactly one creature with
    a game id, `shown_as` is that id, and readers count its rows there.
    """

    id = models.BigIntegerField(primary_key=True)
    name = models.TextField(unique=True)
    shown_as = models.BigIntegerField(null=True, db_index=True)
    searched = _searched()

    class Meta:
        db_table = "named_creature"
        indexes = [_trigrams("named_creature_search")]


class Source(models.Model):
    """Something that loot comes from: one way of getting it (`kind`) applied to one target.

    Kinds: kill, skinning, pickpocketing, herb, ore, engineering, chest, item, disenchanting,
    prospecting, milling, fishing. The target is a creature (raw id), an object by its localized
    name, an item, or a zone (fishing); the others are null.
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
            # Over stand-ins for null, as `ingest` looks for sources: nulls can't be looked up in an index by a join.
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
    """A small number for `Upload.sender`, to count distinct uploaders with."""

    id = models.AutoField(primary_key=True)
    sender = models.TextField(unique=True)

    class Meta:
        db_table = "uploader"


class Creature(models.Model):
    """What is known of a creature apart from its places; the id is the game's or a NamedCreature's."""

    id = models.BigIntegerField(primary_key=True)
    #: Lowest and highest level seen, bosses ("??") apart; null when only ever seen as a boss.
    level_min = models.SmallIntegerField(null=True)
    level_max = models.SmallIntegerField(null=True)
    boss = models.BooleanField()
    #: Uploads per reaction: hostile, neutral, friendly as seen by the Alliance, then by the Horde.
    reactions = ArrayField(models.IntegerField(), size=6)
    uploads = models.IntegerField()
    first_seen = models.DateField()
    last_seen = models.DateField()
    #: What levels and days follow from: each distinct note with how often it was made, so that an upload can
    #: be taken away again (`ingest/merge/sql/fold_creatures.sql` packs them). Only the fold looks at them.
    reports = ArrayField(models.BigIntegerField())
    report_counts = ArrayField(models.IntegerField())

    class Meta:
        db_table = "creature"


class CreatureName(models.Model):
    """How many uploads call a creature by which name. The most frequent one is shown."""

    pk = models.CompositePrimaryKey("creature", "name")
    creature = models.BigIntegerField()
    name = models.TextField()
    uploads = models.IntegerField()
    searched = _searched()

    class Meta:
        db_table = "creature_name"
        indexes = [models.Index(fields=["name"], name="creature_name_name"), _trigrams("creature_search")]


class Habitat(models.Model):
    """All coordinates of one subject on one floor of one zone, packed into arrays sorted by `xy`.

    `subject` is a raw creature id, or minus a `Source.id` (gathering places: herbs, chests, …).
    A coordinate is `xy = x * 1024 + y` in tenths of a percent (0…1000 each). The arrays `xy`,
    `sightings`, `uploaders`, `first_seen`, `last_seen` run in step; days count from 1970-01-01.
    `seen_by` holds each distinct pair of coordinate and uploader once, sorted, as `xy << 32 | uploader` in eight
    bytes, and in step with it `seen_when` how often, and the first and the last day, four bytes each: all else
    follows from them, and an upload can be taken away again exactly. `unplaced_by` has the uploader, how often and
    the last day of each who saw it at `-1/-1`, four bytes each. In all of them the highest byte comes first.
    Packing makes a locale some seven times smaller than a row per coordinate, and a map request one row.
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
    #: Uploads that saw it here without a position (`-1/-1`).
    unplaced = models.IntegerField()
    #: Length of `xy` and sum of `sightings`, so that lists need not unpack.
    position_count = models.IntegerField()
    sighting_count = models.BigIntegerField()
    last_seen_day = models.IntegerField()

    class Meta:
        db_table = "habitat"
        indexes = [models.Index(fields=["zone", "subject"], name="habitat_zone")]


class Loot(models.Model):
    """Lootings of a source in one zone, floor and difficulty ('' outside instances)."""

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
    """Lootings of a source (place as in Loot) that held at least one slot of an item."""

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
    """An item's localized name (`./manage.py import_names items`); uploads only carry ids."""

    id = models.IntegerField(primary_key=True)
    name = models.TextField()
    searched = _searched()

    class Meta:
        db_table = "item"
        indexes = [_trigrams("item_search")]


class Ledger(models.Model):
    """The contents whose counts are in the tables above: changed in the same transaction (exactly once)."""

    content_hash = models.BinaryField(primary_key=True, max_length=32)
    upload = models.UUIDField(unique=True)
    merged_at = models.DateTimeField()
    contribution = models.JSONField()

    class Meta:
        db_table = "ledger"


class Spawn(models.Model):
    """An estimated spawn point or patrol of a shown creature, derived from its Habitat by `maps.publish`.

    A patrol has an `area` around its way; its `point` lies on the way, its `radius` reaches to the end.
    """

    id = models.BigAutoField(primary_key=True)
    mob = models.BigIntegerField()
    zone = models.IntegerField()
    floor = models.IntegerField()
    point = PointField(srid=0, help_text="x and y in percent of the zone's map, y down")
    radius = models.FloatField(help_text="percent")
    sightings = models.IntegerField()
    uploaders = models.IntegerField()
    confirmed = models.BooleanField(help_text="seen by several independent uploaders")
    area = PolygonField(srid=0, null=True, spatial_index=False, help_text="where it walks, for a patrol")

    class Meta:
        db_table = "spawn"
        indexes = [
            models.Index(fields=["zone", "mob"], name="spawn_zone_mob"),
            models.Index(fields=["mob", "zone"], name="spawn_mob_zone"),
        ]


class StaleSpawns(models.Model):
    """Shown creatures whose spawn points in a zone are older than their Habitat; publishing empties it."""

    pk = models.CompositePrimaryKey("mob", "zone")
    mob = models.BigIntegerField()
    zone = models.IntegerField()

    class Meta:
        db_table = "stale_spawns"


class ChangedCount(models.Model):
    """What folds have changed and no document knows yet; `maps.publish` turns it into marks of documents.

    `kind` is `creature` (a raw id), `source`, `item` (what is told of it, or taken from it), `zone` (what is
    gathered or looted there), or `all`, with the number 0. A row that is there already is locked by the fold all
    the same, as in `Changed`.
    """

    pk = models.CompositePrimaryKey("kind", "number")
    kind = models.TextField()
    number = models.BigIntegerField()

    class Meta:
        db_table = "changed_count"


class StaleFile(models.Model):
    """Published documents that are older than the tables, and since when; kinds are those of `maps.publish`.

    `latest` is when something last changed that one does not show.
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
