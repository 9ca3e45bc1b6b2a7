"""The key: an argument by which facts and answers can be divided.

The key is one argument position of each input and relation, such that each pattern has one and the same
variable there, in its answer and in all its literals; or there is none, with the reason. Facts with
different values at these positions then never meet, and each bucket of values can be worked out alone.
Static relations are not divided: every bucket has all of them.

    P(X, T) :- A(X, T), B(Y, X, T).    A: 0, B: 1, P: 0
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from antelog.compile.literals.terms import Var
from antelog.compile.nodes.columns import reached
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Argument, Input, Key, Plan, Relation

Choices = dict[str, frozenset[int]]


def partition(relations: Iterable[Relation], inputs: Iterable[Input]) -> Key:
    relations, inputs = tuple(relations), tuple(inputs)
    used = {
        reference.name
        for r in relations
        for p in r.patterns
        for literal in p.stated
        for reference in literal.references
        if reference.of_input
    }
    used |= {given.predicate for relation in relations for given in relation.given}
    choices: Choices = {i.name: frozenset(range(len(i.types))) for i in inputs if i.name in used}
    for source in inputs:
        if source.slot is not None and source.name in choices:
            # Which fact holds a slot has to be known where its facts are.
            choices[source.name] = frozenset(source.slot)
        if source.expected.of and source.name in choices:
            # So has, whether a source was seen.
            choices[source.name] &= frozenset(source.expected.of)
    choices |= {r.name: frozenset(range(len(r.answer.variables))) for r in relations}
    for name, positions in choices.items():
        if not positions:
            return Key((), _no_argument(name, inputs))
    for column in _seen_columns(relations, choices):
        # A value has answers of its own where it is seen, so it has to be seen where its answers are.
        choices[column.name] &= {column.position}
        if not choices[column.name]:
            return Key((), f"a variable that stands under `not` only leads to two columns of {column.name}")
    solved = _solve(choices, relations)
    if isinstance(solved, str):
        return Key((), solved)
    return Key(tuple(Argument(name, min(solved[name])) for name in choices))


def _seen_columns(relations: tuple[Relation, ...], inputs: Collection[str]) -> list[Argument]:
    """The columns of inputs that unguarded variables of queries lead to."""
    found = {
        column
        for relation in relations
        for pattern in relation.patterns
        for name in (pattern.unguarded if relation.is_query else ())
        for column in reached(name, pattern, relation, relations).columns
        if column.name in inputs
    }
    return sorted(found, key=lambda column: (column.name, column.position))


def _no_argument(name: str, inputs: Iterable[Input]) -> str:
    if any(source.name == name and source.slot is not None and len(source.types) for source in inputs):
        return (
            f"{name} has one fact per tick, whatever its columns, so all its facts have to be in one place; "
            "with `one per COLUMN` it could be divided by that column"
        )
    return f"{name} has no argument but its time; a column that all rules share could be the key"


def _solve(choices: Choices, relations: tuple[Relation, ...]) -> Choices | str:
    """A position for each name, or the reason why there is none."""
    narrowed = _narrow(choices, relations)
    if isinstance(narrowed, str):
        return narrowed
    open_name = next((name for name, positions in narrowed.items() if len(positions) > 1), None)
    if open_name is None:
        return narrowed
    failure: str | None = None
    for position in sorted(narrowed[open_name]):
        solved = _solve({**narrowed, open_name: frozenset({position})}, relations)
        if not isinstance(solved, str):
            return solved
        failure = failure or solved
    assert failure is not None
    return failure


def _narrow(choices: Choices, relations: tuple[Relation, ...]) -> Choices | str:
    """Leave out positions that some pattern rules out, until none is left to leave out."""
    choices = dict(choices)
    changed = True
    while changed:
        changed = False
        for relation, pattern in ((r, p) for r in relations for p in r.patterns):
            for name, positions in _possible(relation, pattern, choices).items():
                if not positions:
                    sides = [each.text for each in pattern.stated]
                    sides += (f"{each.predicate} (behind `given`)" for each in relation.given)
                    return (
                        f"no argument of {name} can be the key: {' and '.join(sides) or 'the rules'} "
                        "would have to share one variable with each other and with the answer"
                    )
                changed = changed or positions != choices[name]
                choices[name] = positions
    return choices


def _possible(relation: Relation, pattern: Pattern, choices: Mapping[str, frozenset[int]]) -> Choices:
    """The key positions that one pattern allows for its relation and for the names in its literals."""
    sides = [(each.name, each.given) for literal in pattern.stated for each in literal.references]
    # Facts at which chances look have to be where the answers are, too.
    looked_at = [(each.predicate, each.columns) for each in relation.given]
    names = (relation.name, *(name for name, _ in (*sides, *looked_at)))
    left: dict[str, set[int]] = {name: set() for name in names}
    for position in choices[relation.name]:
        answer = pattern.answer[position]
        if not isinstance(answer, Var):
            continue
        own = Var(relation.answer.variables[position])
        places = [
            *((name, {i for i in choices[name] if terms[i] == answer}) for name, terms in sides),
            *((name, {i for i in choices[name] if terms[i] == own}) for name, terms in looked_at),
        ]
        if all(found for _, found in places):
            left[relation.name].add(position)
            for name, found in places:
                left[name] |= found
    return {name: frozenset(positions) & choices[name] for name, positions in left.items()}


def group_variables(plan: Plan) -> dict[str, str]:
    """The variable of each query by whose values its answers are grouped, where it has one."""
    positions = {each.name: each.position for each in plan.key.positions}
    found = {}
    for query in plan.queries:
        position, ticks = positions.get(query.predicate), query.answer.ticks
        values = [name for name in query.answer.variables if name not in ticks]
        if position is not None or values:
            found[query.name] = values[0] if position is None else query.answer.variables[position]
    return found
