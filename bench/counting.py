"""Compare a site's tables with an independent count of the sent files; print the differences.

python -m bench.counting FILE      (run with the site's environment; FILE: {locale: [[path, player], …]})
→ {"differences": ["deDE, sightings of …: 3 instead of 2", …], "compared": 123456}
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

#: A single fault can cause thousands of differences; the first ones show its kind.
SHOWN = 20


def main(path: str) -> int:
    """Compare and print."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    import django

    django.setup()
    from core import locales
    from ingest.queue import tasks
    from tests import independent, merged_tables

    sent: dict[str, list[tuple[str, str]]] = json.loads(Path(path).read_text(encoding="utf-8"))
    tasks.clean_up()  # the hourly maintenance finishes what faults interrupted
    found: list[str] = []
    compared = 0
    for locale, files in sent.items():
        counts = independent.count((player, Path(file).read_bytes()) for file, player in files)
        wanted = independent.merged(counts)
        tables = merged_tables.read(locales.alias(locale))
        compared += sum(len(table) for table in wanted.values())
        found += [f"{locale}, {each}" for each in _differences(wanted, tables)]
        found += [f"{locale}: {each}" for each in _wrong_rows(locale, len(files))]
    print(json.dumps({"differences": found[:SHOWN], "number": len(found), "compared": compared}, ensure_ascii=False))
    return 0


def _differences(wanted: dict[str, Any], tables: dict[str, Any]) -> Iterator[str]:
    for name, expected in wanted.items():
        for key in sorted(expected.keys() | tables[name].keys(), key=str):
            is_, should = tables[name].get(key, 0), expected.get(key, 0)
            if is_ != should:
                yield f"{name} of {key}: {is_} instead of {should}"


def _wrong_rows(locale: str, files: int) -> Iterator[str]:
    """Yield what is wrong with rows, ledger and documents of a locale that received `files` distinct uploads."""
    from django.db import connections

    from core import locales
    from ingest.intake import spool
    from ingest.models import Upload

    rows = list(Upload.objects.filter(locale=locale))
    merged = {bytes(row.content_hash) for row in rows if row.status == "merged"}
    if not len(rows) == len(merged) == files:
        yield f"{len(rows)} rows, {len(merged)} merged content hashes, {files} files sent."
    with connections[locales.alias(locale)].cursor() as cursor:
        cursor.execute("SELECT content_hash FROM ledger")
        ledger = [bytes(row[0]) for row in cursor.fetchall()]
    if len(ledger) != len(set(ledger)) or set(ledger) != merged:
        yield f"The ledger holds {len(ledger)} entries, {len(set(ledger))} distinct, for {len(merged)} merged hashes."
    for row in rows:
        if not row.archived or spool.spool().exists(row.document_name):
            yield f"The document of {row.id} is not (only) in the archive."
            continue
        with spool.opened(spool.archive(), row.document_name) as document:
            size = len(document.read())
        if size != row.size_bytes:
            yield f"The document of {row.id} has {size} bytes instead of {row.size_bytes}."


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
