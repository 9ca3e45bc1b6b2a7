"""The types of the columns in which answers are told.

They follow the program and the types of the facts, never the values a table happens to have: so
an empty table has the same types as a full one, and all tables of a stream can be put one below
the other. While a stream goes on types only ever get wider: whole numbers become doubles where
doubles come as well, and columns of several kinds become texts in the language's syntax.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, reduce
from typing import TypeAlias

import pyarrow as pa
import pyarrow.types as is_a

from antelog.compile.plan import Atom, Const, Plan, Relation, StaticAtom, Term, Var
from antelog.engine.kinds import Kind, decimals, kind_of, told_as, whole_numbers
from antelog.engine.layout import Layout
from antelog.engine.prepared import layouts

Types: TypeAlias = tuple[pa.DataType, ...]
Named: TypeAlias = tuple[tuple[str, pa.DataType], ...]
Seen: TypeAlias = Mapping[str, Sequence[pa.DataType]]
"""For inputs and static predicates the types of their columns; that of the time may be left out."""

AnswerTypes: TypeAlias = Mapping[str, Mapping[str, pa.DataType]]
"""For each query the types of its variables, without the time."""

NOTHING = pa.null()
"""The type of a column that no value has been seen for."""

MIXED = pa.dense_union([pa.field("number", pa.float64()), pa.field("text", pa.string())])
"""Stands for values of several kinds, whichever these are. They are told as texts in the language's
syntax, in which the text `"1"` and the number `1` differ."""

WRITTEN = {b"values": b"written"}
"""Marks the fields of a schema whose texts are in the language's syntax."""

EXPLANATIONS = pa.list_(
    pa.struct([("evidence", pa.list_(pa.string())), ("hypotheses", pa.list_(pa.string()))])
)
SILENT = pa.struct([("change", pa.string()), ("tick", pa.int64())])


def changes_schema(plan: Plan, query: str, types: AnswerTypes) -> pa.Schema:
    """The schema of the changes and answers of a query, given what `answer_types` says."""
    return table_schema(plan.relation(query), layouts(plan)[query], types[query])


def table_schema(
    relation: Relation, patterns: Sequence[Layout], types: Mapping[str, pa.DataType]
) -> pa.Schema:
    answer = tuple((name, types[name]) for name in relation.variables)
    return _table_schema(answer, relation.time, tuple(_exceptions(relation, patterns, types)))


@lru_cache(maxsize=1024)
def _table_schema(answer: Named, time: str | None, exceptions: Named) -> pa.Schema:
    return pa.schema(
        [
            pa.field("tick", pa.int64()),
            pa.field("change", pa.string()),
            *(_field(name, type_) for name, type_ in answer),
            *([pa.field(time, pa.int64())] if time is not None else []),
            pa.field("explanations", _explanations(exceptions)),
            pa.field("if_silent", SILENT),
            pa.field("decided_by", pa.int64()),
            pa.field("because", pa.list_(pa.string())),
        ]
    )


def explanations_type(
    relation: Relation, patterns: Sequence[Layout], types: Mapping[str, pa.DataType]
) -> pa.DataType:
    """Evidence and hypotheses; also exceptions, if something can be said of all values but some."""
    return _explanations(tuple(_exceptions(relation, patterns, types)))


def _explanations(exceptions: Named) -> pa.DataType:
    if not exceptions:
        return EXPLANATIONS
    fields = [_field(name, type_) for name, type_ in exceptions]
    return pa.list_(pa.struct([*EXPLANATIONS.value_type, pa.field("except", pa.list_(pa.struct(fields)))]))


def exception_fields(
    relation: Relation, patterns: Sequence[Layout], types: Mapping[str, pa.DataType]
) -> list[pa.Field]:
    """The variables that may be open where a negated literal is certain."""
    return [_field(name, type_) for name, type_ in _exceptions(relation, patterns, types)]


def _exceptions(
    relation: Relation, patterns: Sequence[Layout], types: Mapping[str, pa.DataType]
) -> Iterator[tuple[str, pa.DataType]]:
    loose = [layout for layout in patterns if layout.loose]
    for name in sorted({name for layout in loose for name in layout.denied - layout.given}):
        users = [layout for layout in loose if name in layout.denied]
        if all(name in {n.time.variable for n in layout.negations} for layout in users):
            yield name, pa.int64()
        elif name in types and all(_answers(name, relation, layout) for layout in users):
            yield name, types[name]
        else:
            yield name, MIXED


def _answers(name: str, relation: Relation, layout: Layout) -> bool:
    """Whether a variable of a pattern is the query's variable of that name."""
    return layout.pattern.answer[relation.variables.index(name)] == Var(name)


def _field(name: str, type_: pa.DataType) -> pa.Field:
    return pa.field(name, pa.string(), metadata=WRITTEN) if type_ == MIXED else pa.field(name, type_)


def answer_types(plan: Plan, seen: Seen) -> AnswerTypes:
    """For each query the types of its variables, if facts have the types that were seen.

    A variable has the type of the columns its values can come from, be it where one fact serves two literals.
    """
    found = relation_types(plan, seen)
    return {query.name: found[query.name] for query in plan.queries}


def relation_types(plan: Plan, seen: Seen) -> AnswerTypes:
    """The same for all relations."""
    prepared = layouts(plan)
    known = seen_types(plan, seen)
    found = {r.name: (NOTHING,) * len(r.variables) for r in plan.relations}
    # Variables under negation only take what the negated relation has, which may be found later.
    changed = True
    while changed:
        changed = False
        for relation in plan.relations:
            # What is known so far goes along, so that a relation without patterns has its columns as well.
            rows = [
                found[relation.name],
                *(_answer(each, known, found) for each in prepared[relation.name]),
            ]
            types = tuple(
                declared(reduce(wider, column, NOTHING), type_)
                for column, type_ in zip(zip(*rows, strict=True), relation.types, strict=False)
            )
            changed = changed or types != found[relation.name]
            found[relation.name] = types
    return {r.name: dict(zip(r.variables, found[r.name], strict=True)) for r in plan.relations}


