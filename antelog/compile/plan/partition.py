"""The key by which facts and answers can be divided, and the columns that unguarded variables lead to.

The key is one argument of each input and relation, such that each pattern has one and the same variable there
in its answer and in all its literals: facts with different values there never meet. An unguarded variable has
a row for each value seen in the columns it leads to, also through negated relations, and one for all others.

    P(X, T) :- A(X, T), B(Y, X, T).                key: A: 0, B: 1, P: 0
    Calm(X, T) :- not Hot(X, T).    Hot(X, T) :- Temp(X, high, T).    X of Calm: the first column of Temp
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from antelog.compile.literals import StaticAtom
from antelog.compile.literals.literal import Literal, Value
from antelog.compile.literals.terms import AnswerTerm, Const, Var
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Argument, Input, Key, Plan, Relation


@dataclass(frozen=True)
class SeenColumns:
    """The columns of inputs and of the background an unguarded variable leads to, and the constants there."""

    inputs: tuple[Argument, ...]
    statics: tuple[Argument, ...]
    constants: tuple[Value, ...]


def seen_columns(name: str, pattern: Pattern, relation: Relation, plan: Plan) -> SeenColumns:
    """Returns the columns that an unguarded variable of a relation's pattern leads to."""
    search = reached(name, pattern, relation, plan.relations)
    constants = [*search.constants]
    for other in plan.relations:
        for each in other.patterns:
            for predicate, arguments in _atoms(each.literals):
                constants += _values(predicate, arguments, search.columns)
    for source in plan.inputs:
        for refinement in source.refinements:
            terms = [None if value is None else Const(value) for value in refinement.pattern]
            constants += _values(source.name, terms, search.columns)
    return SeenColumns(
        _of({source.name for source in plan.inputs}, search.columns),
        _of({static.name for static in plan.statics}, search.columns),
        tuple(dict.fromkeys(constants)),
    )


def input_columns(plan: Plan) -> frozenset[Argument]:
    """Returns the columns of inputs whose values are remembered once they have been seen."""
    inputs = {source.name for source in plan.inputs}
    return frozenset(
        column
        for relation in plan.queries
        for pattern in relation.patterns
        for name in pattern.unguarded
        for column in reached(name, pattern, relation, plan.relations).columns
        if column.name in inputs
    )


def reached(name: str, pattern: Pattern, relation: Relation, relations: Iterable[Relation]) -> Reached:
    search = Reached({each.name: each for each in relations})
    for place, term in enumerate(pattern.answer):
        if term == Var(name):
            search.follow(Argument(relation.name, place), relation)
    return search


@dataclass
class Reached:
    """Columns that have been reached, and the constants met on the way."""

    relations: Mapping[str, Relation]
    columns: set[Argument] = field(default_factory=set)
    constants: dict[Value, None] = field(default_factory=dict)
    _followed: set[Argument] = field(default_factory=set)

    def follow(self, argument: Argument, relation: Relation) -> None:
        """Adds the columns that an argument of a relation leads to."""
        if argument in self._followed:
            return
        self._followed.add(argument)
        for pattern in relation.patterns:
            term = pattern.answer[argument.position]
            if isinstance(term, Const):
                self.constants[term.value] = None
            if not isinstance(term, Var):
                continue
            for comparison in pattern.comparisons:
                if term in comparison.operands:
                    self.constants |= {s.value: None for s in comparison.operands if isinstance(s, Const)}
            for predicate, arguments in _atoms(pattern.literals):
                self.columns |= {Argument(predicate, i) for i, each in enumerate(arguments) if each == term}
            for reference in pattern.asked_for:
                for place, each in enumerate(reference.given):
                    if each == term:
                        self.follow(Argument(reference.name, place), self.relations[reference.name])


def _atoms(literals: Iterable[Literal]) -> Iterator[tuple[str, Sequence[AnswerTerm | None]]]:
    """Yields the predicates that literals look at, with the arguments they ask for."""
    for literal in literals:
        if isinstance(literal, StaticAtom):
            yield literal.predicate, literal.arguments
        for reference in literal.references:
            yield reference.predicate, reference.arguments


def _values(predicate: str, terms: Sequence[AnswerTerm | None], columns: set[Argument]) -> Iterator[Value]:
    for place, term in enumerate(terms):
        if isinstance(term, Const) and Argument(predicate, place) in columns:
            yield term.value


def _of(names: Set[str], columns: Set[Argument]) -> tuple[Argument, ...]:
    return tuple(sorted((c for c in columns if c.name in names), key=lambda c: (c.name, c.position)))


Choices = dict[str, frozenset[int]]


def partition(plan: Plan) -> Key:
    relations, inputs = plan.relations, plan.inputs
    patterns = [pattern for relation in relations for pattern in relation.patterns]
    used = {each.name for pattern in patterns for each in pattern.references if each.of_input}
    used |= {given.predicate for relation in relations for given in relation.notice.given}
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
    for column in _of(choices.keys(), input_columns(plan)):
        # A value has answers of its own where it is seen, so it has to be seen where its answers are.
        choices[column.name] &= {column.position}
        if not choices[column.name]:
            return Key((), f"a variable that stands under `not` only leads to two columns of {column.name}")
    solved = _solve(choices, relations)
    if isinstance(solved, str):
        return Key((), solved)
    return Key(tuple(Argument(name, min(solved[name])) for name in choices))


def _no_argument(name: str, inputs: Iterable[Input]) -> str:
    if any(source.name == name and source.slot is not None and len(source.types) for source in inputs):
        return (
            f"{name} has one fact per tick, whatever its columns, so all its facts have to be in one place; "
            "with `one per COLUMN` it could be divided by that column"
        )
    return f"{name} has no argument but its time; a column that all rules share could be the key"


def _solve(choices: Choices, relations: tuple[Relation, ...]) -> Choices | str:
    """Returns a position for each name, or the reason why there is none."""
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
    """Drops positions that some pattern rules out, until all are possible."""
    choices = dict(choices)
    changed = True
    while changed:
        changed = False
        for relation, pattern in ((r, p) for r in relations for p in r.patterns):
            for name, positions in _possible(relation, pattern, choices).items():
                if not positions:
                    sides = [each.text for each in pattern.stated]
                    sides += (f"{each.predicate} (behind `given`)" for each in relation.notice.given)
                    return (
                        f"no argument of {name} can be the key: {' and '.join(sides) or 'the rules'} "
                        "would have to share one variable with each other and with the answer"
                    )
                changed = changed or positions != choices[name]
                choices[name] = positions
    return choices


def _possible(relation: Relation, pattern: Pattern, choices: Mapping[str, frozenset[int]]) -> Choices:
    """Returns the key positions that one pattern allows for its relation and its literals."""
    sides = [(each.name, each.given) for each in pattern.references]
    # Facts at which chances look have to be where the answers are, too.
    looked_at = [(each.predicate, each.columns) for each in relation.notice.given]
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
    """Returns the variable of each query by whose values its answers are grouped, where it has one."""
    positions = {each.name: each.position for each in plan.key.positions}
    found = {}
    for query in plan.queries:
        position, ticks = positions.get(query.predicate), query.answer.ticks
        values = [name for name in query.answer.variables if name not in ticks]
        if position is not None or values:
            found[query.name] = values[0] if position is None else query.answer.variables[position]
    return found
