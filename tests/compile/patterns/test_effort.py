"""antelog/compile/patterns/resolve.py: where the search for patterns gives up."""

from __future__ import annotations

from antelog.compile.literals.fact import Atom
from antelog.compile.literals.terms import Time
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.patterns.resolve import LITERALS_EACH, Effort
from antelog.compile.patterns.unfold import Spanned


def found(literals: int) -> Spanned:
    atoms = tuple(Atom(f"A{i}", (), Time("T", 0)) for i in range(literals))
    return Spanned(Pattern((), Time("T", 0), atoms), 0, 0)


def test_as_many_patterns_as_the_limit_says_are_fine() -> None:
    effort = Effort(2)
    assert [effort.exceeded(found(1)) for _ in range(3)] == [False, False, True]
    assert effort.literals_allowed is None


def test_literals_may_be_too_many_before_patterns_are() -> None:
    effort = Effort(5)
    assert not effort.exceeded(found(5 * LITERALS_EACH))
    assert effort.exceeded(found(1))
    assert effort.literals_allowed == 5 * LITERALS_EACH
