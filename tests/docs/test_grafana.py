"""docs/grafana/antelog-answers.json: what its panels ask for is what a page of rules and facts says."""

import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

import pytest

import antelog
from tests.docs.pages import ROOT, blocks_of
from tests.watch.web.asking import ask

BOARD = json.loads((ROOT / "docs" / "grafana" / "antelog-answers.json").read_text(encoding="utf-8"))
TARGETS = [target for panel in BOARD["panels"] for target in panel["targets"]]
TYPES: dict[str, Any] = {"string": str, "number": int | float, "timestamp_epoch": int}
PROGRAM = antelog.parse("""
tick 10 seconds.
input Temp(device, level, time) delay 1.
Malf(X, T) :- Temp(X, high, T), Temp(X, high, T+1).
query Malf(X, T) critical "turbine {X} is about to stop" runbook "https://wiki.example/{X}".
""")
NOON = datetime(2024, 3, 9, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def page() -> Any:
    """Two turbines were hot at noon, and one of them ten seconds later, when time ends."""
    engine = antelog.Engine(PROGRAM)
    found = antelog.live(engine, program=PROGRAM)
    for second, devices in ((0, ["wt1", "wt2"]), (10, ["wt1"]), (20, ["wt3"])):
        at = NOON.replace(second=second)
        found.tell(engine.advance(at, {"Temp": [(each, "high", at) for each in devices]}))
    return found


def rows_of(page: Any, target: Any, seconds: tuple[int, int]) -> list[dict[str, Any]]:
    """What a panel gets, when the dashboard's time goes from one second after noon to another."""
    begin, end = (round(1_000 * (NOON.timestamp() + each)) for each in seconds)
    values = {"${__from}": begin, "${__to}": end}
    given = [
        (each["key"], values.get(each["value"], each["value"])) for each in target["url_options"]["params"]
    ]
    found = ask(page, f"{target['url']}?{urlencode(given)}", token=None)
    assert found.status == 200
    return found.json[target["root_selector"]] if target["root_selector"] else [found.json]


@pytest.mark.parametrize("target", TARGETS, ids=lambda each: each["url"])
def test_columns_are_those_of_the_rows(page: Any, target: Any) -> None:
    rows = rows_of(page, target, (0, 60))
    assert rows
    for row in rows:
        assert not [name for name, value in row.items() if isinstance(value, list | dict)]
        for each in target["columns"]:
            assert isinstance(row[each["selector"]], TYPES[each["type"]] | None), each


def test_times_are_in_milliseconds(page: Any) -> None:
    decided = next(each for each in TARGETS if each["url"] == "/api/decided")
    (row,) = (each for each in rows_of(page, decided, (0, 60)) if each["change"] == "confirmed")
    noon = round(1_000 * NOON.timestamp())
    assert (row["X"], row["T"], row["time"], row["since"]) == ("wt1", noon, noon + 10_000, noon)
    assert row["runbook"] == "https://wiki.example/wt1"
    (shown,) = (block.text for block in blocks_of(ROOT / "docs" / "live-page.md") if block.language == "json")
    assert {*json.loads(shown)} == {*row}
    at_once = rows_of(page, decided, (10, 10))
    assert row in at_once
    assert {each["time"] for each in at_once} == {noon + 10_000}
    assert rows_of(page, decided, (-60, -10)) == rows_of(page, decided, (40, 60)) == []


def test_any_source_will_do() -> None:
    """No source of another installation is named."""
    assert {each["datasource"]["uid"] for each in (*BOARD["panels"], *TARGETS)} == {"${source}"}
