"""The contract itself: valid, served, and about the addresses there are."""

from __future__ import annotations

import re

import yaml
from django.test import Client
from openapi_spec_validator import validate

from maps import api_urls
from maps.api import document, parameters
from maps.queries import KINDS

CONTRACT = yaml.safe_load(document.PATH.read_text(encoding="utf-8"))


def test_the_contract_is_valid() -> None:
    validate(CONTRACT)


def test_the_contract_is_served_as_json_to_every_site() -> None:
    answer = Client().get("/api/v1/openapi.json")
    assert answer.json() == CONTRACT
    assert answer["Content-Type"] == "application/json"
    assert answer["Access-Control-Allow-Origin"] == "*"
    assert Client(headers={"if-none-match": answer["ETag"]}).get("/api/v1/openapi.json").status_code == 304


def test_every_address_of_the_read_api_is_in_the_contract() -> None:
    routes = {re.sub(r"<(\w+:)?(\w+)>", r"{\2}", str(route.pattern)) for route in api_urls.urlpatterns}
    described = {re.sub(r"\{(zone|mob|source|item)\}", "{id}", f"/{route}") for route in routes}
    assert described - {"/api/v1/{rest}"} <= set(CONTRACT["paths"])


def test_the_contract_names_the_kinds_and_difficulties_that_are_taken() -> None:
    assert CONTRACT["components"]["schemas"]["Kind"]["enum"] == KINDS
    assert CONTRACT["components"]["parameters"]["difficulty"]["schema"]["enum"] == list(parameters.DIFFICULTIES)
