"""Zones' maps, creatures and items are published as documents: the answers from the database, whole, none forgotten."""

from __future__ import annotations

import gzip
import os
import re
from datetime import timedelta
from io import StringIO
from pathlib import Path
from threading import Thread

import orjson
import pytest
from django.core.management import CommandError, call_command
from django.db import connections, transaction
from django.test import Client
from django.utils import timezone

from maps import queries
from maps.models import ChangedCount, CreatureName, Habitat, Loot, NamedCreature, StaleFile, StaleSpawns
from maps.publish import build, files, invalidation, kinds, serve
from maps.publish.changes import has_changes, publish
from maps.publish.kinds import ITEM, MOB, MOB_PLACES, ZONE_MAP, ZONE_PICTURES, ZONE_SOURCES, Kind
from tests.maps.api.contract import ask, read
from tests.maps.factories import DAY, DE, creature, habitat, item, loot, named_creature, source, zone
from tests.threads import elsewhere

pytestmark = pytest.mark.django_db(databases="__all__", transaction=True)


@pytest.fixture
def marsh() -> int:
    place = zone("Weidenmark")
    habitat(creature(7, "Wolf"), place, {(10, 10): [1, 2], (50, 50): [3]})
    change(7, place)
    return place


def change(mob: int, place: int) -> None:
    StaleSpawns.objects.using(DE).get_or_create(mob=mob, zone=place)


def recount(*what: tuple[str, int]) -> None:
    for kind, number in what:
        ChangedCount.objects.using(DE).get_or_create(kind=kind, number=number)


def stale(kind: Kind = ZONE_MAP) -> set[int]:
    return set(StaleFile.objects.using(DE).filter(kind=kind.name).values_list("number", flat=True))


def file(number: int, kind: Kind = ZONE_MAP) -> Path:
    return files.path("deDE", kind, number)


def content(number: int, kind: Kind = ZONE_MAP) -> dict[str, object]:
    return orjson.loads(gzip.decompress(file(number, kind).read_bytes()))


def test_the_document_is_the_answer_from_the_database(marsh):
    computed = read(f"zones/{marsh}/map")
    publish(DE)
    assert content(marsh) == queries.zone_map(DE, marsh) == read(f"zones/{marsh}/map")
    assert computed["mobs"][0]["spawns"] == []
    assert len(content(marsh)["mobs"][0]["spawns"]) == 16
    assert not has_changes(DE)


def test_a_published_map_takes_no_query(marsh, django_assert_num_queries):
    publish(DE)
    with django_assert_num_queries(0, using=DE):
        answer = ask(f"deDE/zones/{marsh}/map")
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "public, max-age=2"
    assert answer["Content-Language"] == "de-DE"
    assert answer["Access-Control-Allow-Origin"] == "*"


def test_browsers_get_it_as_it_was_compressed_and_all_others_plain(marsh):
    publish(DE)
    compressed = Client(headers={"Accept-Encoding": "br, gzip"}).get(f"/api/v1/deDE/zones/{marsh}/map")
    assert compressed["Content-Encoding"] == "gzip"
    assert compressed.content == file(marsh).read_bytes()
    plain = ask(f"deDE/zones/{marsh}/map")
    assert "Content-Encoding" not in plain
    assert plain.json() == orjson.loads(gzip.decompress(compressed.content))
    assert "Accept-Encoding" in plain["Vary"] and "Accept-Encoding" in compressed["Vary"]
    assert plain["ETag"] != compressed["ETag"]


def test_an_etag_holds_until_the_content_changes(marsh):
    publish(DE)
    address = f"/api/v1/deDE/zones/{marsh}/map"
    first = Client(headers={"Accept-Encoding": "gzip"}).get(address)["ETag"]
    change(7, marsh)
    publish(DE)
    again = Client(headers={"Accept-Encoding": "gzip", "If-None-Match": first}).get(address)
    assert (again.status_code, again.content) == (304, b"")
    seen = {first}
    for x in (20, 30, 40):  # within the same second, and of the same size
        Habitat.objects.using(DE).all().delete()
        habitat(7, marsh, {(x, 10): [1, 2], (50, 50): [3]})
        change(7, marsh)
        publish(DE)
        seen.add(Client(headers={"Accept-Encoding": "gzip", "If-None-Match": first}).get(address)["ETag"])
    assert len(seen) == 4


