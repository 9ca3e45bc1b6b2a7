"""antelog/cli/commands/lsp.py: it starts if its library is there, and says so if it is not."""

import sys

import pytest
from click.testing import CliRunner

from antelog.cli.main import main


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
    assert "is not installed: pip install '.[lsp]'" in done.stderr
