"""A player's side of the upload contract: post a document, try again where that helps, read receipts.

Standard library only; connections are kept open between requests. What a server says is text of strangers: it is shown
without control characters.
"""

from __future__ import annotations

import gzip
import http.client
import json
import ssl
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

#: Answers after which the same upload may succeed later; proxies say 502 and 504 for a site that restarts.
TRY_AGAIN = frozenset({429, 502, 503, 504})
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 30.0
TIMEOUT_S = 60.0
LARGEST_ANSWER_BYTES = 4 * 1024**2
#: Files that begin like this are compressed already; the portal unpacks them.
COMPRESSED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")


class SiteUnreachable(Exception):
    """The site could not be reached, or kept asking to wait, for longer than patience lasts."""


class Stopped(Exception):
    """Someone called `Client.stop`."""


@dataclass(frozen=True)
class Answer:
    """A final answer: the HTTP status and the JSON object in it (`{"detail": …}` for other bodies)."""

    status: int
    body: dict[str, Any]


class Client:
    """Talks to one site; may be used from several threads."""

    def __init__(self, url: str, patience_s: float) -> None:
        """`url` is the site's address, such as `https://mobmap.example`; raises `ValueError` for any other text."""
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise ValueError(f"{url!r} is no address of a site. Write it like https://mobmap.example")
        self.secure, self.host, self.port = parts.scheme == "https", parts.hostname, parts.port
        self.base, self.url = parts.path.rstrip("/"), url.rstrip("/")
        self.patience_s = patience_s
        self.waiting = ""
        self._idle: list[http.client.HTTPConnection] = []  # append and pop are atomic
        self._stop = threading.Event()

    def close(self) -> None:
        """Close all connections that no request uses."""
        while self._idle:
            self._idle.pop().close()

    def stop(self) -> None:
        """Let all threads end at their next pause or request."""
        self._stop.set()

    def upload(self, document: bytes, token: str | None, *, dry_run: bool = False) -> Answer:
        """Post one document, compressed unless it is already. Sending the same twice does no harm."""
        headers = {"Content-Type": "application/octet-stream", "Accept": "application/json"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        if not document.startswith(COMPRESSED):
            document = gzip.compress(document, compresslevel=5, mtime=0)
            headers["Content-Encoding"] = "gzip"
        return self._ask("POST", "/api/v1/uploads" + ("?dry_run=1" if dry_run else ""), document, headers)

    def receipt(self, upload_id: str) -> Answer:
        """Return an upload's receipt."""
        return self._ask("GET", f"/api/v1/uploads/{upload_id}", None, {"Accept": "application/json"})

    def _ask(self, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Answer:
        """Send a request until it gets a final answer; raises `SiteUnreachable` when patience is over."""
        give_up_at = time.monotonic() + self.patience_s
        pause = FIRST_PAUSE_S
        while True:
            if self._stop.is_set():
                raise Stopped
            try:
                status, wait, answer = self._once(method, path, body, headers)
            except (OSError, http.client.HTTPException) as error:
                if isinstance(error, ssl.SSLCertVerificationError):
                    raise SiteUnreachable(f"{self.url} has no valid certificate: {error.verify_message}") from error
                trouble = f"{self.url} can't be reached ({readable(str(error) or type(error).__name__)})"
                wait = None
            else:
                if status not in TRY_AGAIN:
                    self.waiting = ""
                    return Answer(status, answer)
                trouble = f"{self.url} asks to wait ({status}: {readable(str(answer.get('detail', '')))[:200]})"
            wait = pause if wait is None else max(wait, 0.1)
            if time.monotonic() + wait > give_up_at:
                raise SiteUnreachable(f"{trouble}. Given up after trying for {self.patience_s:g} s; try again later")
            self.waiting = f"{trouble}; next try in {wait:g} s"
            if self._stop.wait(wait):
                raise Stopped
            pause = min(2 * pause, LONGEST_PAUSE_S)

    def _once(
        self, method: str, path: str, body: bytes | None, headers: dict[str, str]
    ) -> tuple[int, float | None, dict[str, Any]]:
        """Return status, seconds to wait if the answer names them, and body of one request."""
        connection = self._connection()
        try:
            if connection.sock is None:
                connection.connect()  # not left to request(): after a reset in here there is no answer to read
            # A refusal may come before the whole body is read; then the answer is there already.
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.request(method, self.base + path, body, headers)
            response = connection.getresponse()
            data = response.read(LARGEST_ANSWER_BYTES)
        except BaseException:
            connection.close()
            raise
        self._idle.append(connection)
        if 300 <= response.status < 400:
            target = readable(response.getheader("Location") or "elsewhere")
            raise SiteUnreachable(f"{self.url} sends on to {target}. Use that site's address")
        return response.status, _seconds(response.getheader("Retry-After")), _object(data)

    def _connection(self) -> http.client.HTTPConnection:
        try:
            return self._idle.pop()
        except IndexError:
            kind = http.client.HTTPSConnection if self.secure else http.client.HTTPConnection
            return kind(self.host, self.port, timeout=TIMEOUT_S)


def refusal_lines(answer: Answer) -> list[str]:
    """Return a refusal as lines to read: what is wrong, then each place with its reason."""
    title = answer.body.get("title") or "refused"
    lines = [readable(f"{title} ({answer.status})")]
    if answer.body.get("detail"):
        lines.append(readable(str(answer.body["detail"])))
    errors = answer.body.get("errors")
    for error in errors if isinstance(errors, list) else []:
        if isinstance(error, dict):
            lines.append(readable(f"{error.get('where', '?')}: {error.get('message', '')} [{error.get('code', '')}]"))
    return lines


def _seconds(header: str | None) -> float | None:
    """Return the seconds of a `Retry-After`; its other form, a date, is left to the usual pauses."""
    return float(header) if header and header.strip().isascii() and header.strip().isdigit() else None


def _object(data: bytes) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except ValueError:
        value = None
    return value if isinstance(value, dict) else {"detail": data[:200].decode("utf-8", "replace")}


def readable(text: str) -> str:
    """Drop what could move a terminal's cursor or colour it."""
    return "".join(letter if letter.isprintable() else " " for letter in text)
