"""The reads, one view each: check the parameters, answer from a published file or from `maps.queries`, or with 404."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse

from core.problems import NotFound, answers_problems
from maps import paging, queries
from maps.api import parameters
from maps.api.answers import moved, open_to_all, read
from maps.api.parameters import MAX_INT4
from maps.publish import excerpts, kinds, serve

Answer = dict[str, Any] | HttpResponse


@read
def zones(request: HttpRequest, alias: str) -> Answer:
    return queries.zones(alias, parameters.limit(request), parameters.cursor(request))


@read
def zone(request: HttpRequest, alias: str, zone: int) -> Answer:
    published = serve.respond_with_excerpt(request, alias, kinds.ZONE_MAP, zone, lambda content: content["zone"])
    return published or _found(queries.zone(alias, zone), "zone", zone)


@read
def zone_mobs(request: HttpRequest, alias: str, zone: int) -> Answer:
    limit, cursor, floor = parameters.limit(request), parameters.cursor(request), parameters.floor(request)
    published = None
    if floor is None:
        published = serve.respond_with_excerpt(
            request, alias, kinds.ZONE_MAP, zone, lambda content: excerpts.zone_mobs(content, limit, cursor)
        )
    if published is not None:
        return published
    _found(queries.zone_head(alias, zone), "zone", zone)
    return queries.zone_mobs(alias, zone, limit, cursor, floor)


@read
def zone_map(request: HttpRequest, alias: str, zone: int) -> Answer:
    published = serve.respond(request, alias, kinds.ZONE_MAP, zone, even_if_stale=True)
    return published or _found(queries.zone_map(alias, zone), "zone", zone)


@read
def zone_sources(request: HttpRequest, alias: str, zone: int) -> Answer:
    published = serve.respond(request, alias, kinds.ZONE_SOURCES, zone)
    return published or _found(queries.zone_sources(alias, zone), "zone", zone)


@read
def mob(request: HttpRequest, alias: str, mob: int) -> Answer:
    published = None if request.GET else serve.respond(request, alias, kinds.MOB, mob)
    if published is not None:
        return published
    found = _found(queries.mob(alias, mob, parameters.difficulty(request)), "creature", mob)
    return found if found["id"] == mob else moved(request, mob=found["id"])


@read
def mob_habitats(request: HttpRequest, alias: str, mob: int) -> Answer:
    published = serve.respond(request, alias, kinds.MOB_HABITATS, mob)
    if published is not None:
        return published
    found = _found(queries.mob_habitats(alias, mob), "creature", mob)
    return found if found["id"] == mob else moved(request, mob=found["id"])


@read
def mob_positions(request: HttpRequest, alias: str, mob: int) -> Answer:
    zone, floor = parameters.required(request, "zone", 1, MAX_INT4), parameters.floor(request)
    published = serve.respond_with_excerpt(
        request, alias, kinds.MOB_HABITATS, mob, lambda content: excerpts.positions(content, zone, floor)
    )
    if published is not None:
        return published
    shown = _found(queries.mob_head(alias, mob), "creature", mob)["id"]
    if shown != mob:
        return moved(request, mob=shown)
    _found(queries.zone_head(alias, zone), "zone", zone)
    return queries.mob_positions(alias, mob, zone, floor)


@read
def mob_spawns(request: HttpRequest, alias: str, mob: int) -> Answer:
    zone, floor = parameters.required(request, "zone", 1, MAX_INT4), parameters.floor(request)
    published = serve.respond_with_excerpt(
        request, alias, kinds.MOB_HABITATS, mob, lambda content: excerpts.spawns(content, zone, floor)
    )
    if published is not None:
        return published
    shown = _found(queries.mob_head(alias, mob), "creature", mob)["id"]
    if shown != mob:
        return moved(request, mob=shown)
    _found(queries.zone_head(alias, zone), "zone", zone)
    return queries.mob_spawns(alias, mob, zone, floor)


@read
def sources(request: HttpRequest, alias: str) -> Answer:
    kind = parameters.choice(request, "kind", queries.KINDS)
    zone = parameters.integer(request, "zone", 1, MAX_INT4)
    limit, cursor = parameters.limit(request), parameters.cursor(request)
    if zone is not None:
        _found(queries.zone_head(alias, zone), "zone", zone)
    return queries.sources(alias, kind, zone, limit, cursor)


@read
def source(request: HttpRequest, alias: str, source: int) -> Answer:
    published = None if request.GET else serve.respond(request, alias, kinds.SOURCE, source)
    if published is not None:
        return published
    found = _found(queries.source(alias, source, parameters.difficulty(request)), "source", source)
    return found if found["id"] == source else moved(request, source=found["id"])


@read
def source_habitats(request: HttpRequest, alias: str, source: int) -> Answer:
    published = serve.respond(request, alias, kinds.SOURCE_HABITATS, source)
    if published is not None:
        return published
    found = _found(queries.source_habitats(alias, source), "source", source)
    return found if found["id"] == source else moved(request, source=found["id"])


@read
def source_positions(request: HttpRequest, alias: str, source: int) -> Answer:
    zone, floor = parameters.integer(request, "zone", 1, MAX_INT4), parameters.floor(request)
    published = serve.respond_with_excerpt(
        request, alias, kinds.SOURCE_HABITATS, source, lambda content: excerpts.positions(content, zone, floor)
    )
    if published is not None:
        return published
    shown = _found(queries.source_head(alias, source), "source", source)["id"]
    if shown != source:
        return moved(request, source=shown)
    if zone is not None:
        _found(queries.zone_head(alias, zone), "zone", zone)
    return _found(queries.source_positions(alias, source, zone, floor), "source", source)


@read
def item(request: HttpRequest, alias: str, item: int) -> Answer:
    published = None if request.GET else serve.respond(request, alias, kinds.ITEM, item)
    if published is not None:
        return published
    limit, cursor, difficulty = parameters.limit(request), parameters.cursor(request), parameters.difficulty(request)
    return _found(queries.item(alias, item, limit, cursor, difficulty), "item", item)


@read
def search(request: HttpRequest, alias: str) -> Answer:
    text = parameters.search_text(request, "q", queries.MAX_CHARACTERS)
    limit = parameters.integer(request, "limit", 1, paging.MAX_LIMIT) or queries.MAX_RESULTS
    return {"results": queries.search(alias, text, limit)}


@open_to_all
@answers_problems("GET")
def unknown(request: HttpRequest, rest: str) -> HttpResponse:
    """Answer with a problem that the API has no such address."""
    raise NotFound(f"The API has no address {request.path[:200]}. GET /api/v1/openapi.json describes those it has.")


def _found(answer: dict[str, Any] | None, noun: str, number: int) -> dict[str, Any]:
    """Return the answer, or raise `NotFound` if it is None."""
    if answer is None:
        raise NotFound(f"No {noun} {number} is known here. Nobody has sent anything about it yet, or the id is wrong.")
    return answer
