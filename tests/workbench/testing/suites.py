"""What the tests here share: a program, and files of tests beside it."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent, indent

from antelog.diagnostics import Diagnostic, to_text
from antelog.workbench.testing.suite import Suite, read_suite

PROGRAM = """\
input  Temp(device, level, time) delay 1.
static Turbine(device).
Turbine(wt2).  Turbine(wt4).

Flag(X, T) :- Temp(X, high, T).
Malf(X, T) :- Flag(X, T), Flag(X, T+1).
OK(X, T)   :- Turbine(X), not Flag(X, T).

query Malf(X, T).
query OK(X, T).
"""


def written(folder: Path, cases: str, program: str = PROGRAM, name: str = "turbines") -> Path:
    """A program and a file of tests beside it; the path of that."""
    (folder / f"{name}.alog").write_text(program, "utf-8")
    path = folder / f"{name}.test.yaml"
    path.write_text(dedent(cases), "utf-8")
    return path


def suite(folder: Path, cases: str, program: str = PROGRAM) -> Suite:
    """The file of tests with these cases."""
    return read_suite(written(folder, cases, program))


def case(facts: str = "", expect: str = "- nothing_else: no", more: str = "") -> str:
    """The text of a file with one case."""
    parts = f"cases:\n- name: a case\n{indent(dedent(more), '  ')}"
    parts += f"  facts:\n{indent(dedent(facts), '  ')}" if facts else ""
    return f"{parts}\n  expect:\n{indent(dedent(expect), '  ')}\n"


def problems(found: Suite) -> tuple[Diagnostic, ...]:
    """All that is wrong with a file, or with its program."""
    return (*found.file.problems, *(found.program_error.diagnostics if found.program_error else ()))


def said(found: Suite) -> str:
    """The mistakes of a file as people see them, without the folder."""
    text = to_text(found.file.problems, found.file.source)
    return text.replace(f"{Path(found.name).parent}/", "")
