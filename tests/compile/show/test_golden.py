"""antelog/compile/show/explain.py: what `antelog check` prints for recorded programs, to the letter.

`pytest --record` rewrites the texts; read the difference before it is kept.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from antelog.cli.main import main
from antelog.compile import compile_program
from antelog.diagnostics import Source
from antelog.language import read
from tests.recorded import FOLDER

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
PROGRAMS = {path.parent.name: path for path in FOLDER.glob("*/program.alog")} | {
    path.stem: path for path in (GOLDEN / "papers").glob("*.alog")
}


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_check_prints_what_is_recorded(name: str, record: bool) -> None:
    result = CliRunner().invoke(main, ["check", str(PROGRAMS[name])])
    assert result.exception is None or isinstance(result.exception, SystemExit)
    text = result.output.replace(str(PROGRAMS[name]), PROGRAMS[name].name)
    golden = GOLDEN / "plans" / f"{name}.txt"
    if record:
        golden.write_text(text, encoding="utf-8")
    assert text == golden.read_text(encoding="utf-8")


def test_nothing_is_left_over() -> None:
    assert {path.stem for path in (GOLDEN / "plans").glob("*.txt")} == PROGRAMS.keys()


def test_recursion_needs_a_window() -> None:
    def codes(name: str) -> set[str]:
        source = Source(PROGRAMS[name].read_text(encoding="utf-8"))
        return {diagnostic.code for diagnostic in compile_program(read(source)).diagnostics}

    assert codes("aaai20-example-7") == {"E601"}
    assert codes("aaai20-example-7-window") == set()
