"""An S3 server for tests: moto's, as a process of its own that can be killed, frozen and started again."""

from __future__ import annotations

import http.client
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from tests.own_address import own_host, own_port

STARTS_WITHIN_S = 120
#: Names in one answer of a listing: few, so that few documents make several pages.
PAGE = 25


class S3Server:
    """A server on a port of its own. It records every request: started again, it holds what it held before.

    Requests of 8 KB and more must come one by one, or they mix in the record.
    """

    def __init__(self, folder: Path) -> None:
        self.host, self.port = own_host(), own_port()
        self.endpoint = f"http://{self.host}:{self.port}"
        self._recording = folder / "requests"
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the server if it does not run, and let it do again what it had done."""
        if self._process:
            return
        self._process = subprocess.Popen(
            [sys.executable, "-m", "moto.server", "--host", self.host, "--port", str(self.port)],
            env={
                **os.environ,
                "MOTO_ENABLE_RECORDING": "1",
                "MOTO_RECORDER_FILEPATH": str(self._recording),
                "MOTO_S3_DEFAULT_MAX_KEYS": str(PAGE),
            },
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + STARTS_WITHIN_S
        while not self._answers("GET", "/moto-api/recorder/download-recording" if self._recording.exists() else "/"):
            assert self._process.poll() is None, "The S3 server ended at its start."
            assert time.monotonic() < deadline, "The S3 server did not start in time."
            time.sleep(0.05)
        if self._recording.exists():
            assert self._answers("POST", "/moto-api/recorder/replay-recording")

    def _answers(self, method: str, path: str) -> bool:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=STARTS_WITHIN_S)
        try:
            connection.request(method, path)
            return connection.getresponse().status == 200
        except OSError:
            return False
        finally:
            connection.close()

    def kill(self) -> None:
        """End the server as a loss of power would."""
        if self._process:
            self._process.kill()
            self._process.wait()
            self._process = None

    def freeze(self) -> None:
        """Let the server take connections and answer none."""
        assert self._process
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let a frozen server go on."""
        if self._process:
            with suppress(ProcessLookupError):
                self._process.send_signal(signal.SIGCONT)
