"""The benchmarks' workloads, very small: the engine's changes are those counted without it."""

from __future__ import annotations

import json

import pytest

from benchmarks.measuring import measure
from benchmarks.report import as_json, as_markdown, setting
from benchmarks.workloads import WORKLOADS

TINY = 0.002


@pytest.mark.parametrize("name", WORKLOADS)
def test_the_changes_are_those_counted(name: str) -> None:
    run = measure(name, TINY)
    assert run.wrong == ""
    assert run.changes > 0


def test_a_wrong_count_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("benchmarks.counting.relayed", lambda _: {"confirmed": -1})
    run = measure("relay", TINY)
    assert "there are {'confirmed': -1}" in run.wrong
    assert "**relay is wrong**" in as_markdown(setting(TINY, 1), [[run]])


def test_the_report_has_all_that_was_measured() -> None:
    runs = [[measure("window", TINY)], [measure("cascade", TINY)]]
    where = setting(TINY, 1)
    table = as_markdown(where, runs)
    assert all(f"`{run.name}`" in table and f"{run.changes:,}" in table for (run,) in runs)
    found = json.loads(as_json(where, runs))
    assert [each["runs"][0]["changes"] for each in found["workloads"]] == [run.changes for (run,) in runs]
    assert found["versions"].keys() >= {"Python", "numpy", "pyarrow", "polars"}
