"""Safety: every variable gets its values from somewhere, and static rules rest on static predicates only.

A variable of the head that stands only under negation is unguarded: it has any value, and a time any tick.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from antelog.diagnostics import Diagnostic, Note, problem
from antelog.language import syntax
from antelog.language.checks.sorts import sorts_of
from antelog.language.graph import components
from antelog.language.literals.aggregate import after_steps
from antelog.language.literals.comparison import HOLDS, MIRRORED
from antelog.language.literals.literal import Safety, asking
from antelog.language.parser import Parsed
from antelog.language.printer import to_text
from antelog.language.vocabulary import PredicateKind, Vocabulary


def comparisons(rule: syntax.Rule) -> Iterator[syntax.Comparison]:
    for literal in rule.body:
        if isinstance(literal, syntax.Comparison | syntax.First):
            yield literal.begin if isinstance(literal, syntax.First) else literal


def compared(rule: syntax.Rule) -> set[str]:
    return {name for each in comparisons(rule) for name in each.variables}


def worked_out(rule: syntax.Rule, known: frozenset[str]) -> frozenset[str]:
    """The variables that get values from equations, `D = W - V`, given those with values."""
    found: set[str] = set()
    equations = [each.defines for each in comparisons(rule) if each.defines is not None]
    while new := {name for name, of in equations if of <= known | found} - known - found:
        found |= new
    return frozenset(found)


def given(rule: syntax.Rule, vocabulary: Vocabulary) -> frozenset[str]:
    """The variables that get values from atoms without `not`, from `last` or from aggregates."""
    return frozenset(_in_atoms(rule, vocabulary) | amounts(rule, vocabulary).keys())


def _in_atoms(rule: syntax.Rule, vocabulary: Vocabulary) -> set[str]:
    positive, _ = syntax.in_atoms(rule)
    return positive.union(*(each.gives(vocabulary)[1] for each in rule.body if isinstance(each, syntax.Last)))


def amounts(rule: syntax.Rule, vocabulary: Vocabulary) -> dict[str, syntax.Aggregation]:
    """The variables that get values only from aggregates, `N = count(…)`, each with its literal."""
    literals = [each for each in rule.body if isinstance(each, syntax.Aggregation)]
    found = {each.defines: each for each in literals if each.defines is not None}
    if not found:
        return {}
    elsewhere, times = _in_atoms(rule, vocabulary), sorts_of(rule, vocabulary)
    return {name: each for name, each in found.items() if name not in elsewhere and not times.get(name)}


def check_safety(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    for rule in parsed.document.rules:
        times = frozenset(name for name, is_time in sorts_of(rule, vocabulary).items() if is_time)
        positive, negated = given(rule, vocabulary), frozenset(syntax.in_atoms(rule)[1])
        out = worked_out(rule, positive)
        whole = partial(_in_one, rule, vocabulary, positive | out)
        looked = Safety(to_text, rule.head, rule.body, vocabulary, times, positive, negated, out, whole)
        for name in compared(rule) - times - out:
            # An unguarded variable may be compared, if all its comparisons are allowed.
            about = (each for each in comparisons(rule) if name in each.variables)
            if not all(each.leaves_free(name, looked) for each in about):
                looked.reported.add(name)
        if looked.is_static():
            looked.reported.update(looked.head)
        yield from _check_head(rule, looked)
        for literal in rule.body:
            yield from literal.check_safety(looked)


def _check_head(rule: syntax.Rule, looked: Safety) -> Iterator[Diagnostic]:
    negated = looked.negated
    bound = looked.positive if looked.is_static() else looked.positive | negated
    aggregations = (each for each in rule.body if isinstance(each, syntax.Aggregation))
    reported_there = syntax.variables_of(term for each in aggregations for term in each.compared)
    reported: set[str] = set()
    for term in rule.head.terms:
        name = syntax.variable_of(term)
        if isinstance(term, syntax.Anonymous):
            yield problem("E401.anonymous", term.span)
        elif name is not None and name not in bound | compared(rule) | reported | {*reported_there}:
            reported.add(name)
            kind, without = "time" if name in looked.times else "value", " without `not`"
            kind, without = kind if rule.body else "fact", without if name in negated else ""
            yield problem(f"E401.{kind}", term.span, name=name, without=without, head=to_text(rule.head))


def check_unguarded(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    for rule in parsed.document.rules:
        if vocabulary.is_static(rule.head.predicate):
            continue
        times = {name for name, is_time in sorts_of(rule, vocabulary).items() if is_time}
        under = _under_negation_only(rule, vocabulary)
        yield from _check_negated_only(rule, under, times, vocabulary)
        yield from _check_time(rule, under, times, vocabulary)
        free = [name for name in under if name in syntax.variables_of(rule.head.terms) and name not in times]
        if len(free) > 1:
            second = next(term for term in rule.head.terms if syntax.variable_of(term) == free[1])
            yield problem("E406.answers", second.span, names=" and ".join(free), head=to_text(rule.head))


def _under_negation_only(rule: syntax.Rule, vocabulary: Vocabulary) -> dict[str, syntax.Term]:
    """The variables that are only in negated atoms, but for static ones, each with its first place."""
    positive = given(rule, vocabulary)
    positive |= worked_out(rule, positive)
    found: dict[str, syntax.Term] = {}
    head = syntax.variables_of(rule.head.operands)
    for literal in rule.body:
        if isinstance(literal, syntax.Last):
            positive |= literal.gives(vocabulary)[0] - head
        if isinstance(literal, syntax.First):
            positive |= syntax.variables_of([literal.after]) - head
        for atom, is_negated in literal.atoms:
            for term in atom.operands if is_negated and not vocabulary.is_static(atom.predicate) else ():
                name = syntax.variable_of(term)
                if name is not None and name not in positive | literal.inner:
                    found.setdefault(name, term)
    return found


def _check_negated_only(
    rule: syntax.Rule, under: dict[str, syntax.Term], times: set[str], vocabulary: Vocabulary
) -> Iterator[Diagnostic]:
    named = compared(rule) - times  # reported with their comparisons
    for name, term in under.items():
        if name in syntax.variables_of(rule.head.terms) or name in named:
            continue
        kind, literal = "one-time" if name in times else "one-value", asking(rule.body, name)
        kind = f"{kind}-of-amount" if isinstance(literal, syntax.Aggregation) else kind
        found = problem(f"E404.{kind}", term.span, name=name, literal=to_text(literal))
        whole = _in_one(rule, vocabulary, given(rule, vocabulary), name)
        yield found if whole is None else replace(found, hint=whole)


def _check_time(
    rule: syntax.Rule, under: dict[str, syntax.Term], times: set[str], vocabulary: Vocabulary
) -> Iterator[Diagnostic]:
    """Finds times without an upper bound: one fact would have an answer at every later tick."""
    facts = [
        atom
        for atom, is_negated in syntax.atoms_of(rule)
        if not is_negated and vocabulary[atom.predicate].kind is PredicateKind.INPUT
    ]
    last = rule.head.terms[-1] if rule.head.terms else None
    name = last and syntax.variable_of(last)
    if last is None or name is None or name not in under.keys() & times or not facts:
        return
    if _is_bounded(rule, name):
        return
    other = syntax.variable_of(facts[0].terms[-1]) if facts[0].terms else None
    example = f"{name} <= {other} + 10" if other else f"{name} <= 100"
    yield problem("E405.open-end-of-facts", last.span, name=name, fact=facts[0].predicate, example=example)


def _is_bounded(rule: syntax.Rule, name: str) -> bool:
    positive, _ = syntax.in_atoms(rule)
    for comparison in comparisons(rule):
        for one, other, upper in (
            (comparison.left, comparison.right, ("<", "<=", "=")),
            (comparison.right, comparison.left, (">", ">=", "=")),
        ):
            known = isinstance(other, syntax.Constant) or syntax.variable_of(other) in positive
            if syntax.variable_of(one) == name and comparison.operator in upper and known:
                return True
    return False


def check_static_rules(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    rules = [rule for rule in parsed.document.rules if vocabulary.is_static(rule.head.predicate)]
    edges: dict[str, set[str]] = {}
    for rule in rules:
        for atom, _ in syntax.atoms_of(rule):
            if vocabulary.is_static(atom.predicate):
                edges.setdefault(rule.head.predicate, set()).add(atom.predicate)
                continue
            name, head = atom.predicate, rule.head.predicate
            note = Note(f"{head} is declared static here", vocabulary[head].span)
            yield problem("E501.changing", atom.span, (note,), head=head, name=name)
    component = {name: i for i, names in enumerate(components(edges)) for name in names}
    for rule in rules:
        for atom, is_negated in syntax.atoms_of(rule):
            head, name = rule.head.predicate, atom.predicate
            if is_negated and name in component and component[name] == component.get(head):
                through = "" if name == head else f": it needs `not {name}`, and {name} rests on {head}"
                yield problem("E502.itself", atom.span, head=head, through=through)


def check_clocks(parsed: Parsed, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    """Finds aggregates and `last` without a fact beside them, which would have answers at each tick."""
    asked = {query.atom.predicate for query in parsed.document.queries}
    waiting = list(asked)
    while waiting:
        name = waiting.pop()
        for rule in parsed.document.rules:
            if rule.head.predicate != name or vocabulary.is_static(name):
                continue
            beside = {atom.predicate for atom, under in syntax.atoms_of(rule) if not under}
            kinds = {vocabulary[each].kind for each in beside}
            if PredicateKind.INPUT in kinds or not rule.body:
                continue
            new = {each for each in beside if vocabulary.is_derived(each)} - asked
            asked |= new
            waiting += new
            if PredicateKind.DERIVED not in kinds:
                yield from _lone(rule, vocabulary)


def _lone(rule: syntax.Rule, vocabulary: Vocabulary) -> Iterator[Diagnostic]:
    denied = [each.atom.predicate for each in rule.body if isinstance(each, syntax.Negation)]
    silent = any(map(_of_silence, rule.body)) or not all(map(vocabulary.is_static, denied))
    for literal in rule.body:
        if isinstance(literal, syntax.Aggregation) and not _of_silence(literal):
            inner, atom = literal.left.inner, literal.left.atom
            terms = (
                syntax.Anonymous() if syntax.variable_of(term) in inner else term for term in atom.terms[:-1]
            )
            kind, fact = "W111.amount", to_text(_now(atom, terms, rule.head))
        elif isinstance(literal, syntax.Last) and not silent:
            kind, fact = "W111.last", to_text(_now(literal.atom, literal.atom.terms[:-1], rule.head))
        else:
            continue
        yield problem(kind, literal.span, name=rule.head.predicate, fact=fact)


def _of_silence(literal: syntax.Literal) -> bool:
    """Whether a literal is a count that holds where there is nothing: `count(…) = 0`."""
    if not isinstance(literal, syntax.Aggregation) or literal.left.function != "count":
        return False
    right = literal.right
    if not isinstance(right, syntax.Constant) or isinstance(right.value, str):
        return False
    nothing = after_steps(0, literal.left.steps)
    return nothing is not None and bool(HOLDS[literal.operator](nothing, right.value))


def _now(atom: syntax.Atom, terms: Iterable[syntax.Term], head: syntax.Atom) -> syntax.Atom:
    """Makes an atom of the same predicate with the time of the head."""
    return syntax.Atom(atom.predicate, (*terms, head.terms[-1] if head.terms else syntax.Variable("T")))


# ---- advice for variables under `not` that are compared outside of it: one literal that says all ----
#
#     not Temp(X, W, T+1), W > V              count(Temp(X, W, T+1), W > V) = 0
#     not Ack(X, U), U >= T, U <= T + 5       not Ack(X, T..T+5)

_FAR = 9  # from one end of a range to the other where that is missing


def _in_one(rule: syntax.Rule, vocabulary: Vocabulary, known: frozenset[str], name: str) -> str | None:
    """Finds one literal that says the same as a negation and the comparisons with its own variable."""
    known |= syntax.variables_of(rule.head.operands)
    asked = [
        each
        for each in rule.body
        if isinstance(each, syntax.Negation | syntax.Aggregation)
        and any(name in syntax.variables_of(atom.operands) for atom, _ in each.atoms)
    ]
    if len(asked) != 1 or len(asked[0].atoms) != 1 or vocabulary.is_static(asked[0].atoms[0].atom.predicate):
        return None
    literal, ((atom, _),) = asked[0], asked[0].atoms
    own = syntax.variables_of(atom.operands) - known
    about = [each for each in rule.body if isinstance(each, syntax.Comparison) and each.variables & own]
    time = syntax.variable_of(atom.terms[-1])
    if atom.range is not None and syntax.variables_of(atom.range.ends) & own:
        return None
    of_time = [each for each in about if time in own and time in each.variables]
    conditions = [each for each in about if each not in of_time]
    if time in own:
        ends = _range(str(time), of_time)
        if ends is None:
            return None
        atom = replace(atom, terms=(*atom.terms[:-1], ends))
    if not about or not {name for each in conditions for name in each.variables} <= known | own - {time}:
        return None
    whole: syntax.Literal
    if isinstance(literal, syntax.Aggregation):
        left = replace(literal.left, atom=atom, conditions=(*literal.left.conditions, *conditions))
        whole = replace(literal, left=left)
    elif conditions or own - {time}:
        count = syntax.Aggregate("count", False, None, atom, tuple(conditions))
        whole = syntax.Aggregation(count, "=", syntax.Constant(0))
    else:
        whole = syntax.Negation(atom)
    stead = [f"`{to_text(each)}`" for each in (literal, *about)]
    both = ": a range has both of its ends" if of_time else ""
    return f"In place of {', '.join(stead[:-1])} and {stead[-1]} write `{to_text(whole)}`{both}."


def _range(time: str, conditions: Sequence[syntax.Comparison]) -> syntax.Range | None:
    """Returns the ticks that conditions leave a time; with one end alone, some ticks from there."""
    first, last = list[syntax.Term](), list[syntax.Term]()
    for each in conditions:
        turned = syntax.Comparison(each.right, MIRRORED[each.operator], each.left)
        for left, operator, right in ((c.left, c.operator, c.right) for c in (each, turned)):
            if left == syntax.Variable(time) and operator in _STEPS:
                end = _moved(right, _STEPS[operator])
                (first if operator in (">", ">=") else last).append(end)
    if not conditions or len(first) + len(last) != len(conditions) or max(len(first), len(last)) > 1:
        return None
    begin, end = *(first or [_moved(last[0], -_FAR)]), *(last or [_moved(first[0], _FAR)])
    return syntax.Range(begin, end) if begin != end or (first and last) else None  # no end to move from


_STEPS = {">": 1, ">=": 0, "<": -1, "<=": 0}


def _moved(end: syntax.Term, ticks: int) -> syntax.Term:
    """Adds ticks to a time; a time with a duration, such as `T + 5 minutes`, stays the same."""
    if isinstance(end, syntax.Variable) and ticks:
        return syntax.Shifted(end.name, ticks)
    if isinstance(end, syntax.Shifted) and end.unit is None and end.written is None:
        offset = end.offset + ticks
        return syntax.Shifted(end.variable, offset) if offset else syntax.Variable(end.variable)
    if isinstance(end, syntax.Constant) and isinstance(end.value, int):
        return syntax.Constant(max(0, end.value + ticks))
    return end
