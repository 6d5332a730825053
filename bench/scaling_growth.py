"""Reading, updating and looking up creatures while their tables grow larger than the database's memory."""

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
from bench.scaling_clients import BY_NAME, DATABASE, FLOOR, PUBLISHED, READ, UPDATE, Addresses, Clients, Task
from bench.servers import Site
from deploy.steps import postgres
from deploy.steps.progress import Failure, say, step

LOCALE = "deDE"
#: Measured sizes as shares of all rows; memory of the database and of the caches as shares of all data.
STEPS = (0.2, 0.4, 0.6, 0.8, 1.0)
MEMORY_SHARE = 0.25
#: PostgreSQL does not run with less.
LEAST_MEMORY_BYTES = 128_000_000
CACHES = {"cache of 1/4": 0.25, "cache of 1/2": 0.5, "cache of all": 1.0}
ALL_CACHED = "cache of all"
#: All series; updates last, because they write.
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
        location = /creatures {{ alias {records}; }}
    }}
"""
#: Creatures written at once to caches and records.
_CHUNK = 20_000


@dataclass
class Seen:
    """Figures of a series at one size: creatures per second of each run, and the share of cache hits."""

    rates: list[float]
    hit_shares: list[float]

    @property
    def median(self) -> float:
        return statistics.median(self.rates)


class Growing:
    """Tables, caches and published records that grow together, and the clients that read them."""

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
        """Insert creatures until there are `rows`."""
        with step(f"Loading creatures {self.there + 1:,} to {rows:,}"):
            if not self.there:
                # The index for similar texts is not measured here, and takes longest to build.
                self._connection.execute("DROP INDEX creature_search")
            wanted = {"first": self.there + 1, "last": rows, "words": creatures.FIRST_WORDS}
            wanted["count"] = len(creatures.FIRST_WORDS)
            self._connection.execute(creatures.INSERT_CREATURES, wanted)
            self._connection.execute(creatures.INSERT_NAMES, wanted)
            self._connection.execute("VACUUM (ANALYZE) creature, creature_name")
            self._connection.execute("CHECKPOINT")
        self.there = rows

    def measure(self) -> None:
        """Grow step by step and measure all series at each size."""
        with self._environment() as (addresses, servers, readers), scaling_clients.running(addresses) as clients:
            warm_up = min(self.seconds, 0.5)
            for share in STEPS:
                servers.release()
                readers.release()
                self._grow(addresses, int(self.rows * share))
                servers.set(self.memory_bytes)
                readers.set(self.memory_bytes)
                _read_through(addresses.records, readers)
                with step(f"{self.there:,} creatures"):
                    self._run(clients, warm_up)
            self._measure_unlimited(clients, servers)

    @contextmanager
    def _environment(self) -> Iterator[tuple[Addresses, Limit, Limit]]:
        """Limit the database, and run the caches and nginx."""
        why = memory_limit.why_not()
        if why:
            self.result.notes.append(
                f"The page cache could not be limited here: {why}. The data exceed only PostgreSQL's own memory "
                "(shared_buffers, 64 MB); the rest is read from the page cache."
            )
        with tempfile.TemporaryDirectory(prefix="mobmap-bench-") as name, ExitStack() as stack:
            sockets = Path(name)
            servers = stack.enter_context(memory_limit.limit("database"))
            readers = stack.enter_context(memory_limit.limit("nginx"))
            server = psutil.Process(int((self.site.folders.cluster / "postmaster.pid").read_text().split()[0]))
            servers.add([server, *server.children(recursive=True)])
            folder = self.site.folders.var / "scaling"
            stack.callback(shutil.rmtree, folder, ignore_errors=True)
            folder.mkdir(exist_ok=True)
            records = folder / "creatures"
            records.write_bytes(b"")
            web = sockets / "web"
            block = _NGINX.format(socket=web, records=records)
            nginx = stack.enter_context(proxy.serving(folder / "nginx", block, web.exists))
            readers.add([nginx, *nginx.children(recursive=True)])
            self._check_memory()
            caches = {
                cache: stack.enter_context(
                    memcached.running(sockets / f"cache-{share}", int(share * self.rows * self._entries_bytes()))
                )
                for cache, share in CACHES.items()
            }
            conninfo = f"host={self.site.folders.sockets} user={postgres.SUPERUSER} dbname={database(LOCALE)}"
            yield Addresses(conninfo, caches, web, records), servers, readers

    def _check_memory(self) -> None:
        needs = int(sum(CACHES.values()) * self.rows * self._entries_bytes() * 1.3) + 1_000_000_000
        if psutil.virtual_memory().available < needs:
            raise Failure(
                f"The caches need {needs / 1e9:.1f} GB of memory, and "
                f"{psutil.virtual_memory().available / 1e9:.1f} GB are free. Choose fewer rows (--rows)."
            )

    def _entries_bytes(self) -> float:
        """Return the memory that a cache needs per creature and its name, with the part that it leaves unused."""
        name = creatures.name_of(self.rows)
        values = len(creatures.answer(self.rows, 40)) + len(name) + 3 * len(str(self.rows)) + 4
        return 1.15 * (values + 2 * memcached.ENTRY_BYTES)

    def _grow(self, addresses: Addresses, rows: int) -> None:
        before = self.there if self.sizes else 0
        if rows > self.there:
            self.load(rows)
        with step("Filling caches and published records"):
            for first in range(before + 1, rows + 1, _CHUNK):
                self._fill(addresses, first, min(first + _CHUNK - 1, rows))
            with addresses.records.open("rb") as file:
                os.fsync(file.fileno())
        self.sizes.append(rows)
        for cache, path in addresses.caches.items():
            self.result.add(f"entries in the {cache} at {rows:,} creatures", "", [memcached.count(path)])
        size_bytes = self.site.one(
            "SELECT pg_total_relation_size('creature') + pg_total_relation_size('creature_name')", database(LOCALE)
        )
        self.result.add(f"tables with their indexes at {rows:,} creatures", "MB", [size_bytes / 1e6])
        self.result.add(f"published records at {rows:,} creatures", "MB", [addresses.records.stat().st_size / 1e6])
        if not self.memory_bytes:
            self.memory_bytes = max(LEAST_MEMORY_BYTES, int(size_bytes / rows * self.rows * MEMORY_SHARE))
            self.result.add("memory for the database, and as much for nginx", "MB", [self.memory_bytes / 1e6])

    def _fill(self, addresses: Addresses, first: int, last: int) -> None:
        """Append creatures to the published records, and to those caches that have room."""
        numbers = range(first, last + 1)
        counts = [creatures.first_uploads(number) for number in numbers]
        with addresses.records.open("ab") as file:
            file.write(b"".join(map(creatures.record, numbers, counts)))
        commands = b"".join(
            memcached.entry(b"m%d" % number, creatures.answer(number, count))
            + memcached.entry(b"n" + creatures.name_of(number).replace(" ", "_").encode("ascii"), b"%d" % number)
            for number, count in zip(numbers, counts, strict=True)
        )
        filling = [
            threading.Thread(target=memcached.fill, args=[path, [commands]])
            for cache, path in addresses.caches.items()
            if last <= CACHES[cache] * self.rows * 1.02
        ]
        for thread in filling:
            thread.start()
        for thread in filling:
            thread.join()

    def _run(self, clients: Clients, warm_up: float) -> None:
        """Measure reading in turns, so that all series meet the same conditions, then updating."""
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
        """Return creatures per second and the share of cache hits."""
        self._seed += 1
        outcome = clients.run(Task(operation, source, self.there, seconds, self._seed))
        self.result.faults += [f"{operation}, {source}, {self.there:,}: {wrong}." for wrong in outcome.wrong]
        return outcome.done / outcome.seconds, outcome.hits / max(outcome.done, 1)

    def _measure_unlimited(self, clients: Clients, servers: Limit) -> None:
        """Measure reading again without a memory limit for the database."""
        servers.release()
        with step("The same with all data in the database's memory"):
            self._connection.execute("CREATE EXTENSION IF NOT EXISTS pg_prewarm")
            for relation in ("creature", "creature_pkey", "creature_name", "creature_name_pkey"):
                self._connection.execute("SELECT pg_prewarm(%s::regclass, 'read')", [relation])
            rates = [self._task(clients, READ, DATABASE, self.seconds)[0] for _ in range(self.runs)]
        self.in_memory = self.result.add(
            f"{READ}, PostgreSQL, {self.there:,} creatures, memory without limit", "1/s", rates
        ).median


def _read_through(file: Path, readers: Limit) -> None:
    """Evict a file and read it into the page cache that counts against the memory limit."""
    number = os.open(file, os.O_RDONLY)
    try:
        os.posix_fadvise(number, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(number)
    # The shell waits until it is in the group, so that what `cat` reads counts against the group's limit.
    process = subprocess.Popen(
        ["/bin/sh", "-c", 'read -r go && exec cat "$0" > /dev/null', file], stdin=subprocess.PIPE
    )
    readers.add([psutil.Process(process.pid)])
    process.communicate(b"go\n")
    if process.returncode:
        raise Failure(f"Reading {file} failed; the reason is above.")