def test_a_creature_is_described_anew_wherever_it_is_seen(marsh):
    elsewhere, other = zone("Anderswo"), zone("Ohne Wolf")
    habitat(7, elsewhere, {(1, 1): [1]})
    habitat(creature(8, "Bär"), other, {(1, 1): [1]})
    raw = named_creature("Wolf", shown_as=7)
    named = zone("Nur dem Namen nach")
    habitat(raw, named, {(2, 2): [1]})
    publish(DE)
    CreatureName.objects.using(DE).filter(creature=7).update(name="Leitwolf")
    change(7, marsh)
    publish(DE)
    for place in (marsh, elsewhere, named):
        assert content(place)["mobs"][0]["name"] == "Leitwolf"
    assert not file(other).exists()


def test_a_zone_that_nothing_is_known_of_any_more_has_no_document(marsh):
    publish(DE)
    Habitat.objects.using(DE).all().delete()
    change(7, marsh)
    publish(DE)
    assert not file(marsh).exists()
    assert ask(f"deDE/zones/{marsh}/map").status_code == 404


def test_a_mark_is_gone_only_with_its_document(marsh, monkeypatch):
    with monkeypatch.context() as broken, pytest.raises(OSError, match="full"):
        broken.setattr(os, "fsync", _full)
        publish(DE)
    assert stale() == {marsh}
    assert has_changes(DE)
    assert list(files.folder("deDE", ZONE_MAP).iterdir()) == []
    publish(DE)
    assert not has_changes(DE)
    assert content(marsh) == queries.zone_map(DE, marsh)


def _full(number: int) -> None:
    raise OSError(28, "The disk is full")


def test_what_changes_while_a_document_is_made_is_made_again(marsh, monkeypatch):
    """Spawn points of the zone change after the document's queries, before its mark is gone."""
    publish(DE)
    write = files.write

    def write_and_change(bodies: dict[Path, object], **how: bool) -> None:
        write(bodies, **how)
        monkeypatch.setattr(files, "write", write)
        elsewhere(lambda: habitat(creature(8, "Bär"), marsh, {(1, 1): [1]}))
        change_later.start()

    def mark_anew() -> None:
        try:
            invalidation.mark(DE, [], [marsh])  # no creature: its places could be made in the same round, or not
        finally:
            connections.close_all()

    change_later = Thread(target=mark_anew)
    monkeypatch.setattr(files, "write", write_and_change)
    invalidation.mark(DE, [7], [marsh])
    assert next(build.make_stale(DE)) == 2, "the map, and the creature's places"
    change_later.join(120)
    assert not change_later.is_alive()
    assert stale() == {marsh}
    publish(DE)
    assert [mob["id"] for mob in content(marsh)["mobs"]] == [8, 7]


def test_a_mark_whose_change_is_not_committed_yet_is_left(marsh):
    publish(DE)
    invalidation.mark(DE, [7], [marsh])
    made: list[int] = []
    with transaction.atomic(using=DE):
        invalidation.mark(DE, [7], [marsh])
        elsewhere(lambda: made.extend(build.make_stale(DE)))
        assert made == []
    assert sum(build.make_stale(DE)) == 3, "a map, a zone's sources, a creature's places"


def test_the_oldest_and_what_changed_last_are_made_first_and_some_always_are(marsh):
    """Many that wait since long hold up nothing that changes now, and changes without end hold up none of those."""
    zones = [marsh, *(zone(name) for name in "ABCD")]
    for mob, place in enumerate(zones[1:], 8):
        habitat(creature(mob), place, {(1, 1): [1]})
    publish(DE)
    invalidation.mark_all(DE)
    StaleFile.objects.using(DE).exclude(kind="zone-map").delete()
    for number, hours in zip(zones, (3, 5, 2, 1, 4), strict=True):
        moment = timezone.now() - timedelta(hours=hours)
        StaleFile.objects.using(DE).filter(number=number).update(since=moment, latest=moment)
    publish(DE, for_s=0)
    assert stale() == {marsh, zones[2], zones[4]}, "the oldest and the newest"
    change(9, zones[2])
    publish(DE, for_s=0)
    assert stale() == {marsh}, "the oldest, and one between that changed once more"


