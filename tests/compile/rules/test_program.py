"""antelog/compile/rules/clauses.py: clauses of rules and queries, and what predicates rest on."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from antelog.compile import compile_program
from antelog.compile.literals.terms import Var
from antelog.compile.rules import statics
from antelog.compile.rules.clauses import asked_clause, clauses_of
from antelog.compile.rules.statics import evaluate
from antelog.compile.rules.stratify import Dependency, Violation, stratify
from antelog.diagnostics import Source
from antelog.errors import UnsupportedError
from antelog.language import read
from antelog.language.syntax import Value
from tests.compile.plans import pattern_of, plan_of
from tests.specification import Stream, terms
from tests.specification import evaluate as evaluate_reference
from tests.tables import cases


def test_each_derived_predicate_has_its_clauses() -> None:
    text = "P(X, T) :- A(X, T). P(X, T) :- B(X, T), 1 > 2. Q(X, T) :- A(X, T). query P(X, T). query Q(X, T)."
    clauses, contradictory = clauses_of(read(Source(text)))
    assert {name: [clause.rule for clause in own] for name, own in clauses.items()} == {"P": [0], "Q": [2]}
    assert [text[rule.span.start : rule.span.end] for rule in contradictory] == ["P(X, T) :- B(X, T), 1 > 2."]


def test_a_column_called_as_the_time_leaves_that_its_name() -> None:
    checked = read(Source("input B(t, y, time). Q(X, T) :- B(X, _, T). query Q(X, T)."))
    clause = asked_clause("B", (0, 1), checked.vocabulary)
    assert clause.head.arguments == (Var("X1"), Var("X2"))


@pytest.mark.parametrize(
    ("rule", "pattern"),
    [
        # Equations are put in.
        ("Q(X, T) :- A(X, U), B(X, b, T), U = T - 1.", "A(X, T-1), B(X, b, T)"),
        ("Q(X, T) :- B(X, Y, T), Y = b.", "B(X, b, T)"),
        # `_` becomes a variable of its own in a fact, and stays under negation.
        ("Q(X, T) :- B(X, _, T), not B(X, _, T+1).", "B(X, Y, T), not B(X, _, T+1)"),
        # Rules are put together with names of their own.
        ("Q(X, T) :- P(X, T), P(Y, T+1), X != Y. P(X, T) :- B(X, Y, T).", None),
    ],
)
def test_what_a_rule_becomes(rule: str, pattern: str | None) -> None:
    text = pattern_of(f"input A(x, time). input B(x, y, time). {rule} query Q(X, T).").text
    if pattern is None:
        first, second = text.split("), ")[:2]
        names = {*first.partition("(")[2].split(", "), *second.partition("(")[2].split(", ")} - {"T", "T+1"}
        assert len(names) == 4
    else:
        assert text.replace("V1", "Y") == pattern


@cases(__file__, "no_pattern_needs_a_tick_before_0")
def test_no_pattern_needs_a_tick_before_0(rules: str, patterns: list[str]) -> None:
    plan = plan_of(f"input A(x, time). input B(x, time). {rules} query Q(X, T).")
    assert [each.text for each in plan.relation("Q").patterns] == patterns


def test_an_instance_has_natural_times_only() -> None:
    pattern = pattern_of("input A(x, time). Q(X, T) :- A(X, T-3). query Q(X, T).")
    assert [(each.variable, each.tick) for each in pattern.earliest] == [("T", 3)]


RULES = Path(__file__).with_name("static.alog").read_text(encoding="utf-8")

names = st.sampled_from(("a", "b", "c", "d"))


@given(st.sets(st.tuples(names, names), max_size=6), st.sets(st.tuples(names, st.integers(0, 4)), max_size=3))
def test_static_relations_are_those_of_the_specification(
    links: set[tuple[str, str]], weights: set[tuple[str, int]]
) -> None:
    checked = read(Source(RULES))
    plan = compile_program(checked).plan
    assert plan is not None
    given_facts: dict[str, set[tuple[Value, ...]]] = {"Link": {*links}, "Weight": {*weights}}
    background = tuple(terms.Atom(name, row) for name, rows in given_facts.items() for row in rows)
    expected = evaluate_reference(checked, Stream((), background), 0).program.background
    found = evaluate(plan, given_facts)
    assert {terms.Atom(name, row) for name, rows in found.items() for row in rows} == set(expected)


def test_a_rule_works_out_values_of_static_facts() -> None:
    weights = "static Weight(x: text, w: number). Weight(a, 1). Weight(b, 3)."
    rules = "static Gap(x, d: number). Gap(X, D) :- Weight(X, V), Weight(_, W), D = W - V."
    text = f"{weights} {rules} Q(X, T) :- A(X, T), Gap(X, 2). query Q(X, T)."
    plan = plan_of(text)
    assert evaluate(plan)["Gap"] == {("a", 0), ("a", 2), ("b", -2), ("b", 0)}


def test_a_long_chain_is_followed_to_its_end() -> None:
    chain = "".join(f"Link(c{i}, c{i + 1})." for i in range(300))
    rules = "static Link(x, y). static From(y). From(c0). From(Y) :- From(X), Link(X, Y)."
    plan = plan_of(f"{rules} {chain} Q(X, T) :- A(X, T), From(X). query Q(X, T).")
    assert len(evaluate(plan)["From"]) == 301


def test_a_relation_that_would_take_all_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    values = "".join(f"S({i})." for i in range(100))
    rules = f"static S(x). {values} static All(a, b, c, d, e). {{}} Q(X, T) :- A(X, T), All(X, X, X, X, X)."
    every, none = (f"All(A, B, C, D, E) :- S(A), S(B), S(C), S(D), S(E){more}." for more in ("", ", A < 0"))

    def evaluated(rule: str) -> None:
        plan = plan_of(rules.format(rule) + " query Q(X, T).")
        evaluate(plan)

    monkeypatch.setattr(statics, "MOST_FACTS", 1_000)
    with pytest.raises(UnsupportedError, match=r"All: .* derive more than 1000 facts"):
        evaluated(every)
    monkeypatch.setattr(statics, "MOST_JOINED", 10_000)
    with pytest.raises(UnsupportedError, match=r"All: .* join more than 10000 rows"):
        evaluated(none)


@cases(__file__, "comparisons_say_what_lies_in_the_past")
@pytest.mark.parametrize("asked", ["not P(X, {})", "count(P(X, {})) < 2"])
def test_comparisons_say_what_lies_in_the_past(apart: str, past: str, is_past: bool, asked: str) -> None:
    rule = f"P(X, T) :- A(X, U), A(X, T), {apart}, {asked.format(past)}."
    codes = {each.code for each in compile_program(read(Source(f"{rule} query P(X, T)."))).diagnostics}
    assert ("E602" in codes) != is_past, rule


NODES = ("A", "B", "C", "D")
ANY = 1_000  # stands for "every weight": as large as it takes


@st.composite
def graphs(draw: st.DrawFn) -> list[Dependency]:
    node = st.sampled_from(NODES)
    weight = st.sampled_from((-3, -2, -1, -1, 0, 0, 1, 2, None))
    edge = st.builds(Dependency, node, node, weight, st.booleans())
    return draw(st.lists(edge, max_size=7))


def _forbidden(edges: list[Dependency]) -> bool:
    """Whether some closed walk through a negative edge, of any length, has a weight that is not negative."""
    for start in NODES:
        best: dict[tuple[str, bool], int] = {(start, False): 0}
        for _ in range(80):
            longer: dict[tuple[str, bool], int] = {}
            for (node, negative), weight in best.items():
                for edge in edges:
                    if edge.source == node:
                        key = (edge.target, negative or edge.negative)
                        through = weight + (ANY if edge.weight is None else edge.weight)
                        longer[key] = max(longer.get(key, through), through)
            best = longer
            if best.get((start, True), -1) >= 0:
                return True
    return False


def _weight(walk: tuple[Dependency, ...]) -> int:
    return sum(ANY if edge.weight is None else edge.weight for edge in walk)


def _is_closed(walk: tuple[Dependency, ...]) -> bool:
    return all(one.target == other.source for one, other in zip(walk, (*walk[1:], walk[0]), strict=True))


@given(graphs())
def test_accepts_exactly_the_stratified_graphs(edges: list[Dependency]) -> None:
    result = stratify(NODES, edges)
    assert isinstance(result, Violation) == _forbidden(edges)


@given(graphs())
def test_a_refusal_shows_a_walk_that_forbids(edges: list[Dependency]) -> None:
    result = stratify(NODES, edges)
    if not isinstance(result, Violation):
        return
    assert set(result.walk) | set(result.loop) <= set(edges)
    assert _is_closed(result.walk)
    assert any(edge.negative for edge in result.walk)
    if _weight(result.walk) < 0:
        assert _is_closed(result.loop)
        assert _weight(result.loop) > 0
        assert {e.source for e in result.loop} & {e.source for e in result.walk}


@given(graphs())
def test_levels_put_what_is_needed_first(edges: list[Dependency]) -> None:
    levels = stratify(NODES, edges)
    if isinstance(levels, Violation):
        return
    for edge in edges:
        source, target = levels[edge.source], levels[edge.target]
        if source.component != target.component:
            assert target.component < source.component
            continue
        inside = [
            e for e in edges if levels[e.source].component == levels[e.target].component == source.component
        ]
        if any(e.negative for e in inside):
            assert edge.weight is not None
            before = (edge.weight + target.shift, target.rank)
            now = (source.shift, source.rank)
            assert before < now if edge.negative else before <= now


def test_a_long_chain_is_no_problem() -> None:
    names = [f"P{i}" for i in range(5_000)]
    edges = [Dependency(a, b, 1, True) for a, b in pairwise(names)]
    levels = stratify(names, [*edges, Dependency(names[-1], names[0], -5_000, True)])
    assert not isinstance(levels, Violation)
    assert stratify(names, [*edges, Dependency(names[-1], names[0], -4_999, False)]) != levels
