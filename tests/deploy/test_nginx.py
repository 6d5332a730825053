"""The shipped configuration in a real nginx: its answers from published files equal those of the application."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from bench import proxy
from deploy.steps.ports import LOOPBACK
from maps.models import CreatureName, Source
from maps.publish import files, invalidation, kinds, serve
from maps.publish.run import publish
from tests.maps.factories import DE, creature, habitat, loot, source, zone
from tests.own_address import own_host, own_port

Server = tuple[str, int]

pytestmark = pytest.mark.django_db(databases="__all__", transaction=True)

#: Headers that must be equal in the answers of the application and of nginx.
SAME = ("Content-Type", "Content-Encoding", "ETag", "Last-Modified", "Cache-Control", "Content-Language")
SAME += ("Access-Control-Allow-Origin", "Access-Control-Expose-Headers", "X-Content-Type-Options")

FILES = ["zones/{number}/map", "zones/{number}/sources", "mobs/7", "mobs/10636", "mobs/10636/places"]
FILES += ["items/3651", "items/100", "sources/{herb}", "sources/{herb}/places"]


@pytest.fixture
def servers(live_server, tmp_path: Path) -> Iterator[tuple[Server, Server, int]]:
    """Yield nginx's address, the application's, and a zone whose map is published."""
    number = zone("Weidenmark")
    habitat(creature(7, "Wölfin"), number, {(10, 10): [1, 2]})
    habitat(creature(10636, "Kodo"), number, {(10, 10): [1, 2]})
    loot(source("kill", 7), number, 10, {3651: 4, 100: 1})
    plant = source("herb", object="Friedensblume")
    loot(plant, number, 2, {100: 2})
    habitat(-plant, number, {(20, 20): [1]})
    invalidation.invalidate_all(DE)
    publish(DE)
    (host, port), upstream = (own_host(), own_port()), live_server.thread.port
    with proxy.running(tmp_path / "nginx", host=host, port=port, upstream_port=upstream, var=tmp_path):
        yield (host, port), (LOOPBACK, upstream), number


def herb() -> int:
    return int(Source.objects.using(DE).get(kind="herb").id)


def ask(server: Server, path: str, method: str = "GET", *, own: str = "", **headers: str) -> tuple[HTTPResponse, bytes]:
    """Send a request, from an address of this machine if `own` names one."""
    connection = HTTPConnection(*server, timeout=120, source_address=(own, 0) if own else None)
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, headers={"Host": "localhost", **named})
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response, body


@pytest.mark.parametrize("accepted", ["gzip", "identity"])
@pytest.mark.parametrize("of", FILES)
def test_a_published_file_is_the_same_from_both(servers, accepted, of):
    nginx, upstream, number = servers
    path = f"/api/v1/deDE/{of.format(number=number, herb=herb())}"
    ours, our_body = ask(upstream, path, Accept_Encoding=accepted)
    theirs, their_body = ask(nginx, path, Accept_Encoding=accepted)
    assert (theirs.status, their_body) == (ours.status, our_body)
    assert {name: theirs.headers[name] for name in SAME} == {name: ours.headers[name] for name in SAME}
    assert "Accept-Encoding" in theirs.headers["Vary"] and "Accept-Encoding" in ours.headers["Vary"]
    text = gzip.decompress(their_body) if accepted == "gzip" else their_body
    assert "id" in (json.loads(text).get("zone") or json.loads(text))


def test_nginx_answers_with_files_without_the_application(servers):
    nginx, _, zone_id = servers
    for kind, number, path in (
        (kinds.ZONE_MAP, zone_id, f"zones/{zone_id}/map?any=thing"),
        (kinds.ZONE_SOURCES, zone_id, f"zones/{zone_id}/sources"),
        (kinds.MOB, 7, "mobs/7"),
        (kinds.MOB_HABITATS, 7, "mobs/7/places"),
        (kinds.MOB, 10636, "mobs/10636"),
        (kinds.ITEM, 100, "items/100"),
        (kinds.SOURCE, herb(), f"sources/{herb()}"),
        (kinds.SOURCE_HABITATS, herb(), f"sources/{herb()}/places"),
    ):
        files.path("deDE", kind, number).write_bytes(gzip.compress(b'{"from": "the file"}'))
        response, body = ask(nginx, f"/api/v1/deDE/{path}")
        assert (response.status, json.loads(body)) == (200, {"from": "the file"}), path


def test_a_version_of_a_map_may_be_cached_forever(servers):
    nginx, upstream, number = servers
    path = f"/api/v1/deDE/zones/{number}/map?v="
    versions = []
    for name in ("Wölfin", "Leitwolf", "Wolf", "Rudel"):
        CreatureName.objects.using(DE).filter(creature=7).update(name=name)
        invalidation.invalidate(DE, [7], [number])
        publish(DE)
        versions.append(serve.version(DE, kinds.ZONE_MAP, number))
        for one in (nginx, upstream):
            response, body = ask(one, path + versions[-1])
            assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
            assert name in body.decode()
    before, old = ask(nginx, path + versions[-2])[0], ask(nginx, path + versions[0])[0]
    assert "immutable" in before.headers["Cache-Control"]
    assert (old.status, old.headers["Cache-Control"]) == (200, "public, max-age=2")
    for wrong in ("", "../../site-id", "0" * 16):
        response, body = ask(nginx, path + wrong)
        assert (response.headers["Cache-Control"], "Rudel" in body.decode()) == ("public, max-age=2", True)


@pytest.mark.parametrize("image", ["ground/0.png", "preview.png", "ground/0.png?v={version}", "ground/0.png?v=old"])
def test_an_image_is_the_same_from_both(servers, image):
    nginx, upstream, number = servers
    version = serve.version(DE, kinds.ZONE_IMAGES, number, "contours-0.png")
    path = f"/deDE/zones/{number}/{image.format(version=version)}"
    (ours, our_body), (theirs, their_body) = ask(upstream, path), ask(nginx, path)
    assert (theirs.status, their_body) == (ours.status, our_body) and their_body.startswith(b"\x89PNG")
    same = ("Content-Type", "ETag", "Last-Modified", "Cache-Control", "X-Content-Type-Options")
    assert {name: theirs.headers[name] for name in same} == {name: ours.headers[name] for name in same}
    assert ("immutable" in theirs.headers["Cache-Control"]) == (f"v={version}" in path)


def test_nginx_answers_with_images_without_the_application(servers):
    nginx, _, number = servers
    for part, path in (("contours-0.png", "ground/0.png"), ("preview.png", "preview.png")):
        files.path("deDE", kinds.ZONE_IMAGES, number, part).write_bytes(b"from the file")
        assert ask(nginx, f"/deDE/zones/{number}/{path}")[1] == b"from the file"


def test_answers_narrowed_by_a_query_come_from_the_application(servers):
    nginx, _, _ = servers
    for kind, number, path in (
        (kinds.MOB, 7, "mobs/7?difficulty=none"),
        (kinds.ITEM, 100, "items/100?limit=1"),
        (kinds.SOURCE, herb(), f"sources/{herb()}?difficulty=none"),
    ):
        files.path("deDE", kind, number).write_bytes(gzip.compress(b'{"from": "the file"}'))
        response, body = ask(nginx, f"/api/v1/deDE/{path}")
        assert (response.status, json.loads(body)["id"]) == (200, number)


def test_both_accept_the_etag_of_the_other(servers):
    nginx, upstream, number = servers
    path = f"/api/v1/deDE/zones/{number}/map"
    for asked, other in ((nginx, upstream), (upstream, nginx)):
        tag = ask(other, path, Accept_Encoding="gzip")[0].headers["ETag"]
        response, body = ask(asked, path, Accept_Encoding="gzip", If_None_Match=tag)
        assert (response.status, body) == (304, b"")


def test_a_map_that_is_not_published_comes_from_the_application(servers):
    nginx, _, number = servers
    files.path("deDE", kinds.ZONE_MAP, number).unlink()
    response, body = ask(nginx, f"/api/v1/deDE/zones/{number}/map")
    assert response.status == 200
    assert {mob["name"] for mob in json.loads(body)["mobs"]} == {"Kodo", "Wölfin"}


@pytest.mark.parametrize(
    ("method", "path", "status", "kind"),
    [
        ("GET", "/api/v1/deDE/zones/999999/map", 404, "application/problem+json"),
        ("GET", "/api/v1/deDE/mobs/999999", 404, "application/problem+json"),
        ("GET", "/api/v1/deDE/mobs/999999/places", 404, "application/problem+json"),
        ("GET", "/api/v1/deDE/mobs/7/sources", 404, "application/problem+json"),
        ("GET", "/api/v1/deDE/items/100/places", 404, "application/problem+json"),
        ("GET", "/api/v1/deDE/mobs/7/positions?zone={number}", 200, "application/json"),
        ("GET", "/api/v1/deDE/mobs/0", 404, "application/problem+json"),
        ("GET", "/api/v1/deDE/items/99999999999999999999", 404, "application/problem+json"),
        ("GET", "/api/v1/deDE/items/7/map", 404, "application/problem+json"),
        ("GET", "/api/v1/deDE/zones/{number}", 200, "application/json"),
        ("GET", "/api/v1/frFR/zones/1/map", 404, "application/problem+json"),
        ("GET", "/api/v1/enGB/zones/1/map", 308, None),
        ("POST", "/api/v1/deDE/zones/{number}/map", 405, "application/problem+json"),
        ("OPTIONS", "/api/v1/deDE/zones/{number}/map", 204, None),
        ("HEAD", "/api/v1/deDE/zones/{number}/map", 200, "application/json"),
        ("GET", "/api/v1/deDE/zones/{number}/map/../../../../site-id", 404, "application/problem+json"),
        ("GET", "/deDE/zones/{number}/ground/7.png", 404, None),
        ("GET", "/deDE/zones/{number}/ground/00.png", 200, "image/png"),
        ("GET", "/deDE/zones/999999/preview.png", 404, None),
        ("GET", "/healthz", 200, None),
    ],
)
def test_everything_else_is_answered_as_the_application_does(servers, method, path, status, kind):
    nginx, _, number = servers
    response, _body = ask(nginx, path.format(number=number), method)
    assert response.status == status
    if kind:
        assert response.headers["Content-Type"] == kind


def test_the_application_decides_who_may_read_the_metrics(servers, settings):
    settings.BROKER_URL = "amqp://someone:secret@127.0.0.1:1//"
    settings.METRICS_TOKEN = "a-token-of-the-metrics"
    nginx, _, _ = servers
    elsewhere = "127.0.0.2"  # to nginx an address like any other
    refused, body = ask(nginx, "/metrics", own=elsewhere)
    assert (refused.status, refused.headers["Content-Type"]) == (403, "application/problem+json")
    assert json.loads(body)["type"].endswith("metrics-forbidden")
    allowed, body = ask(nginx, "/metrics", own=elsewhere, Authorization="Bearer a-token-of-the-metrics")
    assert (allowed.status, b"mobmap_part_up" in body) == (200, True)
