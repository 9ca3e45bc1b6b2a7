"""Declarations for some facts of an input: `delay Temp(wt4, _, _) = 2.`, `chance Temp(_, high, _) = 5%.`

The one with the most constants decides about a fact, so no two with as many may fit a fact and differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import TypeVar

from antelog.diagnostics import Diagnostic, Note, Span, problem
from antelog.language import syntax
from antelog.language.checks.suggestions import did_you_mean
from antelog.language.checks.units import ticks_of
from antelog.language.printer import percentage_text, to_text
from antelog.language.syntax import Value
from antelog.language.templates import LINE_NAMES, MANY, TemplateError, template_of
from antelog.language.vocabulary import DeclaredChance, DeclaredDelay, DeclaredOdds, Predicate, PredicateKind

_Declared = TypeVar("_Declared", DeclaredDelay, DeclaredChance)


def refine(
    document: syntax.Document, tick: int | None, predicates: dict[str, Predicate], found: list[Diagnostic]
) -> dict[str, DeclaredOdds]:
    """Gives inputs their refined delays; returns the declared chances of their facts, and shares."""
    refinements = _refinements(document, tick, predicates, found)
    for name, given in refinements.items():
        found += _conflicts(name, given)
        schedule = replace(predicates[name].schedule, refinements=tuple(given))
        predicates[name] = replace(predicates[name], schedule=schedule)
    chances = _chances(document, predicates, found)
    for name, declared in chances.items():
        first: dict[object, DeclaredChance] = {}
        for chance in declared:
            known = first.setdefault((chance.pattern, chance.content), chance)
            if known is not chance:
                found.append(declared_twice(f"this chance of facts of {name}", chance.span, known.span))
        found += [*_conflicts(name, declared), *crowded_slots(predicates[name], declared)]
    shares = _shares(document, predicates, found)
    return {
        name: DeclaredOdds(tuple(chances.get(name, ())), shares.get(name))
        for name in predicates
        if name in chances or name in shares
    }


def _refinements(
    document: syntax.Document, tick: int | None, predicates: dict[str, Predicate], found: list[Diagnostic]
) -> dict[str, list[DeclaredDelay]]:
    refinements: dict[str, list[DeclaredDelay]] = {}
    for delay in document.delays:
        unknown: list[Diagnostic] = []
        bound = ticks_of(delay.bound, tick, unknown)
        found += unknown
        if delay.shares is not None:
            found += percentage_problems(*delay.shares) if unknown else share_problems(delay.shares, bound)
        problem = _problem(delay, predicates)
        if problem is not None:
            found.append(problem)
            continue
        shares = None if delay.shares is None else tuple(share.fraction for share in delay.shares)
        refinement = DeclaredDelay(_values(delay), bound, delay.span, shares)
        refinements.setdefault(delay.name, []).append(refinement)
    return refinements


def _chances(
    document: syntax.Document, predicates: dict[str, Predicate], found: list[Diagnostic]
) -> dict[str, list[DeclaredChance]]:
    chances: dict[str, list[DeclaredChance]] = {}
    for chance in document.chances:
        wrong = [*percentage_problems(chance.once, chance.again)]
        problem = _problem(chance, predicates)
        found += [*wrong, *([problem] if problem else [])]
        if problem is None and not wrong:
            again = chance.again or chance.once
            declared = DeclaredChance(_values(chance), chance.once.fraction, again.fraction, chance.span)
            chances.setdefault(chance.name, []).append(declared)
    return chances


def _shares(
    document: syntax.Document, predicates: dict[str, Predicate], found: list[Diagnostic]
) -> dict[str, tuple[Fraction, ...]]:
    shares: dict[str, tuple[Fraction, ...]] = {}
    for declaration in document.declarations:
        if not isinstance(declaration, syntax.Input) or declaration.shares is None:
            continue
        predicate = predicates[declaration.name]
        if predicate.span != declaration.name_span:
            continue  # declared twice
        delay = declaration.delay
        unread = delay is not None and delay.unit is not None and not predicate.schedule.bound
        given, bound = declaration.shares, predicate.schedule.bound
        found += percentage_problems(*given) if unread else share_problems(given, bound)
        shares[declaration.name] = tuple(share.fraction for share in given)
    return shares


def _values(declaration: syntax.Delay | syntax.Chance) -> tuple[syntax.Value | None, ...]:
    return tuple(t.value if isinstance(t, syntax.Constant) else None for t in declaration.pattern[:-1])


def _problem(
    declaration: syntax.Delay | syntax.Chance, predicates: dict[str, Predicate]
) -> Diagnostic | None:
    name = declaration.name
    predicate = predicates.get(name)
    word, code = ("delay", "E106") if isinstance(declaration, syntax.Delay) else ("chance", "E109")
    if predicate is None:
        inputs = [p.name for p in predicates.values() if p.kind is PredicateKind.INPUT]
        hint = did_you_mean(name, inputs) or f"Declare `input {name}(…)`, or remove this {word}."
        return Diagnostic("E201", f"no input is called {name}", declaration.name_span, hint)
    if predicate.kind is not PredicateKind.INPUT:
        return problem(f"{code}.{predicate.kind.value}", declaration.name_span, name=name)
    arity, given = predicate.arity, len(declaration.pattern)
    if given != arity:
        general = ", ".join("_" * arity)
        return problem(
            "E202.pattern", declaration.span, name=name, arity=arity, given=given, word=word, general=general
        )
    for term in declaration.pattern:
        if not isinstance(term, syntax.Constant | syntax.Anonymous):
            return problem(f"{code}.variable", term.span, term=to_text(term))
    time = declaration.pattern[-1]
    return problem(f"{code}.time", time.span) if isinstance(time, syntax.Constant) else None


def _conflicts(name: str, given: Sequence[_Declared]) -> Iterator[Diagnostic]:
    """Finds declarations that differ, with equally many constants, and fit the same fact."""
    groups: dict[frozenset[int], list[_Declared]] = {}
    for declared in given:
        positions = frozenset(i for i, value in enumerate(declared.pattern) if value is not None)
        groups.setdefault(positions, []).append(declared)
    pairs = [*((p, p) for p in groups), *combinations(groups, 2)]
    for here, there in pairs:
        if len(here) != len(there):
            continue
        shared = sorted(here & there)
        seen: dict[tuple[object, ...], dict[object, _Declared]] = {}
        for declared in groups[here]:
            key = tuple(declared.pattern[i] for i in shared)
            seen.setdefault(key, {}).setdefault(declared.content, declared)
        for declared in groups[there]:
            others = seen.get(tuple(declared.pattern[i] for i in shared), {})
            for content, other in others.items():
                if content != declared.content and other.span.start < declared.span.start:
                    yield _conflict(name, declared, other)
                elif content != declared.content and here != there:
                    yield _conflict(name, other, declared)


def _conflict(
    name: str, later: DeclaredDelay | DeclaredChance, earlier: DeclaredDelay | DeclaredChance
) -> Diagnostic:
    kind = "E105.bound"
    if isinstance(later, DeclaredChance):
        kind = "E110.chance"
    elif isinstance(earlier, DeclaredDelay) and earlier.delay == later.delay:
        kind = "E105.shares"
    if earlier.pattern == later.pattern:
        kind = f"{kind[:4]}.twice"
    notes = (Note("the other one", earlier.span),)
    return problem(kind, later.span, notes, name=name, one=_said(earlier), other=_said(later))


def _said(declared: DeclaredDelay | DeclaredChance) -> str:
    if isinstance(declared, DeclaredChance):
        once, again = percentage_text(declared.once), percentage_text(declared.again)
        return once if once == again else f"{once}, again {again}"
    shares = ", ".join(map(percentage_text, declared.shares or ()))
    return f"{declared.delay} ({shares})" if shares else str(declared.delay)


def declared_twice(
    what: str, span: Span, first: Span, hint: str = "Keep one of the declarations."
) -> Diagnostic:
    return problem("E101.declared-twice", span, (Note("first declared here", first),), what=what, hint=hint)


def percentage_problems(*given: syntax.Percentage | None) -> Iterator[Diagnostic]:
    """Finds percentages above 100%; none below 0% can be written."""
    for each in given:
        if each is not None and each.fraction > 1:
            yield problem("E111.percentage", each.span, percentage=to_text(each))


def query_problems(query: syntax.Query) -> Iterator[Diagnostic]:
    """Finds alerts for all answers, words with unknown names in braces, and runbooks at no address."""
    yield from percentage_problems(query.alert)
    if query.alert is not None and not query.alert.fraction:
        yield problem("E111.nothing", query.alert.span)
    variables = sorted(syntax.variables_of(query.atom.terms))
    yield from _words_problems(query.words, (*variables, *LINE_NAMES), '`"turbine {X} is about to stop"`')
    yield from _words_problems(query.many, (MANY,), '`many "{n} turbines are about to stop"`')
    yield from _words_problems(query.runbook, variables, '`runbook "https://wiki.example/{X}"`')
    if query.runbook is not None and not _ADDRESS.fullmatch(query.runbook.text):
        yield problem("E116.address", query.runbook.span)
    if query.many is not None and query.many.text.strip() and "{" not in query.many.text:
        yield problem("E116.how-many", query.many.span, number=f"{{{MANY}}}")


_ADDRESS = re.compile(r"https://[\w.-]+(:\d+)?([/?#][^\s\x00-\x1f\x7f\"<>\\]*)?")


def _words_problems(words: syntax.Words | None, known: Sequence[str], example: str) -> Iterator[Diagnostic]:
    """Finds words that are empty, or name unknown things in braces."""
    if words is None:
        return
    if not words.text.strip():
        yield problem("E116.empty", words.span, example=example)
    try:
        template_of(words.text, known)
    except TemplateError as error:
        yield Diagnostic("E116", error.message, words.span, error.hint)


def share_problems(shares: tuple[syntax.Percentage, ...], delay: int) -> Iterator[Diagnostic]:
    """Finds shares that are not one for each tick of a delay, or that are more than all facts."""
    yield from percentage_problems(*shares)
    whole = Span(shares[0].span.start, shares[-1].span.end)
    if len(shares) != delay + 1:
        ticks, own = ("tick" if delay == 1 else "ticks"), ("1 share" if delay == 0 else f"{delay + 1} shares")
        names = [*map(str, range(delay))] if delay < 4 else ["0", "1", "and so on"]
        late = f"{', '.join(names)} {'and' if delay < 4 else 'up to'} {delay} ticks" if delay else "0 ticks"
        yield problem(
            "E111.shares", whole, delay=delay, ticks=ticks, shares=own, given=len(shares), late=late
        )
    total = sum((share.fraction for share in shares), Fraction(0))
    if total > 1 and all(share.fraction <= 1 for share in shares):
        yield problem("E111.total", whole, total=percentage_text(total))


_Constants = tuple[tuple[int, Value], ...]  # the values at some positions, in their order


def crowded_slots(predicate: Predicate, chances: Sequence[DeclaredChance]) -> Iterator[Diagnostic]:
    """Finds slots whose facts are likelier than 100% together; reports each set of declarations once."""
    if predicate.slot is None:
        return
    inside = frozenset(predicate.slot)
    tables: dict[tuple[int, ...], dict[_Constants, list[DeclaredChance]]] = {}
    for chance in chances:
        own = tuple((i, v) for i, v in enumerate(chance.pattern) if v is not None and i in inside)
        tables.setdefault(tuple(i for i, _ in own), {}).setdefault(own, []).append(chance)
    reported: set[tuple[int, ...]] = set()
    for slot in _slots(tables):
        together = _deciding(slot, tables, inside)
        once = sum((chance.once for chance in together), Fraction(0))
        total = max((once, *(once - each.once + each.again for each in together)))  # after none, after each
        places = tuple(chance.span.start for chance in together)
        if total > 1 and len(together) > 1 and places not in reported:
            reported.add(places)
            *others, last = together
            notes = tuple(Note("one of the others", chance.span) for chance in others[-3:])
            kind, whole = "E112.again" if once <= 1 else "E112.once", percentage_text(total)
            yield problem(kind, last.span, notes, name=predicate.name, total=whole)


def _slots(tables: Mapping[tuple[int, ...], Mapping[_Constants, object]]) -> list[_Constants]:
    """The slots that stand for all others: `(a, _)` and `(_, b)` make `(a, b)`, too."""
    known: dict[tuple[int, ...], dict[_Constants, None]] = {
        positions: dict.fromkeys(table) for positions, table in tables.items()
    }
    done: set[frozenset[tuple[int, ...]]] = set()
    while new := [pair for pair in combinations(known, 2) if frozenset(pair) not in done]:
        for here, there in new:
            done.add(frozenset((here, there)))
            if set(here) <= set(there) or set(there) <= set(here):
                continue
            shared = set(here) & set(there)
            meeting: dict[_Constants, list[_Constants]] = {}
            for one in known[here]:
                meeting.setdefault(tuple(c for c in one if c[0] in shared), []).append(one)
            for other in [*known[there]]:
                for one in meeting.get(tuple(c for c in other if c[0] in shared), ()):
                    both = tuple(sorted({*one, *other}, key=lambda constant: constant[0]))
                    known.setdefault(tuple(i for i, _ in both), {})[both] = None
    return [slot for table in known.values() for slot in table]


def _deciding(
    slot: _Constants,
    tables: Mapping[tuple[int, ...], Mapping[_Constants, list[DeclaredChance]]],
    inside: frozenset[int],
) -> list[DeclaredChance]:
    """The declarations that decide in a slot: for each kind of fact the one with the most constants."""
    values = dict(slot)
    decided: dict[tuple[Value | None, ...], DeclaredChance] = {}
    for positions, table in tables.items():
        if not values.keys() >= set(positions):
            continue
        for chance in table.get(tuple((i, values[i]) for i in positions), ()):
            fact = tuple(None if i in inside else v for i, v in enumerate(chance.pattern))
            if fact not in decided or decided[fact].constants < chance.constants:
                decided[fact] = chance
    return sorted(decided.values(), key=lambda chance: chance.span.start)
