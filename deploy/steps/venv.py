"""The virtual environment: Debian's Python, and exactly the packages of the requirement files."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

from deploy.steps.place import CHECKOUT
from deploy.steps.progress import run, step

VENV = CHECKOUT / ".venv"
SITE = "requirements.txt"
TESTS = "requirements-test.txt"
#: Debian's, not whatever a version manager puts first in PATH: PostGIS's libraries fit it.
PYTHON = Path("/usr/bin/python3")
#: Written last, so that an interrupted installation is made anew.
MARK = VENV / "installed.json"


def prepare(requirements: str) -> None:
    """Bring `.venv` to what a requirement file asks for; do nothing if it is there already.

    The tests' packages are added to the site's own (both files pin the same versions), so that
    testing doesn't take the environment away from a site that runs in it.
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
    MARK.write_text(json.dumps({**installed, **wanted, "path": str(VENV)}) + "\n")


def _installed() -> dict[str, str]:
    try:
        found = json.loads(MARK.read_text())
    except (OSError, ValueError):
        return {}
    # An environment that was moved calls the Python of its old place.
    return found if found.get("path") == str(VENV) else {}


def _checksum(requirements: str) -> str:
    return hashlib.sha256((CHECKOUT / requirements).read_bytes()).hexdigest()
