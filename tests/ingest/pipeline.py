"""The pipeline without its processes: accept documents, work off the queue, look at what came of it."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import Any

from django.db import connections
from hypothesis import HealthCheck, Phase, settings

from core import locales
from ingest.intake.accept import accept
from ingest.models import Upload
from ingest.queue import worker
from ingest.queue.bisection import merge_next_group
from maps.publish.run import publish

TABLES = ["zone", "named_creature", "source", "uploader", "creature", "creature_name", "habitat", "loot"]
TABLES += ["item_drop", "ledger", "spawn", "stale_spawns", "changed_count", "stale_file"]
RECEIVED = datetime(2026, 11, 20, 12, tzinfo=UTC)
#: An example takes several transactions; making a failing one smaller would take minutes.
LAW = settings(
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def take(xml: bytes, sender: str = "player:1", received_at: datetime = RECEIVED) -> Upload:
    """Accept a document as if it had come at a certain time."""
    accepted = accept(iter([xml]), "", sender, "", check_locale=lambda locale: None, dry_run=False)
    if not accepted.duplicate:
        Upload.objects.filter(id=accepted.upload.id).update(received_at=received_at)
    return Upload.objects.get(id=accepted.upload.id)


def stage_all(locale: str = "deDE", claim: str = "wake-up") -> int:
    """Stage all that waits in a locale; returns how many uploads were claimed in all."""
    total = 0
    while claimed := worker.stage_batch(locale, claim):
        total += claimed
    return total


def work_off(locale: str = "deDE") -> None:
    """Stage and merge all that waits in a locale, together and apart."""
    stage_all(locale)
    while worker.fold_staged(locale) or merge_next_group(locale, "wake-up"):
        pass


def merge(*xmls: bytes, sender: str = "player:1") -> list[Upload]:
    """Accept documents and merge them at once."""
    uploads = [take(xml, sender, RECEIVED + timedelta(seconds=no)) for no, xml in enumerate(xmls)]
    work_off()
    return [Upload.objects.get(id=upload.id) for upload in uploads]


def rows(sql: str, locale: str = "deDE") -> list[tuple[Any, ...]]:
    """Return the rows of a query in a locale's database."""
    with connections[locales.alias(locale)].cursor() as cursor:
        cursor.execute(sql)
        return list(cursor.fetchall())


def days(*numbers: int) -> list[str]:
    """Return days since 1970 as dates, to be read."""
    return [date.fromordinal(date(1970, 1, 1).toordinal() + number).isoformat() for number in numbers]


def tables(locale: str = "deDE") -> dict[str, list[tuple[Any, ...]]]:
    """Return all merged counts, published, with names in the place of ids: equal for equal counts."""
    publish(locales.alias(locale))
    creature = "coalesce((SELECT name FROM named_creature n WHERE n.id = {0}), {0}::text)"
    zone = "(SELECT name FROM zone z WHERE z.id = {0})"
    source = (
        "(SELECT s.kind || '/' || coalesce("
        + creature.format("s.creature")
        + f", s.object, s.item::text, {zone.format('s.zone')}) FROM source s WHERE s.id = {{0}})"
    )
    subject = f"CASE WHEN subject > 0 THEN {creature.format('subject')} ELSE {source.format('-subject')} END"
    seen_by = (
        "(SELECT array_agg((pair >> 32) || ' ' || u.sender ORDER BY pair >> 32, u.sender)"
        " FROM generate_series(1, octet_length(p.seen_by), 8) at"
        " CROSS JOIN LATERAL CAST(('x' || encode(substring(p.seen_by FROM at FOR 8), 'hex'))::bit(64) AS bigint) pair"
        " JOIN uploader u ON u.id = pair & 4294967295)"
    )
    queries = {
        "creature": f"SELECT {creature.format('c.id')}, level_min, level_max, boss, reactions, uploads, first_seen,"
        " last_seen FROM creature c",
        "creature_name": "SELECT creature, name, uploads FROM creature_name",
        "shown_as": "SELECT name, shown_as FROM named_creature",
        "habitat": f"SELECT {subject}, {zone.format('p.zone')}, floor, xy, sightings, uploaders, first_seen,"
        f" last_seen, {seen_by}, unplaced, position_count, sighting_count, last_seen_day FROM habitat p",
        "loot": f"SELECT {source.format('l.source')}, {zone.format('l.zone')}, floor, difficulty, lootings,"
        " money_lootings, copper FROM loot l",
        "drop": f"SELECT {source.format('d.source')}, {zone.format('d.zone')}, floor, difficulty, item, drops"
        " FROM item_drop d",
        "ledger": "SELECT content_hash::text FROM ledger",
        "spawn": f"SELECT {creature.format('s.mob')}, {zone.format('s.zone')}, floor, ST_AsText(point), radius,"
        " sightings, uploaders, confirmed FROM spawn s",
    }
    return {name: sorted(rows(sql, locale), key=repr) for name, sql in queries.items()}


def empty(locale: str = "deDE") -> None:
    """Forget every upload and all merged data."""
    Upload.objects.all().delete()
    with connections[locales.alias(locale)].cursor() as cursor:
        cursor.execute(f"TRUNCATE {', '.join(TABLES)} RESTART IDENTITY")
