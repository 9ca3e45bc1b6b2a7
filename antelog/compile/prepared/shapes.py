"""Signatures of the literals of a pattern where some of its variables are open.

Two hypotheses are the same if their texts are. A *signature* is the text with a gap for every known value;
equal signatures with equal values are equal texts. Literals that share open variables are one unit, compared
as a whole, up to the names of these variables.

    p(X, T), r(Y, T), s(Y, T) with X and T known, Y open     p(#, #) [X, T]     r(A, #) s(A, #) [T, T]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, permutations, product
from math import factorial, prod

from antelog.compile.literals import Atom, terms
from antelog.compile.literals.literal import Condition, Literal
from antelog.compile.nodes.patterns import Called
from antelog.compile.prepared.pattern import Prepared

_TIME = "<time>"
"""The name of the answer's time where it is open."""

_PERMUTATIONS = 720
"""At most this many orders of the literals of a unit are tried."""


@dataclass(frozen=True)
class Cluster:
    """A unit: one literal with all its values, or several that share open variables.

    `gaps` fill the gaps of the signature, in every order in which the unit reads the same. `from_answer` is
    the number of ticks from the answer's time to its own, where that is fixed.
    """

    literals: tuple[int, ...]
    signature: str
    gaps: tuple[tuple[terms.Operand, ...], ...]
    is_open: bool
    from_answer: int | None

    def alike(self, other: Cluster) -> bool:
        """Returns whether it may read the same as a unit of another explanation of the same answer."""
        apart = None not in (self.from_answer, other.from_answer) and self.from_answer != other.from_answer
        return self.signature == other.signature and not apart


@lru_cache(maxsize=4096)
def units(
    prepared: Prepared, bound: frozenset[str], variables: tuple[str, ...], true: frozenset[int] = frozenset()
) -> tuple[Cluster, ...]:
    """Returns the units of a pattern where some variables are bound; `variables` are the query's.

    Literals that are `true` although variables of them are open are units of their own.
    """
    pattern = prepared.pattern
    answer = zip((*pattern.answer, pattern.time), (*variables, _TIME), strict=True)
    called = {
        name: variable
        for term, variable in answer
        if (name := terms.variable_in(term)) is not None and name not in bound
    }
    found = []
    for members in _groups(prepared, bound, frozenset(called), true):
        is_open = any(not prepared.literals[i].variables <= bound for i in members if i not in true)
        signature, gaps = _read(prepared, members, bound, called)
        found.append(Cluster(members, signature, gaps, is_open, _from_answer(prepared, members, bound)))
    return tuple(found)


def _from_answer(prepared: Prepared, members: Sequence[int], bound: frozenset[str]) -> int | None:
    """Returns how many ticks a literal lies after the answer, if both times have the same variable."""
    time, literal = prepared.pattern.time, prepared.literals[members[0]].node
    if len(members) > 1 or time.variable not in bound or not isinstance(literal, Atom):
        return None
    return literal.time.offset - time.offset if literal.time.variable == time.variable else None


def _groups(
    prepared: Prepared, bound: frozenset[str], answer: frozenset[str], true: frozenset[int]
) -> Iterator[tuple[int, ...]]:
    """Yields literals that share an open variable which is none of the answer's, or an open comparison."""
    own = [
        prepared.pattern.leading_to(frozenset() if i in true else literal.variables - bound)
        for i, literal in enumerate(prepared.literals)
    ]
    conditions = [test.variables for test in prepared.tests(bound)]
    parent = list(range(len(own)))

    def root(i: int) -> int:
        while parent[i] != i:
            i = parent[i]
        return i

    for i, names in enumerate(own):
        for j in range(i):
            shared = (names & own[j]) - answer
            tied = any(about & names and about & own[j] for about in conditions)
            if shared or tied:
                parent[root(i)] = root(j)
    members: dict[int, list[int]] = {}
    for i in range(len(own)):
        members.setdefault(root(i), []).append(i)
    return (tuple(each) for each in members.values())


def _read(
    prepared: Prepared, members: Sequence[int], bound: frozenset[str], called: dict[str, str]
) -> tuple[str, tuple[tuple[terms.Operand, ...], ...]]:
    """Returns the signature, and the gaps in all orders of the literals that have it."""
    alike: dict[str, list[int]] = {}
    for i in members:
        alike.setdefault(_Reading(prepared, bound, dict(called)).of([i])[0], []).append(i)
    # Only those that read alike on their own can change places.
    parts = [alike[text] for text in sorted(alike)]
    orders: Iterable[tuple[int, ...]] = [tuple(chain(*parts))]
    if prod(factorial(len(part)) for part in parts) <= _PERMUTATIONS:
        orders = (tuple(chain(*each)) for each in product(*map(permutations, parts)))
    best = ""
    gaps: dict[tuple[terms.Operand, ...], None] = {}
    for order in orders:
        signature, filled = _Reading(prepared, bound, dict(called)).of(order)
        if not best or signature < best:
            best, gaps = signature, {}
        if signature == best:
            gaps[filled] = None
    return best, tuple(gaps)


class _Reading:
    """Writes literals with gaps, and names open variables in the order in which they come."""

    def __init__(self, prepared: Prepared, bound: frozenset[str], called: dict[str, str]) -> None:
        self.prepared, self.bound, self.called = prepared, bound, called
        self.gaps: list[terms.Operand] = []

    def of(self, literals: Sequence[int]) -> tuple[str, tuple[terms.Operand, ...]]:
        text = " ".join(self.literal(self.prepared.literals[i].node) for i in literals)
        pattern, tests = self.prepared.pattern, self.prepared.tests(self.bound)
        own = {name for i in literals for name in self.prepared.literals[i].variables} - self.bound
        conditions = [test for test in tests if test.variables & pattern.leading_to(own)]
        for test in sorted(conditions, key=self.unfilled):
            text += f" where {self.literal(test)}"
        return text, tuple(self.gaps)

    def literal(self, literal: Literal) -> str:
        if isinstance(literal, Condition):
            parts = literal.parts
        else:
            before, time, after = literal.around_with(self.bound)
            parts = (*before, time, *after)
        return "".join(part if isinstance(part, str) else self.operand(part) for part in parts)

    def unfilled(self, literal: Literal) -> str:
        """Returns a condition with its gaps, by which conditions are sorted."""
        saved = list(self.gaps), dict(self.called)
        text = self.literal(literal)
        self.gaps, self.called = saved
        return text

    def operand(self, operand: terms.Operand) -> str:
        if isinstance(operand, terms.Inner):
            return operand.name
        whole = not isinstance(operand, terms.Calculated) or not operand.has_inner
        if whole and terms.variables_in([operand]) <= self.bound:
            self.gaps.append(operand)
            return "#"
        if isinstance(operand, terms.Calculated):
            return "".join(part if isinstance(part, str) else self.operand(part) for part in operand.parts)
        variable = terms.variable_in(operand)
        assert variable is not None
        if not isinstance(operand, terms.Time):
            return terms.operand_text(Called({variable: self.name(variable)}).operand(operand))
        pattern = self.prepared.pattern
        own = [each for each in (pattern.time, *pattern.answer) if isinstance(each, terms.Time)]
        offset = next((each.offset for each in own if each.variable == variable), 0)
        return f"{self.name(variable)} + {operand.offset - offset}"

    def name(self, variable: str) -> str:
        return self.called.setdefault(variable, f"?{len(self.called)}")
