"""Views that belong to a zone's page: its contours, its preview, and the map for embedding."""

from __future__ import annotations

import re
from collections.abc import Iterator
from io import BytesIO

import pytest
from django.core.cache import cache, caches
from django.test import Client
from PIL import Image

from maps.models import Creature
from tests.conftest import ALL_DATABASES
from tests.maps import factories

pytestmark = ALL_DATABASES


@pytest.fixture(autouse=True)
def fresh(settings) -> Iterator[None]:
    settings.STORAGES = {
        **settings.STORAGES,
        "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    }
    cache.clear()
    yield
    cache.clear()


@pytest.fixture
def zone() -> int:
    zone = factories.zone('Wald & "Wiese"')
    factories.creature(1, "Wolf")
    factories.habitat(1, zone, {(20, 20): [1, 2]})
    factories.habitat(1, zone, {(80, 80): [1]}, floor=3)
    factories.spawn(1, zone, 20, 20)
    return zone


def image(path: str) -> Image.Image:
    response = Client().get(path)
    assert (response.status_code, response["Content-Type"]) == (200, "image/png"), path
    assert "public" in response["Cache-Control"]
    return Image.open(BytesIO(response.content))


def test_every_floor_has_its_own_contours(zone):
    first, third = (image(f"/deDE/zones/{zone}/ground/{floor}.png").convert("RGBA") for floor in (0, 3))
    assert first.getpixel((240, 160))[3] > 0 and first.getpixel((960, 640))[3] == 0
    assert third.getpixel((960, 640))[3] > 0 and third.getpixel((240, 160))[3] == 0


@pytest.mark.parametrize(
    "path", ["zones/{zone}/ground/7.png", "zones/999999/ground/0.png", "zones/999999/preview.png", "zones/999999/embed"]
)
def test_floors_and_zones_without_anything_are_not_found(zone, path):
    assert Client().get("/deDE/" + path.format(zone=zone)).status_code == 404


def test_a_zone_has_a_preview_image_for_links(zone):
    html = Client().get(f"/deDE/zones/{zone}").content.decode()
    address = re.search(r'property="og:image" content="http://testserver(/[^"]+)"', html)
    assert image(address[1]).size == (1200, 630)
    assert 'property="og:title" content="Wald &amp; &quot;Wiese&quot;"' in html


def test_a_zone_known_by_loot_alone_has_a_preview_too():
    zone = factories.zone("See")
    factories.loot(factories.source("fishing", zone=zone), zone, 3)
    assert image(f"/deDE/zones/{zone}/preview.png").size == (1200, 630)


def test_only_the_embedded_map_may_be_in_frames_of_other_sites(zone):
    embedded = Client().get(f"/deDE/zones/{zone}/embed")
    assert "frame-ancestors *" in embedded["Content-Security-Policy"]
    assert "script-src 'self'" in embedded["Content-Security-Policy"]
    assert "X-Frame-Options" not in embedded
    page = Client().get(f"/deDE/zones/{zone}")
    assert "frame-ancestors 'none'" in page["Content-Security-Policy"]
    assert page["X-Frame-Options"] == "DENY"


def test_the_list_is_rendered_once_for_the_same_data(zone, monkeypatch):
    fragments = caches["template_fragments"]
    drawn: list[str] = []
    keep = fragments.set
    monkeypatch.setattr(fragments, "set", lambda key, value, timeout: (drawn.append(value), keep(key, value, timeout)))

    def rows(language: str = "en", page: str = f"deDE/zones/{zone}") -> str:
        html = Client().get(f"/{page}", headers={"Accept-Language": language}).content.decode()
        return html[html.index('id="mobs"') : html.index("mobs-none")]

    first = rows()
    assert ("Wolf" in first, "Level" in first, len(drawn)) == (True, True, 1)
    assert (rows(), len(drawn)) == (first, 1)
    assert ("Stufe" in rows("de"), len(drawn)) == (True, 2)
    assert (rows(page=f"deDE/zones/{zone}/embed"), len(drawn)) == (first, 2)
    english = factories.zone("Wood", db=factories.EN)
    factories.creature(1, "Wolf", db=factories.EN)
    factories.habitat(1, english, {(20, 20): [1, 2], (80, 80): [1]}, db=factories.EN)
    assert ('lang="en"' in rows(page=f"enUS/zones/{english}"), len(drawn)) == (True, 3)
    Creature.objects.using(factories.DE).filter(id=1).update(level_max=9)
    assert ("1–9" in rows(), len(drawn)) == (True, 4)
