"""No test makes up a line of the log: all come from a program and facts, but broken ones, in one file."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

TESTS = Path(__file__).parent
BROKEN = "broken_lines.py"
PART = "hypotheses"


def made_up(text: str) -> Iterator[int]:
    """The lines of a module that have an explanation as a literal, or as JSON in a text."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Dict(keys=keys) if any(isinstance(k, ast.Constant) and k.value == PART for k in keys):
                yield node.lineno
            case ast.Call(keywords=given) if any(each.arg == PART for each in given):
                yield node.lineno
            case ast.Constant(value=str() as value) if re.search(rf'"{PART}\\?"\s*:', value):
                yield node.lineno


def test_lines_come_from_a_program() -> None:
    found = {
        path.relative_to(TESTS).as_posix(): lines
        for path in TESTS.rglob("*.py")
        if (lines := sorted(made_up(path.read_text("utf-8"))))
    }
    assert found.keys() == {BROKEN}, found
