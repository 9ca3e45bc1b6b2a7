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
from antelog.diagnostics import Diagnostic, Note, Span
from antelog.language import syntax
from antelog.language.graph import components
from antelog.language.printer import to_text


def contradictory(rule: syntax.Rule) -> Diagnostic:
    message = "the conditions of this rule cannot be true together, so it never holds"
    hint = "Correct its comparisons or its times (no time can be before 0), or remove the rule."
    return Diagnostic("W107", message, rule.span, hint)


def _rules(document: syntax.Document, numbers: Sequence[int]) -> list[syntax.Rule]:
    rules = list(document.rules)
    return [rules[number] for number in numbers]


def endless(error: resolve.EndlessError, request: resolve.Request, document: syntax.Document) -> Diagnostic:
    """Returns the error of recursion that would give patterns without end."""
    rules = _rules(document, error.rules)
    loop = _loop([*(rule.head.predicate for rule in rules), error.predicate])
    query = next((q for q in document.queries if request.by_query and q.atom.predicate == request.name), None)
    if error.framed:
        message = f"{loop} within one tick: one answer may need any number of facts"
        hint = (
            "A window ends only recursion that moves through time. Let the recursive rule look at another "
            "tick, such as T-1, or declare the relation `static` if it does not change over time."
        )
    elif any(each.name == request.predicate for each in document.windows):
        message = (
            f"{loop} at a time that the window does not bound: evidence may lie any number of ticks away"
        )
        hint = (
            "A window bounds evidence only at times the rules tie to the time of the answer: use T, T+1 or "
            "T-1 in the recursive atom instead of a time of its own."
        )
    else:
        message = f"{loop} without a window: the evidence for one answer may lie any number of ticks away"
        shown = f"query {to_text(query.atom)} window 10." if query else f"window {request.predicate} 10."
        hint = f"Say how far evidence may lie from the answer, such as `{shown}`"
        if query is None:
            asked = "stands under `not` or in an aggregate: it needs a window of its own"
            hint += f"\n{request.predicate} {asked}."
        hint += "\nOr remove the loop; a relation that does not change over time can be `static`."
    notes = tuple(Note("this rule is part of the loop", rule.span) for rule in dict.fromkeys(rules[1:]))
    return Diagnostic("E601", message, rules[0].span, hint, notes)


_SHOWN = 4  # the most goals that a message names


def _loop(names: list[str]) -> str:
    """Joins names to a sentence: `A rests on B, and B on A`."""
    if len(names) == 2:
        return f"{names[0]} rests on itself"
    first, *rest = [f"{one} on {other}" for one, other in pairwise(names)]
    return f"{first.replace(' on ', ' rests on ', 1)}, and {', and '.join(rest)},"


def too_many(error: resolve.TooManyPatternsError, limit: int, document: syntax.Document) -> Diagnostic:
    """Returns the error of rules that multiply, or of patterns that grow long."""
    name, rules = error.predicate, _rules(document, [*error.sizes])
    longest_first = sorted(rules, key=lambda rule: -len(rule.body))
    if error.reason == "alike":
        message = f"{name} can be derived in too many ways that differ in little more than a comparison"
        hint = (
            "Each is compared with each, for one may make another needless. Rules that differ in a value "
            "only can be one rule, with the values in a static predicate, which may be a file: "
            "`--static P=FILE`."
        )
    elif error.reason == "recurs":
        rules = longest_first
        message = f"{name} rests on itself, and following it through the window takes too many steps"
        hint = (
            "Each tick of the window adds patterns, and longer ones. Declare a smaller window, such as "
            f"`window {max(1, error.reached // 2)}`, or a longer `tick`. Fewer literals in the recursive "
            "rule help, too. `--pattern-limit` raises the number of steps, if you mean it."
        )
    elif error.literals is not None:
        rules, each = longest_first, resolve.LITERALS_EACH
        whose = name if error.literals == each * limit else f"{name}, and of what it rests on,"
        message = f"the patterns of {whose} have more than {error.literals} literals altogether"
        hint = (
            "Recursion through a window of 800 ticks may need patterns of 1, 2, …, 801 literals. Give the "
            "query a smaller window or the rules fewer literals, or raise the limit with `--pattern-limit`, "
            f"which allows {each} literals for each pattern."
        )
    else:
        worst = max(error.sizes, key=lambda number: prod(n for _, n in error.sizes[number]))
        rules = _rules(document, sorted(error.sizes, key=lambda number: number != worst))
        largest = sorted(error.sizes[worst], key=lambda part: -part[1])
        parts = [f"{n} for {goal}" for goal, n in largest if n > 1]
        if len(parts) > _SHOWN:
            parts = [*parts[:_SHOWN], f"{len(parts) - _SHOWN} more"]
        message = f"{name} can be derived in more than {limit} different ways"
        if error.reason == "combining":
            message = f"putting the rules of {name} together takes more steps than a program may"
        if len(parts) > 1:
            message += f": this rule alone combines {' with '.join(parts)}"
        hint = (
            "Every combination is a pattern to be watched. Put alternatives together into one input or "
            "static relation, split the query, or raise the limit with `--pattern-limit` if you mean it."
        )
    first, *others = rules
    notes = tuple(Note("adds to it", rule.span) for rule in others[:5])
    return Diagnostic("E603", message, first.span, hint, notes)


