"""The compiled `scan.pyx`; importing it fails unless it was compiled from the present source."""

from __future__ import annotations

import hashlib
from importlib import import_module
from pathlib import Path

_FOLDER = Path(__file__).parent
_ADVICE = (
    "Stop the site and start it again: ./deploy/stop, ./deploy/run. "
    "Tests: ./deploy/test. Servers of your own: .venv/bin/python -m deploy.steps.install.compiled"
)
try:
    _made_of = getattr(import_module("ingest.formats.mobmapdata.scan"), "made_of", "")
except ModuleNotFoundError as missing:
    raise ImportError(f"scan.pyx has to be compiled for this Python ({missing}). {_ADVICE}") from missing
except ImportError as error:  # a missing library, a truncated file
    raise ImportError(
        f"The compiled scan.pyx can't be loaded ({error}). It needs Debian's package libb2-1; where that is "
        f"installed, delete {_FOLDER}/scan.*.so, so that it is compiled again. {_ADVICE}"
    ) from error
if _made_of.partition(" ")[0] != hashlib.sha256((_FOLDER / "scan.pyx").read_bytes()).hexdigest():
    raise ImportError(f"scan.pyx has changed since it was compiled. {_ADVICE}")

from ingest.formats.mobmapdata.scan import Columns, Digests  # noqa: E402  (of this source)

__all__ = ["Columns", "Digests"]
