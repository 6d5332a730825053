"""The web server takes its settings from the settings file, and the environment goes before it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.steps.folders import CHECKOUT


@pytest.fixture
def env_file(tmp_path: Path) -> Path:
    path = tmp_path / "env"
    lines = ("BIND=127.0.0.9:8123", "WORKERS=3", "THREADS=5", "MAX_REQUESTS=1000")
    path.write_text("".join(f"MOBMAP_WEB_{line}\n" for line in lines))
    return path


def configured(env_file: Path, **environ: str) -> dict[str, str]:
    """Return the web server's configuration as gunicorn itself prints it, of another application."""
    (env_file.parent / "empty.py").write_text("application = print\n")
    own = {name: value for name, value in os.environ.items() if not name.startswith("MOBMAP_WEB_")}
    done = subprocess.run(
        [sys.executable, "-m", "gunicorn", "--print-config", "--config", "deploy/gunicorn.conf.py", "empty"],
        cwd=CHECKOUT,
        env={**own, "MOBMAP_ENV_FILE": str(env_file), "PYTHONPATH": str(env_file.parent), **environ},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    return dict(re.findall(r"^(\w+) += (.*)$", done.stdout, flags=re.MULTILINE))


def test_the_settings_file_says_where_and_with_how_many_processes_it_listens(env_file):
    found = configured(env_file)
    names = ("bind", "workers", "threads", "max_requests", "max_requests_jitter")
    assert [found[name] for name in names] == ["['127.0.0.9:8123']", "3", "5", "1000", "200"]


def test_the_environment_goes_before_the_settings_file(env_file):
    assert configured(env_file, MOBMAP_WEB_BIND="127.0.0.8:80")["bind"] == "['127.0.0.8:80']"
