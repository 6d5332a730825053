"""URLs of the map pages. The name of a page ends in `-page` if the API has a URL of the same name."""

from __future__ import annotations

from django.urls import path, re_path
from django.views.i18n import set_language

from maps.pages import views, zone_views

_LOCALE = r"^(?P<locale>[a-z]{2}[A-Z]{2})"
_ID = r"(?P<id>[0-9]{1,10})"

urlpatterns = [
    path("", views.start, name="start"),
    path("favicon.ico", views.favicon, name="favicon"),
    path("about", views.about, name="about"),
    path("about/api", views.about_api, name="about-api"),
    path("choose/locale", views.choose_locale, name="choose-locale"),
    path("choose/language", set_language, name="set_language"),
    path("messages/<slug:language>.js", views.messages, name="messages"),
    path(
        "zone-images/<str:locale>/<int:zone>/<int:floor>/<slug:version>/<int:zoom>/<int:column>-<int:row>.webp",
        zone_views.tile,
        name="zone-image-tile",
    ),
    re_path(rf"{_LOCALE}/?$", views.locale_start, name="locale-start"),
    re_path(rf"{_LOCALE}/zones$", views.zones, name="zones-page"),
    re_path(rf"{_LOCALE}/zones/{_ID}$", views.zone, name="zone-page"),
    re_path(rf"{_LOCALE}/zones/{_ID}/embed$", zone_views.embed, name="zone-embed"),
    re_path(rf"{_LOCALE}/zones/{_ID}/preview\.png$", zone_views.preview, name="zone-preview"),
    re_path(
        rf"{_LOCALE}/zones/{_ID}/ground/(?P<floor>[0-9]{{1,10}})\.png$", zone_views.contour_image, name="zone-ground"
    ),
    re_path(rf"{_LOCALE}/mobs/{_ID}$", views.mob, name="mob-page"),
    re_path(rf"{_LOCALE}/items/{_ID}$", views.item, name="item-page"),
    re_path(rf"{_LOCALE}/sources$", views.sources, name="sources-page"),
    re_path(rf"{_LOCALE}/sources/{_ID}$", views.source, name="source-page"),
    re_path(rf"{_LOCALE}/look$", views.look, name="look-page"),
    re_path(rf"{_LOCALE}/search$", views.search, name="search-page"),
]
