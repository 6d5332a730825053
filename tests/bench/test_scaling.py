"""The data, the caches and the limits of `bench/run scaling`, each against the real thing."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import asdict
from functools import partial
from pathlib import Path
from select import select

import psutil
import pytest
from django.db import connections
from pymemcache.client.base import Client

from bench import memcached, memory_limit, report, scaling, scaling_reading, slow_disk
from bench import scaling_creatures as creatures
from bench.__main__ import COMMANDS
from bench.all import MINUTES
from bench.results import Result
from bench.scaling_clients import READ, UPDATE
from bench.scaling_growth import SERIES, Growing, Seen
from portal.env import BASE_DIR
from tests.conftest import ALL_DATABASES
from tests.maps.factories import DE

#: Holds 64 MB itself, then reads a file that is larger than the limit.
HOLDER = """
import sys
print("ready", flush=True)
sys.stdin.readline()
held = bytearray(64 << 20)
with open(sys.argv[1], "rb") as file:
    while file.read(1 << 20):
        pass
print("read", flush=True)
sys.stdin.readline()
"""

#: Asks 500 times at the same moment as another process: interference shows within some 40.
ASKING = """
import socket, sys
from pathlib import Path
from bench import memory_limit, slow_disk
with socket.socket(fileno=int(sys.argv[1])) as other:
    for _ in range(500):
        other.sendall(b".")
        other.recv(1)
        assert ASKED == ""
