"""The map pages: the merged data as HTML. The API has the same data as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.templatetags.static import static
from django.urls import Resolver404, resolve, reverse
from django.utils import timezone
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.utils.translation import override
from django.views.decorators.http import require_POST, require_safe
from django.views.i18n import JavaScriptCatalog

from core import locales
from core.problems import problem_classes
from maps import paging, queries
from maps.models import FIRST_NAMED_ID
from maps.pages import zone_views
from maps.pages.common import MAX_MOB_ID, PermanentRedirect308, of_locale, whole
from maps.pages.context import LOCALE_COOKIE, chosen_locale
from maps.publish import kinds, serve

NEWEST_SHOWN = 8
#: Rows that a list is cut to, because uploads may contain any number of invented names. The game has fewer zones.
MAX_SHOWN = 200
COOKIE_AGE_S = 365 * 24 * 3600


@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """Show the start page with totals and the newest confirmed creatures."""
    alias = locales.alias(chosen_locale(request))
    worlds = [{"locale": one, "totals": queries.totals(name)} for one, name in locales.aliases().items()]
    newest = queries.newest_confirmed(alias, NEWEST_SHOWN)
    return render(request, "maps/start.html", {"worlds": worlds, "newest": newest})


@of_locale
def locale_start(request: HttpRequest, alias: str) -> HttpResponse:
    """Redirect `/deDE` to that locale's zones."""
    return redirect("zones-page", locale=chosen_locale(request))


@of_locale
def zones(request: HttpRequest, alias: str) -> HttpResponse:
    """List the zones: if uploads name very many the best known ones, and all of them on request."""
    after = request.GET.get("after")
    context: dict[str, Any]
    if after is None and queries.has_many_zones(alias, paging.MAX_LIMIT):
        context = {"zones": queries.best_known_zones(alias, MAX_SHOWN), "everything": _everything("zones")}
    else:
        found = queries.zones(alias, paging.MAX_LIMIT, after)
        context = {"zones": found["zones"], "next": _next(found)}
    return render(request, "maps/zones.html", {"section": "zones", **context})


@of_locale
def zone(request: HttpRequest, alias: str, id: str) -> HttpResponse:
    """Show a zone's map and its creatures."""
    return render(request, "maps/zone.html", zone_views.context(request, alias, whole(id)))


@of_locale
def mob(request: HttpRequest, alias: str, id: str) -> HttpResponse:
    """Show a creature: its habitats and loot."""
    number = whole(id, MAX_MOB_ID)
    found = serve.content(alias, kinds.MOB, number) or queries.mob(alias, number)
    if found is None:
        raise Http404(f"No creature {number}.")
    if found["id"] != number:
        return PermanentRedirect308(reverse("mob-page", args=[chosen_locale(request), found["id"]]))
    return render(
        request,
        "maps/mob.html",
        {
            "mob": found,
            "named_only": number >= FIRST_NAMED_ID,
            "reactions": _reactions(found["react"]),
            **_where(chosen_locale(request), alias, found["zones"]),
        },
    )


@of_locale
def item(request: HttpRequest, alias: str, id: str) -> HttpResponse:
    """Show an item and the sources that give it."""
    number = whole(id)
    after = request.GET.get("after")
    found = None if after else serve.content(alias, kinds.ITEM, number)
    found = found or queries.item(alias, number, after=after)
    if found is None:
        raise Http404(f"No item {number}.")
    return render(request, "maps/item.html", {"item": found, "next": _next(found)})


@of_locale
def sources(request: HttpRequest, alias: str) -> HttpResponse:
    """List the sources other than kills, all or of one kind: of very many the best known ones."""
    kind, after = request.GET.get("kind") or None, request.GET.get("after")
    if kind is not None and kind not in queries.KINDS:
        raise Http404("There is no such kind of source.")
    context: dict[str, Any]
    if after is None and queries.has_many_sources(alias, kind, paging.MAX_LIMIT):
        best = queries.best_known_sources(alias, kind, MAX_SHOWN)
        context = {"sources": best, "everything": _everything("sources", kind=kind)}
    else:
        found = queries.sources(alias, kind, after=after)
        context = {"sources": found["sources"], "next": _next(found, kind=kind)}
    common = {"section": "sources", "kind": kind, "kinds": queries.KINDS}
    return render(request, "maps/sources.html", common | context)


@of_locale
def source(request: HttpRequest, alias: str, id: str) -> HttpResponse:
    """Show a source: its habitats and loot."""
    number = whole(id)
    found = serve.content(alias, kinds.SOURCE, number) or queries.source(alias, number)
    if found is None:
        raise Http404(f"No source {number}.")
    if found["kind"] == "kill":
        return redirect("mob-page", locale=chosen_locale(request), id=found["mob"])
    if found["id"] != number:
        return PermanentRedirect308(reverse("source-page", args=[chosen_locale(request), found["id"]]))
    return render(
        request,
        "maps/source.html",
        {"section": "sources", "source": found, **_where(chosen_locale(request), alias, found["zones"])},
    )


@of_locale
def search(request: HttpRequest, alias: str) -> HttpResponse:
    """List what has a name like the query, the best match first."""
    query = request.GET.get("q", "").replace("\0", "").strip()[:100]
    locale = chosen_locale(request)
    kinds = {"mob": ("mob-page", _("Creature")), "item": ("item-page", _("Item")), "zone": ("zone-page", _("Zone"))}
    results = []
    for found in queries.search(alias, query):
        page, label = kinds[found["kind"]]
        results.append({"name": found["name"], "label": label, "url": reverse(page, args=[locale, found["id"]])})
    return render(request, "maps/search.html", {"query": query, "results": results})


