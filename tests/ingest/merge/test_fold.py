"""What merging adds up to, in numbers, and that nothing about order, batching or repetition shows in it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from threading import Thread

import pytest
from django.db import connections, transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from core import locales
from ingest.batch.read import read
from ingest.batch.stage import stage
from ingest.merge import ledger
from ingest.merge.fold import fold
from ingest.models import Upload
from maps.publish.run import publish
from tests import independent, merged_tables
from tests.ingest.factories import WRAPPINGS, Note, contents, day, document, loot, mob, notes, zone
from tests.ingest.pipeline import LAW, RECEIVED, days, empty, merge, rows, stage_all, tables, take, work_off

pytestmark = [
    pytest.mark.django_db(databases="__all__", transaction=True),
    pytest.mark.usefixtures("wakes", "empty_hot_tables"),
]

ALIAS = "map_deDE"
AT = (216 << 10) + 330


def habitat(columns: str, where: str = "subject > 0") -> list[tuple[object, ...]]:
    return rows(f"SELECT {columns} FROM habitat WHERE {where} ORDER BY subject, zone, floor")


def put(*uploads: Upload) -> None:
    """Stage uploads whatever their rows say, as a worker does whose claim has run out."""
    members, interned = read(ALIAS, list(uploads), lambda upload, fault: pytest.fail(f"{upload}: {fault}"))
    assert interned is not None
    stage(ALIAS, members, interned)


def contribution(upload: Upload) -> tuple[int, int, int, int]:
    shown = upload.contribution or {}
    return (shown["new_mobs"], shown["new_positions"], shown["confirmed_positions"], shown["new_drops"])


# --- laws -------------------------------------------------------------------------------------------
@settings(LAW, max_examples=25)
@given(
    st.lists(notes(), min_size=1, max_size=6, unique_by=lambda note: contents(note.xml()).content_hash),
    st.randoms(use_true_random=False),
)
def test_any_order_batching_wrapping_and_repetition_gives_the_same_tables(batch: Sequence[Note], shuffle) -> None:
    senders = ["player:1", "player:2", "network:a"]
    sent = [(senders[no % 3], RECEIVED + timedelta(days=no % 2), note) for no, note in enumerate(batch)]
    empty()
    for sender, when, note in sent:
        take(note.xml(), sender, when)
    work_off()
    at_once = tables()
    expected = independent.merged(independent.count((sender, note.xml(version=note.shape)) for sender, _, note in sent))
    assert merged_tables.read(ALIAS) == expected

    empty()
    for sender, when, note in shuffle.sample(sent, len(sent)):
        body = WRAPPINGS[shuffle.choice(sorted(WRAPPINGS))](note.xml(shuffle.randrange(9)))
        take(body, sender, when)
        if shuffle.random() < 0.5:
            work_off()
        take(note.xml(shuffle.randrange(9)), "player:3", when + timedelta(days=9))
    work_off()
    assert tables() == at_once


def test_the_same_uploads_staged_and_folded_twice_change_nothing():
    uploads = [take(document(mob(zone("1/1,2/2,")), loot("+1:0:0:1#5#"))), take(document(mob(zone("1/1,"))))]
    stage_all()
    first = fold(ALIAS)
    assert set(first) == {upload.id for upload in uploads}
    before = tables()
    put(*uploads)
    assert fold(ALIAS) == {}
    assert tables() == before
    hashes = [bytes(upload.content_hash) for upload in uploads]
    assert ledger.find(ALIAS, hashes) == {hashes[no]: first[upload.id] for no, upload in enumerate(uploads)}


def test_what_another_worker_merged_meanwhile_is_left_out_of_the_next_fold():
    first, second = take(document(mob(zone("1/1,")))), take(document(mob(zone("1/1,2/2,"))))
    put(first)
    fold(ALIAS)
    put(first, second)
    assert set(fold(ALIAS)) == {second.id}
    assert habitat("xy, sightings") == [([10250, 20500], [2, 1])]


def test_the_same_content_staged_several_times_before_a_fold_counts_once():
    upload = take(document(mob(zone("1/1,"))))
    for _ in range(3):
        put(upload)
    assert set(fold(ALIAS)) == {upload.id}
    assert habitat("xy, sightings") == [([10250], [1])]


def test_the_numbers_of_staged_uploads_may_wrap_around():
    merge(document(mob(zone("9/9,"))))  # whole hot tables: staging is not repeated, which takes numbers, too
    rows("SELECT setval('staging_no', 2147483645)")
    uploads = [take(document(mob(zone(f"{x}/1,")))) for x in range(5)]
    stage_all()
    assert {no for (no,) in rows("SELECT no FROM hot_0.staged_upload UNION SELECT no FROM hot_1.staged_upload")} == {
        *(2147483646, 2147483647, 1, 2, 3)
    }
    merged = fold(ALIAS)
    assert [merged[upload.id].contribution["new_positions"] for upload in uploads] == [1] * 5


def test_stagings_and_folds_at_once_lose_nothing():
    documents = [document(mob(zone(f"1/1,{number}/2,"), name=f"M{number % 3}")) for number in range(12)]
    uploads = [take(xml, f"player:{number % 4}") for number, xml in enumerate(documents)]

    def work_in_thread(part: list[Upload]) -> None:
        try:
            for upload in part:
                put(upload)
                fold(ALIAS)
        finally:
            connections.close_all()

    threads = [Thread(target=work_in_thread, args=(uploads[start::4],)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    while fold(ALIAS):
        pass
    [(xy, sightings, uploaders)] = habitat("xy, sightings, uploaders")
    assert sightings[xy.index(10250)] == 12
    assert uploaders[xy.index(10250)] == 4
    assert len(rows("SELECT FROM ledger")) == 12
    assert len(rows("SELECT FROM creature_name")) == 3


def test_marks_of_a_change_are_held_until_the_counts_are_there():
    """The pair is marked already; a fold changes it again, and publishing comes before the fold's commit."""
    merge(document(mob(zone("1/1,"))))
    upload = take(document(mob(zone("90/90,"))))
    done: list[int] = []

    def publish_in_thread() -> None:
        try:
            done.append(publish(ALIAS))
        finally:
            connections.close_all()

    with transaction.atomic(using=ALIAS):
        put(upload)
        assert set(fold(ALIAS)) == {upload.id}
        publisher = Thread(target=publish_in_thread)
        publisher.start()
        publisher.join(120)
        assert done == [0]
    assert publish(ALIAS) == 1
    assert rows("SELECT count(*) FROM spawn") == [(2,)]


