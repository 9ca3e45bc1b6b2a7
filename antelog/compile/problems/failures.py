"""Diagnostics of rules that have no patterns.

The compiler gives up on recursion without end, too many patterns, a predicate that rests on its own negation.
A diagnostic points at the rules and says what to do.

    P(X, T) :- P(X, T-1).    P rests on itself without a window: the evidence for one answer may lie …
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import prod

from antelog.compile.literals.terms import later
from antelog.compile.patterns.relations import Request
from antelog.compile.patterns.resolve import LITERALS_EACH, EndlessError, TooManyPatternsError
from antelog.compile.rules.stratify import Dependency, Violation
from antelog.diagnostics import Diagnostic, Note
from antelog.language import syntax
from antelog.language.printer import general_text, to_text


def contradictory(rule: syntax.Rule) -> Diagnostic:
    message = "the conditions of this rule cannot be true together, so it never holds"
    hint = "Correct its comparisons or its times (no time can be before 0), or remove the rule."
    return Diagnostic("W107", message, rule.span, hint)


def _rules(document: syntax.Document, numbers: Sequence[int]) -> list[syntax.Rule]:
    rules = list(document.rules)
    return [rules[number] for number in numbers]


def endless(error: EndlessError, request: Request, document: syntax.Document) -> Diagnostic:
    """Recursion that would give patterns without end."""
    rules = _rules(document, error.rules)
    loop = _loop([*(rule.head.predicate for rule in rules), error.predicate])
    query = next((q for q in document.queries if request.by_query and q.atom.predicate == request.name), None)
    windowed = query is not None and (query.window is not None or query.horizon is not None)
    if error.framed:
        message = f"{loop} within one tick: one answer may need any number of facts"
        hint = (
            "A window ends only recursion that moves through time. Let the recursive rule look at another "
            "tick, such as T-1, or declare the relation `static` if it does not change over time."
        )
    elif windowed:
        message = (
            f"{loop} at a time that the window does not bound: evidence may lie any number of ticks away"
        )
        hint = (
            "A window bounds evidence only at times the rules tie to the time of the answer: use T, T+1 or "
            "T-1 in the recursive atom instead of a time of its own."
        )
    else:
        message = f"{loop} without a window: the evidence for one answer may lie any number of ticks away"
        shown = (
            to_text(query.atom) if query else general_text(rules[0].head.predicate, len(rules[0].head.terms))
        )
        hint = f"Say how far evidence may lie from the answer, such as `query {shown} window 10.`"
        if query is None:
            hint += f"\n{rules[0].head.predicate} is needed for a negation; a query for it gives it a window."
        hint += "\nOr remove the loop; a relation that does not change over time can be `static`."
    notes = tuple(Note("this rule is part of the loop", rule.span) for rule in dict.fromkeys(rules[1:]))
    return Diagnostic("E601", message, rules[0].span, hint, notes)


_SHOWN = 4


def _loop(names: list[str]) -> str:
    """The names as a sentence: `A rests on B, and B on A`."""
    if len(names) == 2:
        return f"{names[0]} rests on itself"
    first, *rest = [f"{one} on {other}" for one, other in pairwise(names)]
    return f"{first.replace(' on ', ' rests on ', 1)}, and {', and '.join(rest)},"


def too_many(error: TooManyPatternsError, limit: int, document: syntax.Document) -> Diagnostic:
    """Rules that multiply, or patterns that grow long."""
    if error.reason == "alike":
        return _too_alike(error.predicate, _rules(document, list(error.sizes)))
    if error.reason == "recurs":
        return _too_far(error, _rules(document, list(error.sizes)))
    if error.literals is not None:
        of_all = error.literals != LITERALS_EACH * limit
        whose = f"{error.predicate}, and of what it rests on," if of_all else error.predicate
        return _too_long(whose, error.literals, _rules(document, list(error.sizes)))
    sizes = {number: [n for _, n in parts] for number, parts in error.sizes.items()}
    worst = max(sizes, key=lambda number: prod(sizes[number]))
    largest = sorted(error.sizes[worst], key=lambda part: -part[1])
    parts = [f"{n} for {name}" for name, n in largest if n > 1]
    if len(parts) > _SHOWN:
        parts = [*parts[:_SHOWN], f"{len(parts) - _SHOWN} more"]
    message = f"{error.predicate} can be derived in more than {limit} different ways"
    if error.reason == "combining":
        message = f"putting the rules of {error.predicate} together takes more steps than a program may"
    rule = _rules(document, [worst])[0]
    if len(parts) > 1:
        message += f": this rule alone combines {' with '.join(parts)}"
    hint = (
        "Every combination is a pattern to be watched. Put alternatives together into one input or static "
        "relation, split the query, or raise the limit with `--pattern-limit` if you mean it."
    )
    others = [number for number in sizes if number != worst]
    return _multiplying(message, hint, [rule, *_rules(document, others)])


def _multiplying(message: str, hint: str, rules: Sequence[syntax.Rule]) -> Diagnostic:
    """The diagnostic of rules that give too many patterns, the first of them above all."""
    first, *others = rules
    notes = tuple(Note("adds to it", rule.span) for rule in others[:5])
    return Diagnostic("E603", message, first.span, hint, notes)


def _too_alike(predicate: str, rules: Sequence[syntax.Rule]) -> Diagnostic:
    message = f"{predicate} can be derived in too many ways that differ in little more than a comparison"
    hint = (
        "Each is compared with each, for one may make another needless. Rules that differ in a value only "
        "can be one rule, with the values in a static predicate, which may be a file: `--static P=FILE`."
    )
    return _multiplying(message, hint, rules)


def _too_far(error: TooManyPatternsError, rules: Sequence[syntax.Rule]) -> Diagnostic:
    message = f"{error.predicate} rests on itself, and following it through the window takes too many steps"
    hint = (
        "Each tick of the window adds patterns, and longer ones. Declare a smaller window, such as "
        f"`window {max(1, error.reached // 2)}`, or a longer `tick`. Fewer literals in the recursive rule "
        "help, too. `--pattern-limit` raises the number of steps, if you mean it."
    )
    return _multiplying(message, hint, sorted(rules, key=lambda rule: -len(rule.body)))


def _too_long(whose: str, literals: int, rules: Sequence[syntax.Rule]) -> Diagnostic:
    message = f"the patterns of {whose} have more than {literals} literals altogether"
    hint = (
        "Recursion through a window of 800 ticks may need patterns of 1, 2, …, 801 literals. Give the query "
        "a smaller window or the rules fewer literals, or raise "
        f"the limit with `--pattern-limit`, which allows {LITERALS_EACH} literals for each pattern."
    )
    return _multiplying(message, hint, sorted(rules, key=lambda rule: -len(rule.body)))


def unstratified(violation: Violation, document: syntax.Document) -> Diagnostic:
    """A predicate that rests on its own negation, not in its past."""
    walk = violation.walk
    rules = _rules(document, [edge.label for edge in walk])
    name = walk[0].source
    words = _words(walk, document)
    amount = next((each for each in words.values() if each != "not "), None)
    itself = "its own negation" if amount is None else f"{amount}itself"
    message = f"{name} rests on {itself}, {_when(walk, violation.loop)}: {_steps(walk, words)}"
    if violation.loop:
        message += f"; and on the way {_steps(violation.loop, words)}, any number of times"
    hint = (
        "A predicate may rest on its own negation in its past only: shift the times so that every such loop "
        f"leads back, as in `{name}(T+1) :- …, not {name}(T).`"
    )
    if amount is not None:
        hint = f"A predicate may look at its own past only: end the range before T, as in `{name}(T-9..T-1)`."
    if any(edge.weight is None for edge in (*walk, *violation.loop)):
        hint = "Use one time variable, with offsets, in the rules of the loop, so that it leads back in time."
    notes = tuple(
        Note("this rule is part of the loop", r.span) for r in dict.fromkeys(rules[1:]) if r != rules[0]
    )
    return Diagnostic("E602", message, rules[0].span, hint, notes)


def _when(walk: Sequence[Dependency], loop: Sequence[Dependency]) -> str:
    if any(edge.weight is None for edge in walk):
        return "at a time the rules leave open"
    ahead = sum(edge.weight or 0 for edge in walk)
    if loop or ahead > 0:
        return "in its future"
    return "at the same time"


def _words(walk: Sequence[Dependency], document: syntax.Document) -> dict[Dependency, str]:
    """The words before the predicates of steps that are not plain conditions: `not `, `a sum of `."""
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
    """The walk as text: `A(T) needs not B(T+1), B(T+1) needs A(T+1)`."""
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
