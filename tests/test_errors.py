"""antelog/{diagnostics,errors}.py: programs in tests/errors show the code of their names, as recorded."""

import ast
import re
from pathlib import Path

import pytest

from antelog import ProgramError, errors, parse
from antelog.diagnostics import CATALOGUE, Diagnostic, Source, Span, problem, to_text
from antelog.language.parser import parse as parse_statements
from tests.tables import cases

FOLDER = Path(__file__).resolve().parent / "errors"
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.alog"))
BACKTICKS = re.compile(r"`([^`]+\.)`")


def read(name: str) -> str:
    return (FOLDER / f"{name}.alog").read_bytes().decode("utf-8")


def diagnostics(text: str, name: str = "<text>") -> tuple[Diagnostic, ...]:
    """Everything there is to say about a program, right or wrong."""
    try:
        return parse(text, name=name).warnings
    except ProgramError as error:
        return error.diagnostics


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_wrong_program(name: str, record: bool) -> None:
    """The text is as recorded, with the code; places are in the program, and advice can be read."""
    text = read(name)
    source = Source(text, f"{name}.alog")
    found = diagnostics(text, source.name)
    said, expected = to_text(found, source) + "\n", FOLDER / f"{name}.txt"
    if record:
        expected.write_text(said, encoding="utf-8")
    assert expected.read_text(encoding="utf-8") == said
    codes, code = {each.code for each in found}, name.partition("-")[0]
    assert code in codes if code in CATALOGUE else len(codes) > 5
    for each in found:
        for span in (each.span, *(note.span for note in each.notes)):
            assert 0 <= span.start < span.end <= len(text) or not text.strip()
        for statement in BACKTICKS.findall(each.hint):
            assert "…" in statement or parse_statements(Source(statement)).diagnostics == (), statement


# Codes of pipelines have theirs in tests/run/test_config, those of tests of rules in tests/workbench/testing.
@pytest.mark.parametrize("code", [code for code in CATALOGUE if not code.startswith(("E7", "E8"))])
def test_every_code_has_a_program(code: str) -> None:
    assert any(name.startswith(f"{code}-{CATALOGUE[code]}") or code == "E001" for name in PROGRAMS)


def test_calls_give_all_that_the_words_of_a_problem_name() -> None:
    files = (FOLDER.parent.parent / "antelog").rglob("*.py")
    nodes = [node for path in files for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))]
    calls = [each for each in nodes if isinstance(each, ast.Call) and isinstance(each.func, ast.Name)]
    found = [each for each in calls if ast.unparse(each.func) in ("problem", "_refusal")]
    names = [each for each in found if isinstance(each.args[0], ast.Constant)]
    for call in names:
        problem(ast.literal_eval(call.args[0]), Span(0, 1), **{str(each.arg): "" for each in call.keywords})
    assert len(names) > 50
    made = [
        each for each in nodes if isinstance(each, ast.Call) and ast.unparse(each.func).endswith("Error.of")
    ]
    for call in made:
        if all(each.arg for each in call.keywords):  # others hand on a dictionary of values, too
            errors.DataError.of(
                ast.literal_eval(call.args[0]), **{str(each.arg): 0 for each in call.keywords}
            )
    assert len(made) > 50


def test_nothing_is_left_over() -> None:
    expected = {f"{name}{ending}" for name in PROGRAMS for ending in (".alog", ".txt")}
    assert {path.name for path in FOLDER.iterdir()} == expected


@cases(__file__, "advice_helps")
def test_advice_helps(name: str, wrong: str, right: str) -> None:
    text = read(name)
    assert text.count(wrong) == 1 or name.startswith("E601")
    mended = text.replace(wrong, right, 1).replace("Malf(X, S)", "Malf(X, T+5)")
    assert diagnostics(mended) == ()
