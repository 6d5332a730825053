"""Typed readers of the environment, for every setting that may differ between machines.

A value is taken from the process's environment, or from the file that `MOBMAP_ENV_FILE` names (default `var/env`,
which `deploy/run` writes), or it is the default. `deploy/env.example` lists all variables with their defaults.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = Path(os.environ.get("MOBMAP_VAR") or BASE_DIR / "var")


def read_file(path: Path) -> dict[str, str]:
    """Return the `NAME=value` lines of an environment file; blank lines and `#` comments are skipped."""
    values = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        name, separator, value = line.partition("=")
        if not separator:
            raise ImproperlyConfigured(f"{path}, line {number}: expected NAME=value, found {line!r}")
        values[name.strip()] = value.strip()
    return values


def _load() -> dict[str, str]:
    path = Path(os.environ.get("MOBMAP_ENV_FILE") or VAR_DIR / "env")
    values = read_file(path) if path.is_file() else {}
    values.update((name, value) for name, value in os.environ.items() if name.startswith("MOBMAP_"))
    return values


_values = _load()


def text(name: str, default: str | None = None) -> str:
    """Return a text; without a default the variable is required."""
    value = _values.get(name, default)
    if value is None:
        raise ImproperlyConfigured(
            f"The setting {name} is not set. `./deploy/run` writes it into var/env; "
            "on a server of your own, see deploy/env.example."
        )
    return value


def integer(name: str, default: int, at_least: int = 0, at_most: int | None = None) -> int:
    """Return a whole number from `at_least` to `at_most`; the default where the value is empty."""
    raw = text(name, "") or str(default)
    try:
        value = int(raw)
    except ValueError:
        raise ImproperlyConfigured(f"{name} must be a whole number, found {raw!r}") from None
    if value < at_least:
        raise ImproperlyConfigured(f"{name} must be at least {at_least}, found {value}")
    if at_most is not None and value > at_most:
        raise ImproperlyConfigured(f"{name} must be at most {at_most}, found {value}")
    return value


def boolean(name: str, default: bool) -> bool:
    """Return a truth value: 1, true, yes, on or 0, false, no, off."""
    raw = text(name, "1" if default else "0").lower()
    if raw in {"1", "true", "yes", "on"}:
        return True
    if raw in {"0", "false", "no", "off"}:
        return False
    raise ImproperlyConfigured(f"{name} must be 1 or 0, found {raw!r}")


def names(name: str, default: str) -> list[str]:
    """Return the parts of a list separated by commas, without blanks around them."""
    return [part.strip() for part in text(name, default).split(",") if part.strip()]


def path(name: str, default: Path) -> Path:
    """Return a path; a relative one starts at the checkout."""
    return BASE_DIR / text(name, str(default))


def quarter_of_ram_disk(at_most: int) -> int:
    """Return a quarter of the size of /dev/shm in bytes; `at_most` if that is more, or there is no /dev/shm."""
    try:
        return min(shutil.disk_usage("/dev/shm").total // 4, at_most)  # noqa: S108  (only its size is read)
    except OSError:
        return at_most
