"""What `scan.pyx` became, if it is of this very source."""

from __future__ import annotations

import hashlib
from pathlib import Path

_ADVICE = "./deploy/run and ./deploy/test do that; elsewhere run .venv/bin/python -m deploy.steps.compiled"
try:
    from ingest.formats.mobmapdata.scan import Columns, Digests, source_digest
except ImportError as missing:
    raise ImportError(f"scan.pyx has to be compiled for this Python ({missing}): {_ADVICE}") from missing
if source_digest != hashlib.sha256(Path(__file__).with_name("scan.pyx").read_bytes()).hexdigest():
    raise ImportError(f"scan.pyx has changed and has to be compiled again: {_ADVICE}")

__all__ = ["Columns", "Digests"]
