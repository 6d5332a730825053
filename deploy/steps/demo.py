"""The demo world: simulated uploads, sent to an empty site through its upload endpoint."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from deploy.steps import environment
from deploy.steps.folders import CHECKOUT, SiteFolders
from deploy.steps.install.venv import VENV
from deploy.steps.progress import Failure, run, step

UPLOADS = 150
SEED = 1
#: The locales in which the simulated world has names.
SIMULATED = ("enUS", "deDE")


def feed(folders: SiteFolders, site: str, hosted: list[str], manage: Callable[..., str]) -> None:
    """Simulate uploads, import the names of their items, send them and wait until they are on the map."""
    simulated = [locale for locale in hosted if locale in SIMULATED]
    if not simulated:
        return
    folder = folders.var / "demo"
    with step(f"Simulating a demo world: {UPLOADS} uploads, {', '.join(simulated)}"):
        run(
            [
                *(VENV / "bin" / "python", "-m", "simulation", folder, "--uploads", str(UPLOADS)),
                *("--seed", str(SEED), "--locale", ",".join(simulated), "--force"),
            ],
            doing="Simulating the demo world (python -m simulation)",
            cwd=CHECKOUT,
        )
        for locale in simulated:
            manage(folders, "import_names", "items", folder / f"items-{locale}.csv", "--locale", locale)
    # One token per simulated player: a sighting counts as confirmed when several players report it.
    tokens = folders.var / "demo-tokens.json"
    with step("Uploading it and waiting until everything is on the map"):
        try:
            manage(folders, "create_token", "--many", folder / "players.txt", "--json", tokens)
            _send(folders, site, folder, tokens)
        finally:
            tokens.unlink(missing_ok=True)


def _send(folders: SiteFolders, site: str, folder: Path, tokens: Path) -> None:
    """Run `./manage.py send`, the client that players use, and show its progress."""
    client: list[str | Path] = [VENV / "bin" / "python", "manage.py", "send"]
    done = subprocess.run(
        [*client, folder, "--url", site, "--as-players", "--tokens", tokens, "--wait"],
        cwd=CHECKOUT,
        env=environment.for_process(folders, dict(os.environ)),
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode:
        raise Failure(
            f"Uploading the demo world failed (exit status {done.returncode}); the reason is above. "
            "Start with --no-demo to do without it."
        )
