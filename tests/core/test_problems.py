"""Problems as responses."""

from __future__ import annotations

import orjson
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from core.problems import BadParameter, NotFound, Problem, answers_problems, problem_classes
from ingest.problems import SpoolFull


@answers_problems("GET")
def view(request: HttpRequest) -> HttpResponse:
    """Raise a problem."""
    raise SpoolFull("Come back later.", retry_after_s=5, limit=3)


def test_a_problem_becomes_a_response_with_its_members():
    response = view(RequestFactory().get("/somewhere"))
    assert (response.status_code, response["Content-Type"]) == (503, "application/problem+json")
    assert response["Retry-After"] == "5"
    assert orjson.loads(response.content) == {
        "type": "/about/api#problem-spool-full",
        "title": SpoolFull.title,
        "status": 503,
        "detail": "Come back later.",
        "may_retry": True,
        "retry_after_s": 5,
        "limit": 3,
    }


def test_other_methods_are_refused_with_those_allowed():
    response = view(RequestFactory().post("/somewhere"))
    assert (response.status_code, response["Allow"]) == (405, "GET, HEAD")


def test_every_class_with_a_code_is_found_once():
    found = problem_classes()
    assert {NotFound, BadParameter, SpoolFull} <= set(found)
    assert len(found) == len(set(found))
    assert Problem not in found
