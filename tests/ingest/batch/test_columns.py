"""From documents to columns: the same counts as validation gives, and a plain reading."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from io import BytesIO
from typing import Any, BinaryIO

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.batch import xml_columns
from ingest.batch.columns import _LOCATION_BITS, _RANK_BITS, parse
from ingest.batch.observations import Document, Unreadable
from ingest.formats.mobmapdata import grammar
from tests.ingest.factories import Loot, Mob, Note, contents, day, document, element, loot, mob, notes, zone
from tests.ingest.factories import loots as loot_records

EPOCH = date(1970, 1, 1)
RECEIVED = (date(2026, 11, 20) - EPOCH).days


@dataclass(frozen=True)
class Read:
    """The frames of a batch with names in the place of its own numbers, and each position with its place."""

    creatures: pl.DataFrame
    positions: pl.DataFrame
    sources: pl.DataFrame
    gathered: pl.DataFrame
    loot: pl.DataFrame
    drops: pl.DataFrame


def read(*bodies: bytes, version: int = 44, received_day: int = RECEIVED) -> Read:
    def opener(body: bytes) -> Any:
        @contextmanager
        def opened() -> Iterator[BinaryIO]:
            yield BytesIO(body)

        return opened

    found = parse(Document(no, version, received_day, opener(body)) for no, body in enumerate(bodies))
    zones = pl.Series(found.zones, dtype=pl.String)

    def named(frame: pl.DataFrame, column: str = "zone") -> pl.DataFrame:
        return frame.with_columns(zones.gather(frame["zone"].replace(-1, None)).alias(column))

    assert found.positions.rows() == sorted(found.positions.rows())
    stood = named(found.positions.join(found.habitats, on="habitat"))
    return Read(
        found.creatures,
        stood.filter(pl.col("source") < 0),
        named(found.sources, "source_zone"),
        stood.filter(pl.col("source") >= 0),
        named(found.loot),
        named(found.drops),
    )


def rows(frame: pl.DataFrame, *columns: str) -> list[tuple[Any, ...]]:
    return sorted(frame.select(columns).rows())


# --- against plain readings of the records -----------------------------------------------------------
def placed(note: Note) -> dict[tuple[Any, ...], int]:
    """Return the first day of each creature (id or name), zone, floor and packed position of a document."""
    first: dict[tuple[Any, ...], int] = {}
    for record in note.records:
        if isinstance(record, Mob):
            seen = min((grammar.decode_day(record.date) - EPOCH).days, RECEIVED) if record.id else RECEIVED
            name = "" if record.id else grammar.unescape(record.name)
            for zone_name, floor, entries in record.zones:
                for entry in entries:
                    at = (record.id or 0, name, grammar.unescape(zone_name), floor, grammar.pack(*entry.split("/")))
                    first[at] = min(first.get(at, seen), seen)
    return first


def looted(note: Note) -> tuple[Counter[Any], Counter[Any], Counter[Any], Counter[Any]]:
    """Return lootings, lootings with money, copper, and drops by item, of each source and place of a document."""
    lootings, with_money, copper, drops = Counter[Any](), Counter[Any](), Counter[Any](), Counter[Any]()
    for record in note.records:
        if isinstance(record, Loot):
            floor = "" if record.floor is None else f"#{record.floor}"
            place = grammar.split_loot_name(f"{record.source}#{record.at}#{record.zone}{floor}", note.version)
            if place.source.kind == "unknown":
                continue
            at = (*place.source, place.zone, place.floor, place.difficulty)
            lootings[at] += len(record.lootings)
            for slots in record.lootings:
                coins = [int(slot) for slot in slots if ":" not in slot]
                with_money[at] += bool(coins)
                copper[at] += sum(coins)
                drops.update((*at, item) for item in {int(slot.split(":")[0]) for slot in slots if ":" in slot})
    return +lootings, +with_money, +copper, +drops


_SOURCE = ("kind", "creature", "name", "object", "item")


def by_source(frame: pl.DataFrame, found: Read, *values: str) -> Counter[Any]:
    joined = frame.join(found.sources, on="source", suffix="_of_source")
    item = "item_of_source" if "item" in frame.columns else "item"
    key = [*_SOURCE[:-1], item, "zone", "floor", "difficulty", *values[:-1]]
    return +Counter({row[:-1]: row[-1] for row in joined.select(*key, values[-1]).rows()})


@settings(max_examples=150, deadline=None)
@given(notes())
def test_a_document_is_read_as_its_records_say(note: Note) -> None:
    xml = note.xml()
    found, validated = read(xml, version=note.version), contents(xml)
    expected = placed(note)
    columns = ["creature", "name", "zone", "floor", "xy", "first_day"]
    assert rows(found.positions, *columns) == sorted((*at, first) for at, first in expected.items())
    assert len(found.creatures) == validated.mobs
    lootings, with_money, copper, drops = looted(note)
    assert by_source(found.loot, found, "lootings") == lootings
    assert by_source(found.loot, found, "money_lootings") == with_money
    assert by_source(found.loot, found, "copper") == copper
    assert by_source(found.drops, found, "item", "drops") == drops
    unknown = [record for record in note.records if isinstance(record, Loot) and record.source == "UNKN"]
    assert sum(lootings.values()) + sum(len(record.lootings) for record in unknown) == validated.lootings


@settings(max_examples=40, deadline=None)
@given(st.lists(notes().filter(lambda note: note.version == 44), max_size=4), st.integers(0, 9))
def test_a_batch_is_read_as_its_documents_one_by_one_in_any_order(batch: Sequence[Note], seed: int) -> None:
    together = read(*[note.xml(seed) for note in batch])
    for no, note in enumerate(batch):
        alone = read(note.xml())
        columns = ["creature", "name", "zone", "floor", "xy", "first_day"]
        assert rows(together.positions.filter(pl.col("no") == no), *columns) == rows(alone.positions, *columns)
        mine = together.drops.filter(pl.col("no") == no)
        assert by_source(mine, together, "item", "drops") == by_source(alone.drops, alone, "item", "drops")
        mine = together.loot.filter(pl.col("no") == no)
        assert by_source(mine, together, "lootings") == by_source(alone.loot, alone, "lootings")


_axes = st.sampled_from(["-1", "0", "1.5", "100", "100.0", "007", "200", "1.2.3", "", "x"])


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.one_of(_axes, st.sampled_from(["Zone", "OPENoKiste", "0", "12", "HEROIC"])), min_size=3, max_size=7),
    st.sampled_from([42, 43, 44]),
)
def test_names_full_of_number_signs_are_read_as_validation_reads_them(fields: list[str], version: int) -> None:
    name = "OPENo" + "#".join(fields)
    try:
        place = grammar.split_loot_name(name, version)
    except grammar.BadLootName:
        return
    found = read(document(loot("+5#", name), version=version), version=version)
    assert rows(found.sources, "kind", "object") == [("chest", place.source.object)]
    assert rows(found.gathered, "zone", "floor", "xy") == [(place.zone, place.floor, place.xy)]
    assert rows(found.loot, "difficulty", "copper") == [(place.difficulty, 5)]


@settings(max_examples=100, deadline=None)
@given(loot_records(44).filter(lambda record: bool(record.lootings)))
def test_a_source_is_where_it_was_looted_unless_it_is_a_kill(record: Loot) -> None:
    found = read(document(record.write(None)))
    place = grammar.split_loot_name(f"{record.source}#{record.at}#{record.zone}#{record.floor}", 44)
    expected = [] if place.source.kind in {"kill", "unknown"} else [(place.zone, place.floor, place.xy, RECEIVED)]
    assert rows(found.gathered, "zone", "floor", "xy", "first_day") == expected


# --- forms of writing and reading -------------------------------------------------------------------
def same(one: Read, other: Read) -> bool:
    positions = ["creature", "name", "zone", "floor", "xy", "first_day"]
    return (
        one.creatures.sort(pl.all()).equals(other.creatures.sort(pl.all()))
        and rows(one.positions, *positions) == rows(other.positions, *positions)
        and rows(one.gathered, "zone", "floor", "xy") == rows(other.gathered, "zone", "floor", "xy")
        and by_source(one.drops, one, "item", "drops") == by_source(other.drops, other, "item", "drops")
        and by_source(one.loot, one, "lootings") == by_source(other.loot, other, "lootings")
        and by_source(one.loot, one, "copper") == by_source(other.loot, other, "copper")
    )


@settings(max_examples=100, deadline=None)
@given(notes(), st.sampled_from([1, 30, 200, 1000]))
def test_a_document_read_in_pieces_says_the_same(note: Note, piece_bytes: int) -> None:
    whole = read(note.xml(), version=note.version)
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(xml_columns, "PIECE_BYTES", piece_bytes)
        assert same(read(note.xml(), version=note.version), whole)


@pytest.mark.parametrize(
    "written",
    [
        "<Loot name='OPENoA b#1#2#Z#0'>+5#</Loot>",
        '<Loot  name = "OPENoA b#1#2#Z#0" >+5#</Loot >',
        '<Loot name="OPENoA&#32;b#1#2#Z#0">+5#</Loot>',
        '<Loot name="OPENoA b#1#2#&#90;#0">+5#</Loot>',
        '<Loot name="OPENoA&#x20;b&#35;1#2#&#x5a;#0">&#43;5#</Loot>',
        '<Loot name="OPENoA\nb#1#2#Z#0">+5#</Loot>',
        '<Loot name="OPENoA\tb#1#2#Z#0">+5#</Loot>',
    ],
)
def test_loot_is_the_same_however_its_xml_is_written(written: str) -> None:
    usual = loot("+5#", "OPENoA b#1#2#Z#0")
    assert usual in document(usual).decode()
    others = [loot("+7#", "n0x1#1#2#Z#0"), loot("+9#", 'OPENo<&">#3#4#Y#0')]
    expected = read(document(others[0], usual, others[1]))
    assert rows(expected.sources, "object") == [("",), ('<&">',), ("A b",)]
    assert same(read(document(others[0], written, others[1])), expected)


@pytest.mark.parametrize("name", ["OPENo1#2#3#4#Z#0", "OPENoA#1#2#Y#0#Z#3", "OPENoA#3#4#0#0#5"])
def test_an_object_named_like_coordinates_is_read_from_the_right(name: str) -> None:
    place = grammar.split_loot_name(name, 44)
    found = read(document(loot("+5#", name), loot("+5#", name)))
    assert rows(found.sources, "object") == [(place.source.object,)]
    assert rows(found.gathered, "zone", "floor", "xy") == [(place.zone, place.floor, place.xy)]


# --- one by one -------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (30, 31, (30, 31, False)),
        (31, 30, (30, 31, False)),
        (-1, -1, (None, None, True)),
        (60, -1, (60, 60, True)),
        (-1, 60, (60, 60, True)),
        (0, 999, (0, 999, False)),
    ],
)
def test_levels_are_a_range_and_a_boss_is_a_mark_of_its_own(low: int, high: int, expected: tuple[Any, ...]) -> None:
    found = read(document(mob(min=low, max=high)))
    assert rows(found.creatures, "level_min", "level_max", "boss") == [expected]


@pytest.mark.parametrize(("react", "place"), [(0, 0), (1, 1), (2, 2), (10, 3), (11, 4), (12, 5)])
def test_reactions_of_the_alliance_come_before_those_of_the_horde(react: int, place: int) -> None:
    assert rows(read(document(mob(react=react))).creatures, "reaction") == [(place,)]


def test_a_creature_of_version_42_has_neither_id_nor_reaction_and_was_first_seen_when_it_came() -> None:
    found = read(document(mob(zone("1/1,", level=None), id=None), version=42), version=42)
    assert found.creatures.select("creature", "name", "reaction", "first_day").rows() == [
        (0, "Lastkodo", None, RECEIVED)
    ]


def test_a_day_in_the_future_is_taken_as_the_day_the_upload_came() -> None:
    found = read(document(mob(zone("1/1,"), date=day(2026, 11, 21))))
    assert rows(found.creatures, "first_day") == rows(found.positions, "first_day") == [(RECEIVED,)]


def test_the_first_day_of_a_repeated_coordinate_is_the_earliest() -> None:
    records = [mob(zone("1/1,2/2,"), date=day(2024, 10, 5)), mob(zone("1.0/1,"), date=day(2024, 10, 4))]
    found = read(document(*records))
    first = (date(2024, 10, 4) - EPOCH).days
    assert rows(found.positions, "xy", "first_day") == [(10 * 1024 + 10, first), (20 * 1024 + 20, first + 1)]


def test_a_creature_is_the_same_under_every_name_when_its_id_is_known() -> None:
    found = read(document(mob(zone("1/1,"), name="A"), mob(zone("1/1,2/2,"), name="B")))
    assert rows(found.positions, "creature", "name", "xy") == [(10636, "", 10250), (10636, "", 20500)]


def test_money_slots_of_one_looting_add_up() -> None:
    found = read(document(loot("+5#7#+1:0:0:1#+0#")))
    assert rows(found.loot, "lootings", "money_lootings", "copper") == [(3, 2, 12)]


def test_an_item_in_several_slots_drops_once_per_looting() -> None:
    found = read(document(loot("+1:0:0:1#1:2:3:4#2:0:0:1#+1:0:0:1#")))
    assert rows(found.drops, "item", "drops") == [(1, 2), (2, 1)]


def test_fishing_is_a_source_of_its_zone() -> None:
    found = read(document(loot("+1:0:0:1#", "FISH#1#1#A#0"), loot("+1:0:0:1#", "FISH#1#1#B#0")))
    assert rows(found.sources, "kind", "source_zone") == [("fishing", "A"), ("fishing", "B")]


def test_a_long_loot_text_and_many_short_ones_are_cut_into_slices_without_loss() -> None:
    long = "+3651:0:0:1#5#" * 700_000
    found = read(document(loot(long), *[loot("+3651:0:0:1#")] * 3))
    assert rows(found.loot, "lootings", "money_lootings", "copper") == [(700_003, 700_000, 3_500_000)]
    assert rows(found.drops, "item", "drops") == [(3651, 700_003)]


@pytest.mark.parametrize(
    "written",
    [
        document(loot()) + b" " * 12_000_000,
        b"<?xml version='1.0'?>" + b" " * 12_000_000 + document(loot()),
        # Blanks that come together when the element between them has been extracted.
        document(loot(source="OPENoA#B#1#1#Z#0"), " " * 9_000_000, loot(), " " * 9_000_000),
        document(loot(), mob(), element("EventObjective", {"questid": 1, "objective": "o"}, zone("1/1," * 2_499_990))),
    ],
    ids=["blanks behind", "blanks before", "blanks between", "a long text"],
)
def test_what_is_not_too_long_for_validation_is_not_for_workers(written: bytes) -> None:
    assert rows(read(written).loot, "lootings") == [(1,)] * contents(written).lootings


def test_the_largest_batch_has_fewer_places_than_there_are_numbers_for(settings) -> None:
    smallest = [zone("1/1,", "Z", level=None), loot("+", "FISH#1#1#Z")]
    assert settings.LARGEST_BATCH_BYTES // min(map(len, smallest)) < 1 << min(_LOCATION_BITS, _RANK_BITS)


def test_event_objectives_places_are_no_creatures() -> None:
    found = read(document(element("EventObjective", {"questid": 1, "objective": "x"}, zone("1/1,"))))
    assert found.positions.is_empty()
    assert found.creatures.is_empty()


def test_nothing_at_all_is_read_as_nothing() -> None:
    found = read()
    frames = [found.creatures, found.positions, found.sources, found.gathered, found.loot, found.drops]
    assert all(frame.is_empty() for frame in frames)


@pytest.mark.parametrize("broken", [b"", b"<MobMapData>", document(mob())[:-1], document("<Mob/>")])
def test_a_document_that_cannot_be_read_is_named(broken: bytes) -> None:
    with pytest.raises(Unreadable) as unreadable:
        read(document(mob()), broken, document(mob()))
    assert unreadable.value.no == 1


def test_a_document_with_broken_lootings_of_an_unknown_source_is_named() -> None:
    with pytest.raises(Unreadable) as unreadable:
        read(document(loot()), document(loot(), loot("+x#", source="UNKN#1#1#Senke#0")))
    assert unreadable.value.no == 1
