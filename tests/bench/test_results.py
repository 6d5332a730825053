"""Medians, targets, the JSON file and the report."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from bench import report, results
from bench.results import Chart, Figure, Result, Target
from deploy.steps.folders import SiteFolders


def result() -> Result:
    made = Result("hot", "Hot: where | tables lie", "3 runs", {"processor": "2 × one"})
    made.add("merged", "MB/s", [3, 1, 2])
    made.targets.append(Target("ratio", 0.5, least=0.25))
    made.charts.append(Chart("bars", "Rates", "", "1/s", [("now", [("a", 1), ("b", 2)])]))
    made.charts.append(Chart("lines", "<Times>", "clients", "ms", [("p99", [(1, 5), (64, 9)])], [(2, "<fault>")]))
    return made


def test_a_figure_has_a_median_and_a_range():
    assert (Figure("x", "s", [3, 1, 2]).median, Figure("x", "s", [3, 1, 2]).run_range) == (2, "1.00 … 3.00")
    assert Figure("x", "s", [3]).run_range == ""


@pytest.mark.parametrize(("percent", "value"), [(50, 2), (99, 4), (100, 4), (25, 1), (0, 1)])
def test_a_percentile_is_one_of_the_values(percent, value):
    assert results.percentile([4, 1, 3, 2], percent) == value


def test_no_values_have_no_percentile():
    assert math.isnan(results.percentile([], 99))


def test_a_target_is_met_at_its_limit():
    assert Target("x", 1.0, least=1.0).met
    assert Target("x", 1.0, most=1.0).met
    assert not Target("x", 0.99, least=1.0).met
    assert not Target("x", 0.01, most=0).met
    assert Target("x", 0, most=0).wanted == "at most 0"


def test_a_missing_value_meets_no_target():
    assert not Target("x", math.nan, least=1).met
    assert not Target("x", math.nan, most=1).met


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0"), (1234567, "1,234,567"), (99.94, "99.9"), (1.234, "1.23"), (0.0123, "0.012"), (-250, "-250")],
)
def test_numbers_are_formatted_for_people(value, text):
    assert results.number(value) == text


def test_a_fault_fails_a_result_that_met_its_targets(tmp_path: Path, capsys):
    made = result()
    assert results.finish(made, SiteFolders(tmp_path, 1), quick=True) == 0
    made.faults.append("One upload is missing.")
    assert results.finish(made, SiteFolders(tmp_path, 1), quick=True) == 1
    assert "WRONG: One upload is missing." in capsys.readouterr().out
    assert json.loads((tmp_path / "quick" / "hot.json").read_text())["passed"] is False


def test_a_written_result_can_be_read_again(tmp_path: Path):
    results.finish(result(), SiteFolders(tmp_path, 1), quick=True)
    kept, others = results.read(tmp_path / "quick" / "hot.json")
    assert (kept.figures, kept.targets, others["quick"]) == (result().figures, result().targets, True)


def test_the_report_has_targets_figures_machine_and_a_plot_per_chart(tmp_path: Path):
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
