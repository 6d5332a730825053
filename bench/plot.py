"""Small plots as SVG: lines over numbers, bars over words. They read well on light and dark pages."""

from __future__ import annotations

import math
import textwrap
from html import escape

from bench.results import Chart, number

WIDTH, HEIGHT = 720, 360
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 48, 64
COLOURS = ("#2f6fdb", "#d9772b", "#2b9a66", "#b3459b", "#8a6d1f", "#5b6672")
_GREY = "#808890"
#: Mean width of a letter at the size used.
LETTER = 6.6


def draw(chart: Chart) -> str:
    """Return a chart as an SVG document."""
    body = _lines(chart) if chart.kind == "lines" else _bars(chart)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        f' font-family="sans-serif" font-size="12" fill="{_GREY}">\n'
        f"<title>{escape(chart.title)}</title>\n"
        + _text(LEFT, 20, chart.title, "start", bold=True)
        + _legend(chart)
        + "".join(body)
        + "</svg>\n"
    )


def steps(highest: float) -> list[float]:
    """Return round values from 0 to just past `highest`: `steps(87)` → `[0, 20, 40, 60, 80, 100]`."""
    if highest <= 0:
        return [0.0, 1.0]
    size = 10.0 ** math.floor(math.log10(highest / 4))
    size = next(size * factor for factor in (1, 2, 5, 10) if highest / (size * factor) <= 5)
    return [size * count for count in range(math.ceil(highest / size - 1e-9) + 1)]


def _lines(chart: Chart) -> list[str]:
    points = [point for _, series in chart.series for point in series]
    rows = steps(max((y for _, y in points), default=1))
    low, high = min(x for x, _ in points), max(x for x, _ in points)
    # Client counts double: on a straight axis the first ones would lie on each other.
    doubling = low > 0 and high / low >= 8 and all(x == 2 ** round(math.log2(x)) for x, _ in points)

    def across(x: float) -> float:
        share = math.log(x / low) / math.log(high / low) if doubling else (x - low) / ((high - low) or 1)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    parts = _frame(chart, rows)
    ticks = sorted({x for x, _ in points}) if doubling else [x for x in steps(high) if low <= x <= high]
    parts += [_text(across(x), HEIGHT - BOTTOM + 18, number(x).removesuffix(".00"), "middle") for x in ticks]
    parts += [
        f'<path d="M{across(x):.1f} {TOP}V{HEIGHT - BOTTOM}" stroke="#c33" stroke-opacity=".35">'
        f"<title>{escape(word)}</title></path>\n"
        for x, word in chart.marks
    ]
    for colour, (_, series) in zip(COLOURS * 3, chart.series, strict=False):
        path = " ".join(f"{across(x):.1f},{_down(y, rows):.1f}" for x, y in series)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>\n')
        if len(series) <= 30:
            parts += [
                f'<circle cx="{across(x):.1f}" cy="{_down(y, rows):.1f}" r="3" fill="{colour}"/>\n' for x, y in series
            ]
    return parts


def _bars(chart: Chart) -> list[str]:
    words = list(dict.fromkeys(str(x) for _, series in chart.series for x, _ in series))
    rows = steps(max(y for _, series in chart.series for _, y in series))
    group = (WIDTH - LEFT - RIGHT) / len(words)
    width = group * 0.8 / len(chart.series)
    parts = _frame(chart, rows)
    for place, word in enumerate(words):
        for line, text in enumerate(textwrap.wrap(word, max(4, int(group / LETTER)))):
            parts.append(_text(LEFT + (place + 0.5) * group, HEIGHT - BOTTOM + 16 + 13 * line, text, "middle"))
    for position, (colour, (_, series)) in enumerate(zip(COLOURS * 3, chart.series, strict=False)):
        for x, y in series:
            left = LEFT + words.index(str(x)) * group + group * 0.1 + position * width
            top = _down(y, rows)
            parts.append(
                f'<rect x="{left:.1f}" y="{top:.1f}" width="{width * 0.92:.1f}"'
                f' height="{HEIGHT - BOTTOM - top:.1f}" fill="{colour}"/>\n'
            )
            parts.append(_text(left + width * 0.46, top - 4, number(y), "middle"))
    return parts


def _frame(chart: Chart, rows: list[float]) -> list[str]:
    parts = []
    for value in rows:
        y = _down(value, rows)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="{_GREY}" stroke-opacity=".3"/>\n')
        parts.append(_text(LEFT - 8, y + 4, number(value).removesuffix(".00"), "end"))
    parts.append(_text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - BOTTOM + 40, chart.x, "middle"))
    parts.append(
        f'<text transform="translate(16 {(TOP + HEIGHT - BOTTOM) / 2:.0f}) rotate(-90)" text-anchor="middle">'
        f"{escape(chart.y)}</text>\n"
    )
    return parts


def _legend(chart: Chart) -> str:
    if len(chart.series) < 2:
        return ""
    parts, left = [], float(LEFT)
    for colour, (label, _) in zip(COLOURS * 3, chart.series, strict=False):
        parts.append(f'<rect x="{left:.0f}" y="28" width="10" height="10" fill="{colour}"/>\n')
        parts.append(_text(left + 14, 37, label, "start"))
        left += 26 + LETTER * len(label)
    return "".join(parts)


def _down(value: float, rows: list[float]) -> float:
    return HEIGHT - BOTTOM - value / rows[-1] * (HEIGHT - TOP - BOTTOM)


def _text(x: float, y: float, text: str, anchor: str, *, bold: bool = False) -> str:
    weight = ' font-weight="bold"' if bold else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{weight}>{escape(text)}</text>\n'
