"""Which pages have screenshots."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, urlsplit

from django.urls import resolve

from bench import screenshots
from maps.pages import urls as map_urls
from portal.pages import urls as portal_urls

#: Not pages: redirects, forms, scripts and images. `bench.sending` takes the receipts.
NO_VIEW = {"favicon", "choose-locale", "set_language", "messages", "zone-image-tile", "locale-start"}
NO_VIEW |= {"zone-preview", "zone-ground", "receipt-page"}

ANSWERS: dict[str, Any] = {
    "zones": {"zones": [{"id": 3, "mobs": 2}, {"id": 4, "mobs": 9}]},
    "zones/4/map": {"mobs": [{"id": 7, "name": "K\u00e4fer & Co", "spawns": [1], "sightings": 5}]},
    "mobs/7": {"loot": [{"item": 3651}]},
    "sources": {"sources": [{"id": 11, "lootings": 1}, {"id": 12, "lootings": 8}]},
}


def shown(monkeypatch, **changed: Any) -> dict[str, screenshots.View]:
    answers = ANSWERS | changed
    monkeypatch.setattr(screenshots, "_json", lambda url: answers[urlsplit(url).path.removeprefix("/api/v1/enUS/")])
    return {view.name: view for view in screenshots.views("http://127.0.0.1:8000")}


def test_every_page_has_a_screenshot(monkeypatch):
    views = shown(monkeypatch).values()
    taken = {resolve(urlsplit(view.path).path).url_name for view in views if view.status == 200}
    assert {url.name for url in [*map_urls.urlpatterns, *portal_urls.urlpatterns]} - taken == NO_VIEW
    assert taken >= {"queues", "login", "ingest_upload_changelist", "portal_player_changelist"}
    assert {view.status for view in views} == {200, 404}


def test_views_show_the_subjects_with_the_most_data(monkeypatch):
    views = shown(monkeypatch)
    assert views["zone"].path == "/enUS/zones/4"
    assert views["gathering-source"].path == "/enUS/sources/12"
    assert parse_qs(urlsplit(views["search-results"].path).query) == {"q": ["K\u00e4fe"]}


def test_a_site_without_loot_and_herbs_has_all_other_views(monkeypatch):
    views = shown(monkeypatch, **{"mobs/7": {"loot": []}, "sources": {"sources": []}})
    assert not {"item", "gathering-source"} & set(views)
    assert {"start", "zone", "not-found"} <= set(views)
