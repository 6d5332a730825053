"""Sample uploads: smallest and rare forms that must be taken, and one for every fault that must not.

`valid/manifest.json` says what each file's receipt counts; `invalid/manifest.json` says how each is
refused. Names there without a file are made by `generate.py`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.samples.generate import GENERATED

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Sample:
    """A body with the headers it is sent with, and the manifest's entry on what must come of it."""

    name: str
    expected: dict[str, Any]
    folder: Path

    def chunks(self) -> Iterator[bytes]:
        """Yield the body."""
        if self.name in GENERATED:
            yield from GENERATED[self.name]()
        else:
            yield (self.folder / self.name).read_bytes()

    @property
    def content_type(self) -> str:
        return self.expected.get("content_type", "application/octet-stream")

    @property
    def content_encoding(self) -> str:
        return self.expected.get("content_encoding", "")


def _samples(kind: str) -> list[Sample]:
    folder = FOLDER / kind
    manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
    return [Sample(name, expected, folder) for name, expected in manifest.items()]


VALID = _samples("valid")
INVALID = _samples("invalid")
