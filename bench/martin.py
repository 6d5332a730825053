"""Run Martin, the Rust tile server for PostGIS, on the same spawn points, to compare reading with it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import quote

from bench.servers import Site
from deploy.steps import postgres
from deploy.steps.ports import LOOPBACK, is_free
from deploy.steps.progress import wait_until

MISSING = (
    "Martin is not installed, so there is no comparison with it: `cargo install martin --no-default-features "
    "--features postgres`, with `martin` on the PATH."
)
#: A zone's spawn points as a vector tile, with the properties that the map shows. The zone is a query parameter,
#: because each zone has a map of its own; tiles divide the map's square of 100 by 100 percent.
_TILE = """
CREATE OR REPLACE FUNCTION public.zone_tile(z integer, x integer, y integer, query json) RETURNS bytea
LANGUAGE sql STABLE STRICT PARALLEL SAFE AS $$
    WITH tile AS (
        SELECT ST_MakeEnvelope(100 * x / 2.0 ^ z, 100 * y / 2.0 ^ z, 100 * (x + 1) / 2.0 ^ z, 100 * (y + 1) / 2.0 ^ z)
            AS square
    )
    SELECT ST_AsMVT(dots, 'spawns')
    FROM (
        SELECT ST_AsMVTGeom(s.point, tile.square) AS point, s.mob, s.floor, s.radius, s.sightings, s.uploaders,
            s.confirmed
        FROM spawn s, tile
        WHERE s.zone = (query ->> 'zone')::integer AND s.point && tile.square
    ) dots
$$
"""


def is_installed() -> bool:
    """Say whether Martin is installed."""
    return shutil.which("martin") is not None


def address(zone: int) -> str:
    """Return the path of the tile with all spawn points of a zone."""
    return f"/zone_tile/0/0/0?zone={zone}"


@contextmanager
def running(site: Site, database: str, *, port: int, cache_mb: int) -> Iterator[None]:
    """Run Martin on a locale's database until the block ends; with a cache of 0 MB it computes each tile."""
    with site.connect(database) as connection:
        connection.execute(_TILE)
    log = site.folders.logs / f"martin-{cache_mb}.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [
                *("martin", "--listen-addresses", f"{LOOPBACK}:{port}", "--cache-size", str(cache_mb)),
                *("--auto-bounds", "skip", "--workers", "2"),
                f"postgres://{postgres.SUPERUSER}@{quote(str(site.folders.sockets), safe='')}/{database}",
            ],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    try:
        wait_until(
            lambda: process.poll() is not None or not is_free(port),
            seconds=30,
            doing="Starting Martin",
            advice=f"See {log}.",
            every=0.05,
        )
        if process.poll() is not None:
            raise RuntimeError(f"Martin did not start: {log.read_text()}")
        yield
    finally:
        process.terminate()
        process.wait()
