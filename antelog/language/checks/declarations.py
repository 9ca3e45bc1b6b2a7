"""Declarations: the kind of each predicate, its columns, slot, delays and chances."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from antelog.diagnostics import Diagnostic, Note, Span, problem
from antelog.language import syntax
from antelog.language.checks.refinements import declared_twice, query_problems, refine
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.checks.units import ticks_of, type_of_time_problems, units_of, unknown_unit
from antelog.language.durations import microseconds
from antelog.language.epochs import UNITS
from antelog.language.functions import BUILT_IN, OF_ONE
from antelog.language.moments import zones
from antelog.language.parser import Parsed
from antelog.language.printer import to_text
from antelog.language.vocabulary import Predicate, PredicateKind, Schedule, Signature, Type, Vocabulary


def declare(parsed: Parsed) -> tuple[Vocabulary, list[Diagnostic]]:
    """Makes the vocabulary of a program, and finds the problems in its declarations."""
    document = parsed.document
    found: list[Diagnostic] = []
    tick = _tick(document, found)
    declared = any(isinstance(each, syntax.Tick) for each in document.statements)
    if tick is None and (declared or "tick" in parsed.unread):
        tick = 1  # the declaration is wrong: no other problem follows from that
    predicates: dict[str, Predicate] = {}
    limits: dict[str, Span] = {}
    for limit in document.limits:
        if limit.name in limits:
            hint = "Keep one of them: a limit has one value, in all files of a program."
            found.append(declared_twice(f"the limit {limit.name}", limit.name_span, limits[limit.name], hint))
        limits.setdefault(limit.name, limit.name_span)
    for declaration in document.declarations:
        _declare(declaration, tick, predicates, found)
    for rule in document.rules:
        _derive(rule, predicates, found)
    for rule in document.rules:
        for atom, _ in syntax.atoms_of(rule):
            if atom.predicate not in predicates:
                predicates[atom.predicate] = _undeclared(atom, PredicateKind.INPUT)
    odds = refine(document, tick, predicates, found)
    for each in document.windows:
        for bound in (each.window, each.horizon):
            if bound is not None:
                ticks_of(bound, tick, found)
    for query in document.queries:
        found += query_problems(query)
    units = units_of(document.declarations, tick, found)
    zone = _zone(document, tick, found)
    most = {
        each.name: tuple(None if c.most is None else ticks_of(c.most, tick, found) for c in each.columns)
        for each in document.declarations
        if isinstance(each, syntax.Static) and any(column.most for column in each.columns)
    }
    functions = functions_of(document, predicates, found)
    found += _needless_slots(document)
    return Vocabulary(predicates, tick, odds, units, zone, most, functions), found


def _tick(document: syntax.Document, found: list[Diagnostic]) -> int | None:
    statement = _single(syntax.Tick, document, "all times of a program are counted in the same ticks", found)
    if statement is None:
        return None
    length = microseconds(statement.every)
    if length is None:
        found.append(unknown_unit(statement.every))
    elif length < 1 or length.denominator != 1:
        found.append(problem("E103.tick", statement.every.span))
    else:
        return int(length)
    return None


def _zone(document: syntax.Document, tick: int | None, found: list[Diagnostic]) -> str | None:
    statement = _single(syntax.Zone, document, "all times of a program are shown in the same zone", found)
    if statement is None:
        return None
    if statement.name not in zones():
        hint = did_you_mean(statement.name, zones()) or "Zones are called as in `Europe/Berlin`."
        found.append(Diagnostic("E113", f"there is no zone {statement.name}", statement.span, hint))
        return None
    if tick is None:
        found.append(problem("E113.tickless", statement.span))
    return statement.name


_One = TypeVar("_One", syntax.Tick, syntax.Zone)


def _single(kind: type[_One], document: syntax.Document, why: str, found: list[Diagnostic]) -> _One | None:
    """The first statement of a kind; others are reported."""
    statements = [each for each in document.statements if isinstance(each, kind)]
    for again in statements[1:]:
        what, hint = f"`{kind.__name__.lower()}`", f"Keep one of them: {why}."
        found.append(declared_twice(what, again.span, statements[0].span, hint))
    return statements[0] if statements else None


def _declare(
    declaration: syntax.Input | syntax.Static,
    tick: int | None,
    predicates: dict[str, Predicate],
    found: list[Diagnostic],
) -> None:
    name, columns = declaration.name, tuple(column.name for column in declaration.columns)
    is_input = isinstance(declaration, syntax.Input)
    found += _column_problems(declaration.columns, name, not is_input)
    objects = declaration.columns[:-1] if is_input else declaration.columns
    types = tuple(type_of_column(column, found) for column in objects)
    kind, schedule, slot = PredicateKind.STATIC, Schedule(), None
    if isinstance(declaration, syntax.Input):
        kind, columns = PredicateKind.INPUT, columns or ("time",)
        delay = ticks_of(declaration.delay, tick, found) if declaration.delay else 0
        slot = slot_of(declaration, found)
        schedule = Schedule(delay, (), *_every(declaration, tick, found))
        if not declaration.columns:
            found.append(problem("E107.no-time", declaration.span, name=name))
    if name in predicates:
        found.append(declared_twice(name, declaration.name_span, predicates[name].span))
        return
    span = declaration.name_span
    predicates[name] = Predicate(name, kind, columns, types, schedule, declared=True, span=span, slot=slot)


def _every(
    declaration: syntax.Input, tick: int | None, found: list[Diagnostic]
) -> tuple[int | None, tuple[int, ...]]:
    """The gap between facts of an input in ticks, and the columns that name their sources."""
    every = declaration.every
    if every is None:
        return None, ()
    per = _positions("per", every.per, declaration, found)
    if every.gap.amount == 0:
        found.append(problem("E103.every-nothing", every.gap.span, gap=to_text(every.gap)))
        return None, ()
    return ticks_of(every.gap, tick, found) or None, per


def _column_problems(columns: tuple[syntax.Column, ...], name: str, static: bool) -> Iterator[Diagnostic]:
    seen: dict[str, Span] = {}
    for column in columns:
        if column.name in seen:
            note = Note("first used here", seen[column.name])
            yield problem("E101.two-columns", column.span, (note,), name=name, column=column.name)
        seen.setdefault(column.name, column.span)
    if columns and not static:
        yield from type_of_time_problems(columns[-1])
    for column in columns if static else columns[:-1]:
        if column.most is not None and not static:
            yield problem("E104.bound", column.most.span, column=column.name, name=name)
        if column.type == "time":
            yield problem("E104.time-within", column.type_span)


def type_of_column(column: syntax.Column, found: list[Diagnostic]) -> Type | None:
    if column.type is None or column.type == "time":
        return None
    try:
        return Type(column.type)
    except ValueError:
        hint = did_you_mean(column.type, [t.value for t in Type])
        hint = hint or "The types are `number`, `integer` and `text`."
        if column.type in UNITS:
            hint = "Only the time of an input, its last column, has a unit."
        if column.type.lower() in _OTHER_NAMES:
            hint = f"Write `{_OTHER_NAMES[column.type.lower()].value}`."
        found.append(Diagnostic("E104", f"`{column.type}` is not a type", column.type_span, hint))
        return None


_OTHER_NAMES = {
    **dict.fromkeys(("float", "double", "decimal", "numeric", "real"), Type.NUMBER),
    **dict.fromkeys(("int", "int64", "long", "bigint", "integer"), Type.INTEGER),
    **dict.fromkeys(("str", "string", "varchar", "char", "symbol"), Type.TEXT),
}


def functions_of(
    document: syntax.Document, predicates: Mapping[str, Predicate], found: list[Diagnostic]
) -> dict[str, Signature]:
    """The functions of a program and the built-in ones; problems are added to `found`."""
    functions = dict(BUILT_IN)
    for each in document.functions:
        known = functions.get(each.name)
        if known is not None and each.name not in BUILT_IN:
            found.append(declared_twice(each.name, each.name_span, known.span))
            continue
        if each.name in BUILT_IN or each.name in OF_ONE:
            found.append(problem("E208.built-in", each.name_span, name=each.name))
            continue
        found += _column_problems(each.columns, each.name, static=True)
        given = (type_of_column(column, found) for column in each.columns)
        types = tuple(type_ and type_.general for type_ in given)
        gives = each.gives and type_of_column(syntax.Column("", each.gives, type_span=each.gives_span), found)
        gives = gives and gives.general
        names = tuple(column.name for column in each.columns)
        functions[each.name] = Signature(each.name, names, types, gives or None, span=each.name_span)
    for name in functions.keys() & predicates.keys():
        kind = "built-in function" if name in BUILT_IN else "function"
        found.append(problem("E208.predicate", predicates[name].span, name=name, kind=kind))
    return functions


def _derive(rule: syntax.Rule, predicates: dict[str, Predicate], found: list[Diagnostic]) -> None:
    name = rule.head.predicate
    known = predicates.get(name)
    if known is None:
        predicates[name] = _undeclared(rule.head, PredicateKind.DERIVED)
    elif known.kind is PredicateKind.DERIVED:
        predicates[name] = _named(known, rule.head)
    elif known.kind is PredicateKind.INPUT:
        note = Note("declared as an input here", known.span)
        kind = "E102.rule" if rule.body else "E102.fact"
        found.append(problem(kind, rule.head.name_span, (note,), name=name))


def _undeclared(atom: syntax.Atom, kind: PredicateKind) -> Predicate:
    """Makes a predicate by its first atom; the columns of a derived one are named as its variables."""
    objects = max(len(atom.terms) - 1, 0)
    columns = (*(f"c{i}" for i in range(objects)), "time")
    found = Predicate(atom.predicate, kind, columns, (None,) * objects, span=atom.name_span)
    return _named(found, atom) if kind is PredicateKind.DERIVED else found


def _named(predicate: Predicate, atom: syntax.Atom) -> Predicate:
    """Names columns of a derived predicate that have no name yet as the variables of an atom."""
    columns = list(predicate.columns)
    for place, (column, term) in enumerate(zip(columns, atom.terms, strict=False)):
        name = syntax.variable_of(term)
        if name is not None and name not in columns and column[0].islower():
            columns[place] = name
    return replace(predicate, columns=tuple(columns))


def slot_of(declaration: syntax.Input, found: list[Diagnostic]) -> tuple[int, ...] | None:
    """The positions of the columns of an input's slot; problems are added to `found`."""
    if declaration.one_per is None:
        return None
    tick = next((each for each in declaration.columns[:-1] if each.name == "tick"), None)
    if not declaration.one_per and tick is not None:
        found.append(problem("E108.column-tick", tick.span))
    return _positions("one per", declaration.one_per, declaration, found)


