"""Sorts: a variable is a time or an object; the last argument of a temporal predicate is a time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from antelog.diagnostics import Diagnostic, Note, problem
from antelog.language import syntax
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.durations import ticks_later
from antelog.language.graph import components
from antelog.language.literals.comparison import NO_NOW
from antelog.language.literals.literal import SortEvidence, Sorts
from antelog.language.parser import Parsed
from antelog.language.printer import to_text
from antelog.language.vocabulary import PredicateKind, Vocabulary


def with_times_in_heads(document: syntax.Document, vocabulary: Vocabulary) -> Vocabulary:
    """Gives predicates times where a rule's head has one, but for those that rest on themselves."""
    recursive = _recursive(document)
    rules = [each for each in document.rules if each.head.predicate not in recursive]
    before: Mapping[str, frozenset[int]] | None = None
    while vocabulary.times != before:  # what a head has from a body may have its times from another head
        before, times = vocabulary.times, dict[str, frozenset[int]]()
        for rule in rules:
            if places := _times_in_head(rule, vocabulary):
                times[rule.head.predicate] = times.get(rule.head.predicate, frozenset()) | places
        vocabulary = replace(vocabulary, times=times)
    return vocabulary


def _recursive(document: syntax.Document) -> Mapping[str, syntax.Atom]:
    """The predicates that rest on themselves without `not`, each with an atom by which they do."""
    bodies: dict[str, list[syntax.Atom]] = {}
    for rule in document.rules:
        atoms = (each for each in rule.body if isinstance(each, syntax.Atom))
        bodies.setdefault(rule.head.predicate, []).extend(atoms)
    edges = {
        name: [atom.predicate for atom in atoms if atom.predicate in bodies] for name, atoms in bodies.items()
    }
    found: dict[str, syntax.Atom] = {}
    for members in components(edges):
        for name in members:
            inside = (atom for atom in bodies[name] if atom.predicate in members)
            if (through := next(inside, None)) is not None:
                found[name] = through
    return found


def _times_in_head(rule: syntax.Rule, vocabulary: Vocabulary) -> frozenset[int]:
    """The places before the last where the head of a rule has a time of the body."""
    terms = [] if vocabulary.is_static(rule.head.predicate) else [*_places(rule.head, vocabulary)][:-1]
    ends = [each for atom, _ in syntax.atoms_of(rule) for each in _ends(atom, vocabulary)]
    times = {syntax.variable_of(term) for term, is_time in ends if is_time} - {None}
    times -= {syntax.variable_of(term) for term, is_time in ends if not is_time}  # which is said of the body
    equal = [each.sides for each in rule.body if isinstance(each, syntax.Comparison) and each.operator == "="]
    pairs = [set(map(syntax.variable_of, sides)) - {None} for sides in equal]
    while new := {name for pair in pairs if pair & times for name in pair} - times:
        times |= new
    return frozenset(place for place, (term, _) in enumerate(terms) if syntax.variable_of(term) in times)


