"""The examples' own tests, through the command, and tests of them: without a literal some case fails."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from antelog.cli.main import main
from antelog.diagnostics import Source
from antelog.language import syntax
from antelog.language.parser import parse
from antelog.language.printer import to_text
from antelog.workbench.testing.results import run_suite
from antelog.workbench.testing.suite import read_suite
from tests.docs.pages import ROOT

EXAMPLES = ROOT / "examples"
PROGRAMS = sorted(EXAMPLES.glob("*/*.alog"))

# Changes of programs that change no answer: nothing can fail.
EQUIVALENT = {
    # Nothing is behind the hub that asks for it: it is no device, so it is never deaf.
    "relay: Behind(Y, X) :- Link(X, Y), Device(X). without Device(X)"
}


def test_all_of_them_pass_and_all_parts_of_rules_are_covered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    done = CliRunner().invoke(main, ["test", "examples"], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert "note" not in done.stdout, done.stdout
    assert done.stdout.count("covered, 100 %") == len(PROGRAMS), done.stdout


def mutants(text: str) -> Iterator[tuple[str, str]]:
    """Programs in which one literal is left out, or a comparison of numbers has another sign."""
    source = Source(text)
    for rule in parse(source).document.rules:
        for i, literal in enumerate(rule.body):
            whole = " ".join(source.excerpt(rule.span).split())
            others = (*rule.body[:i], *rule.body[i + 1 :])
            if others:
                changed = to_text(syntax.Rule(rule.head, others))
                yield f"{whole} without {to_text(literal)}", _with(text, rule, changed)
            if isinstance(literal, syntax.Comparison) and literal.operator in _NEXT:
                other = syntax.Comparison(literal.left, _NEXT[literal.operator], literal.right)
                changed = to_text(syntax.Rule(rule.head, (*rule.body[:i], other, *rule.body[i + 1 :])))
                yield f"{whole} with {to_text(other)}", _with(text, rule, changed)


_NEXT = {"<": "<=", "<=": "<", ">": ">=", ">=": ">"}


def _with(text: str, rule: syntax.Rule, changed: str) -> str:
    return text[: rule.span.start] + changed + text[rule.span.end :]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_rule_that_lacks_a_literal_fails_a_case(program: Path, tmp_path: Path) -> None:
    shutil.copytree(program.parent, tmp_path, dirs_exist_ok=True)
    path = tmp_path / program.name
    unnoticed = []
    for name, text in mutants(program.read_text("utf-8")):
        path.write_text(text, "utf-8")
        suite = read_suite(path.with_suffix(".test.yaml"))
        if suite.program_error is not None:
            continue  # it is no program any more
        assert not suite.file.problems
        if run_suite(suite, coverage=False).fine:
            unnoticed.append(f"{program.stem}: {name}")
    assert sorted(set(unnoticed) - EQUIVALENT) == []
