"""Reading, updating and looking up creatures as their tables outgrow the database's memory."""

from __future__ import annotations

import os
import shutil
import statistics
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from bench import memcached, memory_limit, proxy, scaling_clients
from bench import scaling_creatures as creatures
from bench.memory_limit import Limit
from bench.merging import database
from bench.results import Result
from bench.scaling_clients import BY_NAME, DATABASE, FLOOR, PUBLISHED, READ, UPDATE, Clients, Places, Task
from bench.servers import Site
from deploy.steps import postgres
from deploy.steps.progress import Failure, say, step

LOCALE = "deDE"
#: Sizes at which is measured, of all rows; the database's memory, and the caches', of all data.
STEPS = (0.2, 0.4, 0.6, 0.8, 1.0)
MEMORY_SHARE = 0.25
#: A database can't do with less than this, whatever its data.
LEAST_MEMORY_BYTES = 128_000_000
CACHES = {"cache of 1/4": 0.25, "cache of 1/2": 0.5, "cache of all": 1.0}
ALL_CACHED = "cache of all"
#: What is measured; updates last, because they write.
SERIES = (
    *((FLOOR, DATABASE), (READ, DATABASE), *((READ, cache) for cache in CACHES), (READ, PUBLISHED)),
    *((BY_NAME, DATABASE), *((BY_NAME, cache) for cache in CACHES)),
    *((UPDATE, DATABASE), (UPDATE, ALL_CACHED), (UPDATE, PUBLISHED)),
)
POSTGRES = """\
shared_buffers = 64MB
max_wal_size = 8GB
checkpoint_timeout = 1h
autovacuum = off
"""
_NGINX = """
    keepalive_requests 100000000;
    server {{
        listen unix:{socket};
        location = /creatures {{ alias {document}; }}
    }}
"""
#: Creatures that are written at once to caches and documents.
_CHUNK = 20_000


@dataclass
class Seen:
    """What a series gave at one size: creatures per second of each run, and the share of cache hits."""

    rates: list[float]
    hit_shares: list[float]

    @property
    def median(self) -> float:
        return statistics.median(self.rates)


