"""`antelog play`: prints a link that works, writes nothing by itself, and ends with Ctrl-C."""

import re
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from antelog.cli.main import main
from antelog.lazily import brought_by
from tests.cli.trying import antelog

RULES = "input P(a, time).\nQ(X, T) :- P(X, T), P(X, T+1).\nquery Q(X, T).\n"


@pytest.mark.slow
def test_the_link_leads_to_the_page(tmp_path: Path, start: Any) -> None:
    (tmp_path / "rules.alog").write_text(RULES)
    words = ["play", "rules.alog", "--input", "P=new.csv"]
    process = start([sys.executable, "-m", "antelog", *words], cwd=tmp_path, stderr=subprocess.PIPE)
    assert process.stderr is not None
    found = re.fullmatch(r"the page: (http://127\.0\.0\.1:\d+)/\?token=(\S+)\n", process.stderr.readline())
    assert found is not None
    asked = urllib.request.Request(f"{found[1]}/api/bench", headers={"Authorization": f"Bearer {found[2]}"})
    with urllib.request.urlopen(asked) as answer:
        assert b"Q(X, T)" in answer.read()
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0
    assert [each.name for each in tmp_path.iterdir()] == ["rules.alog"]


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["play", "--input", "P=facts.parquet"], 1, "facts.parquet"),
        (["play", "--input", "P=kafka://localhost:9092/p"], 2, "Follow it with `antelog watch`"),
        (["play", "rules.alog", "--functions", "none.py"], 1, "none.py"),
    ],
)
def test_what_cannot_be_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], status: int, said: str
) -> None:
    (tmp_path / "facts.parquet").write_bytes(b"PAR1\xff\xfe")
    monkeypatch.chdir(tmp_path)
    done = antelog(*words)
    assert done.exit_code == status, done.output
    assert said in done.stderr


def test_it_could_start() -> None:
    done = CliRunner().invoke(main, ["lsp", "--check"], prog_name="antelog")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("library", ["lsprotocol", "pygls"])
def test_without_its_library(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in list(sys.modules):
        if name.partition(".")[0] in {"lsprotocol", "pygls"} or name.startswith("antelog.workbench.lsp"):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)
    done = CliRunner().invoke(main, ["lsp"], prog_name="antelog")
    assert done.exit_code == 1
    assert f"is not installed: {brought_by('lsp')}" in done.stderr