def unstratified(violation: Violation, document: syntax.Document) -> Diagnostic:
    """Returns the error of a predicate that rests on its own negation, but not in its past."""
    walk = violation.walk
    rules = _rules(document, [edge.label for edge in walk])
    name = walk[0].source
    words = _words(walk, document)
    amount = next((each for each in words.values() if each != "not "), None)
    itself = "its own negation" if amount is None else f"{amount}itself"
    when = "at the same time"
    if any(edge.weight is None for edge in walk):
        when = "at a time the rules leave open"
    elif violation.loop or sum(edge.weight or 0 for edge in walk) > 0:
        when = "in its future"
    message = f"{name} rests on {itself}, {when}: {_steps(walk, words)}"
    if violation.loop:
        message += f"; and on the way {_steps(violation.loop, words)}, any number of times"
    hint = (
        "A predicate may rest on its own negation in its past only: shift the times so that every such loop "
        f"leads back, as in `{name}(T+1) :- …, not {name}(T).`"
    )
    if amount is not None:
        hint = f"A predicate may look at its own past only: end the range before T, as in `{name}(T-9..T-1)`."
    if any(edge.weight is None for edge in (*walk, *violation.loop)):
        hint = (
            "Use one time variable, with offsets, in the rules of the loop, or say by comparisons how the "
            "times lie, such as `U < T`, so that it leads back in time."
        )
    notes = tuple(
        Note("this rule is part of the loop", r.span) for r in dict.fromkeys(rules[1:]) if r != rules[0]
    )
    return Diagnostic("E602", message, rules[0].span, hint, notes)


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


def _refusal(code: str, message: str, hint: str) -> Diagnostic:
    """Returns a refusal without its place, which `of_patterns` adds."""
    return Diagnostic(code, message, Span(0, 0), hint)


def _objections(pattern: Pattern) -> Iterator[Diagnostic]:
    times = variables_in(pattern.times)
    for literal in pattern.asked:
        for name in sorted(literal.variables - pattern.guarded - pattern.answered):
            kind = "time" if name in times else "value"
            yield _refusal(
                "E404",
                f"{name} occurs only under `not`: the rule would hold if the atom is false for "
                f"just one {kind}",
                f"That is nearly always so. Ask for {name} in the answer too, or add a condition "
                f"without `not` that says which values {name} has.",
            )
    operands = all_in(side for each in pattern.comparisons for side in each.operands)
    stated = (time for literal in pattern.stated for time in literal.times)
    compared = (each for each in operands if isinstance(each, Time))
    far = max((abs(time.offset) for time in (*stated, *compared)), default=0)
    if far > LARGEST_OFFSET:
        yield _refusal(
            "E407",
            f"a time lies {far} ticks away, but there are no more than {LARGEST_OFFSET}",
            f"The largest offset is {LARGEST_OFFSET}. Write a smaller one, or declare a longer `tick`.",
        )
    time = pattern.unguarded_time
    if time is not None and not pattern.clock_driven and not _ends(pattern):
        yield _refusal(
            "E405",
            f"{time} has no upper bound: it occurs only under `not`, "
            "so a fact would have an answer at every tick to come",
            f"Say up to when, such as `{time} <= U + 10` where U is the time of a fact.",
        )
    taken = pattern.guarded | {pattern.time.variable}
    for name in sorted(variables_in(each for each in pattern.answer if isinstance(each, Time)) - taken):
        yield _refusal(
            "E404",
            f"{name} occurs only under `not`, so every tick would be an answer",
            f"Add a condition without `not` that says which times {name} has, such as a fact at {name}.",
        )
    if len(pattern.unguarded) > 1:
        names = " and ".join(pattern.unguarded)
        yield _refusal(
            "E406",
            f"{names} occur only under `not`, so every combination of values would be an answer",
            "Add a condition without `not` that says which values they have, for all of them but one.",
        )


