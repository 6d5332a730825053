"""Describe the machine and the programs that a figure was measured on."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

from deploy.steps.folders import CHECKOUT
from deploy.steps.progress import Failure


def facts(disk: Path) -> dict[str, str]:
    """Return hardware, system and program versions; `disk` is a folder on the disk that is used."""
    memory = _first(Path("/proc/meminfo").read_text(), r"MemTotal:\s+(\d+) kB")
    processor = _first(Path("/proc/cpuinfo").read_text(), r"model name\s*: (.*)")
    system = _first(Path("/etc/os-release").read_text(), 'PRETTY_NAME="(.*)"')
    usage = shutil.disk_usage(_existing(disk))
    return {
        "processor": f"{os.cpu_count()} × {processor}",
        "memory": f"{int(memory or 0) / 1024**2:.0f} GiB",
        "disk": f"{_file_system(_existing(disk))}, {usage.free / 1024**3:.0f} of {usage.total / 1024**3:.0f} GiB free",
        "system": f"{system}, Linux {platform.release()}",
        "Python": sys.version.split()[0],
        "PostgreSQL": _version(["/usr/lib/postgresql/15/bin/postgres", "--version"], r"([\d.]+)"),
        "RabbitMQ": _version(["dpkg-query", "--show", "--showformat", "${Version}", "rabbitmq-server"], r"(.+)"),
        "revision": _version(["git", "-C", str(CHECKOUT), "describe", "--always", "--dirty"], r"(.+)"),
        "load before": f"{os.getloadavg()[0]:.2f}",
    }


def check_disk(folder: Path, needs_bytes: int) -> None:
    """Raise `Failure` if the disk under `folder` has too little free space."""
    free = shutil.disk_usage(_existing(folder)).free
    if free < needs_bytes:
        raise Failure(
            f"This benchmark needs {needs_bytes / 1e9:.1f} GB in {folder}, and {free / 1e9:.1f} GB are free. "
            "Free some space, set MOBMAP_VAR to a folder on another disk, or choose smaller sizes (--help)."
        )


def _existing(folder: Path) -> Path:
    while not folder.exists():
        folder = folder.parent
    return folder


def _file_system(folder: Path) -> str:
    mounts = [line.split()[:3] for line in Path("/proc/mounts").read_text().splitlines()]
    inside = [(len(where), kind, device) for device, where, kind in mounts if folder.is_relative_to(where)]
    _, kind, device = max(inside)
    return f"{kind} on {device}"


def _first(text: str, pattern: str) -> str:
    found = re.search(pattern, text)
    return found[1].strip() if found else "unknown"


def _version(command: list[str], pattern: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return "unknown"
    return _first(done.stdout, pattern)