"""
#: Timeout of everything that waits.
PATIENCE_S = 120


@pytest.fixture
def folder() -> Iterator[Path]:
    """A short path, because paths of Unix sockets are limited."""
    with tempfile.TemporaryDirectory(prefix="mobmap-") as name:
        yield Path(name)


@ALL_DATABASES
def test_the_tables_hold_what_the_clients_expect() -> None:
    with connections[DE].cursor() as cursor:
        wanted = {"first": 1, "last": 200, "words": creatures.FIRST_WORDS, "count": len(creatures.FIRST_WORDS)}
        cursor.execute(creatures.INSERT_CREATURES, wanted)
        cursor.execute(creatures.INSERT_NAMES, wanted)
        for creature in (1, 59, 60, 200):
            cursor.execute(creatures.SELECT_CREATURE, [creature])
            found = dict(zip(("id", "name", "min", "max", "uploads"), cursor.fetchone(), strict=True))
            assert found == json.loads(creatures.answer(creature, creatures.first_uploads(creature)))
            cursor.execute(creatures.SELECT_BY_NAME, [creatures.name_of(creature)])
            assert cursor.fetchall() == [(creature,)]
        cursor.execute(creatures.UPDATE_CREATURES, [[3, 5]])
        assert sorted(cursor.fetchall()) == [(number, creatures.first_uploads(number) + 1) for number in (3, 5)]


def test_records_have_one_length_and_hold_the_longest_name() -> None:
    longest = max(range(1, 5000), key=lambda number: len(creatures.name_of(number)))
    for creature in (1, longest, longest + 5_000 * len(creatures.FIRST_WORDS)):
        made = creatures.record(creature, 1_000_000)
        assert len(made) == creatures.RECORD_BYTES
        assert json.loads(made) == json.loads(creatures.answer(creature, 1_000_000))


def test_a_filled_cache_answers_and_evicts_what_exceeds_its_memory(folder: Path) -> None:
    with memcached.running(folder / "cache", 2 << 20) as path:
        memcached.fill(path, [memcached.entry(b"m%d" % number, b"x" * 100) for number in range(1000)])
        assert memcached.count(path) == 1000
        with closing(Client(str(path))) as client:
            assert client.get("m7") == b"x" * 100
        memcached.fill(path, [memcached.entry(b"n%d" % number, b"x" * 100) for number in range(40_000)])
        assert 5_000 < memcached.count(path) < 20_000


@pytest.mark.parametrize(
    ("asked", "why_not"),
    [
        ("memory_limit.why_not()", memory_limit.why_not),
        ("slow_disk.why_not(Path.cwd())", partial(slow_disk.why_not, BASE_DIR)),
    ],
    ids=["memory", "disk"],
)
def test_processes_that_ask_at_once_do_not_interfere(asked: str, why_not: Callable[[], str]) -> None:
    if why := why_not():
        pytest.skip(f"that can't be limited here: {why}")
    with ExitStack() as stack:
        ends = [stack.enter_context(end) for end in socket.socketpair()]
        at_once = [
            subprocess.Popen(
                [sys.executable, "-c", ASKING.replace("ASKED", asked), str(end.fileno())],
                cwd=BASE_DIR, pass_fds=[end.fileno()], stderr=subprocess.PIPE, text=True,
            )
            for end in ends
        ]  # fmt: skip
        for process in at_once:
            stack.callback(process.kill)
        for end in ends:
            end.close()  # so that neither waits for the other forever
        assert [process.communicate(timeout=PATIENCE_S)[1] for process in at_once] == ["", ""]


def next_line(process: subprocess.Popen[str]) -> str:
    """Return the next line that a process prints, "" if there is none in time."""
    assert process.stdout
    return process.stdout.readline() if select([process.stdout], [], [], PATIENCE_S)[0] else ""


def test_a_limit_counts_the_page_cache(folder: Path) -> None:
    if why := memory_limit.why_not():
        pytest.skip(f"memory can't be limited here: {why}")
    file = folder / "file"
    file.write_bytes(bytes(300_000_000))
    subprocess.run(["/bin/sync", file], check=True)
    number = os.open(file, os.O_RDONLY)
    os.posix_fadvise(number, 0, 0, os.POSIX_FADV_DONTNEED)
    os.close(number)
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLDER, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with holder as process, memory_limit.limit("test") as limit:
        assert process.stdin
        assert next_line(process) == "ready\n"
        limit.add([psutil.Process(process.pid)])
        limit.set(150_000_000)
        process.stdin.write("go\n")
        process.stdin.flush()
        assert next_line(process) == "read\n"
        assert 64_000_000 < limit.used_bytes() <= 150_000_000
        limit.release()
        process.communicate("end\n", timeout=PATIENCE_S)
    assert process.returncode == 0


def test_growth_becomes_figures_plots_and_notes(tmp_path: Path) -> None:
    result = Result("scaling", "Scaling", "small", {"processor": "2 × one"})
    growing = Growing.__new__(Growing)
    growing.result, growing.sizes, growing.memory_bytes, growing.in_memory = result, [1000, 5000], 10**9, 900.0
    for size in growing.sizes:
        result.add(f"tables with their indexes at {size:,} creatures", "MB", [size * 4e-4])
        result.add(f"published records at {size:,} creatures", "MB", [size * 1e-4])
    growing.seen = {
        (operation, source, size): Seen([1000.0 if size == 1000 else 250.0], [0.5])
        for operation, source in SERIES
        for size in growing.sizes
    }
    scaling.add_growth(growing)
    assert [len(chart.series) for chart in result.charts] == [5, 4, 3]
    notes = " ".join(result.notes)
    assert "PostgreSQL alone keeps 25%" in notes
    assert "4.0 times smaller" in notes
    assert "3.6 times as much as with a quarter" in notes
    contents = {**asdict(result), "measured_at": "2026-01-01T00:00:00", "quick": False, "passed": True}
    (tmp_path / "scaling.json").write_text(json.dumps(contents))
    report.write([tmp_path / "scaling.json"], tmp_path)
    assert len(list((tmp_path / "benchmarks").glob("scaling*.svg"))) == 3


def test_more_clients_than_cores_are_compared_with_their_neighbors_in_time() -> None:
    order = scaling_reading.in_turns((1, 2, 4, 8), cores=2)
    assert order == [1, 2, 4, 2, 8, 2]
    slowing = [(clients, 100.0 - 10 * at) for at, clients in enumerate(order)]
    assert scaling_reading.shares_of_neighbors(slowing, cores=2) == [(4, 1.0), (8, 1.0)], "the machine's own slowing"
    halved = [(clients, rate / 2 if clients == 8 else rate) for clients, rate in slowing]
    assert scaling_reading.shares_of_neighbors(halved, cores=2) == [(4, 1.0), (8, 0.5)]
    assert scaling_reading.shares_of_neighbors([(1, 5.0), (2, 6.0)], cores=2) == []


def test_reading_one_by_one_is_compared_with_answers_without_a_table() -> None:
    result = Result("scaling", "Scaling", "", {})
    more = [n for n in scaling_reading.CLIENTS if n > 2]
    kept = {
        (kind, n): share
        for kind, share in ((scaling_reading.PAGES, 0.9), (scaling_reading.SINGLE, 0.6), (scaling_reading.FLOOR, 0.8))
        for n in more
    }
    scaling_reading.judge(result, 2, kept)
    assert [(round(target.value, 2), target.met) for target in result.targets] == [(0.9, True), (0.75, False)]
    assert "falls to 0.60" in result.notes[0] and "falls to 0.80" in result.notes[0]


def test_every_benchmark_is_in_the_report_the_help_and_all() -> None:
    measured = set(COMMANDS) - {"profile", "all", "screenshots", "report"}
    assert set(report.ORDER) == set(MINUTES) == measured
    shown = subprocess.run([BASE_DIR / "bench" / "run", "--help"], capture_output=True, text=True, check=True).stdout
    assert all(f"\n    {name} " in shown for name in COMMANDS)
    assert {operation for operation, _ in SERIES} >= {READ, UPDATE}
