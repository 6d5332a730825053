"""Requests to the API whose answers are validated against its OpenAPI description."""

from __future__ import annotations

from typing import Any

import orjson
import yaml
from django.http import HttpResponse
from django.test import Client
from openapi_core import Config, OpenAPI
from openapi_core.contrib.django import DjangoOpenAPIResponse
from openapi_core.testing import MockRequest

from maps.api import openapi

CONTRACT = OpenAPI.from_dict(
    yaml.safe_load(openapi.PATH.read_text(encoding="utf-8")),
    config=Config(extra_media_type_deserializers={"application/problem+json": orjson.loads}),
)


def checked(response: HttpResponse) -> HttpResponse:
    """Validate an answer of the test client against the contract and return it."""
    asked = response.wsgi_request
    # Not the request itself: the validator would read its body, which the upload view has already read.
    request = MockRequest("http://testserver", asked.method.lower(), asked.path)
    CONTRACT.validate_response(request, DjangoOpenAPIResponse(response))
    return response


def ask(path: str, **headers: str) -> HttpResponse:
    """GET an address below /api/v1/ and return its validated answer."""
    return checked(Client(headers=headers).get(f"/api/v1/{path}"))


def read(path: str) -> dict[str, Any]:
    """Return the JSON of an address in the German locale that must answer 200."""
    response = ask(f"deDE/{path}")
    assert response.status_code == 200, response.content
    return response.json()


def refused(path: str, status: int = 400) -> dict[str, Any]:
    """Return the problem of an address in the German locale that must answer with `status`."""
    response = ask(f"deDE/{path}")
    assert (response.status_code, response["Content-Type"]) == (status, "application/problem+json")
    return response.json()
