"""What ingest is measured against, on the same machine in the same run: xmllint and osm2pgsql."""

from __future__ import annotations

import re
import subprocess
import time
from pathlib import Path

from bench.corpus import Corpus
from bench.servers import Site
from deploy.steps import postgres
from deploy.steps.progress import Failure, run, say

_DATABASE = "bench_osm"
#: A creature with its zones as simulated uploads write them: elements and attributes in one order.
_MOB = re.compile(rb'<Mob name="[^"]*" blizzid="(\d+)"[^>]*>(.*?)</Mob>', re.DOTALL)
_ZONE = re.compile(rb"<Zone [^>]*>([^<]*)</Zone>")
#: One column and no lines or areas to build.
_STYLE = "node,way mob text linear\n"


def xmllint(uploads: Corpus) -> float:
    """Return the seconds that `xmllint --stream` takes for all files on one core."""
    names = b"\0".join(str(entry.path).encode() for entry in uploads.entries)
    began = time.monotonic()
    done = subprocess.run(
        ["taskset", "--cpu-list", "0", "xargs", "--null", "xmllint", "--stream", "--noout"], input=names, check=False
    )
    if done.returncode:
        raise Failure(f"xmllint failed (exit status {done.returncode}); the reason is above.")
    return time.monotonic() - began


def osm2pgsql(site: Site, uploads: Corpus, runs: int) -> tuple[int, list[float]]:
    """Load the uploads' coordinates with osm2pgsql; return the number of nodes and the seconds of each run."""
    path = uploads.folder / f"nodes-{len(uploads.entries)}.osm"
    count = path.with_suffix(".count")
    if not count.exists():
        say("  writing the coordinates as OSM XML")
        count.write_text(str(_write_nodes(uploads, path)))
    nodes = int(count.read_text())
    style = uploads.folder / "points.style"
    style.write_text(_STYLE)
    seconds = []
    for _ in range(runs):
        postgres.psql(site.place, "postgres", sql=f'DROP DATABASE IF EXISTS "{_DATABASE}"')
        postgres.psql(site.place, "postgres", sql=f'CREATE DATABASE "{_DATABASE}"')
        postgres.psql(site.place, _DATABASE, sql="CREATE EXTENSION postgis")
        began = time.monotonic()
        run(
            [
                *("osm2pgsql", "--create", "--latlong", "--style", style, "--number-processes", "2"),
                *("--host", site.place.sockets, "--username", postgres.SUPERUSER, "--database", _DATABASE, path),
            ],
            doing="Loading the coordinates with osm2pgsql",
        )
        seconds.append(time.monotonic() - began)
        loaded = int(postgres.psql(site.place, _DATABASE, sql="SELECT count(*) FROM planet_osm_point"))
        if loaded != nodes:
            raise Failure(f"osm2pgsql has loaded {loaded:,} points of {nodes:,}; its speed would mean nothing.")
    postgres.psql(site.place, "postgres", sql=f'DROP DATABASE "{_DATABASE}"')
    return nodes, seconds


def _write_nodes(uploads: Corpus, path: Path) -> int:
    """Write each coordinate as a node with its creature; return how many."""
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
    """Return a percentage as a latitude: 0 to 80, because Mercator ends before 90."""
    return b"%.2f" % (float(percent) * 0.8)
