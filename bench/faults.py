"""Faults to inflict on a running site: when which comes (a pure function), and how each is done."""

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
#: What a kill names → the supervisor's name for it.
_PROGRAMS = {"kill web": "web", "kill worker": "worker", "kill scheduler": "scheduler"}
_PROGRAMS |= {"kill PostgreSQL": "postgres", "kill RabbitMQ": "rabbitmq", "lose RAM": "postgres"}
#: Seconds to step the clock by: a correction, a wrong time zone, a wrong day.
CLOCK_STEPS = (-86400, -3600, -60, 60, 3600, 86400)
REFILL_EVERY_S = 0.3


@dataclass(frozen=True)
class Fault:
    """One fault: when it comes (seconds from the start), which, and how long it lasts (0: a moment)."""

    at_s: float
    kind: str
    lasts_s: float = 0.0
    #: Clock: seconds it is stepped by. Kills: which process of the program, as a share of its list.
    amount: float = 0.0


def schedule(count: int, seed: int, gap_s: float, kinds: Sequence[str]) -> list[Fault]:
    """Return `count` faults, one in each gap, every kind as often as the others (within one).

    Lasting ones reach into the next gap now and then, so that faults meet.
    """
    chosen = random.Random(seed)
    deck: list[str] = []
    while len(deck) < count:
        round_of_all = list(kinds)
        chosen.shuffle(round_of_all)
        deck += round_of_all
    found = []
    for number, kind in enumerate(deck[:count]):
        at_s = round(number * gap_s + chosen.uniform(0.05, 0.6) * gap_s, 2)
        lasts_s = round(chosen.uniform(0.3, 1.2) * gap_s, 2) if kind in FULL or kind == STEP else 0.0
        amount = float(chosen.choice(CLOCK_STEPS)) if kind == STEP else round(chosen.random(), 3)
        found.append(Fault(at_s, kind, lasts_s, amount))
    return found


class Clock:
    """The time that web server, workers and scheduler see: libfaketime reads it from a file."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.faketime = next(iter(sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))), None)
        self.step(0)

    def environment(self) -> dict[str, str]:
        """Return what a process needs to live by this clock; a step moves no timeouts, as in real life."""
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


class Hand:
    """Inflicts faults on a site, each in a thread of its own, so that they overlap."""

    def __init__(self, site: Site, folders: dict[str, Path], clock: Clock) -> None:
        self.site, self.folders, self.clock = site, folders, clock
        self._threads: list[threading.Thread] = []
        self._end = threading.Event()
        self.errors: list[str] = []

    def inflict(self, fault: Fault) -> str:
        """Begin a fault; return what exactly was done, in words."""
        if fault.kind in _PROGRAMS:
            return self._kill(fault)
        told = f"{fault.kind} for {fault.lasts_s:.1f} s"
        if fault.kind == STEP:
            told = f"clock stepped by {fault.amount:+,.0f} s for {fault.lasts_s:.1f} s"
        thread = threading.Thread(target=self._last, args=[fault], name=fault.kind)
        self._threads.append(thread)
        thread.start()
        return told

    def end(self) -> None:
        """End all faults that still last."""
        self._end.set()
        for thread in self._threads:
            thread.join()

    def _last(self, fault: Fault) -> None:
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
                disks.relieve(folder)
        except OSError as error:
            self.errors.append(f"{fault.kind}: {error}")

    def _kill(self, fault: Fault) -> str:
        program = _PROGRAMS[fault.kind]
        with suppress(Failure):  # an earlier fault may have it down: then there is nobody to kill
            wait_until(lambda: bool(self._pid(program)), seconds=20, doing="", advice="")
        pid = self._pid(program)
        try:
            whole = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)] if pid else []
        except psutil.NoSuchProcess:
            whole = []
        if not whole:
            return f"{fault.kind}: it was down already"
        if fault.kind == "lose RAM":
            return self._lose_power(whole)
        # The main process in half the cases, else one of its children.
        place = 0 if fault.amount < 0.5 or len(whole) == 1 else 1 + int((fault.amount - 0.5) * 2 * (len(whole) - 1))
        victim = whole[place]
        with suppress(psutil.NoSuchProcess):
            name = " ".join(victim.cmdline())[:60] if program == "postgres" and place else program
            victim.kill()
            return f"kill -9 {'main process of ' if not place else 'child of '}{program} ({victim.pid}, {name})"
        return f"{fault.kind}: process {victim.pid} was gone already"

    def _lose_power(self, whole: list[psutil.Process]) -> str:
        """Take away what is in RAM and kill all of PostgreSQL at once."""
        ram = self.site.folders.ram
        gone = RAM_DISK / f".{ram.name}.gone"
        with suppress(FileNotFoundError):
            # First and at once: after the kill PostgreSQL may be back before a folder is deleted.
            ram.rename(gone)
        for process in whole:
            with suppress(psutil.NoSuchProcess):
                process.kill()
        shutil.rmtree(gone, ignore_errors=True)
        return f"empty the RAM disk and kill -9 all {len(whole)} processes of postgres"

    def _pid(self, program: str) -> int:
        return int(supervisor.processes(self.site.folders)[program]["pid"])