# --- sightings --------------------------------------------------------------------------------------
def test_a_sighting_is_an_upload_however_often_it_lists_the_place():
    merge(document(mob(zone("21.6/33,21.6/33.0,"), zone("21.6/33,"))), document(mob(zone("21.6/33,5/5,"))))
    assert habitat("xy, sightings, uploaders") == [([5 * 10250, AT], [1, 2], [1, 1])]
    assert habitat("position_count, sighting_count, unplaced") == [(2, 3, 0)]


def test_uploaders_are_counted_once_each_also_across_batches():
    for number, sender in enumerate(["player:1", "player:2", "player:1", "network:x"]):
        merge(document(mob(zone("21.6/33,"), max=40 + number)), sender=sender)
    assert habitat("sightings, uploaders, octet_length(seen_by) / 8") == [([4], [3], 3)]


def test_floors_are_places_of_their_own():
    merge(document(mob(zone("1/1,"), zone("1/1,", level=2))))
    assert habitat("floor, sightings") == [(0, [1]), (2, [1])]


def test_uploads_without_a_position_are_counted_beside_the_others():
    merge(document(mob(zone("-1/-1,-1/-1,1/1,"))), document(mob(zone("-1/-1,"), max=5)))
    assert habitat("xy, sightings, unplaced, position_count, sighting_count") == [([10250], [1], 2, 1, 1)]


def test_a_creature_only_ever_seen_without_a_position_has_a_place_without_coordinates():
    merge(document(mob(zone("-1/-1,"))))
    assert habitat("xy, seen_by, unplaced, position_count, sighting_count") == [([], b"", 1, 0, 0)]


def test_first_seen_is_the_earliest_date_and_last_seen_the_latest_day_of_arrival():
    take(document(mob(zone("1/1,2/2,"), date=day(2024, 10, 5))), received_at=datetime(2026, 11, 18, tzinfo=UTC))
    work_off()
    take(document(mob(zone("1/1,"), date=day(2024, 10, 4))), received_at=datetime(2026, 11, 17, 23, 59, tzinfo=UTC))
    work_off()
    [(xy, first, last)] = habitat("xy, first_seen, last_seen")
    assert (xy, days(*first), days(*last)) == (
        [10250, 20500],
        ["2024-10-04", "2024-10-05"],
        ["2026-11-18", "2026-11-18"],
    )
    [(creature_first, creature_last)] = rows("SELECT first_seen::text, last_seen::text FROM creature")
    assert (creature_first, creature_last) == ("2024-10-04", "2026-11-18")


