"""What all reads have in common."""

from __future__ import annotations

import gzip

import pytest
from django.contrib.gis.geos import Point
from django.db import OperationalError, connections
from django.test import Client

from maps.models import Spawn
from tests.conftest import ALL_DATABASES
from tests.maps import factories as make
from tests.maps.api.contract import ask, read, refused

pytestmark = ALL_DATABASES


def test_british_addresses_redirect_to_the_american_map_with_their_query() -> None:
    moved = ask("enGB/zones?limit=5&cursor=a%2Bb")
    assert (moved.status_code, moved["Location"]) == (308, "/api/v1/enUS/zones?limit=5&cursor=a%2Bb")
    assert ask("enGB/mobs/007/spawns?zone=3")["Location"] == "/api/v1/enUS/mobs/7/spawns?zone=3"


@pytest.mark.parametrize("locale", ["frFR", "dede", "xx", "de", "..%2f..", "ä" * 100])
def test_a_locale_that_is_not_hosted_is_answered_with_those_that_are(locale: str) -> None:
    answer = Client().get(f"/api/v1/{locale}/zones")
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")


def test_the_problem_names_the_hosted_locales() -> None:
    problem = ask("frFR/zones").json()
    assert problem["type"].endswith("locale-not-hosted")
    assert problem["hosted"] == ["enUS", "deDE"]
    assert "enUS, deDE" in problem["detail"]


def test_locales_have_separate_data() -> None:
    make.habitat(make.creature(1, "Wolf"), make.zone("Ödland"), {(1, 1): [1]})
    assert len(read("zones")["zones"]) == 1
    assert ask("enUS/zones").json()["zones"] == []


@pytest.mark.parametrize("path", ["nonsense", "zones/", "zones/x", "zones/-1", "mobs/1.5", "mobs/1/other", "items", ""])
def test_unknown_addresses_are_answered_with_a_problem(path: str) -> None:
    answer = Client().get(f"/api/v1/deDE/{path}")
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")
    assert "openapi.json" in answer.json()["detail"]


@pytest.mark.parametrize("kind", ["zones", "mobs", "sources", "items"])
@pytest.mark.parametrize("number", [0, 1, 2**31 - 1, 2**31, 2**63 - 1, 2**63, 10**30])
def test_unknown_ids_of_any_size_are_not_found(kind: str, number: int) -> None:
    answer = Client().get(f"/api/v1/deDE/{kind}/{number}")
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")


@pytest.mark.parametrize(
    "path", ["zones/9/mobs", "zones/9/map", "zones/9/sources", "mobs/9/positions?zone=1", "mobs/9/spawns?zone=1",
             "sources/9/positions", "sources?zone=9"],
)  # fmt: skip
def test_lists_of_an_unknown_id_are_not_found(path: str) -> None:
    assert refused(path, 404)["type"].endswith("not-found")


@pytest.mark.parametrize(
    ("path", "where", "code"),
    [
        ("zones?limit=0", "limit", "out-of-range"),
        ("zones?limit=1001", "limit", "out-of-range"),
        ("zones?limit=-1", "limit", "not-a-number"),
        ("zones?limit=1e2", "limit", "not-a-number"),
        ("zones?limit=%D9%A3", "limit", "not-a-number"),
        ("zones?limit=%00", "limit", "not-a-number"),
        ("zones?limit=" + "9" * 5000, "limit", "not-a-number"),
        ("zones?cursor=nonsense", "cursor", "not-a-cursor"),
        ("zones?cursor=%00", "cursor", "not-a-cursor"),
        ("sources?kind=kill", "kind", "unknown-value"),
        ("sources?kind=HERB", "kind", "unknown-value"),
        ("sources?zone=2147483648", "zone", "out-of-range"),
        ("mobs/1?difficulty=heroic", "difficulty", "unknown-value"),
        ("mobs/1/positions", "zone", "missing"),
        ("mobs/1/positions?zone=0", "zone", "out-of-range"),
        ("mobs/1/positions?zone=1&floor=2147483648", "floor", "out-of-range"),
        ("mobs/1/spawns?zone=x", "zone", "not-a-number"),
        ("items/1?cursor=WyJ6b25lcyJd", "cursor", "not-a-cursor"),
        ("search?q=" + "a" * 101, "q", "too-long"),
        ("search?q=a%00b", "q", "control-character"),
        ("search?q=a&limit=x", "limit", "not-a-number"),
    ],
)
def test_a_parameter_that_cannot_be_used_is_named(path: str, where: str, code: str) -> None:
    problem = refused(path)
    assert problem["type"].endswith("bad-parameter")
    assert [(error["where"], error["code"]) for error in problem["errors"]] == [(where, code)]
    assert problem["may_retry"] is False


def test_unknown_parameters_are_ignored() -> None:
    assert read("zones?colour=red&_=1")["zones"] == []


def test_an_unchanged_answer_is_not_sent_again() -> None:
    first = ask("deDE/zones")
    again = ask("deDE/zones", if_none_match=first["ETag"])
    assert (again.status_code, again.content) == (304, b"")
    make.habitat(make.creature(1, "Wolf"), make.zone("Ödland"), {(1, 1): [1]})
    assert ask("deDE/zones", if_none_match=first["ETag"]).status_code == 200


