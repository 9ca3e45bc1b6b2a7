"""Errors of whole programs: rules that have no patterns, and patterns that cannot be run.

Put together, these rules ask whether some X makes a negation true, which is so for nearly every X: E404.

    OK(X, T) :- not Bad(X, T).    Any(T) :- OK(_, T).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from math import prod

from antelog.compile.comparisons import times_of
from antelog.compile.literals import Aggregation, Last
from antelog.compile.literals.terms import Time, Var, all_in, later, variables_in
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.patterns import resolve
from antelog.compile.rules.stratify import Dependency, Violation
from antelog.diagnostics import Diagnostic, Note, Span, problem
from antelog.language import syntax
from antelog.language.graph import components
from antelog.language.printer import to_text


def _rules(document: syntax.Document, numbers: Sequence[int]) -> list[syntax.Rule]:
    rules = list(document.rules)
    return [rules[number] for number in numbers]


def endless(error: resolve.EndlessError, request: resolve.Request, document: syntax.Document) -> Diagnostic:
    """Returns the error of recursion that would give patterns without end."""
    rules = _rules(document, error.rules)
    loop = _loop([*(rule.head.predicate for rule in rules), error.predicate])
    query = next((q for q in document.queries if request.by_query and q.atom.predicate == request.name), None)
    windowed = any(each.name == request.predicate for each in document.windows)
    if error.framed:
        kind = "within-a-tick"
    elif windowed or _is_loose(rules):
        kind = "loose"
    else:
        kind = "without-window" if query else "without-window-of-its-own"
    shown, instead = to_text(query.atom) if query else "", _carried_on(document, error.predicate)
    notes = tuple(Note("this rule is part of the loop", rule.span) for rule in dict.fromkeys(rules[1:]))
    values = {"loop": loop, "query": shown, "name": request.predicate, "instead": instead}
    return problem(f"E601.{kind}", rules[0].span, notes, **values)


def _is_loose(rules: Sequence[syntax.Rule]) -> bool:
    """Returns whether a rule of a loop looks at another one of it at a time of its own."""
    names = {rule.head.predicate for rule in rules}
    return any(
        syntax.variable_of(atom.terms[-1]) != syntax.variable_of(rule.head.terms[-1])
        for rule in rules
        for atom, _ in syntax.atoms_of(rule)
        if atom.predicate in names
    )


def _carried_on(document: syntax.Document, name: str) -> str:
    """Says which rules do without recursion, if any do."""
    found = [f"`{to_text(each)}`" for each in _without_recursion(document, name)]
    return f"\nOr write it without recursion and window: {' and '.join(found)}" if found else ""


_SHOWN = 4  # the most goals that a message names


def _loop(names: list[str]) -> str:
    """Joins names to a sentence: `A rests on B, and B on A`."""
    if len(names) == 2:
        return f"{names[0]} rests on itself"
    first, *rest = [f"{one} on {other}" for one, other in pairwise(names)]
    return f"{first.replace(' on ', ' rests on ', 1)}, and {', and '.join(rest)},"


def too_many(error: resolve.TooManyPatternsError, limit: int, document: syntax.Document) -> Diagnostic:
    """Returns the error of rules that multiply, or of patterns that grow long."""
    name, rules, each = error.predicate, _rules(document, [*error.sizes]), resolve.LITERALS_EACH
    kind: str = error.reason or ("ways" if error.literals is None else "literals")
    values: dict[str, object] = {"name": name, "limit": limit, "with": ""}
    if kind in ("recurs", "literals"):
        rules.sort(key=lambda rule: -len(rule.body))
        whose = name if error.literals == each * limit else f"{name}, and of what it rests on,"
        values |= {"instead": _carried_on(document, name), "window": max(1, error.reached // 2)}
        values |= {"literals": error.literals, "each": each, "whose": whose}
    elif kind != "alike":
        worst = max(error.sizes, key=lambda number: prod(n for _, n in error.sizes[number]))
        rules = _rules(document, sorted(error.sizes, key=lambda number: number != worst))
        largest = sorted(error.sizes[worst], key=lambda part: -part[1])
        parts = [f"{n} for {goal}" for goal, n in largest if n > 1]
        if len(parts) > _SHOWN:
            parts = [*parts[:_SHOWN], f"{len(parts) - _SHOWN} more"]
        if len(parts) > 1:
            values["with"] = f": this rule alone combines {' with '.join(parts)}"
    first, *others = rules
    notes = tuple(Note("adds to it", rule.span) for rule in others[:5])
    return problem(f"E603.{kind}", first.span, notes, **values)


def unstratified(violation: Violation, document: syntax.Document) -> Diagnostic:
    """Returns the error of a predicate that rests on its own negation, but not in its past."""
    walk = violation.walk
    rules = _rules(document, [edge.label for edge in walk])
    name = walk[0].source
    words = _words(walk, document)
    amount = next((each for each in words.values() if each != "not "), None)
    asked = [each.atom for rule in rules for each in rule.body if isinstance(each, syntax.Negation)]
    itself = "its own negation" if amount is None else f"{amount}itself"
    when = "at the same time"
    if any(edge.weight is None for edge in walk):
        when = "at a time the rules leave open"
    elif violation.loop or sum(edge.weight or 0 for edge in walk) > 0:
        when = "in its future"
    through = f"; and on the way {_steps(violation.loop, words)}, any number of times"
    steps, kind = _steps(walk, words) + (through if violation.loop else ""), "negation"
    if amount is not None or any(each.range is not None for each in asked if each.predicate == name):
        kind = "range"
    if any(edge.weight is None for edge in (*walk, *violation.loop)):
        kind = "times"
    notes = tuple(
        Note("this rule is part of the loop", r.span) for r in dict.fromkeys(rules[1:]) if r != rules[0]
    )
    return problem(f"E602.{kind}", rules[0].span, notes, name=name, itself=itself, when=when, steps=steps)


def _words(walk: Sequence[Dependency], document: syntax.Document) -> dict[Dependency, str]:
    """Returns the words before the predicates of steps that are not plain conditions: `not `, `a sum of `."""
    found = {}
    for edge, rule in zip(walk, _rules(document, [edge.label for edge in walk]), strict=True):
        asked = [each for each in rule.body if any(atom.predicate == edge.target for atom, _ in each.atoms)]
        amounts = [each for each in asked if isinstance(each, syntax.Aggregation | syntax.Last)]
        if edge.negative:
            found[edge] = "not "
        if edge.negative and amounts and amounts == asked:
            first = amounts[0]
            function = "last" if isinstance(first, syntax.Last) else first.left.function
            found[edge] = f"{_ASKED[function]} of "
    return found


_ASKED = {
    "count": "a count",
    "sum": "a sum",
    "avg": "the mean",
    "min": "the least",
    "max": "the largest",
    "last": "the latest",
}


def _steps(walk: Sequence[Dependency], words: Mapping[Dependency, str]) -> str:
    """Writes a walk: `A(T) needs not B(T+1), B(T+1) needs A(T+1)`."""
    steps = []
    now: int | None = 0
    for edge in walk:
        then = None if now is None or edge.weight is None else now + edge.weight
        head, body = _at(edge.source, now), _at(edge.target, then)
        steps.append(f"{head} needs {words.get(edge, 'not ' if edge.negative else '')}{body}")
        now = then if then is not None else 0
    return ", ".join(steps)


def _at(name: str, ticks: int | None) -> str:
    return f"{name}({'any time' if ticks is None else later('T', ticks)})"


LARGEST_OFFSET = 2**53 - 1  # no tick is later, so no two are further apart


def of_patterns(relations: resolve.Resolved, document: syntax.Document) -> Iterator[Diagnostic]:
    """Yields the reasons why relations cannot be run, each kind once for each relation."""
    patterns = {request.name: own for request, own in relations.items()}
    ranging = _ranging(patterns)
    asked = {
        name: [each.name for pattern in own for each in pattern.asked_for] for name, own in patterns.items()
    }
    # For each relation those that it rests on and that rest on it, itself among them.
    circles = {name: frozenset(members) for members in components(asked) for name in members}
    for request, own in relations.items():
        seen: set[str] = set()
        for pattern in own:
            anything = {*pattern.unguarded, *_variables_at(pattern, ranging[request.name])}
            for each in (
                *_objections(pattern),
                *_endless(pattern, patterns),
                *_taking(pattern, anything),
                *_resting_on_itself(pattern, circles[request.name], request.predicate),
                *_comparisons(pattern, anything),
            ):
                if each.code not in seen:
                    seen.add(each.code)
                    text = f"{each.message}, once the rules are put together: {pattern.as_written}"
                    yield replace(each, message=text, span=_place(request, document))


def _ranging(relations: Mapping[str, tuple[Pattern, ...]]) -> Mapping[str, set[int]]:
    """Returns for each relation the positions at which asked literals ask for all other values."""
    found: dict[str, set[int]] = {name: set() for name in relations}
    waiting = list(relations)
    while waiting:
        name = waiting.pop()
        for pattern in relations[name]:
            anything = {*pattern.unguarded, *_variables_at(pattern, found[name])}
            for each in pattern.asked_for:
                new = {i for i, t in enumerate(each.given) if isinstance(t, Var) and t.name in anything}
                if each.name in found and not new <= found[each.name]:
                    found[each.name] |= new
                    waiting.append(each.name)
    return found


def _variables_at(pattern: Pattern, positions: set[int]) -> set[str]:
    return {t.name for i, t in enumerate(pattern.answer) if i in positions and isinstance(t, Var)}


def _place(relation: resolve.Request, document: syntax.Document) -> Span:
    """Returns the place of the query, or of the negated atom, that asks for the relation."""
    if relation.by_query:
        return next(query.span for query in document.queries if query.atom.predicate == relation.name)
    for rule in document.rules:
        for atom, is_negated in syntax.atoms_of(rule):
            if is_negated and atom.predicate == relation.predicate:
                return atom.span
    return next(query.span for query in document.queries)


def _refusal(name: str, /, **values: object) -> Diagnostic:
    """Returns a refusal without its place, which `of_patterns` adds."""
    return problem(name, Span(0, 0), **values)


def _objections(pattern: Pattern) -> Iterator[Diagnostic]:
    times = variables_in(pattern.times)
    for literal in pattern.asked:
        for name in sorted(literal.variables - pattern.guarded - pattern.answered):
            kind = "time" if name in times else "value"
            yield _refusal("E404.value-under-not", name=name, kind=kind)
    operands = all_in(side for each in pattern.comparisons for side in each.operands)
    stated = (time for literal in pattern.stated for time in literal.times)
    compared = (each for each in operands if isinstance(each, Time))
    far = max((abs(time.offset) for time in (*stated, *compared)), default=0)
    if far > LARGEST_OFFSET:
        yield _refusal("E407.far", far=far, most=LARGEST_OFFSET)
    time = pattern.unguarded_time
    if time is not None and not pattern.clock_driven and not _ends(pattern):
        yield _refusal("E405.open-end", time=time)
    taken = pattern.guarded | {pattern.time.variable}
    for name in sorted(variables_in(each for each in pattern.answer if isinstance(each, Time)) - taken):
        yield _refusal("E404.every-tick", name=name)
    if len(pattern.unguarded) > 1:
        names = " and ".join(pattern.unguarded)
        yield _refusal("E406.combinations", names=names)


def _endless(pattern: Pattern, relations: Mapping[str, tuple[Pattern, ...]]) -> Iterator[Diagnostic]:
    """Refuses aggregates of atoms that are true for all values but a few."""
    for literal in pattern.asked:
        for each in (reference for reference in literal.references if reference.each):
            given = {place for place, term in enumerate(each.given) if term is not None}
            for inner in relations.get(each.name, ()):
                if names := {*inner.unguarded} - _variables_at(inner, given):
                    those = " and ".join(sorted(names))
                    yield _refusal(
                        "E404.endless-amount", literal=literal.text, names=those, name=each.predicate
                    )


def _resting_on_itself(pattern: Pattern, circle: frozenset[str], predicate: str) -> Iterator[Diagnostic]:
    """Refuses aggregates and `last` that would give values to atoms which they look at."""
    for literal, variables, _ in pattern.takings:
        if isinstance(literal, Last) and not circle.isdisjoint(each.name for each in literal.references):
            names = " and ".join(sorted(variables))
            yield _refusal("E408.resting-on-itself", names=names, literal=literal.text, name=predicate)
        if isinstance(literal, Aggregation) and literal.left.inside.relation in circle:
            (name,) = variables
            by = literal.left.function
            yield _refusal("E409.resting-on-itself", names=name, literal=literal.text, name=predicate, by=by)


def _taking(pattern: Pattern, anything: set[str]) -> Iterator[Diagnostic]:
    """Refuses `last` and aggregates that give values before what they need has any."""
    given: dict[str, Last] = {}
    for literal, variables, missing in pattern.takings:
        later = missing & pattern.guarded
        if isinstance(literal, Aggregation):
            if later:
                yield _refusal("E409.without-value", names=" and ".join(sorted(later)), literal=literal.text)
            continue
        if own := variables & variables_in(literal.shown):
            names = " and ".join(sorted(own))
            yield _refusal("E408.gives-no-times", names=names, name=literal.predicate)
        if lost := later | (literal.needs & anything):
            yield _refusal("E408.of-what", names=" and ".join(sorted(lost)), literal=literal.text)
        given |= dict.fromkeys(variables, literal)
    for other in (each for each in pattern.asked if isinstance(each, Last)):
        for name in sorted(other.variables - other.needs):
            if given.get(name, other) != other:
                yield _refusal("E408.two-latest", name=name, one=given[name].text, other=other.text)


def _comparisons(pattern: Pattern, anything: set[str]) -> Iterator[Diagnostic]:
    """Refuses to compare all other values: only that they equal no constant is known."""
    for literal in pattern.literals:
        for name in sorted(literal.compared & anything):
            yield _refusal("E402.any-value", literal=literal.text, name=name)


def _ends(pattern: Pattern) -> bool:
    """Returns whether a time of a fact bounds the answer's time from above."""
    times = times_of(pattern)
    known = [Time(None, 0), *(fact.time for fact in pattern.facts)]
    return any(times.furthest(time, pattern.time) is not None for time in known)