def test_of_what_changed_together_the_lowest_ids_are_made_first(marsh):
    """Names that uploads invent have the highest."""
    others = [zone(name) for name in "ABCD"]
    publish(DE)
    StaleFile.objects.using(DE).bulk_create(StaleFile(kind="zone-map", number=n) for n in [marsh, *others])
    now = timezone.now()
    StaleFile.objects.using(DE).update(latest=now)
    StaleFile.objects.using(DE).filter(number=others[3]).update(since=now - timedelta(hours=1))
    publish(DE, for_s=0)
    assert stale() == set(others[:3])


def test_a_mark_from_a_moment_ahead_of_the_clock_holds_no_document_back(marsh):
    """The clock was set back: whatever was marked before would wait until it is that time again."""
    publish(DE)
    CreatureName.objects.using(DE).update(name="Leitwolf")
    invalidation.mark(DE, [7], [marsh])
    ahead = timezone.now() + timedelta(hours=5)
    StaleFile.objects.using(DE).update(since=ahead)
    with transaction.atomic(using=DE):
        StaleFile.objects.using(DE).select_for_update().get(kind="zone-map")
        elsewhere(lambda: invalidation.cut_rests(DE))
    held = StaleFile.objects.using(DE).get(kind="zone-map")
    assert (held.since, stale()) == (ahead, {marsh}), "what a transaction holds is left for the next time"
    StaleFile.objects.using(DE).update(since=ahead)
    assert has_changes(DE)
    publish(DE)
    assert not StaleFile.objects.using(DE).exists()
    assert content(marsh)["mobs"][0]["name"] == "Leitwolf"


def test_the_command_makes_everything_anew_and_deletes_what_is_of_no_zone(marsh):
    publish(DE)
    NamedCreature.objects.using(DE).all().delete()
    CreatureName.objects.using(DE).update(name="Leitwolf")
    strays = [files.folder("deDE", ZONE_MAP) / name for name in ("999999.json.gz", ".left.new")]
    for stray in strays:
        stray.write_bytes(b"")
    said = StringIO()
    call_command("publish", "deDE", all=True, stdout=said)
    assert "5 documents made" in said.getvalue()
    assert content(marsh)["mobs"][0]["name"] == "Leitwolf"
    kept = sorted(each.name for each in files.folder("deDE", ZONE_MAP).iterdir())
    assert [name.count(".") for name in kept] == [3, 3, 2] and kept[-1] == f"{marsh}.json.gz"


def test_the_command_publishes_what_changed(marsh):
    said = StringIO()
    call_command("publish", "deDE", stdout=said)
    assert "spawn points of 1 creatures" in said.getvalue() and "4 documents made" in said.getvalue()
    assert not has_changes(DE)


def test_the_command_says_which_locales_there_are():
    with pytest.raises(CommandError, match="enUS, deDE"):
        call_command("publish", "frFR")


def test_the_command_says_where_it_could_not_write(marsh, settings, tmp_path):
    (tmp_path / "file").write_text("")
    settings.PUBLISHED_DIR = tmp_path / "file"
    with pytest.raises(CommandError, match="Could not write below"):
        call_command("publish", "deDE", stdout=StringIO())
    assert stale() == {marsh}


def test_a_site_can_do_without_documents(marsh, settings):
    publish(DE)
    settings.PUBLISH_DOCUMENTS = False
    CreatureName.objects.using(DE).update(name="Leitwolf")
    change(7, marsh)
    publish(DE)
    assert read(f"zones/{marsh}/map")["mobs"][0]["name"] == "Leitwolf"
    assert content(marsh)["mobs"][0]["name"] == "Wolf"
    assert stale() == set()
    with pytest.raises(CommandError, match="MOBMAP_PUBLISH_DOCUMENTS"):
        call_command("publish", "deDE", all=True)


