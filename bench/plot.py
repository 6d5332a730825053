"""Draw charts as SVG with matplotlib: lines over numbers, bars over words, readable on light and dark pages."""

from __future__ import annotations

import io
import math
import statistics
import textwrap
from collections.abc import Sequence
from itertools import product
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from bench.results import Chart, number

XY = tuple[float, float]

SIZE_INCHES = (7.5, 3.75)
COLORS = ("#2f6fdb", "#d9772b", "#2b9a66", "#b3459b", "#8a6d1f", "#5b6672")
#: Readable on white and on black.
_GREY = "#808890"
_MARK_RED = "#cc3333"
#: Text stays text, ids are the same each time, and nothing but the data is opaque.
_STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "mobmap",
    "text.parse_math": False,
    "font.size": 9,
    "font.sans-serif": ["DejaVu Sans"],
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.axisbelow": True,
    "axes.ymargin": 0.1,
    "grid.color": _GREY,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "savefig.transparent": True,
    **dict.fromkeys(("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"), _GREY),
}
#: No program, version or moment: the same data give the same file.
_NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))
_PLAIN = FuncFormatter(lambda value, _: f"{value:,.10g}")
#: From so many points on, a line is drawn without a dot for each.
_MANY_POINTS = 30
#: From so many marks on, they are drawn without their words.
_MANY_MARKS = 5
#: Where the largest value exceeds the smallest this many times, a straight axis would hide the small ones.
_LOG_FROM = 100
#: How many letters of the size used fit across the plot.
_LETTERS_ACROSS = 105
_LEGEND_COLUMNS = 3


def draw(chart: Chart) -> str:
    """Return a chart as SVG text; the same chart gives the same text."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=SIZE_INCHES, layout="constrained")
        axes = figure.add_subplot()
        axes.set_title(chart.title, loc="left", fontweight="bold")
        axes.set_xlabel(chart.x)
        axes.set_ylabel(chart.y)
        _draw_lines(axes, chart) if chart.kind == "lines" else _draw_bars(axes, chart)
        axes.yaxis.set_major_formatter(_PLAIN)
        if len(chart.series) > 1:
            figure.legend(loc="outside lower center", ncols=min(_LEGEND_COLUMNS, len(chart.series)))
        return _svg(figure, chart.title)


def draw_points(
    title: str, coordinates: Sequence[XY], true: Sequence[XY], estimated: Sequence[XY], *, shown_pct: float
) -> str:
    """Return a square of a zone, `shown_pct` percent wide around the true points, as SVG text."""
    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(6, 6.5), layout="constrained")
        axes = figure.add_subplot(aspect="equal")
        axes.set_title(title, loc="left", fontweight="bold")
        kinds: list[tuple[str, Sequence[XY], dict[str, Any]]] = [
            ("coordinates", coordinates, {"s": 12, "color": COLORS[0], "alpha": 0.35}),
            ("true", true, {"s": 240, "facecolor": "none", "edgecolor": COLORS[2]}),
            ("estimated", estimated, {"s": 60, "color": COLORS[1], "marker": "+"}),
        ]
        for label, points, look in kinds:
            axes.scatter([x for x, _ in points], [y for _, y in points], label=label, **look)
        x, y = (statistics.median(axis) for axis in zip(*true, strict=True))
        axes.set_xlim(x - shown_pct / 2, x + shown_pct / 2)
        axes.set_ylim(y + shown_pct / 2, y - shown_pct / 2)  # a map's y runs down
        figure.legend(loc="outside lower center", ncols=3)
        return _svg(figure, title)


def _svg(figure: Figure, title: str) -> str:
    file = io.StringIO()
    figure.savefig(file, format="svg", metadata={**_NO_METADATA, "Title": title})
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def _draw_lines(axes: Axes, chart: Chart) -> None:
    values = [y for _, series in chart.series for _, y in series]
    if min(values) > 0 and max(values) / min(values) >= _LOG_FROM:
        axes.set_yscale("log")
    styles = product(("solid", "dashed"), COLORS)
    for (dashes, color), (label, series) in zip(styles, chart.series, strict=False):
        marker = "o" if len(series) < _MANY_POINTS else ""
        axes.plot(*zip(*series, strict=True), label=label, color=color, linestyle=dashes, marker=marker, markersize=4)
    if axes.get_yscale() == "linear":
        axes.set_ylim(bottom=0)
    places = sorted({x for _, series in chart.series for x, _ in series})
    if _are_powers_of_two(places):
        axes.set_xscale("log", base=2)
        axes.xaxis.set_major_locator(FixedLocator(places))
        axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(_PLAIN)
    for x, word in chart.marks:
        axes.axvline(x, color=_MARK_RED, alpha=0.35, linewidth=1)
        if len(chart.marks) < _MANY_MARKS:
            axes.annotate(
                word, (x, 1), (3, -3), xycoords=("data", "axes fraction"), textcoords="offset points", va="top", size=8
            )


def _are_powers_of_two(places: list[float]) -> bool:
    """Say whether values are like counts of clients, 1 to 64: on a straight axis the first ones would coincide."""
    return places[-1] >= 8 * places[0] > 0 and all(place == 2 ** round(math.log2(place)) for place in places)


def _draw_bars(axes: Axes, chart: Chart) -> None:
    words = list(dict.fromkeys(str(x) for _, series in chart.series for x, _ in series))
    width = 0.8 / len(chart.series)
    for row, (color, (label, series)) in enumerate(zip(COLORS, chart.series, strict=False)):
        offset = (row - (len(chart.series) - 1) / 2) * width
        places = [words.index(str(x)) + offset for x, _ in series]
        bars = axes.bar(places, [y for _, y in series], width * 0.92, label=label, color=color)
        axes.bar_label(bars, [number(y) for _, y in series], padding=2, fontsize=8)
    letters = max(4, _LETTERS_ACROSS // len(words) - 2)
    axes.set_xticks(range(len(words)), [textwrap.fill(word, letters) for word in words])
    axes.tick_params(axis="x", length=0)
