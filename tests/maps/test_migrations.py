"""Migrations that carry data over: what was there before is there after."""

from __future__ import annotations

from importlib import import_module
from struct import pack

import pytest
from django.contrib.gis.geos import Polygon
from django.db import connections, transaction

from maps.models import StaleDocument
from tests.maps.factories import DE, creature, presence, source, spawn, zone

pytestmark = pytest.mark.django_db(databases="__all__")


def test_pairs_of_coordinates_and_uploaders_are_packed_as_the_fold_packs_them():
    migration = import_module("maps.migrations.0013_packed_pairs")
    pairs, lost = [(7 << 32 | 1, 2, 19_000, 20_000), (2**50 + 2**31 - 1, 1, -5, 2**31 - 1)], (3, 4, 20_001)
    with transaction.atomic("map_deDE"), connections["map_deDE"].cursor() as cursor:
        # In the place of the real one, for this session: temporary tables come first.
        cursor.execute(
            "CREATE TEMPORARY TABLE presence (id int, seen_by bigint[], seen_times int[], seen_first int[],"
            " seen_last int[], unplaced_by int[], unplaced_times int[], unplaced_last int[]) ON COMMIT DROP"
        )
        cursor.execute(
            "INSERT INTO presence VALUES"
            " (1, %s, %s, %s, %s, '{}', '{}', '{}'), (2, '{}', '{}', '{}', '{}', %s, %s, %s)",
            [*(list(column) for column in zip(*pairs, strict=True)), *([number] for number in lost)],
        )
        cursor.execute(migration.PACK)
        cursor.execute("SELECT seen_by, seen_when, unplaced_by FROM presence ORDER BY id")
        assert cursor.fetchall() == [
            (pack(">2q", *(pair for pair, *_ in pairs)), b"".join(pack(">3i", *when) for _, *when in pairs), b""),
            (b"", b"", pack(">3i", *lost)),
        ]


def test_documents_that_hold_more_than_they_would_now_are_made_anew():
    migration = import_module("maps.migrations.0020_latest_marks")
    names, points, herbs, small = (zone(name) for name in "ABCD")
    for mob in range(1, 2002):
        presence(mob, names, {(1, 1): [1]})
    for _ in range(1001):
        spawn(7, points)
    presence(-source("herb", object="Silberblatt"), herbs, {(x, y): [1] for x in range(100) for y in range(51)})
    presence(7, small, {(1, 1): [1]})
    presence(-source("herb", object="Friedensblume"), small, {(1, 1): [1]})
    spawn(7, small)
    with connections[DE].cursor() as cursor:
        cursor.execute(migration.MARK)
    marked = StaleDocument.objects.using(DE).values_list("kind", "number")
    assert set(marked) == {("zone-map", names), ("zone-map", points), ("zone-sources", herbs)}


def test_documents_that_lack_days_or_holes_are_made_anew():
    migration = import_module("maps.migrations.0019_days_and_holes")
    gathered, around, plain = (zone(name) for name in "ABC")
    ring, hole = ((10, 10), (40, 10), (40, 40), (10, 10)), ((20, 15), (35, 15), (35, 30), (20, 15))
    presence(-source("herb", object="Silberblatt"), gathered, {(1, 1): [1]})
    presence(creature(7, "Wolf"), plain, {(1, 1): [1]})
    spawn(7, around, area=Polygon(ring, hole))
    spawn(7, plain, area=Polygon(ring))
    with connections[DE].cursor() as cursor:
        cursor.execute(migration.MARK)
    marked = StaleDocument.objects.using(DE).values_list("kind", "number")
    assert set(marked) == {("zone-sources", gathered), ("zone-map", around)}
