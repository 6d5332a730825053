#!/usr/bin/env python3
"""Run a management command, in the project's virtual environment if there is one."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
VENV = HERE / ".venv"


def main() -> None:
    """Run the command of the command line, also in a shell that has not activated the virtual environment."""
    if VENV.is_dir() and Path(sys.prefix) != VENV:
        python = str(VENV / "bin" / "python")
        os.execv(python, [python, *sys.argv])  # noqa: S606  (the interpreter of this project)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "portal.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
