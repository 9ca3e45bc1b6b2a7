"""docs/coming-from: each program gives what stands below it, and so does theirs where it can be run here."""

from __future__ import annotations

import io
import re
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pandas as pd
import pytest
import yaml
from pyarrow import csv as pa_csv

from tests.docs.pages import ROOT, blocks_of, whole
from tests.peers.answers import Facts, confirmed, rows, value
from tests.servers import UnavailableError, program

PAGES = {path.stem: path for path in sorted((ROOT / "docs" / "coming-from").glob("*.md"))}
GIVES = re.compile(r"^(Gives|Both give) ([^:\n]*)", re.MULTILINE)


@dataclass(frozen=True)
class Pair:
    """A sentence of theirs and ours, the facts they are about, and what they give."""

    page: str
    theirs: str  # empty where the page does not say that both give it
    ours: str
    files: dict[str, str]
    gives: list[str]

    def __str__(self) -> str:
        return f"{self.page}: {self.ours.splitlines()[-1]}"


def pairs(page: str) -> list[Pair]:
    """The programs of a page, each with the sentence before it and what is said to come out behind it."""
    text = PAGES[page].read_text(encoding="utf-8")
    said = {text.count("\n", 0, each.start()) + 1: each for each in GIVES.finditer(text)}
    blocks = {block.line: block for block in blocks_of(PAGES[page])}
    files = {b.title.removesuffix(".csv"): b.text for b in blocks.values() if b.title and b.language == "csv"}
    found, theirs, ours = [], "", ""
    for line in sorted({*said, *blocks}):
        if line in said:
            gives = re.findall(r"`([^`]+)`", said[line][2])
            found.append(Pair(page, theirs if said[line][1] == "Both give" else "", ours, files, gives))
        elif blocks[line].language == "antelog":
            ours = whole(blocks[line])
        elif blocks[line].title is None:
            theirs = blocks[line].text
    return found


def table(text: str) -> list[tuple[Any, ...]]:
    return [tuple(map(value, row.split(","))) for row in text.splitlines()[1:]]


@pytest.mark.parametrize("pair", [pair for page in PAGES for pair in pairs(page)], ids=str)
def test_ours_gives_what_stands_below(pair: Pair) -> None:
    inputs = re.findall(r"^input +(\w+)\(", pair.ours, re.MULTILINE)
    static = re.findall(r"^static +(\w+)\(", pair.ours, re.MULTILINE)
    facts: Facts = {name: table(pair.files[name]) for name in inputs}
    background = {name: table(pair.files[name]) for name in static}
    expected = rows(pair.gives)
    assert confirmed(pair.ours, facts, expected, static=background) == expected


def test_all_programs_of_a_page_are_run() -> None:
    assert {*PAGES} == {"index", "patterns", "sql", "promql", "flink", "esper", "pandas"}
    for page, path in PAGES.items():
        asked = [b for b in blocks_of(path) if b.language == "antelog" and "query " in b.text]
        assert len(pairs(page)) == len(asked)
        assert len(asked) >= 10 or page == "index"


# ---- theirs ----


def in_sql(pair: Pair) -> set[str]:
    connection = duckdb.connect()
    for name, text in pair.files.items():
        connection.register(name, pa_csv.read_csv(io.BytesIO(text.encode())))
    return {" ".join(map(shown, row)) for row in connection.sql(pair.theirs).fetchall()}


def in_pandas(pair: Pair) -> set[str]:
    frames = {name.lower(): pd.read_csv(io.StringIO(text)) for name, text in pair.files.items()}
    names: dict[str, Any] = {"pd": pd, **frames}
    exec(pair.theirs, names)
    (*_, found) = names.values()
    return {" ".join(map(shown, row)) for row in found.itertuples(index=False)}


def in_promql(pair: Pair) -> set[str]:
    """The rows, if `promtool` finds these and no others, half a minute after the samples of each minute."""
    try:
        promtool, environment = program("promtool", "prometheus")
    except UnavailableError as error:
        pytest.skip(str(error))
    columns = {len(row.split()) for row in pair.gives}
    by = "by (host)" if columns == {2} else ""
    expr, rules = pair.theirs, []
    if expr.startswith("- alert"):
        expr, rules = 'ALERTS{alertstate="firing"}', yaml.safe_load(expr)
    minutes = range(1 + max(row[-1] for row in table(pair.files["Load"])))
    tests = [
        {
            "expr": f"group {by} ({expr})",
            "eval_time": f"{minute}m30s",
            "exp_samples": [
                {"labels": f'{{host="{row.split()[0]}"}}' if by else "{}", "value": 1}
                for row in pair.gives
                if row.split()[-1] == str(minute)
            ],
        }
        for minute in minutes
    ]
    with TemporaryDirectory() as folder:
        Path(folder, "rules.yml").write_text(yaml.safe_dump({"groups": [{"name": "page", "rules": rules}]}))
        whole = {
            "rule_files": ["rules.yml"],
            "evaluation_interval": "1m",
            "tests": [
                {"interval": "1m", "input_series": series(pair.files, minutes), "promql_expr_test": tests}
            ],
        }
        Path(folder, "tests.yml").write_text(yaml.safe_dump(whole))
        words = [str(promtool), "test", "rules", f"{folder}/tests.yml"]
        done = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return {*pair.gives}


def series(files: dict[str, str], minutes: range) -> list[dict[str, str]]:
    """The samples of each host; where they end, it is as if the host were no longer there."""
    found = []
    for name, text in files.items():
        facts = {(host, time): str(number) for host, number, time in table(text)}
        for host in sorted({host for host, _ in facts}):
            last = max(time for each, time in facts if each == host)
            values = [facts.get((host, minute), "stale" if minute > last else "_") for minute in minutes]
            found.append({"series": f'{name.lower()}{{host="{host}"}}', "values": " ".join(values)})
    return found


def shown(cell: Any) -> str:
    return str(cell).removesuffix(".0")


RUN: dict[str, Callable[[Pair], set[str]]] = {"sql": in_sql, "pandas": in_pandas, "promql": in_promql}


@pytest.mark.parametrize("pair", [pair for page in RUN for pair in pairs(page)], ids=str)
def test_theirs_gives_the_same(pair: Pair) -> None:
    assert pair.theirs
    assert RUN[pair.page](pair) == rows(pair.gives).keys()
