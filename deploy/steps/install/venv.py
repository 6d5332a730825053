"""The virtual environment: Debian's Python with exactly the packages of the requirement files."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from deploy.steps.folders import CHECKOUT
from deploy.steps.progress import run, step

VENV = CHECKOUT / ".venv"
SITE = "requirements.txt"
TESTS = "requirements-test.txt"
#: Debian's Python, because PostGIS's libraries fit it; a version manager may have put another one first in PATH.
PYTHON = Path("/usr/bin/python3")
#: Written last, so that an interrupted installation is repeated.
INSTALLED = VENV / "installed.json"


def prepare(requirements: str) -> None:
    """Install the packages of a requirement file into `.venv`; do nothing if they are installed.

    The tests' packages are added to those of the site (both files pin the same versions), so that a
    site that runs in the environment is not disturbed.
    """
    installed = _installed()
    wanted = {SITE: _checksum(SITE), requirements: _checksum(requirements)}
    if wanted.items() <= installed.items():
        return
    if installed.get(SITE) != wanted[SITE]:
        with step("Making the virtual environment .venv"):
            run([PYTHON, "-m", "venv", "--clear", VENV], doing="Making .venv")
        installed = {}
    with step(f"Installing the Python packages of {requirements} (each is checked against its hash)"):
        run(
            [
                *(VENV / "bin" / "python", "-m", "pip", "install", "--disable-pip-version-check", "--no-input"),
                *("--progress-bar", "off", "--only-binary", ":all:", "--require-hashes"),
                *("--requirement", CHECKOUT / requirements),
            ],
            doing=f"Installing {requirements} with pip",
            advice="Check the connection to the Python package index and start again.",
        )
    INSTALLED.write_text(json.dumps({**installed, **wanted, "path": str(VENV)}) + "\n")


def _installed() -> dict[str, str]:
    try:
        found = json.loads(INSTALLED.read_text())
    except (OSError, ValueError):
        return {}
    # The scripts of an environment that was moved call the Python at its old path.
    return found if found.get("path") == str(VENV) else {}


def _checksum(requirements: str) -> str:
    return hashlib.sha256((CHECKOUT / requirements).read_bytes()).hexdigest()