def test_everybody_may_read_the_files_whatever_the_umask(marsh):
    before = os.umask(0o077)
    try:
        publish(DE)
    finally:
        os.umask(before)
    assert file(marsh).stat().st_mode & 0o777 == 0o644
    assert [Path(each).stat().st_mode & 0o777 for each in list(file(marsh).parents)[:3]] == [0o755] * 3


def test_the_page_names_the_map_by_what_it_holds(marsh):
    def told() -> str:
        page = Client().get(f"/deDE/zones/{marsh}").content.decode()
        [address] = set(re.findall(r'(?:data-map|crossorigin="anonymous" href)="([^"]+)"', page))
        return address.removeprefix("/api/v1/")

    assert told() == f"deDE/zones/{marsh}/map"
    publish(DE)
    first = told()
    assert re.fullmatch(rf"deDE/zones/{marsh}/map\?v=[0-9a-f]{{16}}", first)
    assert ask(first)["Cache-Control"] == publish.reading.IMMUTABLE
    CreatureName.objects.using(DE).update(name="Leitwolf")
    change(7, marsh)
    publish(DE)
    assert told() != first
    assert ask(first)["Cache-Control"] == "public, max-age=2"
    assert ask(first).json()["mobs"][0]["name"] == "Leitwolf"


def test_the_content_before_is_kept_by_its_own_name_and_no_older_one(marsh):
    names = []
    for number in range(4):
        CreatureName.objects.using(DE).update(name=f"Wolf {number}")
        change(7, marsh)
        publish(DE)
        names.append(f"{marsh}.{serve.version(DE, ZONE_MAP, marsh)}.json.gz")
        kept = {each.name for each in files.folder("deDE", ZONE_MAP).iterdir()}
        assert kept == {f"{marsh}.json.gz", *names[-2:]}
    invalidation.mark_all(DE)
    assert {each.name for each in files.folder("deDE", ZONE_MAP).iterdir()} == kept
    Habitat.objects.using(DE).all().delete()
    publish(DE)
    assert list(files.folder("deDE", ZONE_MAP).iterdir()) == []


# --- pictures -------------------------------------------------------------------------------------
def pictures(number: int) -> dict[str, bytes]:
    """Return a zone's pictures by name, without those by the names of their contents."""
    found = files.folder("deDE", ZONE_PICTURES).glob(f"{number}.*.png")
    return {each.name.partition(".")[2]: each.read_bytes() for each in found if each.name.count(".") == 2}


def test_a_zones_pictures_are_published_as_they_would_be_drawn(marsh, django_assert_num_queries):
    habitat(7, marsh, {(20, 20): [1]}, floor=3)
    drawn = {floor: Client().get(f"/deDE/zones/{marsh}/ground/{floor}.png").content for floor in (0, 3)}
    publish(DE)
    found = pictures(marsh)
    assert sorted(found) == ["ground-0.png", "ground-3.png", "preview.png"]
    assert {floor: found[f"ground-{floor}.png"] for floor in (0, 3)} == drawn
    with django_assert_num_queries(0, using=DE):
        for name, address in (("ground-3.png", "ground/3.png"), ("preview.png", "preview.png")):
            answer = Client().get(f"/deDE/zones/{marsh}/{address}")
            assert (answer.content, answer["Content-Type"]) == (found[name], "image/png")
    assert Client().get(f"/deDE/zones/{marsh}/ground/7.png").status_code == 404


def test_pages_name_pictures_by_what_they_hold(marsh):
    publish(DE)
    for page in (f"/deDE/zones/{marsh}", f"/deDE/zones/{marsh}/embed", "/deDE/mobs/7"):
        told = re.search(r'data-ground(?:-0)?="([^"]+)"', Client().get(page).content.decode())
        assert re.fullmatch(rf"/deDE/zones/{marsh}/ground/0\.png\?v=[0-9a-f]{{16}}", told[1]), page
        answer = Client().get(told[1])
        assert answer["Cache-Control"] == publish.reading.IMMUTABLE
        assert answer.content == pictures(marsh)["ground-0.png"]


