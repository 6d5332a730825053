"""Static files: modules joined, hashed names for caching without limit, and Leaflet out of its Python package."""

from __future__ import annotations

import posixpath
import re
import subprocess
from collections.abc import Callable, Iterable, Iterator
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
from django.core.files.base import ContentFile
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
        # By its keyword: the storages beneath look for it there alone, and would write an empty manifest.
        yield from super().post_process(paths, dry_run=dry_run, **options)

    def _join(self, paths: dict[str, Any]) -> dict[str, Any]:
        """Put the joined modules into the place of their parts; return the files as they are then."""
        sources = {name: Path(found.path(at)) for name, (found, at) in paths.items() if _is_script(name)}
        imports = {name: _imports(name, path) for name, path in sources.items()}
        parts = {target for targets in imports.values() for target in targets}
        entries = [name for name, targets in imports.items() if targets and name not in parts]
        with TemporaryDirectory() as folder:
            joined = _esbuild(sources, entries, Path(folder))
            for name in (*parts, *joined):
                self.delete(name)
            for name, content in joined.items():
                self.save(name, ContentFile(content))
        return {name: found for name, found in paths.items() if name not in parts} | {
            name: (self, name) for name in joined
        }


def _is_script(name: str) -> bool:
    return name.startswith(SCRIPTS) and name.endswith(".js")


def _esbuild(sources: dict[str, Path], entries: list[str], folder: Path) -> dict[str, bytes]:
    """Join each entry and all that it imports to one file, and what several share to others; return name → content.

    In copies within `folder`: esbuild's names and source maps tell where the sources lay, and neither may depend on it.
    """
    for name, path in sources.items():
        copy = folder / "in" / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    command = ["esbuild", "--bundle", "--splitting", "--format=esm", "--minify", "--sourcemap", "--charset=utf8"]
    command += ["--target=es2022", "--log-level=warning", f"--chunk-names={SCRIPTS}shared/[hash]"]
    command += ["--outbase=in", "--outdir=out", *(f"in/{name}" for name in entries)]
    try:
        subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)  # noqa: S603
    except FileNotFoundError:
        raise ImproperlyConfigured("esbuild, which joins the scripts, is missing: `apt-get install esbuild`.") from None
    except subprocess.CalledProcessError as error:
        raise ImproperlyConfigured(f"esbuild could not join the scripts:\n{error.stderr}") from None
    out = folder / "out"
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in sorted(out.rglob("*.*"))}


def imported(script: str) -> tuple[str, ...]:
    """Return the addresses of all modules that a script imports, itself or through others, the nearest first.

    `js/map/zone_main.js` → `("/static/js/shared/4QZ7.a1b2c3.js", …)`, or, while debugging, as they are written.
    """
    if settings.DEBUG or not isinstance(staticfiles_storage, StaticFilesStorage):
        return tuple(staticfiles_storage.url(name) for name in _reached(script, _found))
    # What is served never changes under its name, so that no process takes an old page's script with new modules.
    names = _reached_as_served(staticfiles_storage.stored_name(script), Path(staticfiles_storage.path("")))
    return tuple(f"{staticfiles_storage.base_url}{name}" for name in names)


@cache
def _reached_as_served(script: str, root: Path) -> tuple[str, ...]:
    return _reached(script, root.joinpath)


def _reached(script: str, place: Callable[[str], Path]) -> tuple[str, ...]:
    names = [script]
    for name in names:  # which grows meanwhile
        names += [module for module in _imports(name, place(name)) if module not in names]
    return tuple(names[1:])


def _found(name: str) -> Path:
    path = finders.find(name)
    if path is None:
        raise ImproperlyConfigured(f"A page or a script needs {name}, which is not among the static files.")
    return Path(path)


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
