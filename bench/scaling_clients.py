"""Clients of `bench/run scaling`: processes that read, update and look up creatures, from the database and past it."""

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
#: Creatures of one update: a transaction of the fold changes many, too, so that a commit is waited for once.
BATCH = 100
FLOOR, READ, BY_NAME, UPDATE = "SELECT 1", "read by key", "look up by name", "update"
DATABASE, PUBLISHED = "PostgreSQL", "published"
#: How many answers are looked at more closely than by their number.
CHECK_EVERY = 50


@dataclass(frozen=True)
class Places:
    """Where the clients find things: the caches are Unix sockets by the words that a series is called."""

    conninfo: str
    caches: dict[str, Path]
    web: Path
    document: Path


@dataclass(frozen=True)
class Task:
    """What all clients do for some seconds: creatures 1 to `rows` in random order, each as likely as any other."""

    operation: str
    source: str
    rows: int
    seconds: float
    seed: int


@dataclass
class Told:
    """What a client did: creatures, seconds, cache hits, and the first wrong answer."""

    done: int = 0
    seconds: float = 0.0
    hits: int = 0
    wrong: list[str] = field(default_factory=list)


class Client:
    """One client with its own connections, kept open as a site's are."""

    def __init__(self, places: Places, number: int) -> None:
        self.places, self.number = places, number
        self._caches: dict[str, CacheClient] = {}
        self._file = os.open(places.document, os.O_RDWR)

    @cached_property
    def database(self) -> psycopg.Connection[tuple[int, ...]]:
        return psycopg.connect(self.places.conninfo, autocommit=True)

    @cached_property
    def web(self) -> socket.socket:
        connected = socket.socket(socket.AF_UNIX)
        connected.connect(str(self.places.web))
        return connected

    def cache(self, source: str) -> CacheClient | None:
        if source in self.places.caches and source not in self._caches:
            self._caches[source] = CacheClient(str(self.places.caches[source]), default_noreply=True)
        return self._caches.get(source)

    def run(self, task: Task) -> Told:
        """Work on a task until its time is over."""
        chosen = random.Random(task.seed * CLIENTS + self.number)
        do = self._doing(task)
        told = Told()
        began = time.monotonic()
        while (now := time.monotonic()) < began + task.seconds:
            do(chosen, told)
        told.seconds = now - began
        return told

    def _doing(self, task: Task) -> Callable[[random.Random, Told], None]:
        cache = self.cache(task.source)
        if task.operation == FLOOR:
            return self._floor
        if task.operation == UPDATE:
            return lambda chosen, told: self._update(chosen, told, task, cache)
        if task.operation == BY_NAME:
            return lambda chosen, told: self._look_up(chosen.randint(1, task.rows), told, cache)
        if task.source == PUBLISHED:
            return lambda chosen, told: self._read_published(chosen.randint(1, task.rows), told)
        return lambda chosen, told: self._read(chosen.randint(1, task.rows), told, cache)

    def _floor(self, chosen: random.Random, told: Told) -> None:
        self.database.execute("SELECT 1", prepare=True).fetchone()
        told.done += 1

    def _read(self, creature: int, told: Told, cache: CacheClient | None) -> None:
        found = cache.get(b"m%d" % creature) if cache else None
        if found is not None:
            told.hits += 1
        else:
            row = self.database.execute(creatures.SELECT_CREATURE, [creature], prepare=True).fetchone()
            found = orjson.dumps(dict(zip(("id", "name", "min", "max", "uploads"), row or (), strict=False)))
            if cache:
                cache.set(b"m%d" % creature, found)
        self._check(creature, found, told)

    def _read_published(self, creature: int, told: Told) -> None:
        first = (creature - 1) * creatures.RECORD_BYTES
        self.web.sendall(
            b"GET /creatures HTTP/1.1\r\nHost: localhost\r\nRange: bytes=%d-%d\r\n\r\n"
            % (first, first + creatures.RECORD_BYTES - 1)
        )
        answer = self.web.recv(4096)
        while (end := answer.find(b"\r\n\r\n")) < 0 or len(answer) < end + 4 + creatures.RECORD_BYTES:
            more = self.web.recv(4096)
            if not more:
                raise Failure("nginx has closed the connection.")
            answer += more
        self._check(creature, answer[end + 4 :], told)

    def _look_up(self, creature: int, told: Told, cache: CacheClient | None) -> None:
        name = creatures.name_of(creature)
        key = b"n" + name.replace(" ", "_").encode("ascii")
        found = cache.get(key) if cache else None
        if found is not None:
            told.hits += 1
        else:
            row = self.database.execute(creatures.SELECT_BY_NAME, [name], prepare=True).fetchone()
            found = b"%d" % (row[0] if row else 0)
            if cache:
                cache.set(key, found)
        told.done += 1
        if found != b"%d" % creature and not told.wrong:
            told.wrong.append(f"{name!r} was found as {found!r}")

    def _update(self, chosen: random.Random, told: Told, task: Task, cache: CacheClient | None) -> None:
        # Each client has creatures of its own: the fold, too, is one writer, and nobody waits for another's rows.
        slots = (task.rows - self.number) // CLIENTS
        wanted = [self.number + CLIENTS * slot for slot in chosen.sample(range(slots), min(BATCH, slots))]
        ids = [creature or CLIENTS for creature in wanted]
        rows = self.database.execute(creatures.UPDATE_CREATURES, [ids], prepare=True).fetchall()
        if cache:
            cache.set_many({f"m{creature}": creatures.document(creature, uploads) for creature, uploads in rows})
        elif task.source == PUBLISHED:
            for creature, uploads in rows:
                place = (creature - 1) * creatures.RECORD_BYTES
                os.pwrite(self._file, creatures.record(creature, uploads), place)
            os.fdatasync(self._file)
        told.done += len(rows)
        if len(rows) != len(set(ids)) and not told.wrong:
            told.wrong.append(f"{len(rows)} of {len(set(ids))} creatures were updated")

    def _check(self, creature: int, found: bytes, told: Told) -> None:
        """See that an answer is whole and is that creature's."""
        told.done += 1
        if told.done % CHECK_EVERY:
            right = found.startswith(b'{"id":%d,' % creature)
        else:
            uploads = orjson.loads(found)["uploads"]
            right = found.rstrip() == creatures.document(creature, uploads)
        if not right and not told.wrong:
            told.wrong.append(f"creature {creature} was answered with {found[:80]!r}")