class Growing:
    """Tables, caches and documents that grow together, and the clients that ask for them."""

    def __init__(self, site: Site, result: Result, rows: int, runs: int, seconds: float) -> None:
        self.site, self.result = site, result
        self.rows, self.runs, self.seconds = rows, runs, seconds
        self.there = 0
        self.memory_bytes = 0
        self.sizes: list[int] = []
        self.seen: dict[tuple[str, str, int], Seen] = {}
        self.in_memory = 0.0
        self._connection = site.connect(database(LOCALE))
        self._seed = 0

    def load(self, rows: int) -> None:
        """Let the tables grow to so many creatures."""
        with step(f"Loading creatures {self.there + 1:,} to {rows:,}"):
            if not self.there:
                # The index for texts that are merely alike is no part of this, and would take longest to make.
                self._connection.execute("DROP INDEX creature_search")
            wanted = {"first": self.there + 1, "last": rows, "words": creatures.FIRST_WORDS}
            wanted["count"] = len(creatures.FIRST_WORDS)
            self._connection.execute(creatures.INSERT_CREATURES, wanted)
            self._connection.execute(creatures.INSERT_NAMES, wanted)
            self._connection.execute("VACUUM (ANALYZE) creature, creature_name")
            self._connection.execute("CHECKPOINT")
        self.there = rows

    def measure(self) -> None:
        """Grow step by step, and measure all series at each size."""
        with self._surroundings() as (places, servers, readers), scaling_clients.running(places) as clients:
            warm_up = min(self.seconds, 0.5)
            for share in STEPS:
                servers.free()
                readers.free()
                self._grow(places, int(self.rows * share))
                servers.set(self.memory_bytes)
                readers.set(self.memory_bytes)
                _read_through(places.document, readers)
                with step(f"{self.there:,} creatures"):
                    self._run(clients, warm_up)
            self._lift(clients, servers)

    @contextmanager
    def _surroundings(self) -> Iterator[tuple[Places, Limit, Limit]]:
        """Limit the database, and run the caches and nginx."""
        why = memory_limit.why_not()
        if why:
            self.result.notes.append(
                f"The kernel's cache of files could not be limited here: {why}. Only PostgreSQL's own memory "
                "(shared_buffers, 64 MB) was outgrown; what is read beyond it comes from the kernel's cache."
            )
        with tempfile.TemporaryDirectory(prefix="mobmap-bench-") as name, ExitStack() as stack:
            sockets = Path(name)
            servers = stack.enter_context(memory_limit.limit("database"))
            readers = stack.enter_context(memory_limit.limit("nginx"))
            server = psutil.Process(int((self.site.folders.cluster / "postmaster.pid").read_text().split()[0]))
            servers.take([server, *server.children(recursive=True)])
            folder = self.site.folders.var / "scaling"
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            folder.mkdir(exist_ok=True)
            document = folder / "creatures"
            document.write_bytes(b"")
            web = sockets / "web"
            block = _NGINX.format(socket=web, document=document)
            nginx = stack.enter_context(proxy.serving(folder / "nginx", block, web.exists))
            readers.take([nginx, *nginx.children(recursive=True)])
            self._check_memory()
            caches = {
                cache: stack.enter_context(
                    memcached.running(sockets / f"cache-{share}", int(share * self.rows * self._entries_bytes()))
                )
                for cache, share in CACHES.items()
            }
            conninfo = f"host={self.site.folders.sockets} user={postgres.SUPERUSER} dbname={database(LOCALE)}"
            yield Places(conninfo, caches, web, document), servers, readers

    def _check_memory(self) -> None:
        needs = int(sum(CACHES.values()) * self.rows * self._entries_bytes() * 1.3) + 1_000_000_000
        if psutil.virtual_memory().available < needs:
            raise Failure(
                f"The caches need {needs / 1e9:.1f} GB of memory, and "
                f"{psutil.virtual_memory().available / 1e9:.1f} GB are free. Choose fewer rows (--rows)."
            )

    def _entries_bytes(self) -> float:
        """Return what a cache needs for a creature and its name, with the room that it leaves unused."""
        name = creatures.name_of(self.rows)
        values = len(creatures.document(self.rows, 40)) + len(name) + 3 * len(str(self.rows)) + 4
        return 1.15 * (values + 2 * memcached.ENTRY_BYTES)

    def _grow(self, places: Places, rows: int) -> None:
        before = self.there if self.sizes else 0
        if rows > self.there:
            self.load(rows)
        with step("Filling caches and documents"):
            for first in range(before + 1, rows + 1, _CHUNK):
                self._fill(places, first, min(first + _CHUNK - 1, rows))
            with places.document.open("rb") as file:
                os.fsync(file.fileno())
        self.sizes.append(rows)
        for cache, path in places.caches.items():
            self.result.add(f"entries in the {cache} at {rows:,} creatures", "", [memcached.count(path)])
        size_bytes = self.site.one(
            "SELECT pg_total_relation_size('creature') + pg_total_relation_size('creature_name')", database(LOCALE)
        )
        self.result.add(f"tables with their indexes at {rows:,} creatures", "MB", [size_bytes / 1e6])
        self.result.add(f"published records at {rows:,} creatures", "MB", [places.document.stat().st_size / 1e6])
        if not self.memory_bytes:
            self.memory_bytes = max(LEAST_MEMORY_BYTES, int(size_bytes / rows * self.rows * MEMORY_SHARE))
            self.result.add("memory for the database, and as much for nginx", "MB", [self.memory_bytes / 1e6])

    def _fill(self, places: Places, first: int, last: int) -> None:
        """Write some creatures into the documents, and into caches as long as they have room."""
        numbers = range(first, last + 1)
        counts = [creatures.first_uploads(number) for number in numbers]
        with places.document.open("ab") as file:
            file.write(b"".join(map(creatures.record, numbers, counts)))
        commands = b"".join(
            memcached.entry(b"m%d" % number, creatures.document(number, count))
            + memcached.entry(b"n" + creatures.name_of(number).replace(" ", "_").encode("ascii"), b"%d" % number)
            for number, count in zip(numbers, counts, strict=True)
        )
        filling = [
            threading.Thread(target=memcached.fill, args=[path, [commands]])
            for cache, path in places.caches.items()
            if last <= CACHES[cache] * self.rows * 1.02
        ]
        for thread in filling:
            thread.start()
        for thread in filling:
            thread.join()

    def _run(self, clients: Clients, warm_up: float) -> None:
        """Measure reading in turns, so that all see the same machine, then updating."""
        writing = [each for each in SERIES if each[0] == UPDATE]
        for group in ([each for each in SERIES if each not in writing], writing):
            for operation, source in group:
                self._task(clients, operation, source, warm_up)
            for _ in range(self.runs):
                for operation, source in group:
                    rate, hits = self._task(clients, operation, source, self.seconds)
                    seen = self.seen.setdefault((operation, source, self.there), Seen([], []))
                    seen.rates.append(rate)
                    seen.hit_shares.append(hits)
        for operation, source in SERIES:
            seen = self.seen[operation, source, self.there]
            say(f"  {operation}, {source}: {seen.median:,.0f}/s")

    def _task(self, clients: Clients, operation: str, source: str, seconds: float) -> tuple[float, float]:
        """Return creatures per second and the share of them that a cache answered."""
        self._seed += 1
        told = clients.run(Task(operation, source, self.there, seconds, self._seed))
        self.result.faults += [f"{operation}, {source}, {self.there:,}: {wrong}." for wrong in told.wrong]
        return told.done / told.seconds, told.hits / max(told.done, 1)

    def _lift(self, clients: Clients, servers: Limit) -> None:
        """Measure reading once more with as much memory for the database as it wants."""
        servers.free()
        with step("The same with all data in the database's memory"):
            self._connection.execute("CREATE EXTENSION IF NOT EXISTS pg_prewarm")
            for relation in ("creature", "creature_pkey", "creature_name", "creature_name_pkey"):
                self._connection.execute("SELECT pg_prewarm(%s::regclass, 'read')", [relation])
            rates = [self._task(clients, READ, DATABASE, self.seconds)[0] for _ in range(self.runs)]
        self.in_memory = self.result.add(
            f"{READ}, PostgreSQL, {self.there:,} creatures, memory without limit", "1/s", rates
        ).median


def _read_through(file: Path, readers: Limit) -> None:
    """Have the kernel forget a file and read it again on behalf of those whose memory is limited."""
    number = os.open(file, os.O_RDONLY)
    try:
        os.posix_fadvise(number, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(number)
    # The shell waits until it is within the group: what it starts reads at the group's expense.
    process = subprocess.Popen(
        ["/bin/sh", "-c", 'read -r go && exec cat "$0" > /dev/null', file], stdin=subprocess.PIPE
    )
    readers.take([psutil.Process(process.pid)])
    process.communicate(b"go\n")
    if process.returncode:
        raise Failure(f"Reading {file} failed; the reason is above.")
