"""Names become numbers: the same name the same number, whoever asks first, and never in a circle."""

from __future__ import annotations

import random
from contextlib import contextmanager
from io import BytesIO
from threading import Barrier, Thread

import polars as pl
import pytest
from django.db import connections

from ingest.batch.columns import parse
from ingest.batch.intern import intern
from ingest.batch.observations import Document, Interned
from ingest.batch.sql import load
from maps.models import FIRST_NAMED_ID
from tests.ingest.factories import document, loot, mob, zone
from tests.ingest.pipeline import rows

pytestmark = pytest.mark.django_db(databases="__all__", transaction=True)

ALIAS = "map_deDE"


def interned(*bodies: bytes, senders: tuple[str, ...] = ("player:1",)) -> Interned:
    def opener(body: bytes):
        @contextmanager
        def opened():
            yield BytesIO(body)

        return opened

    return intern(ALIAS, parse(Document(no, 43, 20_000, opener(body)) for no, body in enumerate(bodies)), list(senders))


def stood(found: Interned) -> pl.DataFrame:
    """Return each position with its place."""
    return found.positions.join(found.habitats.with_row_index("habitat"), on="habitat")


def nameless(name: str, place: str = "Z") -> str:
    return mob(zone("1/1,", name=place, level=None), name=name, id=None)


def test_names_get_ids_once_and_keep_them():
    first = interned(document(nameless("Wolf"), nameless("Bär", "Y"), version=43))
    again = interned(document(nameless("Bär", "Y"), nameless("Wolf"), nameless("Fuchs"), version=43))
    both = set(first.habitats.select("subject", "zone").rows())
    assert len(both) == 2
    assert both < set(again.habitats.select("subject", "zone").rows())
    assert rows("SELECT count(*) FROM named_creature") == [(3,)]


def test_ids_of_names_lie_above_every_id_of_the_game():
    interned(document(nameless("Wolf"), version=43))
    assert rows("SELECT id >= 2147483648 FROM named_creature") == [(True,)]
    assert FIRST_NAMED_ID == 2**31


@pytest.mark.parametrize("other", ["wolf", " Wolf", "Wolf ", "Wo\u0301lf", "Wólf"])
def test_names_that_only_look_alike_are_different_names(other):
    found = interned(document(nameless("Wolf"), nameless(other), version=43))
    assert stood(found)["subject"].n_unique() == 2


def test_a_known_creature_needs_no_name():
    found = interned(document(mob(zone("1/1,"), id=7), version=43))
    assert stood(found)["subject"].to_list() == [7]
    assert rows("SELECT FROM named_creature") == []


def test_a_source_is_its_kind_with_its_target():
    names = ["n0x1#1#1#A#0", "PIPOn0x1#1#1#A#0", "HERBox#1#1#A#0", "OPENox#1#1#A#0", "ITEMi5#1#1#A#0", "DISNi5#1#1#A#0"]
    names += ["FISH#1#1#A#0", "FISH#1#1#B#0", "SKINnx#1#1#A#0"]
    bodies = document(*[loot("+5#", name) for name in names * 2], version=43)
    first, again = interned(bodies), interned(bodies)
    assert sorted(first.loot["source"]) == sorted(again.loot["source"])
    assert rows("SELECT count(*), count(DISTINCT (kind, creature, object, item, zone)) FROM source") == [(9, 9)]
    assert set(first.habitats.filter(first.habitats["subject"] < 0)["subject"]) == {
        -number for number, kind in rows("SELECT id, kind FROM source") if kind != "kill"
    }


def test_senders_are_numbered_too():
    found = interned(senders=("player:2", "network:a", "player:2"))
    assert sorted(found.uploaders) == ["network:a", "player:2"]
    assert len(set(found.uploaders.values())) == 2


def test_workers_that_bring_the_same_names_at_once_agree_on_their_ids():
    shuffle = random.Random(3)
    names = [f"Name {number}" for number in range(300)]
    together = Barrier(4)
    found: list[Interned] = []
    failed: list[BaseException] = []

    def intern_in_thread(order: list[str]) -> None:
        try:
            records = [nameless(name, name) for name in order] + [loot("+5#", f"OPENo{name}#1#1#Z#0") for name in order]
            body = document(*records, version=43)
            together.wait(120)
            found.append(interned(body, senders=tuple(order)))
        except BaseException as error:  # noqa: BLE001  (told by the main thread)
            failed.append(error)
        finally:
            connections.close_all()

    threads = [Thread(target=intern_in_thread, args=(shuffle.sample(names, 250),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    for table, distinct in (("named_creature", "name"), ("zone", "name"), ("uploader", "sender"), ("source", "object")):
        assert rows(f"SELECT count(*) - count(DISTINCT {distinct}) FROM {table}") == [(0,)]
    uploaders = [set(one.uploaders.items()) for one in found]
    assert len(set().union(*uploaders)) == len({sender for one in found for sender in one.uploaders})


def test_sources_are_looked_up_by_their_key_however_many_there_are():
    found = interned(document(loot("+3651:0:0:1:54Z#"), version=43))
    with connections[ALIAS].cursor() as cursor:
        cursor.execute("INSERT INTO source (kind, creature) SELECT 'kill', n FROM generate_series(1000000, 1020000) n")
        cursor.execute("ANALYZE source")
        wanted = {"source": [1], "kind": ["kill"], "creature": [1000007]}
        wanted |= {"object": [None], "item": [None], "zone": [None]}
        cursor.execute("EXPLAIN " + load("find_sources.sql"), wanted)
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "Index Scan using source_key" in plan
    again = interned(document(loot("+3651:0:0:1:54Z#"), version=43))
    assert again.loot["source"].to_list() == found.loot["source"].to_list()
