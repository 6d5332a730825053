"""Clients of `bench/run scaling`: processes that read, update and look up creatures, in every kind of storage."""

from __future__ import annotations

import multiprocessing
import os
import random
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from multiprocessing.connection import Connection
from pathlib import Path

import orjson
import psycopg
from pymemcache.client.base import Client as CacheClient

from bench import scaling_creatures as creatures
from deploy.steps.progress import Failure

CLIENTS = 8
#: Creatures of one update: many per commit, as in a fold.
BATCH = 100
FLOOR, READ, BY_NAME, UPDATE = "SELECT 1", "read by key", "look up by name", "update"
DATABASE, PUBLISHED = "PostgreSQL", "published"
#: One answer in so many is compared as a whole, the others by their start.
CHECK_EVERY = 50


@dataclass(frozen=True)
class Addresses:
    """What the clients connect to: the database, the caches' Unix sockets by series, nginx's socket, and the file."""

    conninfo: str
    caches: dict[str, Path]
    web: Path
    records: Path


@dataclass(frozen=True)
class Task:
    """What all clients do for `seconds`: requests for random creatures from 1 to `rows`, equally often."""

    operation: str
    source: str
    rows: int
    seconds: float
    seed: int


@dataclass
class Outcome:
    """What a client did: creatures, seconds, cache hits, and the first wrong answer."""

    done: int = 0
    seconds: float = 0.0
    hits: int = 0
    wrong: list[str] = field(default_factory=list)


class Client:
    """One client with persistent connections of its own."""

    def __init__(self, addresses: Addresses, number: int) -> None:
        self.addresses, self.number = addresses, number
        self._caches: dict[str, CacheClient] = {}
        self._file = os.open(addresses.records, os.O_RDWR)

    @cached_property
    def database(self) -> psycopg.Connection[tuple[int, ...]]:
        return psycopg.connect(self.addresses.conninfo, autocommit=True)

    @cached_property
    def web(self) -> socket.socket:
        connected = socket.socket(socket.AF_UNIX)
        connected.connect(str(self.addresses.web))
        return connected

    def cache(self, source: str) -> CacheClient | None:
        if source in self.addresses.caches and source not in self._caches:
            self._caches[source] = CacheClient(str(self.addresses.caches[source]), default_noreply=True)
        return self._caches.get(source)

    def run(self, task: Task) -> Outcome:
        """Repeat a task until its time is over."""
        rng = random.Random(task.seed * CLIENTS + self.number)
        do = self._doing(task)
        outcome = Outcome()
        began = time.monotonic()
        while (now := time.monotonic()) < began + task.seconds:
            do(rng, outcome)
        outcome.seconds = now - began
        return outcome

    def _doing(self, task: Task) -> Callable[[random.Random, Outcome], None]:
        cache = self.cache(task.source)
        if task.operation == FLOOR:
            return self._floor
        if task.operation == UPDATE:
            return lambda rng, outcome: self._update(rng, outcome, task, cache)
        if task.operation == BY_NAME:
            return lambda rng, outcome: self._look_up(rng.randint(1, task.rows), outcome, cache)
        if task.source == PUBLISHED:
            return lambda rng, outcome: self._read_published(rng.randint(1, task.rows), outcome)
        return lambda rng, outcome: self._read(rng.randint(1, task.rows), outcome, cache)

    def _floor(self, rng: random.Random, outcome: Outcome) -> None:
        self.database.execute("SELECT 1", prepare=True).fetchone()
        outcome.done += 1

    def _read(self, creature: int, outcome: Outcome, cache: CacheClient | None) -> None:
        found = cache.get(b"m%d" % creature) if cache else None
        if found is not None:
            outcome.hits += 1
        else:
            row = self.database.execute(creatures.SELECT_CREATURE, [creature], prepare=True).fetchone()
            found = orjson.dumps(dict(zip(("id", "name", "min", "max", "uploads"), row or (), strict=False)))
            if cache:
                cache.set(b"m%d" % creature, found)
        self._check(creature, found, outcome)

    def _read_published(self, creature: int, outcome: Outcome) -> None:
        first = (creature - 1) * creatures.RECORD_BYTES
        self.web.sendall(
            b"GET /creatures HTTP/1.1\r\nHost: localhost\r\nRange: bytes=%d-%d\r\n\r\n"
            % (first, first + creatures.RECORD_BYTES - 1)
        )
        answer = self.web.recv(4096)
        while (end := answer.find(b"\r\n\r\n")) < 0 or len(answer) < end + 4 + creatures.RECORD_BYTES:
            more = self.web.recv(4096)
            if not more:
                raise Failure("nginx closed the connection.")
            answer += more
        self._check(creature, answer[end + 4 :], outcome)

    def _look_up(self, creature: int, outcome: Outcome, cache: CacheClient | None) -> None:
        name = creatures.name_of(creature)
        key = b"n" + name.replace(" ", "_").encode("ascii")
        found = cache.get(key) if cache else None
        if found is not None:
            outcome.hits += 1
        else:
            row = self.database.execute(creatures.SELECT_BY_NAME, [name], prepare=True).fetchone()
            found = b"%d" % (row[0] if row else 0)
            if cache:
                cache.set(key, found)
        outcome.done += 1
        if found != b"%d" % creature and not outcome.wrong:
            outcome.wrong.append(f"{name!r} was found as {found!r}")

    def _update(self, rng: random.Random, outcome: Outcome, task: Task, cache: CacheClient | None) -> None:
        # Each client updates creatures of its own, so that none waits for another's rows; folds do not, either.
        slots = (task.rows - self.number) // CLIENTS
        wanted = [self.number + CLIENTS * slot for slot in rng.sample(range(slots), min(BATCH, slots))]
        ids = [creature or CLIENTS for creature in wanted]
        rows = self.database.execute(creatures.UPDATE_CREATURES, [ids], prepare=True).fetchall()
        if cache:
            cache.set_many({f"m{creature}": creatures.answer(creature, uploads) for creature, uploads in rows})
        elif task.source == PUBLISHED:
            for creature, uploads in rows:
                offset = (creature - 1) * creatures.RECORD_BYTES
                os.pwrite(self._file, creatures.record(creature, uploads), offset)
            os.fdatasync(self._file)
        outcome.done += len(rows)
        if len(rows) != len(set(ids)) and not outcome.wrong:
            outcome.wrong.append(f"{len(rows)} of {len(set(ids))} creatures were updated")

    def _check(self, creature: int, found: bytes, outcome: Outcome) -> None:
        """Check that an answer is complete and belongs to the creature."""
        outcome.done += 1
        if outcome.done % CHECK_EVERY:
            right = found.startswith(b'{"id":%d,' % creature)
        else:
            uploads = orjson.loads(found)["uploads"]
            right = found.rstrip() == creatures.answer(creature, uploads)
        if not right and not outcome.wrong:
            outcome.wrong.append(f"creature {creature} was answered with {found[:80]!r}")


