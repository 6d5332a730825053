"""The demo world: an empty site gets uploads of an invented one, through its real front door."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from deploy.steps import environment
from deploy.steps.place import CHECKOUT, Place
from deploy.steps.progress import Failure, run, step
from deploy.steps.venv import VENV

UPLOADS = 150
SEED = 1
#: The locales in which the simulated world has names.
SIMULATED = ("enUS", "deDE")


def feed(place: Place, site: str, hosted: list[str], manage: Callable[..., str]) -> None:
    """Write the demo's uploads, import its items' names, send it all and wait until it is on the map."""
    told = [locale for locale in hosted if locale in SIMULATED]
    if not told:
        return
    folder = place.var / "demo"
    with step(f"Inventing a demo world: {UPLOADS} uploads, {', '.join(told)}"):
        run(
            [
                *(VENV / "bin" / "python", "-m", "simulation", folder, "--uploads", str(UPLOADS)),
                *("--seed", str(SEED), "--locale", ",".join(told), "--force"),
            ],
            doing="Inventing the demo world (python -m simulation)",
            cwd=CHECKOUT,
        )
        for locale in told:
            manage(place, "import_names", "items", folder / f"items-{locale}.csv", "--locale", locale)
    # Players of their own, because what several of them saw counts as confirmed.
    tokens = place.var / "demo-tokens.json"
    with step("Uploading it and waiting until everything is on the map"):
        try:
            manage(place, "create_token", "--many", folder / "players.txt", "--json", tokens)
            _send(place, site, folder, tokens)
        finally:
            tokens.unlink(missing_ok=True)


def _send(place: Place, site: str, folder: Path, tokens: Path) -> None:
    """Run the players' own client and show its progress."""
    client: list[str | Path] = [VENV / "bin" / "python", "manage.py", "send"]
    done = subprocess.run(
        [*client, folder, "--url", site, "--as-players", "--tokens", tokens, "--wait"],
        cwd=CHECKOUT,
        env=environment.for_process(place, dict(os.environ)),
        stdin=subprocess.DEVNULL,
        check=False,
    )
    if done.returncode:
        raise Failure(
            f"Uploading the demo world failed (exit status {done.returncode}); the reason is above. "
            "Start with --no-demo to do without it."
        )
