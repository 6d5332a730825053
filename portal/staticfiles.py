"""Static files: hashed names for caching without limit, what modules import, and Leaflet out of its Python package."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from django.contrib.staticfiles import finders
from django.contrib.staticfiles.finders import BaseFinder
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import FileSystemStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage


class StaticFilesStorage(CompressedManifestStaticFilesStorage):
    """Hash names, also in the imports between JavaScript modules, and compress once, at collection."""

    support_js_module_import_aggregation = True


#: A module's imports, as our scripts write them.
_IMPORT = re.compile(r'''^(?:import|export)\b(?:[^"';]*\bfrom)?\s*"(\.[^"]+)"''', re.MULTILINE)


@cache
def imported(script: str) -> tuple[str, ...]:
    """Return the names of all modules that a script imports, itself or through others, the nearest first.

    `js/map/zone_main.js` → `("js/dom.js", "js/words.js", …)`.
    """
    names = [script]
    for name in names:  # which grows meanwhile
        path = finders.find(name)
        if path is None:
            raise ImproperlyConfigured(f"{script} imports {name}, which is not among the static files.")
        for target in _IMPORT.findall(Path(path).read_text(encoding="utf-8")):
            module = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
            if module not in names:
                names.append(module)
    return tuple(names[1:])


class LeafletFinder(BaseFinder):
    """Find Leaflet's own files, as `leaflet/…`, and nothing else of the package that carries them.

    `django-leaflet` is used as a carrier only: its widgets and templates are not installed.
    """

    prefix = "leaflet"
    wanted = ("leaflet.js", "leaflet.js.map", "leaflet.css", "images")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        spec = find_spec("leaflet")
        if spec is None or spec.origin is None:
            raise ImproperlyConfigured("The package django-leaflet is missing; install requirements.txt.")
        self.storage = FileSystemStorage(location=Path(spec.origin).parent / "static" / "leaflet")
        self.storage.prefix = self.prefix  # type: ignore[attr-defined]  # collectstatic reads it

    def check(self, **kwargs: Any) -> list[Any]:
        return []

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> Any:
        first, _, rest = path.partition("/")
        found = first == self.prefix and rest.split("/")[0] in self.wanted and self.storage.exists(rest)
        if not found:
            return []
        return [self.storage.path(rest)] if find_all else self.storage.path(rest)

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterable[Any]:
        for name in self.wanted:
            if name == "images":
                yield from ((f"images/{image}", self.storage) for image in self.storage.listdir("images")[1])
            else:
                yield name, self.storage
