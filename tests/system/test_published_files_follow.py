"""Published files follow the tables: whatever is merged, withdrawn or named, no file stays stale after publishing."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import orjson
import pytest
from django.conf import settings as site
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest import lifecycle
from ingest.maintenance import withdrawals
from maps.images import drawing
from maps.models import Item
from maps.publish import files, item_names
from maps.publish.invalidation import prioritize_all
from maps.publish.kinds import ITEM, KINDS, MOB, Kind
from maps.publish.run import has_changes, publish
from tests.ingest.factories import Note, contents, document, loot, mob, notes, zone
from tests.ingest.pipeline import LAW, RECEIVED, empty, rows, take, work_off

pytestmark = [
    pytest.mark.django_db(databases="__all__", transaction=True),
    pytest.mark.usefixtures("wakes", "empty_hot_tables"),
]
ALIAS = "map_deDE"
STEPS = ["merge", "publish", "withdraw", "restore", "name", "publish"]


@pytest.fixture(autouse=True)
def quick_images(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace images by the data they are drawn from: drawing them would take most of the time."""
    monkeypatch.setattr(drawing, "contour_image", lambda density: density.tobytes())
    monkeypatch.setattr(drawing, "preview", lambda density, dots: density.tobytes() + repr(list(dots)).encode())


def wanted() -> dict[str, dict[Path, Any]]:
    """Return the files expected for everything in the dictionaries, by kind and path."""
    mobs = "SELECT id FROM creature UNION SELECT creature FROM source WHERE creature > 0"
    mobs += " UNION SELECT id FROM named_creature"
    numbers = {
        "zone-sources": "SELECT id FROM zone",
        "mob-habitats": mobs,
        "zone-map": "SELECT id FROM zone",
        "zone-images": "SELECT id FROM zone",
        "mob": mobs,
        "source": "SELECT id FROM source",
        "source-habitats": "SELECT id FROM source",
        "item": "SELECT id FROM item UNION SELECT item FROM item_drop",
    }
    found = {}
    for kind in KINDS:
        found[kind.name] = {
            files.path("deDE", kind, number, part): made
            if isinstance(made, bytes)
            else orjson.loads(orjson.dumps(made))
            for (number,) in rows(numbers[kind.name])
            for part, made in kind.build(ALIAS, number).items()
        }
    return found


def check() -> None:
    publish(ALIAS)
    prioritize_all(ALIAS)
    publish(ALIAS)
    assert not has_changes(ALIAS)
    assert published() == wanted()


def published() -> dict[str, dict[Path, Any]]:
    return {
        kind.name: {
            file: files.read(file) if file.name.endswith(files.JSON) else file.read_bytes()
            for _number, file in files.list_files("deDE", kind)
        }
        for kind in KINDS
    }


def content(kind: Kind, number: int) -> Any:
    return published()[kind.name][files.path("deDE", kind, number)]


@settings(LAW, max_examples=25)
@given(
    st.lists(notes(), min_size=1, max_size=5, unique_by=lambda note: contents(note.xml()).content_hash),
    st.lists(st.sampled_from(STEPS), min_size=3, max_size=9),
    st.integers(0, 99),
)
def test_after_any_steps_every_file_equals_the_answer_from_the_tables(
    batch: Sequence[Note], steps: Sequence[str], chosen: int
) -> None:
    empty()
    Item.objects.using(ALIAS).all().delete()
    shutil.rmtree(site.PUBLISHED_DIR, ignore_errors=True)
    waiting = list(enumerate(batch))
    uploads = []
    for step in [*steps, "merge", "withdraw"]:
        match step:
            case "merge" if waiting:
                no, note = waiting.pop()
                uploads.append(take(note.xml(), f"player:{no % 2}", RECEIVED + timedelta(days=no % 2)).id)
                work_off()
            case "withdraw" if uploads:
                lifecycle.withdraw([uploads[chosen % len(uploads)]])
                withdrawals.finish_pending("deDE")
            case "restore" if uploads:
                lifecycle.restore([uploads[chosen % len(uploads)]])
                work_off()
            case "name":
                items = [item for (item,) in rows("SELECT DISTINCT item FROM item_drop ORDER BY 1")]
                item_names.import_items(ALIAS, {item: f"Ding {chosen} {len(uploads)}" for item in items[:2]})
            case "publish":
                publish(ALIAS)
    check()


def test_each_change_of_a_creature_reaches_its_files() -> None:
    """More lootings, other sources and names, then withdrawals, all published in between."""
    first = take(document(mob(zone("1/1,")), loot("+3651:0:0:1#+20:0:0:1#")))
    work_off()
    check()
    again = take(document(mob(zone("1/1,")), loot("+3651:0:0:1#")), "player:2")
    work_off()
    check()
    [(item_lootings,)] = {(each["lootings"],) for each in content(ITEM, 20)["dropped_by"]}
    assert item_lootings == 3
    names_known = [take(document(mob(zone(f"2/{number},"), name="Kodo")), f"player:{number}") for number in (3, 4, 5)]
    skinned = take(document(loot("+5:0:0:1#", "SKINnKodo#1#1#Tausend Nadeln#0")), "player:6")
    herb = take(document(loot("+765:0:0:1#", "HERBoFriedensblume#3#3#Tausend Nadeln#2")), "player:7")
    work_off()
    check()
    assert content(ITEM, 20)["dropped_by"][0]["name"] == "Kodo"
    item_names.import_items(ALIAS, {20: "Zahn"})
    check()
    take(document(mob(name="Kodo", max=80)), "player:8")
    take(document(loot(source="n0x1#1#1#Nur Beute#0")), "player:8")
    work_off()
    check()
    for upload in (first, *names_known, skinned, herb, again):
        lifecycle.withdraw([upload.id])
        withdrawals.finish_pending("deDE")
        check()
    assert {files.path("deDE", MOB, number) for number in (1, 10636)} == published()["mob"].keys()
