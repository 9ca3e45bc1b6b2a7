"""tests/specification/{background,clauses,patterns,program,subsumption}.py: from rules to patterns."""

from __future__ import annotations

from antelog.diagnostics import Source
from antelog.language import read
from tests.specification.background import static_model
from tests.specification.clauses import Clause, clause_of
from tests.specification.literals import Fact, Negated, Static
from tests.specification.program import Program, prepare
from tests.specification.stream import Stream
from tests.specification.subsumption import condensed, subsumes
from tests.specification.terms import Atom


def _clauses(text: str) -> list[Clause]:
    checked = read(Source(text))
    assert checked.ok, checked.diagnostics
    found = (clause_of(rule, checked.vocabulary) for rule in checked.document.rules)
    return [clause for clause in found if clause is not None]


def _program(text: str, until: int = 9) -> Program:
    checked = read(Source(text))
    assert checked.ok, checked.diagnostics
    return prepare(checked, Stream(()), until)


def _bodies(text: str) -> list[str]:
    (query,) = _program(text).queries
    return sorted(", ".join(sorted(map(str, (*p.facts, *p.asked)))) for p in query.patterns)


def test_a_clause_has_its_conditions_by_kind_and_no_equations() -> None:
    (clause,) = _clauses(
        "static Site(x). static Closed(x).\n"
        "A(X, T) :- P(X, L, T), L = high, Site(X), not Closed(X), not P(X, low, T+1). query A(X, T)."
    )
    assert [(type(each), str(each)) for each in clause.literals] == [
        (Fact, "P(X, high, T)"),
        (Static, "Site(X)"),
        (Static, "not Closed(X)"),
        (Negated, "not P(X, low, T+1)"),
    ]


def test_a_rule_whose_equations_contradict_each_other_is_no_clause() -> None:
    assert _clauses("A(X, T) :- P(X, T), X = a, X = b. query A(X, T).") == []


def test_background_is_worked_out_level_by_level() -> None:
    clauses = _clauses(
        "static Link(x, y). static Path(x, y). static Site(x). static Alone(x).\n"
        "Path(X, Y) :- Link(X, Y). Path(X, Z) :- Path(X, Y), Link(Y, Z).\n"
        "Alone(X) :- Site(X), not Path(a, X).\n"
        "A(X, T) :- P(X, T), Alone(X). query A(X, T)."
    )
    static = [clause for clause in clauses if clause.head.predicate != "A"]
    given = [Atom("Link", ("a", "b")), Atom("Link", ("b", "c")), *(Atom("Site", (x,)) for x in "bcd")]
    model = static_model(static, given)
    assert {a.arguments for a in model if a.predicate == "Path"} == {("a", "b"), ("b", "c"), ("a", "c")}
    assert {a.arguments for a in model if a.predicate == "Alone"} == {("d",)}


def test_an_atom_is_unfolded_down_to_inputs() -> None:
    rules = "A(X, T) :- B(X, T), P(X, T+1). B(X, T) :- P(X, T). B(X, T) :- Q(X, T). query A(X, T)."
    assert _bodies(rules) == ["P(X, T), P(X, T+1)", "P(X, T+1), Q(X, T)"]


def test_what_another_pattern_says_with_less_is_dropped() -> None:
    assert _bodies("A(X, T) :- P(X, T). A(X, T) :- P(X, T), Q(X, T). query A(X, T).") == ["P(X, T)"]


def test_a_pattern_that_says_less_subsumes_the_other() -> None:
    (less,), (more,) = (
        _program(f"A(X, T) :- P(X, T){rest}. query A(X, T).").queries[0].patterns
        for rest in ("", ", Q(X, T)")
    )
    assert condensed(less) == less
    assert subsumes(less, more)
    assert not subsumes(more, less)


def test_a_pattern_says_nothing_twice() -> None:
    assert _bodies("A(X, T) :- P(X, T), P(X, U), U >= 0. query A(X, T).") == ["P(X, T)"]
