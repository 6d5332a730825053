"""Requests to the upload endpoint, and what all of its responses have in common."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from ingest.models import Upload
from portal.models import Refusal
from tests.ingest.factories import document, element, loot, mob, zone

PATH = "/api/v1/uploads"
MERCHANTS = [element("Merchant", {"name": name}) for name in ("x", "y")]
XML = document(mob(zone("21.6/33,-1/-1,")), loot("+117#+1:0:0:1#"), *MERCHANTS)


def send(client: Client, body: bytes = XML, query: str = "", content_type: str = "application/xml", **headers: str):
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = client.generic("POST", PATH + query, body, content_type, headers=named)
    return answer, orjson.loads(answer.content)


def send_files(client: Client, *files: tuple[str, bytes], query: str = "") -> tuple[Any, dict[str, Any]]:
    answer = client.post(PATH + query, {"file": [SimpleUploadedFile(name, body) for name, body in files]})
    return answer, orjson.loads(answer.content)


def code(shown: dict[str, Any]) -> str:
    return shown["type"].rpartition("problem-")[2]


def assert_says_what_next(shown: dict[str, Any]) -> None:
    assert shown["may_retry"] in {True, False}
    assert shown["limits"]["document_bytes"] > 0
    assert shown["limits"]["body_bytes"] > 0


def spooled(own_spool: Path) -> int:
    return sum(path.is_file() for path in (own_spool / "spool").rglob("*"))


def assert_later(answer: Any, problem: dict[str, Any], status: int, cause: str) -> None:
    assert (answer.status_code, code(problem), problem["may_retry"]) == (status, cause, True)
    assert int(answer["Retry-After"]) == problem["retry_after_s"] > 0
    assert_says_what_next(problem)
    assert Upload.objects.count() == 0
    assert Refusal.objects.count() == 0
