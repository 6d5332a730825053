"""A zone's map is published as a document: the same answer as from the database, never a half one, none forgotten."""

from __future__ import annotations

import gzip
import os
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

from maps import documents, queries
from maps.models import Changed, CreatureName, NamedCreature, Presence, StaleDocument
from maps.publish import has_changes, publish
from tests.maps.contract import ask, read
from tests.maps.factories import DE, creature, named_creature, presence, zone

pytestmark = pytest.mark.django_db(databases="__all__", transaction=True)


@pytest.fixture
def marsh() -> int:
    place = zone("Weidenmark")
    presence(creature(7, "Wolf"), place, {(10, 10): [1, 2], (50, 50): [3]})
    change(7, place)
    return place


def change(mob: int, place: int) -> None:
    Changed.objects.using(DE).get_or_create(mob=mob, zone=place)


def stale() -> set[int]:
    return set(StaleDocument.objects.using(DE).values_list("zone", flat=True))


def content(place: int) -> dict[str, object]:
    return orjson.loads(gzip.decompress(documents.path("deDE", place).read_bytes()))


def in_thread(work: object) -> None:
    def run() -> None:
        try:
            work()
        finally:
            connections.close_all()

    thread = Thread(target=run)
    thread.start()
    thread.join(10)
    assert not thread.is_alive()


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
    assert compressed.content == documents.path("deDE", marsh).read_bytes()
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
        Presence.objects.using(DE).all().delete()
        presence(7, marsh, {(x, 10): [1, 2], (50, 50): [3]})
        change(7, marsh)
        publish(DE)
        seen.add(Client(headers={"Accept-Encoding": "gzip", "If-None-Match": first}).get(address)["ETag"])
    assert len(seen) == 4


def test_a_creature_is_described_anew_wherever_it_is_seen(marsh):
    elsewhere, other = zone("Anderswo"), zone("Ohne Wolf")
    presence(7, elsewhere, {(1, 1): [1]})
    presence(creature(8, "Bär"), other, {(1, 1): [1]})
    raw = named_creature("Wolf", shown_as=7)
    named = zone("Nur dem Namen nach")
    presence(raw, named, {(2, 2): [1]})
    publish(DE)
    CreatureName.objects.using(DE).filter(creature=7).update(name="Leitwolf")
    change(7, marsh)
    publish(DE)
    for place in (marsh, elsewhere, named):
        assert content(place)["mobs"][0]["name"] == "Leitwolf"
    assert not documents.path("deDE", other).exists()


def test_a_zone_that_nothing_is_known_of_any_more_has_no_document(marsh):
    publish(DE)
    Presence.objects.using(DE).all().delete()
    change(7, marsh)
    publish(DE)
    assert not documents.path("deDE", marsh).exists()
    assert ask(f"deDE/zones/{marsh}/map").status_code == 404


def test_a_mark_is_gone_only_with_its_document(marsh, monkeypatch):
    with monkeypatch.context() as broken, pytest.raises(OSError, match="full"):
        broken.setattr(os, "fsync", _full)
        publish(DE)
    assert stale() == {marsh}
    assert has_changes(DE)
    assert list(documents.folder("deDE").iterdir()) == []
    publish(DE)
    assert not has_changes(DE)
    assert content(marsh) == queries.zone_map(DE, marsh)


def _full(number: int) -> None:
    raise OSError(28, "The disk is full")


def test_what_changes_while_a_document_is_made_is_made_again(marsh, monkeypatch):
    """Spawn points of the zone change after the document's queries, before its mark is gone."""
    publish(DE)
    make = documents.make

    def make_and_change(alias: str, place: int) -> None:
        make(alias, place)
        monkeypatch.setattr(documents, "make", make)
        in_thread(lambda: presence(creature(8, "Bär"), marsh, {(1, 1): [1]}))
        change_later.start()

    def mark_anew() -> None:
        try:
            documents.mark(DE, [8], [marsh])
        finally:
            connections.close_all()

    change_later = Thread(target=mark_anew)
    monkeypatch.setattr(documents, "make", make_and_change)
    documents.mark(DE, [7], [marsh])
    assert next(documents.make_stale(DE)) == marsh
    change_later.join(10)
    assert not change_later.is_alive()
    assert stale() == {marsh}
    publish(DE)
    assert [mob["id"] for mob in content(marsh)["mobs"]] == [8, 7]


def test_a_mark_whose_change_is_not_committed_yet_is_left(marsh):
    publish(DE)
    documents.mark(DE, [7], [marsh])
    made: list[int] = []
    with transaction.atomic(using=DE):
        documents.mark(DE, [7], [marsh])
        in_thread(lambda: made.extend(documents.make_stale(DE)))
        assert made == []
    assert list(documents.make_stale(DE)) == [marsh]


def test_the_oldest_is_made_first_and_some_always_is(marsh):
    later = zone("Später")
    presence(7, later, {(1, 1): [1]})
    documents.mark_all(DE)
    StaleDocument.objects.using(DE).filter(zone=marsh).update(since=timezone.now() + timedelta(hours=1))
    publish(DE, for_s=0)
    assert stale() == {marsh}


def test_the_command_makes_everything_anew_and_deletes_what_is_of_no_zone(marsh):
    publish(DE)
    NamedCreature.objects.using(DE).all().delete()
    CreatureName.objects.using(DE).update(name="Leitwolf")
    strays = [documents.folder("deDE") / name for name in ("999999.json.gz", ".left.new")]
    for stray in strays:
        stray.write_bytes(b"")
    said = StringIO()
    call_command("publish", "deDE", all=True, stdout=said)
    assert "1 documents made" in said.getvalue()
    assert content(marsh)["mobs"][0]["name"] == "Leitwolf"
    assert [each.name for each in documents.folder("deDE").iterdir()] == [f"{marsh}.json.gz"]


def test_the_command_publishes_what_changed(marsh):
    said = StringIO()
    call_command("publish", "deDE", stdout=said)
    assert "spawn points of 1 creatures" in said.getvalue() and "1 documents made" in said.getvalue()
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
    file = documents.path("deDE", marsh)
    assert file.stat().st_mode & 0o777 == 0o644
    assert [Path(each).stat().st_mode & 0o777 for each in list(file.parents)[:3]] == [0o755] * 3
