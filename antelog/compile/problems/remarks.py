"""Warnings about programs that can be run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import replace

from antelog.compile.comparisons import Times
from antelog.compile.literals import Comparison
from antelog.compile.literals.terms import Operand, Time, variables_in
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Expected, Plan
from antelog.compile.rules.clauses import Clause, Clauses
from antelog.diagnostics import Diagnostic, problem
from antelog.language import syntax
from antelog.language.graph import components, reachable
from antelog.language.printer import to_text


def remarks(plan: Plan, clauses: Clauses, document: syntax.Document) -> Iterator[Diagnostic]:
    steps = {name: {g.predicate for c in own for g in c.facts} for name, own in clauses.items()}
    loops = [loop for loop in components(steps) if len(loop) > 1]
    recursive = {name for loop in loops for name in loop} | {name for name in steps if name in steps[name]}
    for query in document.queries:
        relation = plan.relation(query.atom.predicate)
        if not relation.patterns:
            yield problem("W107.never", query.span, name=relation.name)
        counts = [_apart(each, plan) for each in relation.patterns]
        facts, several = (max(column, default=0) for column in zip((0, 0), *counts, strict=True))
        if facts > _FEW_SINGLE or several > _FEW:
            yield problem("W113.many-facts", query.span, name=relation.name, facts=facts)
    asked = {relation.predicate for relation in plan.relations}
    for each in document.windows:
        if each.name not in asked:
            yield problem("W106.unused", each.span, name=each.name)
        elif not reachable(steps, each.name) & recursive:
            yield problem("W106.needless", each.span, name=each.name)
    yield from _counted_once(plan, document)
    yield from _kept_for_ever(reachable(steps, *asked), clauses, document)
    yield from _without_jitter(plan, document)
    seen: set[int] = set()
    for relation in plan.relations:
        if relation.bounds.piling_up is not None:
            yield from _piling_up(reachable(steps, relation.predicate), clauses, document, seen)


_FEW = 8  # facts of which several may come at each tick: of eight there are 256 combinations of two each
_FEW_SINGLE = 24  # facts that come once a tick, as with `one per machine`: of 24, some 300 rows an answer


def _apart(pattern: Pattern, plan: Plan) -> tuple[int, int]:
    """Counts facts with a value that nothing else has, and those of them that are not alone at a tick."""
    literals = [each.variables for each in (*pattern.facts, *pattern.asked)]
    often = Counter(name for names in literals for name in names)
    free = {name for name, count in often.items() if count == 1} - pattern.answered
    times, slots = variables_in(pattern.times), {source.name: source.slot for source in plan.inputs}
    facts = several = 0
    for fact in pattern.facts:
        if (fact.variables - times) & free:
            slot = slots[fact.predicate]
            facts += 1
            several += slot is None or bool(variables_in(fact.arguments[at] for at in slot) & free)
    return facts, several


def _counted_once(plan: Plan, document: syntax.Document) -> Iterator[Diagnostic]:
    """Warns of counts of facts of which equal ones in a tick are one."""
    plain = (
        each
        for each in plan.inputs
        if each.slot is None and each.expected == Expected() and not each.odds.chances
    )
    names = {each.name for each in plain if plan.tick is not None}
    literals = (each for rule in document.rules for each in rule.body if isinstance(each, syntax.Aggregation))
    for each in (aggregate for literal in literals for aggregate in literal.aggregates):
        name, own = each.atom.predicate, each.inner & syntax.variables_of(each.atom.terms)
        is_open = own or any(isinstance(term, syntax.Anonymous) for term in each.atom.terms)
        if name in names and each.function == "count" and not is_open:
            yield problem("W115.counted-once", each.span, name=name)


def _kept_for_ever(reached: Set[str], clauses: Clauses, document: syntax.Document) -> Iterator[Diagnostic]:
    """Warns of literals that look back to a fixed tick from every later one."""
    rules = list(document.rules)
    for clause in (clause for name in clauses if name in reached for clause in clauses[name]):
        times = Times(clause.comparisons, clause.earliest)
        for literal in clause.stated:
            for each in times.reaches(literal, clause.head.time):
                reference, time = each.reference, clause.head.time.variable
                name = reference.predicate
                if each.kept is None and reference.first.variable is None:
                    span, since = rules[clause.rule].span, reference.first.offset
                    yield problem(
                        "W114.kept-for-ever", span, literal=literal.text, since=since, name=name, time=time
                    )


def _without_jitter(plan: Plan, document: syntax.Document) -> Iterator[Diagnostic]:
    """Warns of inputs whose sources send at each tick: one that is a moment late leaves a tick without."""
    inputs = {each.name: each for each in plan.inputs}
    for each in document.declarations:
        expected = inputs[each.name].expected if each.name in inputs else Expected()
        is_each = plan.tick is not None and expected.of and expected.gap == 1
        if is_each and isinstance(each, syntax.Input) and each.every is not None:
            yield problem("W116.jitter", each.every.span, name=each.name)


def _piling_up(
    reached: Set[str], clauses: Clauses, document: syntax.Document, seen: set[int]
) -> Iterator[Diagnostic]:
    """Warns once of each rule with two times and no bound between them."""
    rules = list(document.rules)
    for clause in (clause for name in clauses if name in reached for clause in clauses[name]):
        bounds = _missing_bounds(clause)
        if bounds and clause.rule not in seen:
            seen.add(clause.rule)
            yield _loose(clause, bounds, rules[clause.rule])


_FAR = 10  # the ticks between times in advice


def _missing_bounds(clause: Clause) -> list[Comparison]:
    """Returns bounds of times that may lie any number of ticks from the first time of a rule."""
    found: list[Comparison] = []
    names = dict.fromkeys(time.variable for time in (clause.head.time, *clause.body_times))
    # Times with names come first, for they may bound ranges.
    times = sorted((Time(name, 0) for name in names if name is not None), key=_is_nameless)
    for time in times[1:]:
        known = Times((*clause.comparisons, *found), clause.earliest)
        after, before = known.furthest(times[0], time), known.furthest(time, times[0])
        if before is None:
            least = 0 if after is None else -_FAR if after > -_FAR else after - _FAR
            found.append(Comparison(time, ">=", times[0] + least))
        if after is None:
            most = _FAR if before is None or before > -_FAR else _FAR - before
            found.append(Comparison(time, "<=", times[0] + most))
    return found


def _loose(clause: Clause, missing: list[Comparison], rule: syntax.Rule) -> Diagnostic:
    (time, origin), nameless = missing[0].times, {each.left for each in missing if _is_nameless(each.left)}
    named = ", ".join(each.text for each in missing if each.left not in nameless)
    hints = [f"Say so in the rule: `{named}`."] if named else []
    since = syntax.Shifted(str(origin.variable), -_FAR)
    for goal in (each for each in clause.facts if each.time in nameless):
        alike = [each for each in clause.facts if each.predicate == goal.predicate]
        written = [e for e in rule.body if isinstance(e, syntax.Atom) and e.predicate == goal.predicate]
        *columns, _ = written[alike.index(goal)].terms
        near = syntax.Range(since, syntax.Variable(since.variable))
        hints.append(f"Write a range of ticks: `{to_text(syntax.Atom(goal.predicate, (*columns, near)))}`.")
    for each in rule.body:
        if isinstance(each, syntax.First) and each.within is None:
            hints = [f"Say so, as in `{to_text(replace(each, within=syntax.Bound(_FAR)))}`."]
    hint = "\n".join(hints)
    return problem("W104.apart", rule.span, time=_name(time), origin=_name(origin), hint=hint)


def _is_nameless(time: Operand) -> bool:
    return isinstance(time, Time) and (time.variable or "").startswith("_")


def _name(time: Time) -> str:
    return "`_`" if _is_nameless(time) or time.variable is None else time.variable
