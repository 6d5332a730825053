"""How far a long command has come: one line that is written over on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import shutil
import sys
import time
from typing import TextIO

#: Seconds between two lines: on a terminal, and elsewhere.
REDRAW_INTERVAL_S, QUIET_INTERVAL_S = 0.1, 10.0
BAR_CELLS = 24
#: The width assumed for a terminal that does not report one.
USUAL_COLUMNS = 110


class Progress:
    """A bar for `total` things of a kind; time left is judged by the pace so far."""

    def __init__(self, unit: str, total: int, *, before: int = 0, stream: TextIO | None = None) -> None:
        self.unit, self.total, self.before = unit, total, before
        self.stream = stream or sys.stderr
        self.is_terminal = self.stream.isatty()
        self.interval_s = REDRAW_INTERVAL_S if self.is_terminal else QUIET_INTERVAL_S
        self.began = time.monotonic()
        self.next_line_at = self.began if self.is_terminal else self.began + QUIET_INTERVAL_S

    def show(self, done: int, note: str = "") -> None:
        """Say that `done` of the total are done, `before` included, unless the last line is still fresh."""
        now = time.monotonic()
        if now < self.next_line_at:
            return
        self.next_line_at = now + self.interval_s
        line = self.line(done, now - self.began) + (f" · {note}" if note else "")
        if self.is_terminal:
            columns = shutil.get_terminal_size((USUAL_COLUMNS, 0)).columns
            line = f"\r\x1b[K{line[: columns - 1]}"  # a longer line would wrap, and only its last row be cleared
        self.stream.write(line if self.is_terminal else f"{line}\n")
        self.stream.flush()

    def line(self, done: int, elapsed_s: float) -> str:
        """Return the line: `[######      ]  25 %, 1,000 of 4,000 uploads, 50/s, 1:00 left`."""
        total = max(self.total, done)
        share = done / total if total else 1.0
        pace = (done - self.before) / elapsed_s if elapsed_s > 0 else 0.0
        left = f", {_clock((total - done) / pace)} left" if pace > 0 and done < total else ""
        bar = "#" * int(BAR_CELLS * share)
        return f"[{bar:<{BAR_CELLS}}] {share:4.0%}, {done:,} of {total:,} {self.unit}, {pace:,.0f}/s{left}"

    def end(self) -> None:
        """Clear the line for what is said next; `show` may follow."""
        if self.is_terminal:
            self.next_line_at = self.began
            self.stream.write("\r\x1b[K")
            self.stream.flush()


def _clock(seconds: float) -> str:
    whole = int(seconds)
    if whole >= 3600:
        return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
    return f"{whole // 60}:{whole % 60:02}"
