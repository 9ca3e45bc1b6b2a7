"""Tests of rules in pytest, one for each case: `test_all = antelog.testing.check("my.test.yaml")`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from antelog.diagnostics import to_text
from antelog.errors import UnsupportedError
from antelog.given import PATH, checked
from antelog.workbench.testing.judging import reason
from antelog.workbench.testing.results import SuiteResult, case_text, problems_of, run_case
from antelog.workbench.testing.suite import Suite, read_suite

__all__ = ["check"]


@checked(path=PATH)
def check(path: str | PathLike[str]) -> Callable[..., None]:
    """A test function for pytest with a test for each case; bind it to a name that begins with `test`.

    A path that is not absolute begins at the folder of the module that calls. Where the file or its program
    is wrong, there is one test, which fails and says all that is.
    """
    try:
        import pytest  # noqa: PLC0415 - the package does without it
    except ModuleNotFoundError:
        raise UnsupportedError.of("packages.pytest") from None

    suite = read_suite(_path(fspath(path)))
    names = ["the file"] if suite.wrong or not suite.cases else [each.name for each in suite.cases]

    @pytest.mark.parametrize("number", range(len(names)), ids=names)
    def test_case(number: int) -> None:
        text = _complaint(suite, number)
        if text:
            pytest.fail(text, pytrace=False)

    return test_case


def _path(path: str) -> Path:
    """The path from the folder of the module that called `check`."""
    frame: Any = sys._getframe(1)
    while frame is not None and f"{frame.f_globals.get('__name__')}.".startswith("antelog."):
        frame = frame.f_back
    file = None if frame is None else frame.f_globals.get("__file__")
    return Path(path) if file is None else Path(file).parent / path


def _complaint(suite: Suite, number: int) -> str:
    result = SuiteResult(suite, ())
    if suite.wrong:
        return "\n\n".join(to_text([each], source) for each, source in problems_of(result))
    case = run_case(suite.cases[number], suite.name)
    if case.outcome.error or not case.failures:
        return case.outcome.error
    answers = dict.fromkeys((each.answer, each.at) for each in case.failures if each.answer)
    reasons = (reason(case.case, suite.name, answer, at) for answer, at in answers)
    return "\n\n".join([case_text(result, case), *(str(each) for each in reasons if each is not None)])