def _positions(
    clause: str, names: Sequence[syntax.Column], declaration: syntax.Input, found: list[Diagnostic]
) -> tuple[int, ...]:
    """The positions of the columns that a clause names; problems are added to `found`."""
    columns, first = [column.name for column in declaration.columns], dict[str, Span]()
    for each in names:
        if each.name in first:
            note = Note("first named here", first[each.name])
            found.append(problem("E108.named-twice", each.span, (note,), clause=clause, name=each.name))
        elif each.name not in columns[:-1]:
            found.append(_no_such_column(each, declaration.name, columns))
        first.setdefault(each.name, each.span)
    return tuple(i for i, name in enumerate(columns[:-1]) if name in first)


def _no_such_column(each: syntax.Column, predicate: str, columns: list[str]) -> Diagnostic:
    *objects, time = columns or ["time"]
    if each.name == time:
        return problem("E108.time-named", each.span, time=time, predicate=predicate)
    if each.name == "tick":
        return problem("E108.tick-named", each.span)
    known = f"Its columns are {', '.join(objects)}." if objects else f"It has no column but its time, {time}."
    hint = did_you_mean(each.name, objects) or known
    return Diagnostic("E108", f"{predicate} has no column named {each.name}", each.span, hint)


def _needless_slots(document: syntax.Document) -> Iterator[Diagnostic]:
    """Finds slots in which no fact excludes another, unless `last` asks for the latest one of a slot."""
    literals = [literal for rule in document.rules for literal in rule.body]
    asked = {each.atom.predicate for each in literals if isinstance(each, syntax.Last) and not each.per}
    for declaration in document.declarations:
        if not isinstance(declaration, syntax.Input) or declaration.one_per is None:
            continue
        named = {each.name for each in declaration.one_per}
        if named != {column.name for column in declaration.columns[:-1]} or declaration.name in asked:
            continue
        names = declaration.one_per
        span = Span(names[0].span.start, names[-1].span.end) if names else declaration.name_span
        yield problem("W110.needless", span, name=declaration.name)
