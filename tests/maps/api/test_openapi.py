"""The OpenAPI description is valid, served and complete, and so is the page about the API."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
import yaml
from django.test import Client
from django.urls import URLPattern, URLResolver
from openapi_spec_validator import validate

from maps.api import openapi, parameters
from maps.queries import KINDS
from portal import urls

CONTRACT = yaml.safe_load(openapi.PATH.read_text(encoding="utf-8"))


def test_the_contract_is_valid() -> None:
    validate(CONTRACT)


def test_the_contract_is_served_as_json_to_every_site() -> None:
    answer = Client().get("/api/v1/openapi.json")
    assert answer.json() == CONTRACT
    assert answer["Content-Type"] == "application/json"
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert Client(headers={"if-none-match": answer["ETag"]}).get("/api/v1/openapi.json").status_code == 304


def routes(patterns: list[URLPattern | URLResolver]) -> Iterator[str]:
    """Yield the addresses of the API as the contract has them: `/api/v1/{locale}/zones/{id}`."""
    for one in patterns:
        if isinstance(one, URLResolver):
            # Only the admin is included below another path than the root.
            yield from () if str(one.pattern) else routes(one.url_patterns)
        elif (route := str(one.pattern)).startswith("api/") and "rest>" not in route:
            yield "/" + re.sub(r"<(\w+:)?(\w+)>", lambda of: "{locale}" if of[2] == "locale" else "{id}", route)


ADDRESSES = sorted(routes(urls.urlpatterns))


def test_every_address_of_the_api_is_in_the_contract() -> None:
    assert {path for path in CONTRACT["paths"] if path.startswith("/api/")} == set(ADDRESSES)


@pytest.mark.django_db
def test_every_address_of_the_api_is_on_the_page_about_it() -> None:
    html = Client().get("/about/api").content.decode()
    shown = {address.partition("?")[0] for address in re.findall(r"<code>(?:POST )?([^<]+)</code>", html)}
    assert {address.removeprefix("/api/v1/{locale}/") for address in ADDRESSES} <= shown
    written = {address for address in shown if re.match(r"(/api|zones|mobs|sources|items|search)\b", address)}
    assert written - {"/api/v1/enUS/zones"} == {address.removeprefix("/api/v1/{locale}/") for address in ADDRESSES}


def test_the_contract_has_the_kinds_and_difficulties_that_are_accepted() -> None:
    assert CONTRACT["components"]["schemas"]["Kind"]["enum"] == KINDS
    assert CONTRACT["components"]["parameters"]["difficulty"]["schema"]["enum"] == list(parameters.DIFFICULTIES)