# ---- rules in place of recursion that carries something on from tick to tick until something else comes ----
#
#     On(X, T) :- Start(X, T).                       On(X, U) :- Start(X, T), U >= T, U <= T+10,
#     On(X, T) :- On(X, T-1), not Stop(X, T).            not Stop(X, T+1..U).


def _without_recursion(document: syntax.Document, name: str) -> Iterator[syntax.Rule]:
    """Yields rules that derive a predicate without recursion; none if it is not merely carried on."""
    own = [rule for rule in document.rules if rule.head.predicate == name]
    carrying = [rule for rule in own if any(atom.predicate == name for atom, _ in syntax.atoms_of(rule))]
    if len(carrying) != 1:
        return
    begins = [rule for rule in own if rule not in carrying]
    *columns, now = carrying[0].head.terms
    names = syntax.variables_of(columns)
    goal, *denied = sorted(carrying[0].body, key=lambda each: isinstance(each, syntax.Negation))
    ends = [each.atom for each in denied if isinstance(each, syntax.Negation)]
    if (
        len(ends) < len(denied)
        or not isinstance(now, syntax.Variable)
        or goal != syntax.Atom(name, (*columns, syntax.Shifted(now.name, -1)))
        or any(rule.head != carrying[0].head for rule in begins)
        or any(each.terms[-1] != now or not syntax.variables_of(each.terms[:-1]) <= names for each in ends)
    ):
        return
    used = {v for rule in begins for atom in syntax.all_atoms(rule) for v in syntax.variables_of(atom.terms)}
    until = syntax.Variable(next(each for each in ("U", "V", "W", f"{now.name}2") if each not in used))
    window = next((q.window for q in document.queries if q.atom.predicate == name and q.window), None)
    last = syntax.Shifted(now.name, *((window.amount, window.unit) if window else (_TICKS,)))
    for rule in begins:
        since = syntax.Range(syntax.Shifted(now.name, 1), until)
        apart = (syntax.Negation(syntax.Atom(each.predicate, (*each.terms[:-1], since))) for each in ends)
        times = (syntax.Comparison(until, ">=", now), syntax.Comparison(until, "<=", last))
        yield syntax.Rule(syntax.Atom(name, (*columns, until)), (*rule.body, *times, *apart))


_TICKS = 10  # for which something is carried on in advice, if there is no window