def seen_types(plan: Plan, seen: Seen) -> dict[str, Types]:
    """The types of the columns of all inputs and static predicates, as far as the facts tell."""
    known = {s.name: _columns(s.types, seen.get(s.name, ())) for s in plan.inputs}
    own = types_of_rows({static.name: static.facts for static in plan.statics})
    for static in plan.statics:
        known[static.name] = _columns(static.types, seen.get(static.name, ()), own[static.name])
    changed = True
    while changed:
        changed = False
        for rule in plan.static_rules:
            derived = tuple(_term(term, rule.body, known) for term in rule.answer)
            types = tuple(map(wider, known[rule.predicate], derived))
            changed = changed or types != known[rule.predicate]
            known[rule.predicate] = types
    return known


def types_of_rows(given: Mapping[str, Iterable[Sequence[str | int | float]]]) -> dict[str, Types]:
    """The types of the columns of facts that are given as Python values."""
    return {
        name: tuple(reduce(wider, map(_type_of, column), NOTHING) for column in zip(*rows, strict=True))
        for name, rows in given.items()
    }


def _columns(declarations: Sequence[str | None], *seen: Sequence[pa.DataType]) -> Types:
    types: list[pa.DataType] = []
    for position, type_ in enumerate(declarations):
        columns = [each[position] for each in seen if position < len(each)]
        types.append(declared(reduce(wider, columns, NOTHING), type_))
    return tuple(types)


def _answer(layout: Layout, known: Mapping[str, Types], found: Mapping[str, Types]) -> list[pa.DataType]:
    pattern = layout.pattern
    sources: list[Atom | StaticAtom] = [*pattern.atoms, *pattern.statics]
    types = []
    for term in pattern.answer:
        type_ = _term(term, sources, known)
        # What a negated literal names is told of where it may be certain before any fact has come.
        if type_ == NOTHING or layout.loose:
            for negation in pattern.negations:
                columns = zip(negation.asked, found[negation.relation], strict=False)
                type_ = reduce(wider, (column for asked, column in columns if asked == term), type_)
        types.append(type_)
    return types


def _term(term: Term, atoms: Iterable[Atom | StaticAtom], known: Mapping[str, Types]) -> pa.DataType:
    """The type of a term: a variable has that of all columns its values can come from."""
    if isinstance(term, Const):
        return _type_of(term.value)
    return reduce(wider, (type_ for atom in atoms for type_ in _types_in(term, atom, known)), NOTHING)


def _types_in(variable: Var, atom: Atom | StaticAtom, known: Mapping[str, Types]) -> Iterable[pa.DataType]:
    if isinstance(atom, StaticAtom) and atom.negated:
        return ()
    columns = zip(atom.arguments, known[atom.predicate], strict=False)
    return (type_ for argument, type_ in columns if argument == variable)


# ---- wider and wider ----


def widened(seen: Mapping[str, Types], new: Seen) -> Mapping[str, Types]:
    """What has been seen, together with new types; the same object if that changes nothing."""
    changed = {}
    for name, types in new.items():
        old = seen.get(name, (NOTHING,) * len(types))
        both = tuple(map(wider, old, types))
        if both != seen.get(name):
            changed[name] = both
    return {**seen, **changed} if changed else seen


@lru_cache(maxsize=1024)
def wider(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    """The type in which the values of two types are told."""
    one, other = _told(one), _told(other)
    if other in (one, NOTHING):
        return one
    if one == NOTHING:
        return other
    if not kind_of(one) is kind_of(other) is Kind.NUMBER:
        return MIXED
    if is_a.is_floating(one) or is_a.is_floating(other):
        return pa.float64()
    if _fraction(one) or _fraction(other):
        before, after = max(map(_whole, (one, other))), max(map(_fraction, (one, other)))
        return decimals(before, after) if before + after <= _DIGITS else MIXED
    return max(one, other, whole_numbers(20), key=lambda type_: type_.bit_width)


_DIGITS = 76
"""So many digits a decimal has at most."""


def _whole(type_: pa.DataType) -> int:
    """How many digits numbers of a type have before the point, at most."""
    return type_.precision - type_.scale if is_a.is_decimal(type_) else len(str(2**type_.bit_width))


def _fraction(type_: pa.DataType) -> int:
    """How many digits numbers of a type, which is no double, have behind the point, at most."""
    return type_.scale if is_a.is_decimal(type_) else 0


@lru_cache(maxsize=1024)
def declared(type_: pa.DataType, declaration: str | None) -> pa.DataType:
    """The type of a column which the program says has numbers or texts; others are set aside."""
    if declaration is None:
        return _told(type_)
    if declaration == "text":
        return pa.string()
    leaves = [field.type for field in type_] if is_a.is_union(type_) else [type_]
    numbers = [each for each in map(_told, leaves) if kind_of(each) is Kind.NUMBER]
    both = reduce(wider, numbers, NOTHING)
    return both if is_a.is_decimal(both) and both.scale else wider(both, pa.int64())


def _told(type_: pa.DataType) -> pa.DataType:
    if type_ == MIXED:
        return MIXED
    if is_a.is_union(type_):
        return reduce(wider, (field.type for field in type_), NOTHING)
    return told_as(type_)


def _type_of(value: str | int | float) -> pa.DataType:
    if isinstance(value, str):
        return pa.string()
    if isinstance(value, float):
        return pa.float64()
    return pa.int64() if -(2**63) <= value < 2**63 else whole_numbers(len(str(abs(value))))