def test_pictures_rest_before_they_are_drawn_anew(marsh):
    publish(DE)
    first = pictures(marsh)
    habitat(creature(8, "Bär"), marsh, {(90, 90): [1]})
    change(8, marsh)
    publish(DE)
    assert pictures(marsh) == first and stale(ZONE_PICTURES) == {marsh}
    assert len(content(marsh)["mobs"]) == 2
    assert not has_changes(DE), "nothing is to be done until then"
    StaleFile.objects.using(DE).update(since=timezone.now() - timedelta(seconds=1))
    assert has_changes(DE)
    publish(DE)
    assert pictures(marsh).keys() == first.keys() and pictures(marsh)["ground-0.png"] != first["ground-0.png"]
    assert stale(ZONE_PICTURES) == set()


def test_the_command_lets_nothing_rest(marsh):
    publish(DE)
    first = pictures(marsh)
    habitat(creature(8, "Bär"), marsh, {(90, 90): [1]})
    change(8, marsh)
    call_command("publish", "deDE", stdout=StringIO())
    assert pictures(marsh) != first and stale(ZONE_PICTURES) == set()


def test_a_floor_that_nothing_is_known_of_any_more_has_no_picture(marsh):
    habitat(7, marsh, {(20, 20): [1]}, floor=3)
    publish(DE)
    Habitat.objects.using(DE).filter(floor=3).delete()
    invalidation.mark_all(DE)
    publish(DE)
    assert sorted(pictures(marsh)) == ["ground-0.png", "preview.png"]
    Habitat.objects.using(DE).all().delete()
    invalidation.mark_all(DE)
    publish(DE)
    assert list(files.folder("deDE", ZONE_PICTURES).iterdir()) == []


def test_gathering_changes_the_ground_as_well(marsh):
    publish(DE)
    recount(("zone", marsh))
    invalidation.spread(DE)
    assert stale(ZONE_PICTURES) == {marsh}


# --- places ---------------------------------------------------------------------------------------
def test_where_a_creature_is_is_published_as_the_api_answers(marsh, django_assert_num_queries):
    habitat(7, marsh, {(20.5, 20): [1, 1]}, floor=3)
    publish(DE)
    told = content(7, MOB_PLACES)
    assert told == queries.mob_places(DE, 7)
    with django_assert_num_queries(1, using=DE):
        assert read("mobs/7/places") == told
    ground, third = told["places"]
    assert (ground["zone"], ground["floor"], third["floor"]) == (marsh, 0, 3)
    for place in (ground, third):
        points = read(f"mobs/7/positions?zone={marsh}&floor={place['floor']}")["features"]
        assert place["positions"][::6] == [point["geometry"]["coordinates"][0] for point in points]
        assert place["positions"][2::6] == [point["properties"]["sightings"] for point in points]
        spawns = read(f"mobs/7/spawns?zone={marsh}&floor={place['floor']}")["features"]
        assert place["spawns"][1::6] == [point["geometry"]["coordinates"][1] for point in spawns]


def test_a_creature_that_is_nowhere_has_no_document_of_places(marsh):
    creature(8, "Bär")
    invalidation.mark_all(DE)
    publish(DE)
    assert file(7, MOB_PLACES).exists() and not file(8, MOB_PLACES).exists()
    assert read("mobs/8/places")["places"] == []
    Habitat.objects.using(DE).all().delete()
    change(7, marsh)
    publish(DE)
    assert not file(7, MOB_PLACES).exists()


def test_a_creature_in_too_many_places_is_told_when_asked_for(marsh, monkeypatch):
    monkeypatch.setattr(kinds, "MOST_POSITIONS", 1)
    publish(DE)
    assert not file(7, MOB_PLACES).exists()
    assert len(read("mobs/7/places")["places"][0]["positions"]) == 12


def test_places_of_a_name_lead_to_its_creature(marsh):
    raw = named_creature("Wolf", shown_as=7)
    habitat(raw, marsh, {(30, 30): [4]})
    change(raw, marsh)
    publish(DE)
    assert ask(f"deDE/mobs/{raw}/places").status_code == 308
    assert len(content(7, MOB_PLACES)["places"][0]["positions"]) == 18
    assert not file(raw, MOB_PLACES).exists()