def test_a_day_in_the_future_is_the_day_of_arrival_and_so_is_a_missing_one():
    merge(document(mob(zone("1/1,"), date=day(2030, 1, 1))))
    merge(document(mob(zone("1/1,", level=None), id=None), version=42))
    firsts = habitat("first_seen[1], last_seen[1]")
    assert [days(*row) for row in firsts] == [["2026-11-20", "2026-11-20"]] * 2


def test_gathering_positions_are_no_creatures():
    merge(document(loot("+5#", "HERBoSilberblatt#1#1#Z#0"), loot("+5#", "HERBoSilberblatt#-1#-1#Z#0")))
    assert habitat("xy") == []
    assert habitat("xy, sightings, unplaced", "subject < 0") == [([10250], [1], 1)]


# --- creatures --------------------------------------------------------------------------------------
def test_levels_bosses_and_reactions_add_up():
    merge(
        document(mob(min=5, max=3, react=0), mob(min=5, max=3, react=0)),
        document(mob(min=-1, max=-1, react=12)),
        document(mob(min=4, max=9, react=12)),
    )
    columns = "id, level_min, level_max, boss, reactions, uploads"
    assert rows(f"SELECT {columns} FROM creature") == [(10636, 3, 9, True, [1, 0, 0, 0, 0, 2], 3)]


def test_a_creature_only_seen_as_a_boss_has_no_level():
    merge(document(mob(min=-1, max=-1)))
    assert rows("SELECT level_min, level_max, boss FROM creature") == [(None, None, True)]


def test_names_are_counted_by_uploads():
    merge(document(mob(name="A"), mob(name="A"), mob(name="B")), document(mob(name="A", max=40)))
    assert rows("SELECT name, uploads FROM creature_name ORDER BY name") == [("A", 2), ("B", 1)]


NASTY = ["\\.", "NULL", '"', "a,b", '\\"', "$1", "%s", "{}", "'; DROP TABLE zone --", " Polly"]


@pytest.mark.parametrize("name", NASTY)
def test_every_name_arrives_as_it_was_written(name):
    records = [
        mob(zone("1/1,", name=name), name=name),
        loot("+5#", f"OPENo{name}#1#1#{name}#0"),
        loot("+5#", f"SKINn{name}#1#1#{name}#0"),
    ]
    merge(document(*records))
    assert rows(
        "SELECT name FROM creature_name UNION SELECT name FROM zone UNION SELECT object FROM source WHERE"
        " object IS NOT NULL UNION SELECT name FROM named_creature"
    ) == [(name,)]


# --- loot -------------------------------------------------------------------------------------------
def test_lootings_drops_and_money_add_up_per_place_and_difficulty():
    merge(
        document(loot("+1:0:0:1#5#+7#", "n0x1#1#1#ZHEROIC#0"), loot("+1:0:0:1#", "n0x1#2#2#ZHEROIC#0")),
        document(loot("+1:0:0:1#+", "n0x1#1#1#ZHEROIC#0"), loot("+1:0:0:1#", "n0x1#1#1#Z#0")),
    )
    columns = "difficulty, lootings, money_lootings, copper"
    assert rows(f"SELECT {columns} FROM loot ORDER BY 1") == [("", 1, 0, 0), ("HEROIC", 5, 2, 12)]
    assert rows("SELECT difficulty, item, drops FROM item_drop ORDER BY 1") == [("", 1, 1), ("HEROIC", 1, 3)]


def test_loot_of_an_unknown_source_counts_for_none():
    [upload] = merge(document(loot("+1:0:0:1#", "UNKN#1#1#Z#0")))
    assert (upload.status, upload.lootings) == ("merged", 1)
    assert rows("SELECT FROM loot") == []


# --- receipts ---------------------------------------------------------------------------------------
def test_a_receipt_says_what_its_upload_brought():
    first = document(mob(zone("1/1,2/2,-1/-1,2/2,")), loot("+1:0:0:1#2:0:0:1#"))
    second = document(mob(zone("2/2,3/3,")), mob(zone("1/1,"), id=7), loot("+2:0:0:1#3:0:0:1#"))
    uploads = merge(first, second)
    assert [contribution(upload) for upload in uploads] == [(1, 2, 0, 2), (1, 2, 1, 1)]


