#!/usr/bin/env python3
"""Run a management command, inside the project's own virtual environment where there is one."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
VENV = HERE / ".venv"


def main() -> None:
    """Run the command given on the command line.

    A shell that has not activated the environment still gets it: `./manage.py` alone is what the
    README tells people to type.
    """
    if VENV.is_dir() and Path(sys.prefix) != VENV:
        python = str(VENV / "bin" / "python")
        os.execv(python, [python, *sys.argv])  # noqa: S606  (our own interpreter)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
