"""Static files: modules joined, hashed names for caching without limit, and Leaflet out of its Python package."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterable, Iterator, Mapping
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

#: Folder of our own scripts among the static files.
SCRIPTS = "js/"
#: Collected file that says which script imports which: `{"js/site.js": ["js/shared/4QZ7.js"], …}`. Under its hashed
#: name it never changes, so a process reads the imports of those very files that its manifest names.
IMPORTS = f"{SCRIPTS}imports.json"

#: For each script, those that it imports itself, in the order of its import statements.
Graph = Mapping[str, list[str]]


class StaticFilesStorage(CompressedManifestStaticFilesStorage):
    """Join our modules to few files, hash names, also in the imports between these, and compress; all at collection.

    A page whose script has thirty modules would ask for thirty files, which takes a phone and a small server longer
    than all that is in them.
    """

    support_js_module_import_aggregation = True

    def post_process(self, paths: dict[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        """Turn the collected files (name → storage and name in it) into the served ones."""
        if not dry_run:
            paths = self._join(paths)
        # By its keyword: the storages beneath look for it there alone, and would write an empty manifest.
        yield from super().post_process(paths, dry_run=dry_run, **options)

    def _join(self, paths: dict[str, Any]) -> dict[str, Any]:
        """Replace modules by the files they are joined to; return all files as they are then."""
        sources = {name: Path(found.path(at)) for name, (found, at) in paths.items() if _is_script(name)}
        parts, joined = _joined(sources)
        for name in (*parts, *joined):
            self.delete(name)
        for name, content in joined.items():
            self.save(name, ContentFile(content))
        return {name: found for name, found in paths.items() if name not in parts} | {
            name: (self, name) for name in joined
        }


def _is_script(name: str) -> bool:
    return name.startswith(SCRIPTS) and name.endswith(".js")


def _joined(sources: dict[str, Path]) -> tuple[set[str], dict[str, bytes]]:
    """Join each page's script with all that it imports, and put what several pages share into files of its own.

    Return the names of the modules that have become part of others, and name → content of the new files. esbuild works
    on copies: its file names and source maps hold paths, which must be the same wherever the sources lie.
    """
    with TemporaryDirectory() as created:
        folder = Path(created)
        for name, path in sources.items():
            copy = folder / "in" / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
        written = _graph(_esbuild(folder, (f"in/{name}" for name in sources))["inputs"])
        parts = {module for imports in written.values() for module in imports}
        entries = (f"in/{name}" for name, imports in written.items() if imports and name not in parts)
        options = ["--minify", "--sourcemap", "--charset=utf8", "--target=es2022", "--outbase=in"]
        served = _graph(_esbuild(folder, entries, *options, f"--chunk-names={SCRIPTS}shared/[hash]")["outputs"])
        files = {name: (folder / "out" / name).read_bytes() for name in sorted(served)}
    return parts, files | {IMPORTS: json.dumps(served, sort_keys=True).encode()}


def _esbuild(folder: Path, paths: Iterable[str], *options: str, out: str = "out") -> dict[str, Any]:
    """Bundle scripts of a folder into `out`; return the metafile (https://esbuild.github.io/api/#metafile)."""
    with TemporaryDirectory() as created:
        metafile = Path(created, "meta.json")
        command = ["esbuild", "--bundle", "--splitting", "--format=esm", "--log-level=error", *options]
        command += [f"--outdir={out}", f"--metafile={metafile}", *paths]
        try:
            subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)  # noqa: S603
        except FileNotFoundError:
            message = "esbuild, which joins the scripts, is missing: `apt-get install esbuild`."
            raise ImproperlyConfigured(message) from None
        except subprocess.CalledProcessError as error:
            raise ImproperlyConfigured(f"esbuild could not join the scripts:\n{error.stderr}") from None
        found: dict[str, Any] = json.loads(metafile.read_bytes())
        return found


def _graph(files: dict[str, Any]) -> Graph:
    """Return the imports of each of a metafile's inputs or outputs, without the first folder of their paths.

    `{"in/js/a.js": {"imports": [{"path": "in/js/b.js", …}], …}}` → `{"js/a.js": ["js/b.js"]}`
    """
    return {_name(path): list({_name(each["path"]): None for each in file["imports"]}) for path, file in files.items()}


def _name(path: str) -> str:
    return path.partition("/")[2]


def imported(script: str) -> tuple[str, ...]:
    """Return the URLs of all modules that a script imports, itself or through others, the nearest first.

    `js/map/zone_main.js` → `("/static/js/shared/4QZ7.a1b2c3.js", …)`, or, while debugging, as they are written.
    """
    if settings.DEBUG or not isinstance(staticfiles_storage, StaticFilesStorage):
        return tuple(staticfiles_storage.url(name) for name in _reached(script, _source_graph(script)))
    names = _reached(script, _collected_graph(staticfiles_storage.path(staticfiles_storage.stored_name(IMPORTS))))
    staticfiles_storage.stored_name(script)  # raises ValueError where there is no such script
    return tuple(staticfiles_storage.url(name) for name in names)


def _reached(script: str, graph: Graph) -> list[str]:
    names = [script]
    for name in names:  # which grows meanwhile
        names += [module for module in graph.get(name, ()) if module not in names]
    return names[1:]


@cache
def _collected_graph(path: str) -> Graph:
    found: Graph = json.loads(Path(path).read_bytes())
    return found


#: Graphs of scripts as they are written, each with the time of the last change of every file in it (nanoseconds).
_source_graphs: dict[str, tuple[dict[Path, int], Graph]] = {}


def _source_graph(script: str) -> Graph:
    """Return the imports of a script as it is written, made again when a file in it has changed."""
    path = finders.find(script)
    if path is None:
        raise ImproperlyConfigured(f"A page needs {script}, which is not among the static files.")
    changed, graph = _source_graphs.get(script, ({}, {}))
    if not changed or any(_changed_at(file) != time for file, time in changed.items()):
        root = Path(path.removesuffix(script))
        with TemporaryDirectory() as out:
            graph = _graph(_esbuild(root.parent, [f"{root.name}/{script}"], out=out)["inputs"])
        changed = {root / name: _changed_at(root / name) for name in graph}
        _source_graphs[script] = changed, graph
    return graph


def _changed_at(path: Path) -> int:
    return path.stat().st_mtime_ns if path.exists() else 0


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
