"""tests/selection.py: exceptions name tests that are there, and the rule leaves the first cases in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import selection

ROOT = Path(__file__).resolve().parent.parent


@pytest.mark.parametrize("kind", ["long", "essential"])
def test_exceptions_are_there(kind: str) -> None:
    for name in selection.exceptions()[kind]:
        path, _, test = name.partition("::")
        assert (ROOT / path).exists(), name
        assert not test or f"def {test.partition('[')[0]}(" in (ROOT / path).read_text(encoding="utf-8"), name


def _made_up() -> None:
    """A test of which there are cases."""


def test_the_first_cases_of_a_function_stay(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each case takes two fifths of what a function may."""
    names = [f"test_made_up[{at}]" for at in range(5)]
    path = request.node.nodeid.partition("::")[0]
    took = dict.fromkeys(names, 0.4 * selection.FUNCTION)
    monkeypatch.setattr(selection, "times", lambda: {path: took})
    cases = [pytest.Function.from_parent(request.node.parent, name=each, callobj=_made_up) for each in names]
    selection.mark(cases, fewer=True)
    assert [each.get_closest_marker("long") is None for each in cases] == [True, True, False, False, False]
    assert all(each.get_closest_marker("slow") for each in cases)
