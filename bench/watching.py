"""Measure what the processes of a site use meanwhile: peak memory and processor time."""

from __future__ import annotations

import threading
from collections import defaultdict
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

import psutil

from deploy.steps import supervisor
from deploy.steps.folders import SiteFolders

#: Proportional set sizes are expensive: the kernel walks every page.
PSS_EVERY_S = 1.0


@dataclass
class Use:
    """What one program of the supervisor used, with all its processes."""

    #: The highest VmHWM of any single process; includes shared memory.
    peak_process_bytes: int = 0
    #: The highest sum of proportional set sizes at one moment; counts shared pages once.
    peak_pss_bytes: int = 0
    cpu_s: float = 0.0


@dataclass
class Watch:
    """Sample all processes of a site once a second until the `with` block ends.

    Without `memory`, sample processor time only: sampling memory costs some percent of a core.
    """

    folders: SiteFolders
    memory: bool = True
    uses: dict[str, Use] = field(default_factory=lambda: defaultdict(Use))

    def __enter__(self) -> Self:
        self._cpu_before: dict[tuple[int, float], float] = {}
        self._cpu_last: dict[tuple[str, int, float], float] = {}
        self._end = threading.Event()
        for process, _ in self._processes():
            with suppress(psutil.Error):
                self._cpu_before[process.pid, process.create_time()] = _cpu_s(process)
        self._thread = threading.Thread(target=self._run, name="watch", daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        self._thread.join()
        self._sample()
        for (program, pid, born), seconds in self._cpu_last.items():
            self.uses[program].cpu_s += seconds - self._cpu_before.get((pid, born), 0.0)

    def _run(self) -> None:
        while not self._end.wait(PSS_EVERY_S):
            self._sample()

    def _sample(self) -> None:
        sums: dict[str, int] = defaultdict(int)
        for process, program in self._processes():
            with suppress(psutil.Error, OSError, ValueError):
                use = self.uses[program]
                if self.memory:
                    use.peak_process_bytes = max(use.peak_process_bytes, high_water_bytes(process.pid))
                    sums[program] += _pss_bytes(process.pid)
                self._cpu_last[program, process.pid, process.create_time()] = _cpu_s(process)
        for program, size in sums.items():
            self.uses[program].peak_pss_bytes = max(self.uses[program].peak_pss_bytes, size)

    def _processes(self) -> list[tuple[psutil.Process, str]]:
        """Return all processes of the supervisor's programs, each with its program's name."""
        found = []
        try:
            programs = supervisor.processes(self.folders)
        except OSError:
            return []
        for name, info in programs.items():
            with suppress(psutil.Error):
                if info["pid"]:
                    process = psutil.Process(info["pid"])
                    found += [(one, name) for one in (process, *process.children(recursive=True))]
        return found


def high_water_bytes(pid: int) -> int:
    """Return the peak memory of a process (VmHWM); 0 if it has just ended."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    return next((int(line.split()[1]) * 1024 for line in status.splitlines() if line.startswith("VmHWM")), 0)


def _pss_bytes(pid: int) -> int:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0


def _cpu_s(process: psutil.Process) -> float:
    times = process.cpu_times()
    return float(times.user + times.system)
