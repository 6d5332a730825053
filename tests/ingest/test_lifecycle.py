"""Every change of an upload's status, tried on every status, against the table in the module's docstring."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from ingest import lifecycle
from ingest.models import Upload
from tests.portal.rows import upload as new_upload

pytestmark = pytest.mark.django_db

#: SQL files that the module loads at its import.
LOADED_ONCE = {"_FIND": "find_upload.sql", "_INSERT,": "insert_upload.sql", "_CLAIM,": "claim.sql"}
CHECKOUT = Path(lifecycle.__file__).resolve().parents[1]
CHANGES: dict[str, Callable[[Upload], Any]] = {
    "stage": lambda upload: lifecycle.stage([upload.id]),
    "merge": lambda upload: lifecycle.merge({upload.id: lifecycle.Merged(timezone.now(), {"new_mobs": 1})}),
    "reject": lambda upload: lifecycle.reject(upload, "a reason"),
    "return_to_queue": lambda upload: lifecycle.return_to_queue([upload.id]),
    "quarantine": lambda upload: lifecycle.quarantine([upload.id], 1, "a reason"),
    "retry": lifecycle.retry,
    "requeue": lambda upload: lifecycle.requeue([upload.id], "wake-up"),
    "withdraw": lambda upload: lifecycle.withdraw([upload.id]),
    "restore": lambda upload: lifecycle.restore([upload.id]),
}


def table() -> dict[str, tuple[set[str], str]]:
    """Return the docstring's table: the statuses from which, and the one to which, by change."""
    rows = re.findall(r"^    (\w+) +([–\w, ]+?)  +([A-Z]+)  +\S", lifecycle.__doc__ or "", re.MULTILINE)
    return {
        name: (set(before.lower().replace("failing ", "").split(", ")), after.lower()) for name, before, after in rows
    }


def test_the_table_lists_every_change() -> None:
    assert table().keys() == CHANGES.keys() | {"insert"} == _functions_that_write_a_status()


def _functions_that_write_a_status() -> set[str]:
    """Return the module's functions that set `status` in `update`, directly or by `_AS_NEW`, or by an SQL file."""
    found = set()
    for function in ast.parse(Path(lifecycle.__file__).read_text(encoding="utf-8")).body:
        if isinstance(function, ast.FunctionDef):
            source = ast.unparse(function)
            files = [
                *re.findall(r"load\('(\w+\.sql)'\)", source),
                *(["insert_upload.sql"] if "_INSERT," in source else []),
            ]
            sql = [(CHECKOUT / "ingest/sql" / name).read_text(encoding="utf-8") for name in files]
            by_sql = any(re.search(r"SET status|INSERT INTO", text) for text in sql)
            if by_sql or re.search(r"update\(\s*(status=|\*\*_AS_NEW)", source):
                found.add(function.name)
    return found


@pytest.mark.parametrize("status", Upload.Status.values)
@pytest.mark.parametrize("change", CHANGES)
def test_a_change_happens_from_the_statuses_in_the_table_only(change: str, status: str) -> None:
    before, after = table()[change]
    upload = new_upload(status=status, attempts=1)
    row = Upload.objects.filter(id=upload.id)
    untouched = row.values().get()
    CHANGES[change](upload)
    changed = row.values().get()
    assert changed["status"] == (after if status in before else status)
    assert (changed != untouched) == (status in before)


def test_a_queued_upload_is_retried_only_if_it_failed_and_nobody_works_on_it() -> None:
    now = timezone.now()
    assert lifecycle.retry(new_upload(status="queued", attempts=0)) is False
    assert lifecycle.retry(new_upload(status="queued", attempts=1, lease_until=now + timedelta(seconds=60))) is False
    assert lifecycle.retry(new_upload(status="queued", attempts=1, lease_until=now - timedelta(seconds=60))) is True


def _writes_status(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        is_update = isinstance(node.func, ast.Attribute) and node.func.attr == "update"
        return is_update and any(keyword.arg == "status" for keyword in node.keywords)
    targets = node.targets if isinstance(node, ast.Assign) else []
    return any(isinstance(target, ast.Attribute) and target.attr == "status" for target in targets)


def test_no_other_module_writes_a_status() -> None:
    """A keyword `status=` in a call of `update`, an assignment to `.status`, or SQL that updates the table."""
    writers = set()
    for app in ("core", "ingest", "maps", "portal"):
        for path in (CHECKOUT / app).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if _writes_status(node):
                    writers.add(path.relative_to(CHECKOUT).as_posix())
        for path in (CHECKOUT / app).rglob("*.sql"):
            if re.search(r"UPDATE ingest_upload|INSERT INTO ingest_upload", path.read_text(encoding="utf-8")):
                writers.add(path.parent.relative_to(CHECKOUT).as_posix())
    assert writers == {"ingest/lifecycle.py", "ingest/sql"}