def _check_head(rule: syntax.Rule, document: syntax.Document, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """Finds times in a head where it can have none, and values where another rule has times."""
    name, times = rule.head.predicate, _times_in_head(rule, vocabulary)
    wanted = vocabulary.times_of(name)
    for place in sorted(times - wanted):
        term = rule.head.terms[place]
        note = Note("it rests on itself here", _recursive(document)[name].span)
        yield problem("E301.recursive", term.span, (note,), term=to_text(term), name=name)
    for place in sorted(wanted - times) if len(rule.head.terms) == vocabulary[name].arity else ():
        term = rule.head.terms[place]
        other = next(
            each.head.terms[place]
            for each in document.rules
            if each.head.predicate == name and place in _times_in_head(each, vocabulary)
        )
        notes = (Note("a time here", other.span),)
        yield problem("E301.other-rule", term.span, notes, term=to_text(term), name=name)


def check_sorts(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    # These certainly have a time: what is declared, and what rests on something that has one.
    timed = frozenset(p.name for p in vocabulary.predicates.values() if p.declared) | {
        rule.head.predicate
        for rule in parsed.document.rules
        if any(vocabulary[atom.predicate].temporal for atom, _ in syntax.atoms_of(rule))
    }
    for rule in parsed.document.rules:
        if problems := [*_check_head(rule, parsed.document, vocabulary)]:
            yield from problems
            continue
        places = Sorts(to_text)
        yield from _check(syntax.all_atoms(rule), places, vocabulary, timed)
        for literal in rule.body:
            yield from literal.check_sorts(places)
            yield from _own_times(literal, vocabulary)
    for query in parsed.document.queries:
        yield from _check([query.atom], Sorts(to_text), vocabulary, timed)


def _own_times(literal: syntax.Literal, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """Finds times in columns that only an aggregate has."""
    for atom in (each.atom for each in literal.atoms if literal.inner):
        for term, is_time in [*_places(atom, vocabulary)][:-1]:
            if is_time and syntax.variable_of(term) in literal.inner:
                yield problem("E301.inner-time", term.span, term=to_text(term), predicate=atom.predicate)


def sorts_of(rule: syntax.Rule, vocabulary: Vocabulary) -> dict[str, bool]:
    """Whether each variable in the atoms of a rule is a time in one of its places."""
    found: dict[str, bool] = {}
    for atom in syntax.all_atoms(rule):
        for term, is_time in _places(atom, vocabulary):
            for end in syntax.leaves_of(term):
                name = syntax.variable_of(end)
                if name is not None:
                    found[name] = found.get(name, False) or is_time or isinstance(term, syntax.Range)
    return found


def _places(atom: syntax.Atom, vocabulary: Vocabulary) -> Iterator[tuple[syntax.Term, bool]]:
    """Yields arguments, each with whether it is a time, of an atom with the right number of them."""
    predicate = vocabulary.predicates.get(atom.predicate)
    if predicate is None or len(atom.terms) != predicate.arity:
        return
    times = vocabulary.times_of(atom.predicate) | {len(atom.terms) - 1}
    for i, term in enumerate(atom.terms):
        yield term, predicate.temporal and i in times


def _ends(atom: syntax.Atom, vocabulary: Vocabulary) -> Iterator[tuple[syntax.Term, bool]]:
    """Yields arguments, or the ends of a range, each with whether it is a time."""
    for term, is_time in _places(atom, vocabulary):
        parts = term.ends if isinstance(term, syntax.Range) else (term,)
        yield from ((part, is_time or isinstance(term, syntax.Range)) for part in parts)


def _check(
    atoms: list[syntax.Atom], places: Sorts, vocabulary: Vocabulary, timed: frozenset[str]
) -> Iterator[Diagnostic]:
    reported: set[str] = set()
    for atom in atoms:
        for term, is_time in _ends(atom, vocabulary):
            if is_time:
                yield from _check_time(term, atom, vocabulary, timed)
            elif isinstance(term, syntax.Shifted | syntax.Calculation):
                kind = "E301.of-static" if vocabulary.is_static(atom.predicate) else "E301.of-value"
                yield problem(kind, term.span, term=to_text(term), name=atom.predicate)
                continue
            name = syntax.variable_of(term)
            if name is None:
                continue
            known = places.first.setdefault(name, SortEvidence(is_time, term.span, atom.predicate))
            if known.is_time != is_time and name not in reported:
                reported.add(name)
                yield _both(name, SortEvidence(is_time, term.span, atom.predicate), known, vocabulary, timed)


def _check_time(
    term: syntax.Term, atom: syntax.Atom, vocabulary: Vocabulary, timed: frozenset[str]
) -> Iterator[Diagnostic]:
    if isinstance(term, syntax.Calculation):
        variables = (isinstance(each, syntax.Variable | syntax.Shifted) for each in term.arguments)
        kind = "E301.sum" if term.function == "+" and all(variables) else "E301.calculated"
        time, by, *_ = (*map(to_text, term.arguments), "", "")
        yield problem(kind, term.span, term=to_text(term), name=atom.predicate, time=time, by=by)
    elif isinstance(term, syntax.Constant) and not (isinstance(term.value, int) and term.value >= 0):
        message = f"`{to_text(term)}` stands where the time of {atom.predicate} belongs"
        if isinstance(term.value, str):
            its = "The last argument of a predicate is its time"
            if all(term is not each for each in syntax.leaves_of(atom.terms[-1])):
                its = f"The rules for {atom.predicate} have a time here"
            hint = f"{its}: a whole number, T, T+1 or T-1."
            if term.value == "now":
                hint += f"\n{NO_NOW}"
            elif _MEANT_AS_TIME.match(term.value):
                hint += f"\nA variable starts with a capital letter: write `{term.value.capitalize()}`."
            else:
                hint += _maybe_static(atom.predicate, vocabulary, timed)
        else:
            hint = "Times are the whole numbers from 0 on."
        yield Diagnostic("E301", message, term.span, hint)
    elif isinstance(term, syntax.Shifted) and isinstance(term.offset, float) and term.unit is None:
        yield problem("E301.fraction", term.span, term=to_text(term))


def check_ranges(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """Finds ranges that do not stand for the time of a condition, or lead to an earlier tick."""
    for rule in parsed.document.rules:
        for atom in syntax.all_atoms(rule):
            yield from _range_problems(atom, vocabulary, in_head=atom is rule.head)
    for query in parsed.document.queries:
        yield from _range_problems(query.atom, vocabulary, in_head=True)


def _range_problems(atom: syntax.Atom, vocabulary: Vocabulary, *, in_head: bool) -> Iterator[Diagnostic]:
    for place, term in enumerate(atom.terms):
        if not isinstance(term, syntax.Range):
            continue
        timed = place == len(atom.terms) - 1 and not vocabulary.is_static(atom.predicate)
        if in_head or not timed:
            kind = "E301.range-of-head" if in_head and timed else "E301.range"
            yield problem(kind, term.span, term=to_text(term), first=to_text(term.first))
            continue
        for end in term.ends:
            if isinstance(end, syntax.Anonymous):
                yield problem("E301.no-end", end.span)
        (one, first), (other, last) = (_placed(end, vocabulary.tick) for end in term.ends)
        if one == other and last < first:
            turned = to_text(syntax.Range(term.last, term.first))
            yield problem("E301.backwards", term.span, term=to_text(term), turned=turned)


def _placed(end: syntax.Term, tick: int | None) -> tuple[str | None, int]:
    """Turns the end of a range into a variable and a number of ticks."""
    if isinstance(end, syntax.Shifted):
        return end.variable, ticks_later(end, tick)
    if isinstance(end, syntax.Constant) and isinstance(end.value, int):
        return None, end.value
    return syntax.variable_of(end) or to_text(end), 0


_MEANT_AS_TIME = re.compile(r"([a-z]\d*|time|tick)\Z")


def _maybe_static(name: str, vocabulary: Vocabulary, timed: frozenset[str]) -> str:
    """The advice to declare a predicate static, or a function, where that may be missing."""
    predicate = vocabulary[name]
    if name in timed:
        return ""
    columns = ", ".join(f"c{i}" for i in range(predicate.arity))
    if name[:1].islower() and predicate.kind is PredicateKind.INPUT and not predicate.declared:
        return f"\nIf {name} is a function, declare `function {name}({columns}).`"
    statics = [p.name for p in vocabulary.predicates.values() if p.kind is PredicateKind.STATIC]
    near = did_you_mean(name, statics)
    return f"\n{near}" if near else f"\nIf {name} has no time, declare `static {name}({columns}).`"


def _both(
    name: str, here: SortEvidence, before: SortEvidence, vocabulary: Vocabulary, timed: frozenset[str]
) -> Diagnostic:
    as_what = {True: "a time", False: "an object"}
    message = f"{name} is {as_what[here.is_time]} here, but {as_what[before.is_time]} elsewhere in the rule"
    in_time = here if here.is_time else before
    hint = "Use two variables: the last argument of a predicate is its time, the others are not."
    if vocabulary[in_time.predicate].kind is not PredicateKind.STATIC:
        hint += _maybe_static(in_time.predicate, vocabulary, timed)
    return Diagnostic("E301", message, here.span, hint, (Note("the other place", before.span),))
