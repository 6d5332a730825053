"""The line that says how far a long command has come."""

from __future__ import annotations

from io import StringIO

from core.progress import Progress


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_the_line_tells_share_pace_and_time_left():
    line = Progress("uploads", 4_000).line(1_000, 20.0)
    assert line == "[######                  ]  25%, 1,000 of 4,000 uploads, 50/s, 1:00 left"


def test_the_pace_counts_only_what_this_run_did():
    assert Progress("uploads", 4_000, before=900).line(1_000, 10.0).endswith("10/s, 5:00 left")


def test_hours_are_told_as_such_and_the_end_has_no_time_left():
    assert Progress("uploads", 10_000).line(1, 1.0).endswith("1/s, 2:46:39 left")
    assert Progress("uploads", 2).line(2, 1.0) == f"[{'#' * 24}] 100%, 2 of 2 uploads, 2/s"


def test_more_than_expected_is_no_more_than_all():
    assert Progress("uploads", 2).line(3, 1.0) == f"[{'#' * 24}] 100%, 3 of 3 uploads, 3/s"


def test_nothing_to_do_is_all_done():
    assert "100%, 0 of 0" in Progress("uploads", 0).line(0, 0.0)


def test_a_terminal_is_written_over_and_cleared():
    stream = Terminal()
    progress = Progress("uploads", 2, stream=stream)
    progress.show(1, "reading")
    progress.end()
    assert stream.getvalue().startswith("\r\x1b[K[")
    assert stream.getvalue().endswith("· reading\r\x1b[K")


def test_a_file_gets_a_line_now_and_then():
    stream = StringIO()
    progress = Progress("uploads", 2, stream=stream)
    progress.show(1)
    progress.next_line_at = 0
    progress.show(2)
    progress.end()
    assert stream.getvalue().count("\n") == 1


def test_a_terminal_is_not_written_to_more_often_than_anybody_can_read():
    stream = Terminal()
    progress = Progress("uploads", 3, stream=stream)
    progress.show(1)
    progress.show(2)
    assert stream.getvalue().count("uploads") == 1
    progress.end()
    progress.show(3)
    assert "3 of 3 uploads" in stream.getvalue()
