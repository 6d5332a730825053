"""Static files: modules joined, hashed names for caching without limit, and Leaflet out of its Python package."""

from __future__ import annotations

import posixpath
import re
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.finders import BaseFinder
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.exceptions import ImproperlyConfigured
from django.core.files.storage import FileSystemStorage
from whitenoise.storage import CompressedManifestStaticFilesStorage

#: Where our own scripts lie among the static files.
SCRIPTS = "js/"
#: A module's imports, as our scripts and the ones made of them write them.
_IMPORT = re.compile(r"""(?<![\w.])(?:import|export)\b(?:[^"';]*\bfrom)?\s*"(\.[^"]+)\"""")


class StaticFilesStorage(CompressedManifestStaticFilesStorage):
    """Join our modules to few files, hash names, also in the imports between these, and compress; all at collection.

    A page whose script has thirty modules would ask for thirty files, which takes a phone and a small server longer
    than all that is in them.
    """

    support_js_module_import_aggregation = True

    def post_process(self, paths: dict[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        """Take the collected files (name → storage and name there) on to what is served."""
        if not dry_run:
            paths = self._join(paths)
        yield from super().post_process(paths, dry_run, **options)

    def _join(self, paths: dict[str, Any]) -> dict[str, Any]:
        """Put the joined modules into the place of their parts; return the files as they are then."""
        sources = {name: Path(found.path(at)) for name, (found, at) in paths.items() if _is_script(name)}
        imports = {name: _imports(name, path) for name, path in sources.items()}
        parts = {target for targets in imports.values() for target in targets}
        entries = [name for name, targets in imports.items() if targets and name not in parts]
        with TemporaryDirectory() as made:
            _esbuild({name: sources[name] for name in entries}, Path(made))
            for name in parts:
                self.delete(name)
            kept = {name: found for name, found in paths.items() if name not in parts}
            for path in sorted(Path(made).rglob("*.*")):
                name = path.relative_to(made).as_posix()
                target = Path(self.path(name))
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(path.read_bytes())
                kept[name] = (self, name)
        return kept


def _is_script(name: str) -> bool:
    return name.startswith(SCRIPTS) and name.endswith(".js")


def _esbuild(entries: dict[str, Path], out: Path) -> None:
    """Join modules and all that they import to one file each, and one for each part that several share."""
    roots = {path.parents[name.count("/")] for name, path in entries.items()}
    if not roots:
        return
    command = ["esbuild", "--bundle", "--splitting", "--format=esm", "--minify", "--sourcemap", "--charset=utf8"]
    command += ["--target=es2022", "--log-level=warning", f"--chunk-names={SCRIPTS}shared/[hash]"]
    command += [f"--outbase={roots.pop()}", f"--outdir={out}"]
    try:
        subprocess.run([*command, *entries.values()], check=True, capture_output=True, text=True)  # noqa: S603
    except FileNotFoundError:
        raise ImproperlyConfigured("esbuild, which joins the scripts, is missing: `apt-get install esbuild`.") from None
    except subprocess.CalledProcessError as error:
        raise ImproperlyConfigured(f"esbuild could not join the scripts:\n{error.stderr}") from None


def imported(script: str) -> tuple[str, ...]:
    """Return the names of all modules that a script imports, itself or through others, the nearest first.

    `js/map/zone_main.js` → `("js/shared/4QZ7.js", …)` as collected; `("js/dom.js", …)` where they are served as found.
    """
    joined = isinstance(staticfiles_storage, StaticFilesStorage) and not settings.DEBUG
    return _imported(script, Path(staticfiles_storage.path("")) if joined else None)


@cache
def _imported(script: str, collected: Path | None) -> tuple[str, ...]:
    names = [script]
    for name in names:  # which grows meanwhile
        path = collected / name if collected else finders.find(name)
        if path is None or not Path(path).is_file():
            raise ImproperlyConfigured(f"{script} imports {name}, which is not among the static files.")
        names += [module for module in _imports(name, Path(path)) if module not in names]
    return tuple(names[1:])


def _imports(name: str, path: Path) -> list[str]:
    """Return the names of the modules that a module at `path` imports itself, each once."""
    targets = _IMPORT.findall(path.read_text(encoding="utf-8"))
    return list(dict.fromkeys(posixpath.normpath(posixpath.join(posixpath.dirname(name), each)) for each in targets))


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