def test_a_zones_sources_are_published_as_the_api_answers(marsh):
    herb = source("herb", object="Friedensblume")
    habitat(-herb, marsh, {(33, 44): [1, 2]})
    loot(herb, marsh, 3, {9: 3})
    recount(("zone", marsh), ("source", herb))
    computed = read(f"zones/{marsh}/sources")
    publish(DE)
    assert content(marsh, ZONE_SOURCES) == computed == read(f"zones/{marsh}/sources")
    assert computed["sources"][0]["points"] == [0, 33, 44, 2, 2, DAY, DAY]


# --- creatures and items ----------------------------------------------------------------------------
@pytest.fixture
def wolf(marsh) -> int:
    """Yield the source of what the wolf gives: item 3651, sometimes item 20."""
    gives = source("kill", 7)
    loot(gives, marsh, 10, {3651: 6, 20: 2})
    item(3651, "Pelz")
    recount(("creature", 7), ("source", gives))
    return gives


def test_a_creature_and_its_items_are_published_as_the_api_answers(wolf):
    computed = {path: read(path) for path in ("mobs/7", "items/3651", "items/20")}
    publish(DE)
    assert not has_changes(DE)
    assert content(7, MOB) == computed["mobs/7"] == read("mobs/7")
    assert content(3651, ITEM) == computed["items/3651"] == read("items/3651")
    assert content(20, ITEM) == computed["items/20"] == read("items/20")
    assert content(7, MOB)["lootings"] == 10


@pytest.mark.parametrize("address", ["mobs/7", "items/3651"])
def test_reading_one_only_asks_whether_it_is_up_to_date(wolf, address, django_assert_num_queries):
    publish(DE)
    with django_assert_num_queries(1, using=DE):
        assert ask(f"deDE/{address}").status_code == 200
    with django_assert_num_queries(1, using=DE):
        assert Client().get(f"/deDE/{address}").status_code == 200


@pytest.mark.parametrize("address", ["mobs/7", "items/3651"])
def test_what_is_asked_for_in_particular_is_computed(wolf, address, django_assert_max_num_queries):
    publish(DE)
    everything = read(address)
    other = read(f"{address}?difficulty=HEROIC")
    assert other != everything
    assert ask(f"deDE/{address}?limit=nonsense").status_code == (400 if "items" in address else 200)


@pytest.mark.parametrize("spread", [False, True])
def test_a_document_older_than_the_tables_is_not_handed_out_by_the_application(wolf, spread):
    publish(DE)
    Loot.objects.using(DE).update(lootings=20)
    recount(("source", wolf))
    if spread:
        invalidation.spread(DE)
        assert (stale(MOB), stale(ITEM)) == ({7}, {20, 3651})
    assert (content(7, MOB)["lootings"], read("mobs/7")["lootings"]) == (10, 20)
    assert read("items/3651")["dropped_by"][0]["lootings"] == 20
    assert Client().get("/deDE/mobs/7").context["mob"]["lootings"] == 20
    publish(DE)
    assert content(7, MOB)["lootings"] == content(3651, ITEM)["dropped_by"][0]["lootings"] == 20


def test_a_page_shows_the_same_from_a_document(wolf):
    def shown(address: str) -> str:
        page = Client().get(address).content.decode()
        # Pictures have another address once they are published.
        return re.sub(r"\.png\?v=[0-9a-f]{16}", ".png", page[page.index("<main") : page.index("</main>")])

    computed = [shown(address) for address in ("/deDE/mobs/7", "/deDE/items/3651")]
    publish(DE)
    assert file(7, MOB).exists() and file(3651, ITEM).exists()
    assert [shown(address) for address in ("/deDE/mobs/7", "/deDE/items/3651")] == computed


def test_an_item_follows_the_name_of_who_gives_it(wolf):
    publish(DE)
    CreatureName.objects.using(DE).update(name="Leitwolf")
    recount(("creature", 7))
    publish(DE)
    assert content(3651, ITEM)["dropped_by"][0]["name"] == "Leitwolf"
    written = file(3651, ITEM).stat().st_ino
    recount(("creature", 7))
    invalidation.spread(DE)
    assert (stale(MOB), stale(ITEM)) == ({7}, set())
    publish(DE)
    assert file(3651, ITEM).stat().st_ino == written


