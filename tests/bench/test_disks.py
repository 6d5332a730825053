"""A small file system is filled and freed again, if root may mount on this machine."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from portal.env import BASE_DIR

SCRIPT = """
import os, sys
from pathlib import Path
from bench import disks
folder = Path(sys.argv[1])
why = disks.unshare_mounts() or disks.mount_image(folder, folder.with_suffix(".img"), 16)
if why:
    print("SKIP " + why)
    sys.exit()
disks.fill(folder)
try:
    with (folder / "one").open("wb") as file:
        file.write(b"x" * 100_000)
        os.fsync(file.fileno())
    print("wrote")
except OSError as error:
    print(error.errno)
disks.free(folder)
(folder / "one").write_bytes(b"x" * 100_000)
print("freed")
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting needs root")
def test_a_filled_disk_accepts_no_data_until_it_is_freed(tmp_path: Path):
    folder = tmp_path / "small"
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, folder], cwd=BASE_DIR, capture_output=True, text=True, check=True, timeout=120
    )
    if done.stdout.startswith("SKIP"):
        pytest.skip(f"no small file system can be mounted here: {done.stdout[5:].strip()}")
    assert done.stdout.split() == [str(errno.ENOSPC), "freed"]
    assert not os.path.ismount(folder), "the mount must be visible to that process only"