def _endless(pattern: Pattern, relations: Mapping[str, tuple[Pattern, ...]]) -> Iterator[Diagnostic]:
    """Refuses aggregates of atoms that are true for all values but a few."""
    for literal in pattern.asked:
        for each in (reference for reference in literal.references if reference.each):
            given = {place for place, term in enumerate(each.given) if term is not None}
            for inner in relations.get(each.name, ()):
                if names := {*inner.unguarded} - _variables_at(inner, given):
                    yield _refusal(
                        "E404",
                        f"there is no end of what `{literal.text}` is about: {' and '.join(sorted(names))} "
                        f"occurs only under `not` in {each.predicate}, which is true for nearly all values",
                        f"Give {each.predicate} a condition without `not` that says which values there are.",
                    )


def _resting_on_itself(pattern: Pattern, circle: frozenset[str], predicate: str) -> Iterator[Diagnostic]:
    """Refuses aggregates that would give values to atoms which they count."""
    for literal, variables, _ in pattern.takings:
        if isinstance(literal, Aggregation) and literal.left.inside.relation in circle:
            (name,) = variables
            yield _refusal(
                "E409",
                f"nothing gives {name} a value: `{literal.text}` is about atoms that rest on {predicate}, "
                f"and {predicate} on {name}",
                f"Compare it with a number, as in `{literal.left.function}(…) < 3`; or use the value of an "
                f"aggregate of what does not rest on {predicate}.",
            )


def _taking(pattern: Pattern, anything: set[str]) -> Iterator[Diagnostic]:
    """Refuses `last` and aggregates that give values before what they need has any."""
    given: dict[str, Last] = {}
    for literal, variables, missing in pattern.takings:
        names, later = " and ".join(sorted(variables)), missing & pattern.guarded
        if isinstance(literal, Aggregation):
            if later:
                yield _refusal(
                    "E409",
                    f"nothing gives {' and '.join(sorted(later))} a value: `{literal.text}` has none without",
                    "Add a condition that says which values it has.",
                )
            continue
        if not literal.slot.promised:
            yield _refusal(
                "E408",
                f"nothing gives {names} a value: `{literal.text}` asks for one",
                "`last` gives values of an input that promises one fact for each slot and tick: "
                f"`input {literal.predicate}(…), one per …`, without `per`. Else write the value, or add a "
                "condition that gives it.",
            )
        if lost := later | (literal.needs & anything):
            yield _refusal(
                "E408",
                f"nothing gives {' and '.join(sorted(lost))} a value: it says of what `{literal.text}` "
                "is the latest",
                "Add a condition that says which values it has.",
            )
        given |= dict.fromkeys(variables, literal)
    for other in (each for each in pattern.asked if isinstance(each, Last)):
        for name in sorted(other.variables - other.needs):
            if given.get(name, other) != other:
                yield _refusal(
                    "E408",
                    f"two latest facts would give {name} its value: `{given[name].text}` and `{other.text}`",
                    "Give it another name in one of them.",
                )


def _comparisons(pattern: Pattern, anything: set[str]) -> Iterator[Diagnostic]:
    """Refuses to compare all other values: only that they equal no constant is known."""
    for literal in pattern.literals:
        for name in sorted(literal.compared & anything):
            yield _refusal(
                "E402",
                f"`{literal.text}` needs a value of {name}, which occurs only under `not`, where it may have "
                "any value",
                f"Add a condition without `not` that says which values {name} has. Without one, it can be "
                "compared with constants by `=` and `!=` only.",
            )


def _ends(pattern: Pattern) -> bool:
    """Returns whether a time of a fact bounds the answer's time from above."""
    times = times_of(pattern)
    known = [Time(None, 0), *(fact.time for fact in pattern.facts)]
    return any(times.furthest(time, pattern.time) is not None for time in known)