def test_answers_may_be_cached_shortly_and_have_the_language_of_their_data() -> None:
    answer = ask("deDE/zones")
    assert answer["Cache-Control"] == "public, max-age=2"
    assert answer["Content-Language"] == "de-DE"


@pytest.mark.parametrize(
    "path", ["deDE/zones", "deDE/zones?limit=0", "deDE/mobs/9", "xxXX/zones", "enGB/zones", "none"]
)
def test_pages_of_other_sites_may_read_every_answer(path: str) -> None:
    assert Client().get(f"/api/v1/{path}")["Access-Control-Allow-Origin"] == "*"


def test_a_preflight_request_is_answered() -> None:
    answer = Client().options("/api/v1/deDE/zones", headers={"origin": "https://example.org"})
    assert (answer.status_code, answer["Access-Control-Allow-Origin"]) == (204, "*")
    assert "GET" in answer["Access-Control-Allow-Methods"]


@pytest.mark.parametrize("method", ["post", "put", "delete", "patch"])
def test_reads_accept_no_other_method(method: str) -> None:
    answer = getattr(Client(enforce_csrf_checks=True), method)("/api/v1/deDE/zones")
    assert (answer.status_code, answer["Content-Type"]) == (405, "application/problem+json")
    assert "GET" in answer["Allow"]


def test_an_unavailable_database_is_a_problem_that_may_be_retried(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*args: object, **kwargs: object) -> None:
        raise OperationalError("connection refused at 10.0.0.7")

    monkeypatch.setattr(connections["map_deDE"], "cursor", away)
    answer = ask("deDE/zones")
    assert (answer.status_code, answer["Retry-After"]) == (503, "5")
    assert answer.json()["may_retry"] is True
    assert b"10.0.0.7" not in answer.content
    assert ask("enUS/zones").status_code == 200


def test_head_requests_are_answered_without_a_body() -> None:
    answer = Client().head("/api/v1/deDE/zones")
    assert (answer.status_code, answer.content) == (200, b"")


HOSTILE = [
    "<script>alert(1)</script>",
    "\"'; DROP TABLE zone; --",
    "\u202egnol\u202c",
    "😀" * 100,
    " Polly",
    "100 %_\\",
    "Zeile\u2028Ende",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_returned_unchanged(name: str) -> None:
    zone = make.zone(name)
    mob = make.creature(7, name)
    make.habitat(mob, zone, {(1, 1): [1]})
    make.spawn(mob, zone)
    make.item(5, name)
    make.loot(make.source("kill", mob), zone, 1, {5: 1})
    herb = make.source("herb", object=name)
    make.loot(herb, zone, 1, {5: 1})
    make.habitat(-herb, zone, {(1, 1): [1]})
    assert read("zones")["zones"][0]["name"] == name
    assert read(f"zones/{zone}/mobs")["mobs"][0]["name"] == name
    assert read(f"zones/{zone}/map")["mobs"][0]["name"] == name
    assert read(f"zones/{zone}/sources")["sources"][0]["name"] == name
    assert read("mobs/7")["loot"][0]["name"] == name
    assert read("sources")["sources"][0]["name"] == name
    assert read("items/5")["dropped_by"][0]["name"] == name
    found = Client().get("/api/v1/deDE/search", {"q": name})
    assert {each["kind"] for each in found.json()["results"]} == {"mob", "item", "zone"}
    assert found["Content-Type"] == "application/json"
    assert found["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("name", HOSTILE)
def test_names_in_cursors_are_returned_unchanged(name: str) -> None:
    for number, each in enumerate((name, f"{name}b"), start=1):
        make.habitat(make.creature(number, each), make.zone(each), {(1, 1): [1]})
    first = read("zones?limit=1")
    assert first["zones"][0]["name"] == name
    assert read(f"zones?limit=1&cursor={first['next']}")["zones"][0]["name"] == f"{name}b"


def test_the_map_of_a_whole_zone_is_small() -> None:
    zone, spawns = make.zone("Brachland"), []
    for mob in range(1, 401):
        make.creature(mob, f"Geschöpf {mob}", reactions=(mob % 7, 1, 0, 0, mob % 3, 2))
        make.habitat(mob, zone, {((mob * 37 + n * 61) % 1001 / 10, n * 97 % 1001 / 10): [1] * n for n in range(1, 51)})
        for n in range(50):
            scatter = (mob * 7919 + n * 104729) % 10_000_019
            spawns.append(
                Spawn(
                    mob=mob,
                    zone=zone,
                    floor=0,
                    point=Point(scatter % 10_000 / 100, scatter // 7 % 10_000 / 100),
                    radius=scatter % 300 / 100,
                    sightings=n + 1,
                    uploaders=n % 9 + 1,
                    confirmed=n > 1,
                )
            )
    Spawn.objects.using(make.DE).bulk_create(spawns)
    browser = Client(headers={"accept-encoding": "gzip"})
    answer = browser.get(f"/api/v1/deDE/zones/{zone}/map")
    assert len(answer.content) <= 200_000
    assert b'"mobs"' in gzip.decompress(answer.content)
    again = browser.get(f"/api/v1/deDE/zones/{zone}/map", headers={"if-none-match": answer["ETag"]})
    assert (again.status_code, again.content) == (304, b"")
