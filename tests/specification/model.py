"""The model of a program, given all facts: what is true in the end, by the rules as they are written.

It knows nothing of patterns, evidence or arrivals: every instance of every rule is looked at, over the
constants, one more value, and the ticks up to a horizon. It judges the judge, without positive recursion.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from itertools import product

from antelog.language import Checked, syntax
from antelog.language.checks.sorts import sorts_of
from antelog.language.syntax import Anonymous, Comparison, Value, variable_of
from antelog.language.vocabulary import PredicateKind
from tests.specification.literals import Comparison as Compared
from tests.specification.terms import Special

Row = tuple[Value | Special, ...]
Bindings = Mapping[str, Value | Special]

_BACK = 4


class Model:
    def __init__(
        self,
        checked: Checked,
        facts: Mapping[str, Collection[Row]],
        domain: Collection[Value | Special],
        horizon: int,
    ) -> None:
        """`facts` are those of inputs and of static predicates; these are not derived here."""
        self._rules = [
            r for r in checked.document.rules if not checked.vocabulary.is_static(r.head.predicate)
        ]
        self._checked, self._facts, self._domain, self._horizon = checked, facts, domain, horizon
        self._known: dict[tuple[str, Row], bool] = {}

    def holds(self, predicate: str, row: Row) -> bool:
        if self._checked.vocabulary[predicate].kind is not PredicateKind.DERIVED:
            return row in self._facts.get(predicate, ())
        if (predicate, row) not in self._known:
            self._known[predicate, row] = any(
                self._derives(rule, row) for rule in self._rules if rule.head.predicate == predicate
            )
        return self._known[predicate, row]

    def _derives(self, rule: syntax.Rule, row: Row) -> bool:
        start: dict[str, Value | Special] = {}
        for term, value in zip(rule.head.terms, row, strict=True):
            name = variable_of(term)
            if name is not None:
                shift = term.offset if isinstance(term, syntax.Shifted) else 0
                wanted = value - shift if shift and isinstance(value, int) else value
                if start.setdefault(name, wanted) != wanted:
                    return False
            elif not isinstance(term, syntax.Constant) or term.value != value:
                return False
        sorts = sorts_of(rule, self._checked.vocabulary)
        free = sorted(sorts.keys() - start.keys())
        # `U+1` may be tick 0, so that U comes before it.
        ranges = [range(-_BACK, self._horizon + 1) if sorts[name] else self._domain for name in free]
        return any(
            self._all_hold(rule, {**start, **dict(zip(free, values, strict=True))})
            for values in product(*ranges)
        )

    def _all_hold(self, rule: syntax.Rule, values: Bindings) -> bool:
        """Whether an instance of a rule exists, and its conditions are true."""
        shown = self._checked.vocabulary.times_of(rule.head.predicate)
        if any(isinstance(t := _value(rule.head.terms[i], values), int) and t < 0 for i in shown):
            return False
        temporal = [rule.head, *(a for a, _ in syntax.atoms_of(rule) if a.range is None)]
        latest = [literal for literal in rule.body if isinstance(literal, syntax.Last)]
        for atom in (a for a in temporal if self._checked.vocabulary[a.predicate].temporal):
            time = 0 if isinstance(atom.terms[-1], Anonymous) else _value(atom.terms[-1], values)
            if isinstance(time, int) and time < 0:
                return False
        comparisons = (li for li in rule.body if isinstance(li, Comparison))
        if not all(_holds(comparison, values) for comparison in comparisons):
            return False
        others = (literal for literal in rule.body if literal not in latest)
        occurrences = (each for literal in others for each in literal.atoms)
        return all(self.some(atom, values) is not negated for atom, negated in occurrences) and all(
            self._is_latest(literal, values) for literal in latest
        )

    def _is_latest(self, literal: syntax.Last, values: Bindings) -> bool:
        """Whether the latest atom of a slot is one that fits."""
        *terms, time = literal.atom.terms
        first, end = time.ends if isinstance(time, syntax.Range) else (syntax.Constant(0), time)
        begin, last = _value(first, values), _value(end, values)
        assert isinstance(begin, int)
        assert isinstance(last, int)
        slot = literal.slot(self._checked.vocabulary) or ()
        same = [term if i in slot else Anonymous() for i, term in enumerate(terms)]
        for tick in range(last, max(begin, 0) - 1, -1):
            if self.some(replace(literal.atom, terms=(*same, syntax.Constant(tick))), values):
                return self.some(replace(literal.atom, terms=(*terms, syntax.Constant(tick))), values)
        return False

    def some(self, atom: syntax.Atom, values: Bindings) -> bool:
        """Whether an atom holds, for some value of each `_`."""
        if atom.range is not None:
            first, end = (_value(each, values) for each in atom.range.ends)
            assert isinstance(first, int)
            assert isinstance(end, int)
            at_each = (
                replace(atom, terms=(*atom.terms[:-1], syntax.Constant(tick)))
                for tick in range(max(first, 0), end + 1)
            )
            return any(self.some(each, values) for each in at_each)
        last = len(atom.terms) - 1 if self._checked.vocabulary[atom.predicate].temporal else len(atom.terms)
        choices: Iterator[Collection[Value | Special]] = (
            (range(self._horizon + 1) if i == last else self._domain)
            if isinstance(term, Anonymous)
            else (_value(term, values),)
            for i, term in enumerate(atom.terms)
        )
        return any(self.holds(atom.predicate, row) for row in product(*choices))


def _value(term: syntax.Term, values: Bindings) -> Value | Special:
    if isinstance(term, syntax.Constant):
        return term.value
    name = variable_of(term)
    assert name is not None
    value = values[name]
    if isinstance(term, syntax.Shifted):
        assert not isinstance(value, str | Special)
        return syntax.number(value + term.offset)
    return value


def _holds(comparison: Comparison, values: Bindings) -> bool:
    sides = (comparison.left, comparison.right)
    sums = (values[side.variable] for side in sides if isinstance(side, syntax.Shifted))
    if any(isinstance(value, str | Special) for value in sums):
        return False  # of a column that holds numbers
    left, right = (_value(side, values) for side in sides)
    return bool(Compared(left, comparison.operator, right).holds())