def test_creatures_and_items_follow_an_items_name(wolf):
    box = source("item", item=3651)
    loot(box, 1, 5, {21: 1})
    publish(DE)
    item(20, "Zahn")
    queries_before = read("items/21")["other_sources"][0]["name"]
    recount(("item", 20), ("item", 3651), ("source", box))
    publish(DE)
    assert [drop["name"] for drop in content(7, MOB)["loot"]] == ["Pelz", "Zahn"]
    assert content(21, ITEM)["other_sources"][0]["name"] == queries_before == "Pelz"


def test_a_creature_shown_under_another_id_has_no_document(wolf):
    raw = named_creature("Wolf")
    gives = source("skinning", raw)
    loot(gives, 1, 4, {5: 2})
    recount(("creature", raw), ("source", gives))
    publish(DE)
    assert content(raw, MOB)["id"] == raw
    NamedCreature.objects.using(DE).update(shown_as=7)
    recount(("creature", raw), ("creature", 7), ("source", gives), ("source", wolf))
    publish(DE)
    assert not file(raw, MOB).exists()
    assert [way["kind"] for way in content(7, MOB)["other_loot"]] == ["skinning"]
    assert content(5, ITEM)["other_sources"][0]["name"] == "Wolf"
    assert ask(f"deDE/mobs/{raw}").status_code == 308


def test_the_numbers_past_a_thousand_lie_in_folders():
    assert file(999, MOB).relative_to(files.folder("deDE", MOB)) == Path("999.json.gz")
    assert file(10636, MOB).relative_to(files.folder("deDE", MOB)) == Path("10/10636.json.gz")


def test_maps_are_made_in_between_creatures_and_items(marsh, monkeypatch):
    publish(DE)
    monkeypatch.setattr(kinds, "LANES", (kinds.LANES[0], kinds.Lane((MOB, ITEM), 1)))
    monkeypatch.setattr("maps.publish.build.LANES", kinds.LANES)
    for number in (5, 6):
        item(number, "Ding")
        creature(number)
        StaleFile.objects.using(DE).create(kind="item", number=number)
        StaleFile.objects.using(DE).create(kind="mob", number=number)
    invalidation.mark(DE, [7], [marsh])
    made = build.make_stale(DE)
    assert next(made) == 3
    assert (stale(), stale(MOB), stale(ITEM)) == (set(), {5}, {6})
    assert list(made) == [3], "a zone's sources with the rest of them"


def test_one_process_at_a_time_makes_documents_and_one_that_waits_takes_its_turn(marsh):
    invalidation.mark(DE, [7], [marsh])
    made: list[int] = []
    with transaction.atomic(using=DE), connections[DE].cursor() as cursor:
        assert invalidation.alone(cursor, wait=False)
        elsewhere(lambda: made.extend(build.make_stale(DE)))
        assert made == []
        waiting = Thread(target=lambda: (made.extend(build.make_stale(DE, wait=True)), connections.close_all()))
        waiting.start()
        waiting.join(0.3)
        assert waiting.is_alive()
    waiting.join(120)
    assert sum(made) == 4, "map, sources and first pictures of the zone, and the creature's places"


def test_what_was_counted_anew_is_forgotten_where_there_are_no_documents(wolf, settings):
    settings.PUBLISH_DOCUMENTS = False
    publish(DE)
    assert not has_changes(DE)
    assert (stale(MOB), stale(ITEM)) == (set(), set())


def test_everything_is_marked_at_once(wolf):
    publish(DE)
    elsewhere = zone("Nur Beute")
    loot(source("kill", 8), elsewhere, 3, {30: 1})
    recount(("all", 0))
    invalidation.spread(DE)
    assert (stale(), stale(MOB), stale(ITEM)) == ({wolf_zone(), elsewhere}, {7, 8}, {20, 30, 3651})


def wolf_zone() -> int:
    return int(Habitat.objects.using(DE).get(subject=7).zone)
