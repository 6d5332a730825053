"""The OpenAPI description of the whole HTTP contract (`maps/api/openapi.yaml`), served as JSON."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import orjson
import yaml
from django.http import HttpRequest, HttpResponse

from core.problems import answers_problems
from maps.api.answers import open_to_all

PATH = Path(__file__).with_name("openapi.yaml")

#: The contract changes only with releases.
CACHE_CONTROL = "public, max-age=300"


@open_to_all
@answers_problems("GET")
def openapi(request: HttpRequest) -> HttpResponse:
    """Answer with the OpenAPI description."""
    response = HttpResponse(_description(), content_type="application/json")
    response["Cache-Control"] = CACHE_CONTROL
    return response


@cache
def _description() -> bytes:
    return orjson.dumps(yaml.safe_load(PATH.read_text(encoding="utf-8")))