@settings(LAW, max_examples=20)
@given(st.lists(notes(), min_size=1, max_size=4, unique_by=lambda note: contents(note.xml()).content_hash))
def test_new_and_confirmed_positions_are_together_the_uploads_distinct_coordinates(batch: Sequence[Note]) -> None:
    empty()
    for note, upload in zip(batch, merge(*[note.xml() for note in batch]), strict=True):
        alone = independent.count([("", note.xml(version=note.shape))])
        _, new, confirmed, _ = contribution(upload)
        assert new + confirmed == len(alone.sightings)
    together = rows("SELECT coalesce(sum(position_count), 0) FROM habitat WHERE subject > 0")
    assert together == [(sum(contribution(upload)[1] for upload in Upload.objects.all()),)]


# --- names without ids ------------------------------------------------------------------------------
def shown() -> dict[str, int | None]:
    return dict(rows("SELECT name, shown_as FROM named_creature"))


def nameless(*zones: str, name: str = "Lastkodo", number: int = 0) -> bytes:
    return document(mob(*zones, name=name, id=None, max=40 + number), version=42)


def test_a_name_is_shown_under_the_only_id_that_bears_it_and_back_when_another_comes():
    merge(nameless(zone("1/1,", level=None)))
    assert shown() == {"Lastkodo": None}
    merge(document(mob(id=7)))
    assert shown() == {"Lastkodo": 7}
    merge(document(mob(id=8)))
    assert shown() == {"Lastkodo": None}


def test_a_name_that_has_its_id_already_is_shown_under_it_at_once():
    merge(document(mob(id=7), loot("+5#", "SKINnLastkodo#1#1#Z#0")))
    assert shown() == {"Lastkodo": 7}


def test_rows_keep_the_name_as_their_key_whatever_they_are_shown_as():
    merge(nameless(zone("1/1,", level=None)))
    before = habitat("subject, xy")
    merge(document(mob(id=7)))
    assert habitat("subject, xy") == before
    assert before[0][0] >= 2**31  # type: ignore[operator]


def test_both_creatures_are_published_again_when_a_name_changes_its_owner():
    merge(nameless(zone("1/1,", level=None)))
    [(raw,)] = rows("SELECT id FROM named_creature")
    [(place,)] = rows("SELECT id FROM zone")
    assert rows("SELECT mob, zone FROM stale_spawns") == [(raw, place)]
    for xml in (document(mob(id=7)), document(mob(id=8))):
        with connections[ALIAS].cursor() as cursor:
            cursor.execute("DELETE FROM stale_spawns")
        merge(xml)
        assert sorted(rows("SELECT mob, zone FROM stale_spawns")) == [(7, place), (raw, place)]


def test_a_creature_shown_under_an_id_is_published_there():
    merge(document(mob(id=7)), nameless(zone("1/1,", level=None)))
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("DELETE FROM stale_spawns")
    merge(nameless(zone("2/2,", level=None)))
    assert [mob_id for mob_id, _ in rows("SELECT mob, zone FROM stale_spawns")] == [7]


def test_merged_tables_stay_in_their_locale():
    take(document(mob(zone("1/1,")), language="enGB"))
    take(document(mob(zone("2/2,"))))
    work_off("deDE")
    work_off("enUS")
    assert [rows("SELECT xy FROM habitat", locale) for locale in locales.hosted()] == [[([10250],)], [([20500],)]]


def test_money_beyond_all_measure_stays_at_the_most_there_can_be():
    merge(*[document(loot("+2147483647#" * 3, f"n0x298C#21.6#33#Z{number}#0")) for number in range(2)])
    rows("UPDATE loot SET copper = 9223372036854775807 RETURNING 1")
    merge(document(loot("+2147483647#+5#", "n0x298C#21.6#33#Z0#0")))
    assert rows("SELECT max(copper) FROM loot") == [(9223372036854775807,)]


def test_a_creature_that_an_upload_lists_often_leaves_one_report():
    merge(document(*[mob(min=level, max=level + 1, date=day(2024, 10, 4 + level)) for level in range(1, 9)]))
    assert rows("SELECT cardinality(reports), level_min, level_max FROM creature") == [(1, 1, 9)]
