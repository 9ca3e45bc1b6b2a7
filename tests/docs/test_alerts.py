"""The page about alerts says what is sent, and the dashboard for Grafana asks for the metrics it lists."""

from __future__ import annotations

import json
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

from antelog import load
from antelog.cli.arguments.flags import flags
from antelog.cli.arguments.ready import WATCH
from antelog.cli.commands.watch import wanted_alerts
from antelog.run.settings import AlertSettings
from antelog.watch.alerts.alert import Alert, AlertSetup
from antelog.watch.alerts.letters import NAMES, routes_of
from tests.docs.pages import ROOT, blocks_of, commands
from tests.watch.alerts.lines import QUERIES as QUERIES_OF_LETTERS
from tests.watch.alerts.lines import letters

BOARD: dict[str, Any] = json.loads((ROOT / "docs" / "grafana" / "antelog.json").read_text(encoding="utf-8"))
PAGE = (ROOT / "docs" / "alerts.md").read_text(encoding="utf-8")
LISTED = {
    name: frozenset(re.findall(r"\w+", labels or ""))
    for name, labels in re.findall(r"^\| `(antelog_\w+)(?:\{([\w, ]+)\})?` \|", PAGE, re.MULTILINE)
}
QUERIES = [target["expr"] for panel in BOARD["panels"] for target in panel["targets"]]
OF_PROMETHEUS = {"job"}

BLOCKS = [*blocks_of(ROOT / "docs" / "alerts.md"), *blocks_of(ROOT / "docs" / "tutorial" / "watching.md")]
COMMANDS = [
    pytest.param(words[2:], id=f"{block}-{number}")
    for block in BLOCKS
    if block.language == "sh"
    for number, words in enumerate(commands(block))
    if words[:2] == ["antelog", "watch"]
]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with what the commands name: addresses, programs, alerts, rules."""
    monkeypatch.chdir(tmp_path)
    for name in ("notify-send", "siren"):
        Path(name).touch(mode=0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    Path("slack.url").write_text("https://hooks.example/", encoding="utf-8")
    turbines = (ROOT / "examples" / "turbines" / "turbines.alog").read_text(encoding="utf-8")
    Path("turbines.alog").write_text(turbines, encoding="utf-8")
    for block in BLOCKS:
        if block.file is not None:
            Path(block.file).write_text(block.text, encoding="utf-8")


@click.command(context_settings={"ignore_unknown_options": True, "allow_extra_args": True})
@click.argument("program", type=Path)
@flags(WATCH, settings=AlertSettings)
def watch(program: Path, settings: AlertSettings) -> None:
    """The options of `antelog watch` about alerts, and no others."""
    found = wanted_alerts(settings, load(program), chances=True)
    click.echo(len(found.alerts) if found else 0)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("words", COMMANDS)
def test_commands_ask_for_alerts_that_can_be_sent(words: list[str]) -> None:
    done = CliRunner().invoke(watch, words, catch_exceptions=False)
    assert done.exit_code == 0, done.stderr
    assert int(done.stdout) == words.count("--alert")


@pytest.mark.usefixtures("here")
def test_the_file_asks_for_alerts_that_can_be_sent() -> None:
    done = CliRunner().invoke(watch, ["turbines.alog", "--alerts", "alerts.toml"], catch_exceptions=False)
    assert (done.exit_code, done.stdout) == (0, "2\n"), done.stderr


def test_what_is_sent_is_what_the_page_shows() -> None:
    (block,) = (block for block in BLOCKS if block.language == "json")
    shown = json.loads(block.text)
    added = ("key", "text", "program", "status", "group", "severity", "count", "still_firing", "link")
    change: Any = {name: value for name, value in shown.items() if name not in (*added, "runbook")}
    query = replace(QUERIES_OF_LETTERS[0], severity="critical", key="X")
    setup = AlertSetup((Alert("command:cat"),), (query,), "turbines.alog", link="http://127.0.0.1:8080")
    routes = routes_of(setup)
    ((_, letter),) = letters(routes, change)
    assert list(json.loads(letter.body).items()) == list(shown.items())


def test_the_page_lists_all_names_of_templates() -> None:
    rows = re.findall(r"^\| ((?:`\{\w+\}`(?:, )?)+) \|", PAGE, re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"\w+", row)} == {*NAMES, "X"}


# ---- Grafana ----


def test_all_metrics_are_shown() -> None:
    assert {name for query in QUERIES for name in re.findall(r"antelog_\w+", query)} == {*LISTED}


def test_labels_are_those_of_the_metrics() -> None:
    for panel in BOARD["panels"]:
        for target in panel["targets"]:
            (name,) = set(re.findall(r"antelog_\w+", target["expr"]))
            used = {
                label
                for each in re.findall(r"by \(([\w, ]+)\)", target["expr"])
                for label in each.split(", ")
            }
            used |= set(re.findall(r"(\w+)=", re.sub(r"==", "", target["expr"])))
            used |= set(re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))
            assert used <= LISTED[name] | OF_PROMETHEUS, panel["title"]


def test_any_prometheus_will_do() -> None:
    """No source of another installation is named."""
    text = json.dumps(BOARD)
    assert set(re.findall(r'"uid": "([^"]+)"', text)) == {"${source}", "antelog"}
