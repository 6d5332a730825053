"""The module that is written in Cython, compiled for this machine's Python and put beside its source.

`.venv/bin/python -m deploy.steps.compiled` does it by hand. What is compiled carries its source's digest, by which it
is known: here, whether there is anything to do, and where it is imported, whether it fits what it stands beside.
"""

from __future__ import annotations

import hashlib
import os
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path

from deploy.steps.place import CHECKOUT
from deploy.steps.progress import run, step
from deploy.steps.venv import VENV

NAME = "ingest.formats.mobmapdata.scan"
SOURCE = Path("ingest/formats/mobmapdata/scan.pyx")
#: The virtual environment's Python is Debian's, as is the one that runs this.
COMPILED = SOURCE.with_suffix(str(sysconfig.get_config_var("EXT_SUFFIX")))


def prepare() -> None:
    """Compile unless what is there was made of this very source; raises `Failure`."""
    compiled = CHECKOUT / COMPILED
    if compiled.is_file() and _digest().encode() in compiled.read_bytes():
        return
    with step(f"Compiling {SOURCE}"):
        run(
            [VENV / "bin" / "python", "-m", "deploy.steps.compiled"],
            doing=f"Compiling {SOURCE}",
            advice="It needs Debian's packages gcc, libc6-dev, libpython3-dev and libb2-dev (deploy/packages server), "
            f"and to write into {compiled.parent}.",
            cwd=CHECKOUT,
        )


def compile_into(folder: Path, flags: Sequence[str] = ()) -> Path:
    """Compile into a folder, with flags for compiler and linker besides; returns the file."""
    # Only the environment has them, and Debian's own Python reads this module, too.
    from Cython.Build import cythonize
    from setuptools import Extension
    from setuptools.dist import Distribution

    extension = Extension(
        NAME,
        [str(SOURCE)],
        libraries=["b2"],
        define_macros=[("SOURCE_DIGEST", f'"{_digest()}"')],
        extra_compile_args=["-O2", "-Wall", *flags],
        extra_link_args=[*flags],
    )
    modules = cythonize([extension], build_dir=str(folder), language_level=3, quiet=True)
    command = Distribution({"name": "mobmap", "packages": [], "ext_modules": modules}).get_command_obj("build_ext")
    command.build_temp = command.build_lib = str(folder)
    command.ensure_finalized()
    command.run()
    return folder / COMPILED


def _digest() -> str:
    return hashlib.sha256((CHECKOUT / SOURCE).read_bytes()).hexdigest()


def main() -> None:
    """Compile, and put the result in the place of an older one at once: a running site may start a process now."""
    os.chdir(CHECKOUT)
    with tempfile.TemporaryDirectory(prefix=".compiling-", dir=SOURCE.parent) as scratch:
        made = compile_into(Path(scratch))
        made.replace(COMPILED)


if __name__ == "__main__":
    try:
        main()
    except Exception as error:  # noqa: BLE001  (what was wrong has been printed, and a traceback would hide it)
        sys.exit(f"{type(error).__name__}: {error}")
