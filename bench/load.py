"""A cheap client: sends distinct uploads over persistent connections and measures the latency of each answer.

python -m bench.load < JSON      → JSON: {"moments_s": […], "latencies_s": […], "answers": {"202": 900}, "seconds": 6.0,
                                          "steps_ms": [{"check": 5.1, …}, …]}

`moments_s` is when each request was due, on the machine's monotonic clock; `steps_ms` is how long each of the server's
steps took, from its Server-Timing header.

JSON in: `port`, `clients`, `seconds`, `files` (documents to vary), `tokens`, `first` (number of the first variant,
so that no document is sent twice), `rate_per_s` (0: each client sends again as soon as it is answered; otherwise
requests are due at random moments, this many a second, and wait for a free connection; the wait counts). SIGTERM ends
it early: requests that are due but not sent yet are left out. `started` runs it from another process.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from deploy.steps.folders import CHECKOUT
from deploy.steps.progress import Failure

_TAIL = b"</MobMapData>"
_HEAD = (
    "POST /api/v1/uploads HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/xml\r\n"
    "Authorization: Bearer {token}\r\nContent-Length: {length}\r\n\r\n"
)


def variant(document: bytes, number: int) -> bytes:
    """Return a document with one more record: a new content hash, but the same counts."""
    record = b'<Questcomment timestamp="%d" title="load" objective="" text=""/>' % (number + 1)
    return document.removesuffix(_TAIL) + record + _TAIL


class Load:
    """The clients of one measurement."""

    def __init__(self, wanted: dict[str, Any]) -> None:
        self.port, self.clients = int(wanted["port"]), int(wanted["clients"])
        self.seconds, self.rate_per_s = float(wanted["seconds"]), float(wanted.get("rate_per_s", 0))
        self.documents = [Path(file).read_bytes().rstrip() for file in wanted["files"]]
        self.tokens: list[str] = wanted["tokens"]
        self.numbers = itertools.count(int(wanted["first"]))
        self.moments_s: list[float] = []
        self.latencies_s: list[float] = []
        self.steps_ms: list[dict[str, float]] = []
        self.answers: Counter[str] = Counter()

    async def run(self) -> dict[str, Any]:
        due: asyncio.Queue[float] = asyncio.Queue()
        began = time.monotonic()
        self.end = began + self.seconds
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, self._stop)
        senders = [asyncio.create_task(self._client(due)) for _ in range(self.clients)]
        if self.rate_per_s:
            await self._schedule(began, due)
        await asyncio.gather(*senders)
        return {
            "moments_s": [round(each, 3) for each in self.moments_s],
            "latencies_s": [round(each, 5) for each in self.latencies_s],
            "steps_ms": self.steps_ms,
            "answers": self.answers,
            "seconds": time.monotonic() - began,
        }

    def _stop(self) -> None:
        self.end = 0.0

    async def _schedule(self, at: float, due: asyncio.Queue[float]) -> None:
        rng = random.Random(1)
        while (at := at + rng.expovariate(self.rate_per_s)) < self.end:
            await asyncio.sleep(max(0.0, at - time.monotonic()))
            due.put_nowait(at)
        for _ in range(self.clients):
            due.put_nowait(-1.0)

    async def _client(self, due: asyncio.Queue[float]) -> None:
        reader = writer = None
        while True:
            began = await due.get() if self.rate_per_s else time.monotonic()
            if began < 0 or not self.end or (not self.rate_per_s and began >= self.end):
                break
            request = self._request(next(self.numbers))
            try:
                if writer is None or reader is None:
                    reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                writer.writelines(request)
                answer = parse_head(await reader.readuntil(b"\r\n\r\n"))
                await reader.readexactly(answer.length)
                self.answers[answer.status] += 1
                self.steps_ms.append(answer.steps_ms)
                self.latencies_s.append(time.monotonic() - began)
                self.moments_s.append(began)
                if not answer.keep_alive:
                    writer.close()
                    reader = writer = None
            except (OSError, asyncio.IncompleteReadError, ValueError) as error:
                self.answers[type(error).__name__] += 1
                if writer:
                    writer.close()
                reader = writer = None
        if writer:
            writer.close()

    def _request(self, number: int) -> list[bytes]:
        body = variant(self.documents[number % len(self.documents)], number)
        head = _HEAD.format(token=self.tokens[number % len(self.tokens)], length=len(body))
        return [head.encode("ascii"), body]


class Sending:
    """A running client process."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def results(self) -> dict[str, Any]:
        """Wait for its end and return its results."""
        output, _ = self._process.communicate()
        if self._process.returncode:
            raise Failure(f"The client failed (exit status {self._process.returncode}); the reason is above.")
        found: dict[str, Any] = json.loads(output)
        return found

    def end(self) -> dict[str, Any]:
        """End it now and return its results."""
        self._process.terminate()
        return self.results()


@contextmanager
def started(**wanted: Any) -> Iterator[Sending]:
    """Run a client in a process of its own, which ends with the block at the latest."""
    process = subprocess.Popen(
        [sys.executable, "-B", "-m", "bench.load"],
        cwd=CHECKOUT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdin is not None
        process.stdin.write(json.dumps(wanted))
        process.stdin.close()
        process.stdin = None  # communicate() would flush it
        yield Sending(process)
    finally:
        if process.poll() is None:
            process.terminate()
            process.communicate()


class Answer(NamedTuple):
    """The head of an answer: its status, the length of its body, and the durations of its Server-Timing header."""

    status: str
    length: int
    steps_ms: dict[str, float]
    #: False if the server says so: a process that will be replaced serves no other request on the connection.
    keep_alive: bool


def parse_head(head: bytes) -> Answer:
    """Parse the head of an answer: status line and headers."""
    lines = head.decode("ascii").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    return Answer(
        lines[0].split(" ", 2)[1],
        int(headers.get("content-length", 0)),
        parse_timing(headers.get("server-timing", "")),
        headers.get("connection", "").lower() != "close",
    )


def parse_timing(header: str) -> dict[str, float]:
    """Return a Server-Timing header's durations: `"check;dur=5.1, row;dur=1"` → {"check": 5.1, "row": 1.0}."""
    entries = (entry.partition(";dur=") for entry in header.split(",") if entry.strip())
    return {name.strip(): float(took_ms) for name, _, took_ms in entries}


if __name__ == "__main__":
    json.dump(asyncio.run(Load(json.load(sys.stdin)).run()), sys.stdout)
