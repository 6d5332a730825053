"""Charts as SVG: the same each time, with text that fits and can be read by machines."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from bench.plot import draw
from bench.results import Chart

BARS = Chart("bars", "Rates", "", "1/s", [("now", [("a", 1), ("b", 2)])])
LINES = Chart(
    "lines", "<Times>", "clients", "ms", [("p99", [(1, 5), (8, 9)]), ("p50", [(1, 1), (8, 2)])], [(2, "<fault>")]
)


def texts(drawn: str) -> list[str]:
    return re.findall(r"<text[^>]*>([^<]*)</text>", drawn)


@pytest.mark.parametrize("chart", [BARS, LINES], ids=["bars", "lines"])
def test_the_same_chart_is_the_same_file(chart):
    drawn = draw(chart)
    assert drawn == draw(chart)
    assert not re.search(r"20\d\d-\d\d|matplotlib v|Matplotlib v", drawn)
    assert ElementTree.fromstring(drawn).findtext("{http://www.w3.org/2000/svg}title") == chart.title


def test_words_stay_text_and_are_escaped():
    found = texts(draw(LINES))
    assert {"&lt;Times&gt;", "&lt;fault&gt;", "p99", "p50", "clients", "ms"} <= set(found)


def test_counts_of_clients_are_marks_of_a_logarithmic_axis():
    clients = [1, 2, 4, 8, 16]
    found = texts(draw(Chart("lines", "Rates", "clients", "1/s", [("now", [(n, 30_000 * n) for n in clients])])))
    assert set(map(str, clients)) <= set(found)
    assert "500,000" in found


def test_many_marks_are_drawn_without_their_words():
    marks = [(float(at), f"fault {at}") for at in range(9)]
    drawn = draw(Chart("lines", "Faults", "seconds", "uploads", [("merged", [(0, 0), (9, 9)])], marks))
    assert "fault 3" not in drawn
    assert drawn.count("#cc3333") == len(marks)


def test_a_page_s_background_shows_through():
    assert "#ffffff" not in draw(BARS)


def test_long_words_below_bars_are_broken_into_lines_that_fit():
    words = ["hot tables in RAM", "hot tables unlogged on disk", "row by row, on disk", "a", "b"]
    found = texts(draw(Chart("bars", "Rates", "", "1/s", [("now", [(word, 1.0) for word in words])])))
    assert "hot tables unlogged on disk" not in found
    assert {"hot tables unlogged", "on disk"} <= set(found)