class Clients:
    """All clients; they run the same task at the same time."""

    def __init__(self, pipes: list[Connection]) -> None:
        self._pipes = pipes

    def run(self, task: Task) -> Outcome:
        """Return the sum over all clients; `done / seconds` is their total rate."""
        for pipe in self._pipes:
            pipe.send(task)
        total = Outcome()
        rate = 0.0
        for pipe in self._pipes:
            outcome = pipe.recv()
            if isinstance(outcome, str):
                raise Failure(f"{task.operation}, {task.source}: a client failed. {outcome}")
            total.done += outcome.done
            total.hits += outcome.hits
            total.wrong += outcome.wrong
            rate += outcome.done / outcome.seconds
        total.seconds = total.done / rate if rate else task.seconds
        return total


@contextmanager
def running(addresses: Addresses) -> Iterator[Clients]:
    """Run the clients until the block ends."""
    context = multiprocessing.get_context("fork")
    pipes, processes = [], []
    for number in range(CLIENTS):
        here, there = context.Pipe()
        process = context.Process(target=_serve, args=[addresses, number, there], daemon=True)
        process.start()
        there.close()
        pipes.append(here)
        processes.append(process)
    try:
        yield Clients(pipes)
    finally:
        for pipe in pipes:
            pipe.send(None)
        for process in processes:
            process.join(10)


def _serve(addresses: Addresses, number: int, pipe: Connection) -> None:
    client = Client(addresses, number)
    while (task := pipe.recv()) is not None:
        try:
            pipe.send(client.run(task))
        except Exception as error:  # noqa: BLE001  (the parent reports any error)
            pipe.send(f"{type(error).__name__}: {error}")
