"""The floors of `bench/run ingest`, measured in the same run on the same machine: xmllint and osm2pgsql."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

from bench.corpus import Corpus
from bench.servers import Site
from deploy.steps import postgres
from deploy.steps.progress import Failure, run, step

_DATABASE = "bench_osm"
#: A creature with its zones, as in simulated uploads: elements and attributes always in the same order.
_MOB = re.compile(rb'<Mob name="[^"]*" blizzid="(\d+)"[^>]*>(.*?)</Mob>', re.DOTALL)
_ZONE = re.compile(rb"<Zone [^>]*>([^<]*)</Zone>")
#: One column and no lines or areas to build.
_STYLE = "node,way mob text linear\n"


def xmllint(uploads: Corpus) -> float:
    """Return the seconds that `xmllint --stream` needs for all files on one core."""
    names = b"\0".join(str(entry.path).encode() for entry in uploads.entries)
    began = time.monotonic()
    done = subprocess.run(
        ["taskset", "--cpu-list", "0", "xargs", "--null", "xmllint", "--stream", "--noout"], input=names, check=False
    )
    if done.returncode:
        raise Failure(f"xmllint failed (exit status {done.returncode}); the reason is above.")
    return time.monotonic() - began


class Nodes:
    """The uploads' coordinates as OSM XML, for osm2pgsql to load."""

    def __init__(self, site: Site, uploads: Corpus) -> None:
        """Write the file, unless an earlier run has."""
        self._site = site
        self._path = uploads.folder / f"nodes-{len(uploads.entries)}.osm"
        self._style = uploads.folder / "points.style"
        self._style.write_text(_STYLE)
        count = self._path.with_suffix(".count")
        if not count.exists():
            with step("Writing the coordinates as OSM XML"):
                count.write_text(str(_write_nodes(uploads, self._path)))
        self.count = int(count.read_text())

    def load(self) -> float:
        """Load the nodes into an empty database; return the seconds it took."""
        place = self._site.folders
        postgres.psql(place, "postgres", sql=f'DROP DATABASE IF EXISTS "{_DATABASE}"')
        postgres.psql(place, "postgres", sql=f'CREATE DATABASE "{_DATABASE}"')
        postgres.psql(place, _DATABASE, sql="CREATE EXTENSION postgis")
        began = time.monotonic()
        run(
            [
                *("osm2pgsql", "--create", "--latlong", "--style", self._style, "--number-processes", "2"),
                *("--host", place.sockets, "--username", postgres.SUPERUSER, "--database", _DATABASE, self._path),
            ],
            doing="Loading the coordinates with osm2pgsql",
        )
        seconds = time.monotonic() - began
        loaded = int(postgres.psql(place, _DATABASE, sql="SELECT count(*) FROM planet_osm_point"))
        if loaded != self.count:
            raise Failure(f"osm2pgsql loaded {loaded:,} of {self.count:,} points; its speed cannot be compared.")
        postgres.psql(place, "postgres", sql=f'DROP DATABASE "{_DATABASE}"')
        return seconds


def _write_nodes(uploads: Corpus, path: Path) -> int:
    """Write each coordinate as a node with its creature; return their number."""
    number = 0
    with path.open("wb") as file:
        file.write(b'<?xml version="1.0" encoding="UTF-8"?>\n<osm version="0.6">\n')
        for entry in uploads.entries:
            lines = []
            for creature, zones in _MOB.findall(entry.path.read_bytes()):
                for zone in _ZONE.findall(zones):
                    for pair in zone.split(b","):
                        if not pair or pair == b"-1/-1":
                            continue
                        number += 1
                        x, y = pair.split(b"/")
                        lines.append(
                            b'<node id="%d" version="1" lat="%s" lon="%s"><tag k="mob" v="%s"/></node>\n'
                            % (number, _degrees(y), x, creature)
                        )
            file.write(b"".join(lines))
        file.write(b"</osm>\n")
    return number


def _degrees(percent: bytes) -> bytes:
    """Return a percentage as a latitude, 0 to 80: Mercator ends before 90."""
    return b"%.2f" % (float(percent) * 0.8)
