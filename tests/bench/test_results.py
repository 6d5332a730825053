"""Medians, targets and what is kept of a result."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest

from bench import report, results
from bench.plot import draw, steps
from bench.results import Chart, Figure, Result, Target
from deploy.steps.folders import SiteFolders


def result() -> Result:
    made = Result("hot", "Hot: where | tables lie", "3 runs", {"processor": "2 × one"})
    made.add("merged", "MB/s", [3, 1, 2])
    made.targets.append(Target("ratio", 0.5, least=0.25))
    made.charts.append(Chart("bars", "Rates", "", "1/s", [("now", [("a", 1), ("b", 2)])]))
    made.charts.append(Chart("lines", "<Times>", "clients", "ms", [("p99", [(1, 5), (64, 9)])], [(2, "<fault>")]))
    return made


def test_a_figure_is_its_median_with_its_spread():
    assert (Figure("x", "s", [3, 1, 2]).median, Figure("x", "s", [3, 1, 2]).spread) == (2, "1.00 … 3.00")
    assert Figure("x", "s", [3]).spread == ""


@pytest.mark.parametrize(("percent", "value"), [(50, 2), (99, 4), (100, 4), (25, 1), (0, 1)])
def test_a_percentile_is_a_value_that_was_seen(percent, value):
    assert results.percentile([4, 1, 3, 2], percent) == value


def test_of_nothing_there_is_no_percentile():
    assert math.isnan(results.percentile([], 99))


def test_a_target_is_met_at_its_limit():
    assert Target("x", 1.0, least=1.0).met
    assert Target("x", 1.0, most=1.0).met
    assert not Target("x", 0.99, least=1.0).met
    assert not Target("x", 0.01, most=0).met
    assert Target("x", 0, most=0).wanted == "at most 0"


def test_a_value_that_was_not_seen_meets_no_target():
    assert not Target("x", math.nan, least=1).met
    assert not Target("x", math.nan, most=1).met


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (1234567, "1,234,567"), (99.94, "99.9"), (1.234, "1.23"), (0.0123, "0.012"), (-250, "-250")],
)
def test_numbers_are_written_as_people_read_them(value, text):
    assert results.number(value) == text


def test_a_fault_fails_a_result_that_met_its_targets(tmp_path: Path, capsys):
    made = result()
    assert results.finish(made, SiteFolders(tmp_path, 1), quick=True) == 0
    made.faults.append("One upload is missing.")
    assert results.finish(made, SiteFolders(tmp_path, 1), quick=True) == 1
    assert "WRONG: One upload is missing." in capsys.readouterr().out
    assert json.loads((tmp_path / "quick" / "hot.json").read_text())["passed"] is False


def test_what_is_kept_is_read_again(tmp_path: Path):
    results.finish(result(), SiteFolders(tmp_path, 1), quick=True)
    kept, beside = results.read(tmp_path / "quick" / "hot.json")
    assert (kept.figures, kept.targets, beside["quick"]) == (result().figures, result().targets, True)


def test_the_report_tells_targets_figures_machine_and_draws_each_chart(tmp_path: Path):
    results.finish(result(), SiteFolders(tmp_path, 1), quick=True)
    (tmp_path / "benchmarks").mkdir()
    (tmp_path / "benchmarks" / "old.svg").write_text("")
    report.write([tmp_path / "quick" / "hot.json"], tmp_path)
    text = (tmp_path / "benchmarks.md").read_text()
    assert "| ratio | 0.50 | at least 0.25 | met |" in text
    assert "| merged | 2.00 | MB/s | 1.00 … 3.00 |" in text
    assert "processor 2 × one" in text
    assert "(#hot-where--tables-lie)" in text
    assert "Hot: where \\| tables lie" in text
    assert {path.name for path in (tmp_path / "benchmarks").iterdir()} == {"hot.svg", "hot-2.svg"}
    drawn = (tmp_path / "benchmarks" / "hot-2.svg").read_text()
    assert "&lt;Times&gt;" in drawn
    assert "&lt;fault&gt;" in drawn


@pytest.mark.parametrize("highest", [0.003, 1, 4.9, 87, 1e6, 3.3e7])
def test_a_chart_s_steps_are_few_round_and_reach_past_the_highest(highest):
    marks = steps(highest)
    assert marks[0] == 0
    assert marks[-1] >= highest > marks[-2]
    assert 3 <= len(marks) <= 7


def test_long_words_below_bars_are_broken_into_lines_that_fit():
    words = ["hot tables in RAM", "hot tables unlogged on disk", "row by row, on disk", "a", "b"]
    drawn = draw(Chart("bars", "Rates", "", "1/s", [("now", [(word, 1.0) for word in words])]))
    texts = re.findall(r"<text[^>]*>([^<]*)</text>", drawn)
    assert "hot tables unlogged on disk" not in texts
    assert {"hot tables unlogged", "on disk"} <= set(texts)
