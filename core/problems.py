"""Errors as RFC 9457 problem details: `application/problem+json`, with a stable `type` per cause."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ClassVar

import orjson
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_noop as _

#: Where each type is explained for people; the fragment is the cause's code.
TYPE_BASE = "/about/api#problem-"


class Problem(Exception):
    """A request that fails: one subclass per cause, with a stable `code`.

    `may_retry` says whether the same request may succeed later, `retry_after_s` when; `errors` lists places in a
    document, `members` are further members of the JSON object.
    """

    code: ClassVar[str]
    title: ClassVar[str]
    status: ClassVar[int]
    may_retry: ClassVar[bool] = False

    def __init__(
        self,
        detail: str,
        *,
        errors: list[dict[str, str]] | None = None,
        retry_after_s: int | None = None,
        **members: Any,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.errors = errors
        self.retry_after_s = retry_after_s
        self.members = members

    def body(self) -> dict[str, Any]:
        """Return the problem's JSON object."""
        body: dict[str, Any] = {
            "type": TYPE_BASE + self.code,
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "may_retry": self.may_retry,
        }
        if self.errors is not None:
            body["errors"] = self.errors
        if self.retry_after_s is not None:
            body["retry_after_s"] = self.retry_after_s
        return body | self.members

    def response(self) -> HttpResponse:
        """Return the problem as a response, with `Retry-After` where a time is known."""
        response = HttpResponse(orjson.dumps(self.body()), status=self.status, content_type="application/problem+json")
        if self.retry_after_s is not None:
            response["Retry-After"] = str(self.retry_after_s)
        return response


class NotFound(Problem):
    code, title, status = "not-found", _("There is nothing at this address"), 404


class BadParameter(Problem):
    code, title, status = "bad-parameter", _("A parameter can't be used"), 400


class LocaleNotHosted(Problem):
    code, title, status = "locale-not-hosted", _("This site hosts no map for that locale"), 404


class MethodNotAllowed(Problem):
    code, title, status = "method-not-allowed", _("This address does not take that method"), 405


def problem_classes(parent: type[Problem] = Problem) -> list[type[Problem]]:
    """Return the class of every cause that the installed apps define."""
    found = []
    for child in parent.__subclasses__():
        found += [child, *problem_classes(child)] if hasattr(child, "code") else problem_classes(child)
    return found


def json_response(body: Any, status: int = 200) -> HttpResponse:
    """Return `body` as JSON in UTF-8. Markup in players' texts is harmless: browsers never sniff the type."""
    return HttpResponse(orjson.dumps(body), status=status, content_type="application/json")


def answers_problems(*methods: str) -> Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]]:
    """Decorate a view: turn its `Problem`s into responses, refuse methods other than `methods` (GET allows HEAD)."""
    allowed = {*methods, *(["HEAD"] if "GET" in methods else [])}

    def decorate(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @wraps(view)
        def answer(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if request.method not in allowed:
                response = MethodNotAllowed(f"{request.path} takes {', '.join(sorted(allowed))}.").response()
                response["Allow"] = ", ".join(sorted(allowed))
                return response
            try:
                return view(request, *args, **kwargs)
            except Problem as problem:
                return problem.response()

        return answer

    return decorate
