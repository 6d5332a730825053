"""systemd itself understands the units."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from deploy.steps.folders import CHECKOUT

UNITS = sorted((CHECKOUT / "deploy" / "systemd").glob("*.service"))


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd is not installed")
@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_systemd_finds_no_fault_in_a_unit(unit, tmp_path):
    (tmp_path / unit.name).write_text(unit.read_text().replace("/srv/mobmap", str(CHECKOUT)))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", tmp_path / unit.name],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, [line for line in done.stderr.splitlines() if unit.name in line]) == (0, [])


def test_a_fault_would_be_found(tmp_path):
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd is not installed")
    wrong = tmp_path / "wrong.service"
    wrong.write_text("[Service]\nExecStart=/bin/true\nUsr=somebody\n")
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", wrong], capture_output=True, text=True, check=False, timeout=120
    )
    assert "Usr" in done.stderr