@of_locale
def look(request: HttpRequest, alias: str) -> HttpResponse:
    """Show where more sightings would help: zones and creatures that are not confirmed or not seen for long."""
    chosen = request.GET.get("zone", "")
    zone_head = None
    if chosen:
        zone_head = queries.zone_head(alias, whole(chosen)) if chosen.isascii() and chosen.isdigit() else None
        if zone_head is None:
            raise Http404("Nothing is known of that zone.")
    found = queries.coverage_gaps(alias, timezone.now().date(), zone_head["id"] if zone_head else None)
    known = bool(found["zones"] or found["mobs"] or queries.totals(alias)["positions"])
    context = {"zone": zone_head, "months": queries.OUTDATED_DAYS // 30, "known": known, **found}
    return render(request, "maps/look.html", context)


@require_safe
def about(request: HttpRequest) -> HttpResponse:
    """Describe the site and which data it keeps."""
    kept = {"archive_days": settings.ARCHIVE_DAYS, "refusals_kept": settings.REFUSALS_KEPT}
    return render(request, "maps/about.html", {"section": "about", **kept})


@require_safe
def about_api(request: HttpRequest) -> HttpResponse:
    """Describe the data, the API, and every problem code."""
    causes = sorted(problem_classes(), key=lambda one: (one.status, one.code))
    # Templates would call the classes, so their attributes are passed.
    problems = [{name: getattr(one, name) for name in ("code", "status", "title", "may_retry")} for one in causes]
    return render(request, "maps/about_api.html", {"section": "about", "problems": problems})


@require_safe
def favicon(request: HttpRequest) -> HttpResponse:
    """Redirect browsers that request the conventional icon URL (on Django's own pages) to the icon."""
    response = redirect(static("img/mark.svg"))
    response["Cache-Control"] = "public, max-age=86400"
    return response


@require_POST
def choose_locale(request: HttpRequest) -> HttpResponse:
    """Store the chosen locale in a cookie and redirect to the same page of that locale."""
    locale = request.POST.get("locale", "")
    if locale not in locales.hosted():
        raise Http404("No map is hosted for that locale.")
    response = redirect(_same_page(locale, request.POST.get("path", "")))
    response.set_cookie(
        LOCALE_COOKIE,
        locale,
        max_age=COOKIE_AGE_S,
        samesite="Lax",
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
    )
    return response


@require_safe
def messages(request: HttpRequest, language: str) -> HttpResponseBase:
    """Answer with the translated texts of the scripts, as a script."""
    if language not in dict(settings.LANGUAGES):
        raise Http404("The pages are not translated into that language.")
    with override(language):
        response = JavaScriptCatalog.as_view(packages=["portal"])(request)
    response["Cache-Control"] = "public, max-age=3600"
    return response


def _same_page(locale: str, path: str) -> str:
    """Return the URL of the page at `path` in another locale, or of the most similar page.

    Creatures and items have the game's ids in every locale; zones, sources and named creatures have not.
    """
    if not path.startswith("/") or not url_has_allowed_host_and_scheme(path, allowed_hosts=None):
        return reverse("start")
    try:
        match = resolve(path)
    except Resolver404:
        return reverse("start")
    if "locale" not in match.kwargs:
        return path
    similar = {"zone-page": "zones-page", "source-page": "sources-page"}.get(str(match.url_name))
    if match.url_name == "mob-page" and int(match.kwargs["id"]) >= FIRST_NAMED_ID:
        similar = "zones-page"
    if similar is not None:
        return reverse(similar, args=[locale])
    return reverse(match.view_name, kwargs=match.kwargs | {"locale": locale})


def _next(found: dict[str, Any], **query: str | None) -> str | None:
    """Return the query string of the next page, None on the last one."""
    return None if found["next"] is None else _after(found["next"], **query)


def _everything(listing: str, **query: str | None) -> str:
    """Return the query string of the first page of the whole list by name."""
    return _after(paging.before_all(listing), **query)


def _after(cursor: str, **query: str | None) -> str:
    kept = {name: value for name, value in query.items() if value is not None}
    return "?" + urlencode(kept | {"after": cursor})


def _where(locale: str, alias: str, zones_seen: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the template variables for a subject's habitats, limited to those with the most sightings."""
    most_seen = sorted(zones_seen, key=lambda habitat: -habitat["sightings"])
    shown = zones_seen if len(zones_seen) <= MAX_SHOWN else most_seen[:MAX_SHOWN]
    return {
        "zones": shown,
        "habitats_left": len(zones_seen) - len(shown),
        "habitats": _habitats(locale, alias, shown),
        "totals": {name: sum(habitat[name] for habitat in zones_seen) for name in ("positions", "sightings")},
    }


def _habitats(locale: str, alias: str, zones_seen: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the habitats that a map can draw, with their backgrounds, those with the most positions first."""
    drawn = sorted((each for each in zones_seen if each["positions"]), key=lambda each: -each["positions"])
    return [
        {
            **habitat,
            "image": zone_views.background(locale, habitat["id"], habitat["floor"]),
            "contours": zone_views.contour_address(locale, alias, habitat["id"], habitat["floor"]),
        }
        for habitat in drawn
    ]


def _reactions(react: dict[str, int | None]) -> list[tuple[str, tuple[str, str]]]:
    """Return the reaction to each side as code and word: `[("Alliance", ("hostile", "hostile"))]`."""
    words = [("hostile", _("hostile")), ("neutral", _("neutral")), ("friendly", _("friendly"))]
    sides = [(_("Alliance"), react["alliance"]), (_("Horde"), react["horde"])]
    return [(side, words[reaction]) for side, reaction in sides if reaction is not None]
