"""Validate or parse one document in this fresh process and print what came of it and how far memory rose.

    python -m tests.system.measure NAME → {"outcome": "valid" or a problem's code, "grown_bytes": …, "seconds": …}

With `parse` behind the name the document is read as by a worker, without the precheck before.

The rise is taken from the process's own high-water mark (VmHWM): `ru_maxrss` outlives exec and
would begin at the size of the test run that started it.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import BinaryIO


def high_water_bytes() -> int:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return next(int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM"))


def main(name: str, what: str = "validate") -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    import django

    django.setup()
    from django.conf import settings

    from core.problems import Problem
    from ingest.batch.columns import parse
    from ingest.batch.observations import Document
    from ingest.formats.mobmapdata.precheck import precheck
    from ingest.formats.mobmapdata.unwrap import unwrap
    from ingest.formats.mobmapdata.validate import validate
    from tests.samples.generate import GENERATED
    from tests.system.shapes import SHAPES

    def parse_alone(document: BinaryIO) -> None:
        document.seek(0)
        version = int(document.read(200).partition(b'version="')[2][:2])
        document.seek(0)
        parse([Document(0, version, 20_000, lambda: nullcontext(document))])

    read = {"validate": validate, "parse": parse_alone}[what]
    body = (SHAPES | GENERATED)[name]()
    before, began = high_water_bytes(), time.monotonic()
    outcome = "valid"
    with tempfile.TemporaryFile() as document:
        try:
            for chunk in precheck(unwrap(body, "", settings.MAX_BODY_BYTES, settings.MAX_DOCUMENT_BYTES)):
                document.write(chunk)
            read(document)
        except Problem as problem:
            outcome = problem.code
    grown = high_water_bytes() - before
    print(json.dumps({"outcome": outcome, "grown_bytes": grown, "seconds": round(time.monotonic() - began, 2)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