class Clients:
    """All clients; they work at the same time on the same task."""

    def __init__(self, pipes: list[Connection]) -> None:
        self._pipes = pipes

    def run(self, task: Task) -> Told:
        """Return what all clients did together; `done` over `seconds` is their rate."""
        for pipe in self._pipes:
            pipe.send(task)
        all_told = Told()
        rate = 0.0
        for pipe in self._pipes:
            told = pipe.recv()
            if isinstance(told, str):
                raise Failure(f"{task.operation}, {task.source}: a client failed. {told}")
            all_told.done += told.done
            all_told.hits += told.hits
            all_told.wrong += told.wrong
            rate += told.done / told.seconds
        all_told.seconds = all_told.done / rate if rate else task.seconds
        return all_told


@contextmanager
def running(places: Places) -> Iterator[Clients]:
    """Start the clients; they end with the block."""
    context = multiprocessing.get_context("fork")
    pipes, processes = [], []
    for number in range(CLIENTS):
        here, there = context.Pipe()
        process = context.Process(target=_serve, args=[places, number, there], daemon=True)
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


def _serve(places: Places, number: int, pipe: Connection) -> None:
    client = Client(places, number)
    while (task := pipe.recv()) is not None:
        try:
            pipe.send(client.run(task))
        except Exception as error:  # noqa: BLE001  (whatever it is, the benchmark tells it)
            pipe.send(f"{type(error).__name__}: {error}")
