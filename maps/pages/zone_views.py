"""Views that belong to a zone's page: its images and tiles, and the map for embedding."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import orjson
from csp.decorators import csp_replace
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.http import require_safe

from core import locales
from maps import paging, queries
from maps.images import backgrounds, zone_images
from maps.pages.common import MAX_ID, of_locale, whole
from maps.pages.context import chosen_locale
from maps.publish import excerpts, kinds, serve

#: The same as in `deploy/nginx/mobmap.conf`.
CONTOUR_CACHE_CONTROL, PREVIEW_CACHE_CONTROL = "public, max-age=300", "public, max-age=900"
TILE_CACHE_CONTROL = "public, max-age=31536000, immutable"


def context(request: HttpRequest, alias: str, number: int) -> dict[str, Any]:
    """Return the template variables of a zone's map, or raise a 404."""
    # The list must show the same state as the map on the page, even if that is stale.
    drawn = serve.content(alias, kinds.ZONE_MAP, number, even_if_stale=True) or queries.zone_map(alias, number)
    if drawn is None:
        raise Http404(f"No zone {number}.")
    locale, found = chosen_locale(request), drawn["zone"]
    page = _page(request)
    mobs = excerpts.best_known(drawn, paging.MAX_LIMIT, page)
    if page > 1 and not mobs:
        raise Http404(f"Zone {number} has no creatures on page {page} of its list.")
    before, left = (page - 1) * paging.MAX_LIMIT, len(drawn["mobs"]) - page * paging.MAX_LIMIT
    return {
        "section": "zones",
        "zone": found,
        "mobs": mobs,
        "mobs_digest": _digest(mobs),
        "unlisted": len(drawn["mobs"]) - len(mobs),
        "drawn": len(drawn["mobs"]),
        "undrawn": found["mobs"] - len(drawn["mobs"]),
        "first": before + 1,
        "last": before + len(mobs),
        "next": f"?page={page + 1}" if left > 0 else None,
        "gathering": _gathering(alias, number),
        "images": {floor: shown for floor in found["floors"] if (shown := background(locale, number, floor))},
        "contours": {floor: contour_address(locale, alias, number, floor) for floor in found["floors"]},
        "map": _map(locale, alias, number),
        "preview": request.build_absolute_uri(reverse("zone-preview", args=[locale, number])),
        "address": request.build_absolute_uri(reverse("zone-page", args=[locale, number])),
        "embed": request.build_absolute_uri(reverse("zone-embed", args=[locale, number])),
    }


@csp_replace({"frame-ancestors": ["*"]})
@xframe_options_exempt
@of_locale
def embed(request: HttpRequest, alias: str, id: str) -> HttpResponse:
    """Show only a zone's map, to be embedded in the pages of any site."""
    return render(request, "maps/zone_embed.html", context(request, alias, whole(id)))


@of_locale
def contour_image(request: HttpRequest, alias: str, id: str, floor: str) -> HttpResponse:
    """Answer with the contours of one floor of a zone."""
    zone, shown = whole(id), whole(floor)
    part = zone_images.contour_part(shown)
    published = serve.respond(request, alias, kinds.ZONE_IMAGES, zone, part, even_if_stale=True)
    response = published or _png(
        zone_images.contour_image(alias, zone, shown), f"Nothing was seen on floor {shown} of zone {zone}."
    )
    response.setdefault("Cache-Control", CONTOUR_CACHE_CONTROL)
    return response


@of_locale
def preview(request: HttpRequest, alias: str, id: str) -> HttpResponse:
    """Answer with the preview image for links to a zone."""
    zone, part = whole(id), zone_images.PREVIEW
    published = serve.respond(request, alias, kinds.ZONE_IMAGES, zone, part, even_if_stale=True)
    response = published or _png(zone_images.preview(alias, zone), f"No zone {zone}.")
    response.setdefault("Cache-Control", PREVIEW_CACHE_CONTROL)
    return response


@require_safe
def tile(request: HttpRequest, locale: str, version: str, **at: int) -> FileResponse:
    """Answer with a tile of a background image. Its URL contains its version, so it may be cached forever."""
    if locale not in locales.hosted() or max(at.values()) > MAX_ID:
        raise Http404("No image is there.")
    try:
        response = FileResponse(backgrounds.tile(locale, version=version, **at).open("rb"), content_type="image/webp")
    except FileNotFoundError:
        raise Http404("No image is there.") from None
    response["Cache-Control"] = TILE_CACHE_CONTROL
    return response


def _page(request: HttpRequest) -> int:
    """Return the requested page of the list of creatures, or raise a 404."""
    asked = request.GET.get("page", "1")
    if not re.fullmatch(r"[1-9][0-9]{0,9}", asked):
        raise Http404("The address names no page of this list.")
    return int(asked)


def _digest(shown: Any) -> str:
    """Return a hash of the data, as the cache key of the HTML rendered from it, which takes far longer."""
    return hashlib.blake2b(orjson.dumps(shown), digest_size=16).hexdigest()


def _map(locale: str, alias: str, zone: int) -> str:
    """Return the URL of the zone's map: that of its current version if there is one, which browsers may cache."""
    return _versioned(reverse("zone-map", args=[locale, zone]), serve.version(alias, kinds.ZONE_MAP, zone))


def contour_address(locale: str, alias: str, zone: int, floor: int) -> str:
    """Return the URL of a floor's contours: that of their current version if there is one."""
    version = serve.version(alias, kinds.ZONE_IMAGES, zone, zone_images.contour_part(floor))
    return _versioned(reverse("zone-ground", args=[locale, zone, floor]), version)


def _versioned(address: str, version: str | None) -> str:
    return f"{address}?v={version}" if version else address


def _png(image: bytes | None, missing: str) -> HttpResponse:
    if image is None:
        raise Http404(missing)
    return HttpResponse(image, content_type="image/png")


def _gathering(alias: str, zone_id: int) -> dict[str, int]:
    """Return the number of positions of each kind of gathering source in a zone: `{"herb": 216, "ore": 230}`."""
    published = serve.content(alias, kinds.ZONE_SOURCES, zone_id, even_if_stale=True)
    positions = dict.fromkeys(queries.GATHERED, 0)
    for kind in queries.GATHERED:
        known = published or queries.sources(alias, kind, zone_id, paging.MAX_LIMIT)
        positions[kind] = sum(source["positions"] for source in known["sources"] if source["kind"] == kind)
    return {kind: count for kind, count in positions.items() if count}


def background(locale: str, zone: int, floor: int) -> dict[str, Any] | None:
    """Return the background image of a zone's floor: `{"url": "/zone-images/…/{z}/{x}-{y}.webp", "zoom": 3}`."""
    found = backgrounds.find(locale, zone, floor)
    if found is None:
        return None
    return {"url": f"/zone-images/{locale}/{zone}/{floor}/{found.version}/{{z}}/{{x}}-{{y}}.webp", "zoom": found.zoom}
