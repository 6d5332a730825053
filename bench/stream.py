"""Send uploads during faults, and retry each until the site acknowledges it."""

from __future__ import annotations

import base64
import gzip
import http.client
import json
import queue
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from bench.corpus import Entry
from deploy.steps.ports import LOOPBACK
from deploy.steps.progress import Failure

PATH = "/api/v1/uploads"
ACCEPTED, KNOWN = 202, 200
#: Answers after which the contract asks clients to retry.
TRY_AGAIN = frozenset({429, 502, 503, 504})
#: Shorter than the contract's Retry-After, so that the benchmark does not wait for it.
PAUSE_S = 0.3
TIMEOUT_S = 30.0
#: One upload in so many is sent twice, the second time in another wrapping.
TWICE_EVERY = 20


def plain(document: bytes) -> bytes:
    """Return the document of a file, which may be Base64 as the addon writes it."""
    return document if document.lstrip().startswith(b"<") else base64.b64decode(document)


def wrapped(document: bytes, number: int) -> tuple[bytes, dict[str, str]]:
    """Return a document in one of the wrappings that players use, and its HTTP headers."""
    if number % 3 == 0:
        return gzip.compress(document, 1, mtime=0), {"Content-Encoding": "gzip"}
    if number % 3 == 1:
        return base64.encodebytes(document), {}
    return document, {}


@dataclass
class Stream:
    """Sends entries in several threads, up to the number set by `allow`."""

    port: int
    entries: list[Entry]
    tokens: dict[str, str]
    senders: int = 8
    answers: Counter[str] = field(default_factory=Counter)
    #: Entry's number → the id that was acknowledged.
    acknowledged: dict[int, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._waiting: queue.Queue[int | None] = queue.Queue()
        self._allowed = 0
        self._lock = threading.Lock()
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._send_all, daemon=True) for _ in range(self.senders)]
        for thread in self._threads:
            thread.start()

    def allow(self, total: int) -> None:
        """Allow to send the first `total` uploads."""
        for number in range(self._allowed, min(total, len(self.entries))):
            self._waiting.put(number)
        self._allowed = max(self._allowed, total)

    def finish(self, patience_s: float) -> None:
        """Wait until everything is acknowledged; raises `Failure` if that takes too long."""
        self.allow(len(self.entries))
        for _ in self._threads:
            self._waiting.put(None)
        deadline = time.monotonic() + patience_s
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        if any(thread.is_alive() for thread in self._threads):
            self.stop()
            raise Failure(
                f"After {patience_s:.0f} s {len(self.entries) - len(self.acknowledged):,} uploads are still not "
                f"acknowledged. Answers so far: {dict(self.answers)}."
            )

    def stop(self) -> None:
        """Send nothing more."""
        self._stop.set()

    def _send_all(self) -> None:
        connection = http.client.HTTPConnection(LOOPBACK, self.port, timeout=TIMEOUT_S)
        while (number := self._waiting.get()) is not None and not self._stop.is_set():
            document = plain(self.entries[number].path.read_bytes())
            status, body = self._until_answered(connection, document, number, number)
            if status not in {ACCEPTED, KNOWN}:
                self._fault(f"{self._name(number)} was refused with {status}: {body.get('detail')}")
                continue
            with self._lock:
                self.acknowledged[number] = str(body["id"])
            if number % TWICE_EVERY == 0:
                status, again = self._until_answered(connection, document, number, number + 1)
                if (status, again.get("id")) != (KNOWN, body["id"]):
                    detail = again.get("detail") or again
                    self._fault(f"{self._name(number)} was sent again and answered with {status}: {detail}")

    def _until_answered(
        self, connection: http.client.HTTPConnection, document: bytes, number: int, wrapping: int
    ) -> tuple[int, dict[str, Any]]:
        body, headers = wrapped(document, wrapping)
        headers["Authorization"] = f"Bearer {self.tokens[self.entries[number].player]}"
        headers["Content-Type"] = "application/octet-stream"
        while not self._stop.is_set():
            try:
                connection.request("POST", PATH, body, headers)
                response = connection.getresponse()
                text = response.read()
            except (OSError, http.client.HTTPException) as error:
                connection.close()
                self._count(type(error).__name__)
                self._stop.wait(PAUSE_S)
                continue
            self._count(str(response.status))
            if response.status in TRY_AGAIN:
                self._stop.wait(PAUSE_S)
            elif response.status >= 500:
                # A fault, because it breaks the contract; retried, so that the final count is still exact.
                self._fault(f"{self._name(number)} got an answer {response.status} outside the contract.")
                self._stop.wait(PAUSE_S)
            else:
                return response.status, json.loads(text)
        return 0, {"detail": "The benchmark was stopped."}

    def _name(self, number: int) -> str:
        return self.entries[number].path.name

    def _count(self, word: str) -> None:
        with self._lock:
            self.answers[word] += 1

    def _fault(self, text: str) -> None:
        with self._lock:
            self.faults.append(text)
