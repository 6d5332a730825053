"""Faults for a running site: the schedule (a pure function) and the injection of each."""

from __future__ import annotations

import random
import shutil
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

from bench import disks
from bench.servers import Site
from deploy.steps import supervisor
from deploy.steps.folders import CHECKOUT, RAM_DISK
from deploy.steps.progress import Failure, wait_until

KILLS = ("kill web", "kill worker", "kill scheduler", "kill PostgreSQL", "kill RabbitMQ", "lose RAM")
FULL = {"spool full": "spool", "hot tables full": "hot", "database full": "database"}
STEP = "step clock"
#: Fault → program of the supervisor.
_PROGRAMS = {"kill web": "web", "kill worker": "worker", "kill scheduler": "scheduler"}
_PROGRAMS |= {"kill PostgreSQL": "postgres", "kill RabbitMQ": "rabbitmq", "lose RAM": "postgres"}
#: Seconds to step the clock by: a correction, a wrong time zone, a wrong day.
CLOCK_STEPS = (-86400, -3600, -60, 60, 3600, 86400)
REFILL_EVERY_S = 0.3


@dataclass(frozen=True)
class Fault:
    """One fault: when (seconds from the start), which kind, and how long it lasts (0: a moment)."""

    at_s: float
    kind: str
    lasts_s: float = 0.0
    #: Clock: seconds to step it by. Kills: which process of the program, as a share of its list.
    amount: float = 0.0


def schedule(count: int, seed: int, gap_s: float, kinds: Sequence[str]) -> list[Fault]:
    """Return `count` faults, one in each gap; every kind is as frequent as the others, give or take one.

    Some lasting faults reach into the next gap, so that faults overlap.
    """
    rng = random.Random(seed)
    deck: list[str] = []
    while len(deck) < count:
        round_of_all = list(kinds)
        rng.shuffle(round_of_all)
        deck += round_of_all
    found = []
    for number, kind in enumerate(deck[:count]):
        at_s = round(number * gap_s + rng.uniform(0.05, 0.6) * gap_s, 2)
        lasts_s = round(rng.uniform(0.3, 1.2) * gap_s, 2) if kind in FULL or kind == STEP else 0.0
        amount = float(rng.choice(CLOCK_STEPS)) if kind == STEP else round(rng.random(), 3)
        found.append(Fault(at_s, kind, lasts_s, amount))
    return found


class Clock:
    """The clock of web server, workers and scheduler: libfaketime reads its offset from a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.faketime = next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))), None)
        self.step(0)

    def environment(self) -> dict[str, str]:
        """Return environment variables for processes with this clock; a step moves no timeouts, as in reality."""
        return {
            "LD_PRELOAD": str(self.faketime),
            "FAKETIME_TIMESTAMP_FILE": str(self.path),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "PYTHONPATH": str(CHECKOUT / "bench" / "stepped_clock"),
            "NO_FAKE_STAT": "1",
        }

    def step(self, seconds: float) -> None:
        fresh = self.path.with_suffix(".new")
        fresh.write_text(f"{seconds:+.0f}\n")
        fresh.replace(self.path)


class Injector:
    """Injects faults into a site, lasting ones in threads of their own, so that faults may overlap."""

    def __init__(self, site: Site, folders: dict[str, Path], clock: Clock) -> None:
        self.site, self.folders, self.clock = site, folders, clock
        self._threads: list[threading.Thread] = []
        self._end = threading.Event()
        self.errors: list[str] = []

    def inject(self, fault: Fault) -> str:
        """Begin a fault; return a description of what was done."""
        if fault.kind in _PROGRAMS:
            return self._kill(fault)
        description = f"{fault.kind} for {fault.lasts_s:.1f} s"
        if fault.kind == STEP:
            description = f"clock stepped by {fault.amount:+,.0f} s for {fault.lasts_s:.1f} s"
        thread = threading.Thread(target=self._run_lasting, args=[fault], name=fault.kind)
        self._threads.append(thread)
        thread.start()
        return description

    def end(self) -> None:
        """End all lasting faults."""
        self._end.set()
        for thread in self._threads:
            thread.join()

    def _run_lasting(self, fault: Fault) -> None:
        until = time.monotonic() + fault.lasts_s
        try:
            if fault.kind == STEP:
                self.clock.step(fault.amount)
                self._end.wait(fault.lasts_s)
                self.clock.step(0)
                return
            folder = self.folders[FULL[fault.kind]]
            try:
                while time.monotonic() < until and not self._end.is_set():
                    disks.fill(folder)
                    self._end.wait(REFILL_EVERY_S)
            finally:
                disks.free(folder)
        except OSError as error:
            self.errors.append(f"{fault.kind}: {error}")

    def _kill(self, fault: Fault) -> str:
        program = _PROGRAMS[fault.kind]
        with suppress(Failure):  # an earlier fault may have stopped it: then there is nothing to kill
            wait_until(lambda: bool(self._pid(program)), seconds=20, doing="", advice="")
        pid = self._pid(program)
        try:
            processes = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)] if pid else []
        except psutil.NoSuchProcess:
            processes = []
        if not processes:
            return f"{fault.kind}: it was down already"
        if fault.kind == "lose RAM":
            return self._lose_power(processes)
        # The main process in half the cases, else one of its children.
        children = processes[1:]
        is_child = bool(children) and fault.amount >= 0.5
        number = min(int((fault.amount - 0.5) * 2 * len(children)), len(children) - 1)
        victim = children[number] if is_child else processes[0]
        with suppress(psutil.NoSuchProcess):
            name = " ".join(victim.cmdline())[:60] if program == "postgres" and is_child else program
            victim.kill()
            return f"kill -9 {'child' if is_child else 'main process'} of {program} ({victim.pid}, {name})"
        return f"{fault.kind}: process {victim.pid} was gone already"

    def _lose_power(self, processes: list[psutil.Process]) -> str:
        """Delete what is in RAM and kill all processes of PostgreSQL at once."""
        ram = self.site.folders.ram
        gone = RAM_DISK / f".{ram.name}.gone"
        with suppress(FileNotFoundError):
            # Rename first: PostgreSQL may restart before a folder is deleted, but not before it is renamed.
            ram.rename(gone)
        for process in processes:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        shutil.rmtree(gone, ignore_errors=True)
        return f"empty the RAM disk and kill -9 all {len(processes)} processes of postgres"

    def _pid(self, program: str) -> int:
        return int(supervisor.processes(self.site.folders)[program]["pid"])
