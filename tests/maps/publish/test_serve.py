"""Requests are answered with published files, unless these are stale."""

from __future__ import annotations

import gzip
import re

import orjson
import pytest
from django.test import Client

from maps.models import CreatureName, Habitat, Loot
from maps.publish import invalidation, serve
from maps.publish.kinds import ITEM, MOB
from maps.publish.run import publish
from tests.maps.api.contract import ask, read
from tests.maps.factories import DE, habitat
from tests.maps.publish.published import change, content, file, images, recount, stale

pytestmark = pytest.mark.django_db(databases="__all__", transaction=True)


def test_a_published_map_takes_no_query(marsh, django_assert_num_queries):
    publish(DE)
    with django_assert_num_queries(0, using=DE):
        answer = ask(f"deDE/zones/{marsh}/map")
    assert answer.status_code == 200
    assert answer["Cache-Control"] == "public, max-age=2"
    assert answer["Content-Language"] == "de-DE"
    assert answer["Access-Control-Allow-Origin"] == "*"


def test_clients_get_the_compressed_file_if_they_accept_gzip(marsh):
    publish(DE)
    compressed = Client(headers={"Accept-Encoding": "br, gzip"}).get(f"/api/v1/deDE/zones/{marsh}/map")
    assert compressed["Content-Encoding"] == "gzip"
    assert compressed.content == file(marsh).read_bytes()
    plain = ask(f"deDE/zones/{marsh}/map")
    assert "Content-Encoding" not in plain
    assert plain.json() == orjson.loads(gzip.decompress(compressed.content))
    assert "Accept-Encoding" in plain["Vary"] and "Accept-Encoding" in compressed["Vary"]
    assert plain["ETag"] != compressed["ETag"]


def test_an_etag_is_valid_until_the_content_changes(marsh):
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


def test_the_page_refers_to_the_current_version_of_the_map(marsh):
    def found() -> str:
        page = Client().get(f"/deDE/zones/{marsh}").content.decode()
        [address] = set(re.findall(r'(?:data-map|crossorigin="anonymous" href)="([^"]+)"', page))
        return address.removeprefix("/api/v1/")

    assert found() == f"deDE/zones/{marsh}/map"
    publish(DE)
    first = found()
    assert re.fullmatch(rf"deDE/zones/{marsh}/map\?v=[0-9a-f]{{16}}", first)
    assert ask(first)["Cache-Control"] == serve.IMMUTABLE
    CreatureName.objects.using(DE).update(name="Leitwolf")
    change(7, marsh)
    publish(DE)
    assert found() != first
    assert ask(first)["Cache-Control"] == "public, max-age=2"
    assert ask(first).json()["mobs"][0]["name"] == "Leitwolf"


def test_pages_refer_to_the_current_version_of_images(marsh):
    publish(DE)
    for page in (f"/deDE/zones/{marsh}", f"/deDE/zones/{marsh}/embed", "/deDE/mobs/7"):
        found = re.search(r'data-ground(?:-0)?="([^"]+)"', Client().get(page).content.decode())
        assert re.fullmatch(rf"/deDE/zones/{marsh}/ground/0\.png\?v=[0-9a-f]{{16}}", found[1]), page
        answer = Client().get(found[1])
        assert answer["Cache-Control"] == serve.IMMUTABLE
        assert answer.content == images(marsh)["contours-0.png"]


@pytest.mark.parametrize("address", ["mobs/7", "items/3651"])
def test_reading_a_file_takes_one_query_for_whether_it_is_stale(wolf, address, django_assert_num_queries):
    publish(DE)
    with django_assert_num_queries(1, using=DE):
        assert ask(f"deDE/{address}").status_code == 200
    with django_assert_num_queries(1, using=DE):
        assert Client().get(f"/deDE/{address}").status_code == 200


@pytest.mark.parametrize("address", ["mobs/7", "items/3651"])
def test_answers_narrowed_by_a_query_are_computed(wolf, address, django_assert_max_num_queries):
    publish(DE)
    everything = read(address)
    other = read(f"{address}?difficulty=HEROIC")
    assert other != everything
    assert ask(f"deDE/{address}?limit=nonsense").status_code == (400 if "items" in address else 200)


@pytest.mark.parametrize("propagated", [False, True])
def test_the_application_does_not_answer_with_a_stale_file(wolf, propagated):
    publish(DE)
    Loot.objects.using(DE).update(lootings=20)
    recount(("source", wolf))
    if propagated:
        invalidation.propagate(DE)
        assert (stale(MOB), stale(ITEM)) == ({7}, {20, 3651})
    assert (content(7, MOB)["lootings"], read("mobs/7")["lootings"]) == (10, 20)
    assert read("items/3651")["dropped_by"][0]["lootings"] == 20
    assert Client().get("/deDE/mobs/7").context["mob"]["lootings"] == 20
    publish(DE)
    assert content(7, MOB)["lootings"] == content(3651, ITEM)["dropped_by"][0]["lootings"] == 20


def test_a_page_shows_the_same_from_a_published_file(wolf):
    def shown(address: str) -> str:
        page = Client().get(address).content.decode()
        # Published images have an address with their version.
        return re.sub(r"\.png\?v=[0-9a-f]{16}", ".png", page[page.index("<main") : page.index("</main>")])

    computed = [shown(address) for address in ("/deDE/mobs/7", "/deDE/items/3651")]
    publish(DE)
    assert file(7, MOB).exists() and file(3651, ITEM).exists()
    assert [shown(address) for address in ("/deDE/mobs/7", "/deDE/items/3651")] == computed
