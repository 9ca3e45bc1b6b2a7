"""docs/grafana: panels ask for what a page says, and alert rules are about metrics that there are."""

import json
import re
import subprocess
import tomllib
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import yaml

import antelog
from tests.docs.pages import ROOT, blocks_of
from tests.servers import UnavailableError, program
from tests.watch.web.asking import ask

BOARD = json.loads((ROOT / "docs" / "grafana" / "antelog-answers.json").read_text(encoding="utf-8"))
(CONFIRMED,) = BOARD["annotations"]["list"]
TARGETS = [CONFIRMED["target"], *(target for panel in BOARD["panels"] for target in panel["targets"])]
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
    decided = next(each for each in TARGETS[1:] if each["url"] == "/api/decided")
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


def test_confirmed_answers_are_marked(page: Any) -> None:
    """Grafana draws a line at `time`, with these words, which it knows by the names of the columns."""
    target = CONFIRMED["target"]
    assert {each["text"] for each in target["columns"]} == {"time", "title", "text", "tags"}
    assert target["format"] == "dataframe"
    assert [row["change"] for row in rows_of(page, target, (0, 60))] == ["confirmed"]
    assert len(rows_of(page, {**target, "url_options": {"params": []}}, (0, 60))) > 1


def test_any_source_will_do() -> None:
    """No source of another installation is named."""
    assert {each["datasource"]["uid"] for each in (*BOARD["panels"], CONFIRMED, *TARGETS)} == {"${source}"}


# ---- alert rules ----

(GROUP,) = yaml.safe_load((ROOT / "docs" / "grafana" / "alerts.yaml").read_text(encoding="utf-8"))["groups"]
METRICS = {
    f"{name}_total" if "counter" in kind else name
    for name, kind in tomllib.loads(files("antelog.run").joinpath("metrics.toml").read_text("utf-8")).items()
}
LABELS: dict[str, set[str]] = {}  # those that the pages list
for _page in ("alerts.md", "spark/running.md"):
    _text = (ROOT / "docs" / _page).read_text(encoding="utf-8")
    for _name, _labels in re.findall(r"`(antelog_\w+)(?:\{([\w, ]+)\})?`", _text):
        LABELS.setdefault(_name, set()).update(re.findall(r"\w+", _labels))


@pytest.mark.parametrize("rule", GROUP["rules"], ids=lambda rule: rule["uid"])
def test_alert_rules_are_about_metrics_and_labels_there_are(rule: Any) -> None:
    query, threshold = rule["data"]
    names = set(re.findall(r"antelog_\w+", query["model"]["expr"]))
    assert names
    assert names <= METRICS
    text = f"{query['model']['expr']} {rule['annotations']['summary']}"
    used = {name for some in re.findall(r"by \(([\w, ]+)\)", text) for name in some.split(", ")}
    used |= set(re.findall(r"(\w+)=~?\"", text)) | set(re.findall(r"\.Labels\.(\w+)", text))
    assert used <= set.intersection(*(LABELS[name] for name in names))
    assert (rule["condition"], threshold["model"]["expression"]) == (threshold["refId"], query["refId"])
    assert (query["model"]["refId"], threshold["model"]["refId"]) == (query["refId"], threshold["refId"])


def test_alert_rules_have_names_of_their_own_and_can_be_read(tmp_path: Path) -> None:
    assert (
        len({rule["uid"] for rule in GROUP["rules"]}) == len({rule["title"] for rule in GROUP["rules"]}) == 9
    )
    rules = [{"alert": rule["uid"], "expr": rule["data"][0]["model"]["expr"]} for rule in GROUP["rules"]]
    (tmp_path / "rules.yml").write_text(yaml.safe_dump({"groups": [{"name": "antelog", "rules": rules}]}))
    try:
        promtool, environment = program("promtool", "prometheus")
    except UnavailableError as error:
        pytest.skip(str(error))
    words = [str(promtool), "check", "rules", str(tmp_path / "rules.yml")]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, "9 rules found" in done.stdout) == (0, True), done.stdout + done.stderr
