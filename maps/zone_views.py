"""What belongs to a zone's page beside the page itself: pictures, tiles, and the map for other sites' pages."""

from __future__ import annotations

from typing import Any

import numpy as np
from csp.decorators import csp_replace
from django.core.cache import cache
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from maps import documents, ground, locales, paging, pictures, queries, zone_images
from maps.context import chosen_locale
from maps.pages import GATHERED, MAX_ID, of_locale, whole

GROUND_CACHE_CONTROL = "public, max-age=300"
#: Previews are drawn for other sites' robots, which come in swarms; each process remembers what it drew.
PREVIEW_REMEMBERED_S = 900
TILE_CACHE_CONTROL = "public, max-age=31536000, immutable"

#: Dots past this many in a preview would hide each other.
MOST_DOTS = 3000


def context(request: HttpRequest, alias: str, number: int) -> dict[str, Any]:
    """Return what the templates of a zone's map need, or raise a 404."""
    found = queries.zone(alias, number)
    if found is None:
        raise Http404(f"No zone {number}.")
    locale = chosen_locale(request)
    listed = queries.zone_mobs(alias, number, paging.MAX_LIMIT, request.GET.get("after"))
    return {
        "section": "zones",
        "zone": found,
        "mobs": listed["mobs"],
        "listed": listed,
        "gathering": _gathering(alias, number),
        "images": {floor: shown for floor in found["floors"] if (shown := image(locale, number, floor))},
        "map": _map(locale, alias, number),
        "preview": request.build_absolute_uri(reverse("zone-preview", args=[locale, number])),
        "address": request.build_absolute_uri(reverse("zone-page", args=[locale, number])),
        "embed": request.build_absolute_uri(reverse("zone-embed", args=[locale, number])),
    }


@csp_replace({"frame-ancestors": ["*"]})
@xframe_options_exempt
@of_locale
def embed(request: HttpRequest, alias: str, id: str) -> HttpResponse:
    """Show a zone's map alone, for the pages of any site."""
    return render(request, "maps/zone_embed.html", context(request, alias, whole(id)))


@of_locale
def ground_picture(request: HttpRequest, alias: str, id: str, floor: str) -> HttpResponse:
    """Answer the sheet of where players have walked on one floor of a zone."""
    walked = _walked(alias, whole(id), whole(floor))
    return _png(pictures.ground(walked), GROUND_CACHE_CONTROL)


@of_locale
def preview(request: HttpRequest, alias: str, id: str) -> HttpResponse:
    """Answer the picture that links to a zone show."""
    number = whole(id)
    found = queries.zone(alias, number)
    if found is None:
        raise Http404(f"No zone {number}.")
    key = f"maps:preview:{alias}:{number}"
    drawn: bytes | None = cache.get(key)
    if drawn is None:
        drawn = _preview(alias, number, found["floors"])
        cache.set(key, drawn, PREVIEW_REMEMBERED_S)
    return _png(drawn, f"public, max-age={PREVIEW_REMEMBERED_S}")


@require_safe
def tile(request: HttpRequest, locale: str, version: str, **at: int) -> FileResponse:
    """Answer a tile of an imported image. Its address changes with its content, so it is kept for good."""
    if locale not in locales.hosted() or max(at.values()) > MAX_ID:
        raise Http404("No image is there.")
    try:
        response = FileResponse(zone_images.tile(locale, version=version, **at).open("rb"), content_type="image/webp")
    except FileNotFoundError:
        raise Http404("No image is there.") from None
    response["Cache-Control"] = TILE_CACHE_CONTROL
    return response


def _map(locale: str, alias: str, zone: int) -> str:
    """Return the address of what the map draws: of what it holds now, if that is published, so that it can be kept."""
    address = reverse("zone-map", args=[locale, zone])
    version = documents.version(alias, documents.ZONE_MAP, zone)
    return f"{address}?v={version}" if version else address


def _png(picture: bytes, cache_control: str) -> HttpResponse:
    response = HttpResponse(picture, content_type="image/png")
    response["Cache-Control"] = cache_control
    return response


def _walked(alias: str, zone: int, floor: int) -> ground.Grid:
    parts = queries.zone_ground(alias, zone, floor)
    if not parts:
        raise Http404(f"Nothing was seen on floor {floor} of zone {zone}.")
    xy = np.concatenate([np.asarray(part["xy"], dtype=np.int64) for part in parts])
    return ground.walked(xy, np.concatenate([np.asarray(part["sightings"], dtype=np.int64) for part in parts]))


def _preview(alias: str, zone: int, floors: list[int]) -> bytes:
    """Draw a zone's first floor."""
    if not floors:
        return pictures.preview(ground.walked(np.zeros(0, np.int64), np.zeros(0, np.int64)), [])
    mobs = queries.zone_mobs(alias, zone, paging.MAX_LIMIT)["mobs"]
    ranks = {mob["id"]: rank for rank, mob in enumerate(mobs)}
    spawns = [spawn for spawn in queries.zone_spawns(alias, zone) if spawn["floor"] == floors[0]]
    spawns.sort(key=lambda spawn: -spawn["sightings"])
    # The surest are drawn last, on top.
    dots = [(ranks.get(one["mob"], 0), one["x"], one["y"], one["confirmed"]) for one in reversed(spawns[:MOST_DOTS])]
    return pictures.preview(_walked(alias, zone, floors[0]), dots)


def _gathering(alias: str, zone_id: int) -> dict[str, int]:
    """Return the places a zone's map can show of each kind of gathering: `{"herb": 216, "ore": 230}`."""
    places = {
        kind: sum(source["positions"] for source in queries.sources(alias, kind, zone_id, paging.MAX_LIMIT)["sources"])
        for kind in GATHERED
    }
    return {kind: count for kind, count in places.items() if count}


def image(locale: str, zone: int, floor: int) -> dict[str, Any] | None:
    """Return the imported image of a zone's floor: `{"url": "/zone-images/…/{z}/{x}-{y}.webp", "zoom": 3}`."""
    found = zone_images.find(locale, zone, floor)
    if found is None:
        return None
    return {"url": f"/zone-images/{locale}/{zone}/{floor}/{found.version}/{{z}}/{{x}}-{{y}}.webp", "zoom": found.zoom}
