"""The summary of a program for users: when answers open and are decided, what is kept, how work is divided.

query Malf(X, T).     open     when Temp(X, high, T) arrives
                      decided  by T+3: the Temp for T+2 may come 1 tick late
                      memory   facts about the last 4 ticks; older ones are forgotten
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from antelog.compile.comparisons import times_of
from antelog.compile.literals import Atom, Last
from antelog.compile.literals.terms import Term, Var, call_text, later, operand_text, time_text, variable_in
from antelog.compile.nodes.patterns import Pattern
from antelog.compile.nodes.plan import Plan, Relation
from antelog.compile.plan.bounds import DelayTable
from antelog.compile.plan.partition import seen_columns
from antelog.compile.prepared.rules import kept_for_ever
from antelog.language.durations import long_duration_text
from antelog.language.printer import listed

_SHOWN = 3


@dataclass(frozen=True)
class Summary:
    """A query in three sentences: when answers open, by when they are decided, what is remembered."""

    query: str
    open: str
    decided: str
    memory: str

    @property
    def lines(self) -> tuple[tuple[str, str], ...]:
        return (("open", self.open), ("decided", self.decided), ("memory", self.memory))


def summaries(plan: Plan, only: str | None = None) -> Iterator[Summary]:
    """Yields the queries of a program, in its order; or the one about a predicate."""
    delays = {source.name: DelayTable(source) for source in plan.inputs}
    for relation in plan.queries:
        if only not in (None, relation.name):
            continue
        yield Summary(
            f"{relation.name}({', '.join(relation.answer.names)})",
            _open(relation, delays),
            _decided(plan, relation, delays),
            _memory(plan, relation) + _latest(plan, relation) + _seen(plan, relation),
        )


def work_text(plan: Plan) -> str:
    """Returns the argument that divides the work; or the reason why there is none, and a remedy."""
    if not plan.key:
        return f"not divided, so it runs on one core: {plan.key.why_not}"
    columns: dict[str, list[str]] = {}
    for source in plan.inputs:
        for found in plan.key.positions:
            if found.name == source.name:
                columns.setdefault(source.columns[found.position], []).append(source.name)
    if not columns:
        return "divided by the values in the answers"
    by = ", ".join(f"{column} (of {listed(names)})" for column, names in columns.items())
    return f"divided by {by}: facts with different values there never meet"


# ---- open ----


def _open(relation: Relation, delays: Mapping[str, DelayTable]) -> str:
    if not relation.patterns:
        return "never: the rules cannot be true"
    signs = list(dict.fromkeys(sign for p in relation.patterns for sign in _signs(p, delays)))
    texts = [rest for facts, rest in signs if not facts]
    rests = dict.fromkeys(rest for facts, rest in signs if facts)
    texts += [_arrives([facts for facts, its in signs if facts and its == rest]) + rest for rest in rests]
    return "; or ".join(texts)


def _arrives(groups: list[tuple[str, ...]]) -> str:
    """Returns `when A(X, T) or B(X, T) arrives`; of many only some are shown."""
    shown = groups if len(groups) <= _SHOWN else groups[: _SHOWN - 1]
    verb = "arrives" if all(len(group) == 1 for group in groups) else "arrive"
    more = len(groups) - len(shown)
    facts = [listed(group) for group in shown] + (
        [f"one of {more} others (see the patterns)"] if more else []
    )
    return f"when {' or '.join(facts)} {verb}"


def _signs(pattern: Pattern, delays: Mapping[str, DelayTable]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yields the facts that can be the first for an answer (none: the tick opens it), and conditions."""
    ranging = "".join(
        f", for each {name} that has been seen and once for all others" for name in pattern.unguarded
    )
    if pattern.clock_driven:
        known = [each.text for each in pattern.background]
        each = f", for each {listed(known)}" if known else ""
        yield (), f"at tick {time_text(pattern.time)}, without any fact{each}{ranging}"
        return
    waits = "" if pattern.unguarded_time is None else f" and tick {time_text(pattern.time)} has come"
    for group in first_facts(pattern, delays):
        yield tuple(_fact(pattern, atom) for atom in group), waits + ranging


def first_facts(pattern: Pattern, delays: Mapping[str, DelayTable]) -> Iterator[tuple[Atom, ...]]:
    """Yields facts that can arrive while all others are missing; several, if they arrive at one tick."""
    # Of A(T), B(T+5) without delays A alone: when B arrives, it is too late for A.
    times = times_of(pattern)
    atoms = dict.fromkeys(pattern.facts)
    late = {atom: delays[atom.predicate].largest(atom.terms) for atom in atoms}

    def needs(atom: Atom, other: Atom) -> bool:
        """Returns whether the other fact has arrived, or never will, when this one arrives."""
        most = times.furthest(atom.time, other.time)
        return most is not None and most + late[other] <= 0

    def follows(atom: Atom, other: Atom) -> bool:
        """Returns whether this fact needs another one that does not need it, and so is not the first."""
        return other != atom and needs(atom, other) and not needs(other, atom)

    # A fact that follows any at all mostly follows the one that is there first.
    early = sorted(atoms, key=lambda atom: atom.time.offset + late[atom])
    seen: set[Atom] = set()
    for atom in atoms:
        if atom not in seen and not any(follows(atom, other) for other in early):
            needed = tuple(other for other in atoms if other == atom or needs(atom, other))
            seen.update(needed)
            yield needed


def _fact(pattern: Pattern, atom: Atom) -> str:
    """Writes a fact with its own conditions; values that matter nowhere else are `_`."""
    own = [each for each in pattern.comparisons if each.variables and each.variables <= atom.variables]
    used = Counter(
        variable_in(term)
        for terms in (pattern.answer, *(literal.terms for literal in pattern.literals))
        for term in terms
    )
    used.update(name for comparison in pattern.comparisons for name in comparison.variables)

    def shown(term: Term) -> str:
        return "_" if isinstance(term, Var) and used[term.name] == 1 else operand_text(term)

    text = call_text(atom.predicate, [*map(shown, atom.terms), time_text(atom.time)])
    return text + (f" where {', '.join(each.text for each in own)}" if own else "")


# ---- decided ----


def _decided(plan: Plan, relation: Relation, delays: Mapping[str, DelayTable]) -> str:
    if not relation.patterns:
        return "at once: there are no answers"
    if all(_complete_at_once(pattern, delays) for pattern in relation.patterns):
        return "at once: the answer needs nothing more"
    last, late = _last_fact(plan, relation, delays) or ("", 0)
    delay = relation.bounds.delay
    if delay is None:
        missing = f"{last} may come at any time" if last else "nothing bounds the wait"
        return f"without a deadline: {missing}, so an answer may stay open for ever"
    text = f"by {_tick(relation, delay)}{_span(plan, delay, ' later')}"
    if not last:
        return text
    fact = f"the {last} for {_tick(relation, delay - late)}"
    if not late:
        return f"{text}: it may need {fact}"
    amount = long_duration_text(late * plan.tick) if plan.tick else ticks_text(late)
    return f"{text}: {fact} may come {amount} late"


def _tick(relation: Relation, after: int) -> str:
    """Writes a tick relative to the answer's: `T+3`, or the tick if the query is about one tick."""
    if relation.answer.time is not None:
        return later(relation.answer.time, after)
    return f"tick {relation.patterns[0].time.offset + after}"


def _complete_at_once(pattern: Pattern, delays: Mapping[str, DelayTable]) -> bool:
    """Returns whether the answer is complete with its first fact."""
    first = [set(atoms) for atoms in first_facts(pattern, delays)]
    return first == [set(pattern.facts)] and not pattern.asked and pattern.unguarded_time is None


def _last_fact(
    plan: Plan, relation: Relation, delays: Mapping[str, DelayTable], above: frozenset[str] = frozenset()
) -> tuple[str, int] | None:
    """Returns the last fact to wait for, below negations too, and its delay; None if only time passes."""
    delay = relation.bounds.delay
    for pattern in relation.patterns:
        times = times_of(pattern)
        for literal in pattern.stated:
            for each in times.reaches(literal, pattern.time):
                reference, ahead = each.reference, each.ahead
                if reference.of_input:
                    late = delays[reference.name].largest(reference.untimed)
                    if (None if ahead is None else ahead + late) == delay:
                        return reference.name if delay is not None else literal.text, late
                    continue
                below = plan.relation(reference.name)
                further = None if ahead is None or below.bounds.delay is None else ahead + below.bounds.delay
                if further == delay and below.name not in above:
                    found = _last_fact(plan, below, delays, above | {relation.name, below.name})
                    if found is not None:
                        return found
    return None


# ---- memory ----


def _memory(plan: Plan, relation: Relation) -> str:
    bounds = relation.bounds
    if not relation.patterns:
        return "nothing"
    if bounds.piling_up is not None:
        return f"grows with the stream: facts may wait for {bounds.piling_up} for ever"
    kept = kept_for_ever(plan, relation)
    if kept:
        return f"grows with the stream: all there is of {listed(kept)} is kept for ever"
    if bounds.window is None:
        own = [name for name, each in plan.asked_for(relation).items() if each.bounds.window is None]
        if not own:
            return "does not grow with time"
        return f"facts about undecided ticks; of earlier ones only whether {listed(own)} was true"
    if bounds.window <= 1:
        return "facts about the present tick; older ones are forgotten"
    ticks = f"{ticks_text(bounds.window)}{_span(plan, bounds.window)}"
    return f"facts about the last {ticks}; older ones are forgotten"


def _latest(plan: Plan, relation: Relation) -> str:
    """Lists the inputs of which the latest fact of each slot is kept."""
    names = {source.name: source.columns for source in plan.inputs}
    found: dict[str, None] = {}
    for each in (relation, *plan.asked_for(relation).values()):
        for literal in (asked for pattern in each.patterns for asked in pattern.asked):
            if not isinstance(literal, Last) or not literal.slot.promised:
                continue
            columns = [names[literal.predicate][place] for place in literal.slot.places]
            behind = literal.last.after(literal.first)
            what = f"the latest {literal.predicate}" + (f" of each {listed(columns)}" if columns else "")
            if not columns:
                found[what] = None
            elif behind is not None:
                found[f"{what} in {ticks_text(behind + 1)}{_span(plan, behind + 1)}"] = None
            else:
                found[f"{what}, however old, which grows where values of {listed(columns)} come once"] = None
    return f"; and {'; and '.join(found)}" if found else ""


def _seen(plan: Plan, relation: Relation) -> str:
    """Lists the columns whose values have answers of their own."""
    names = {source.name: source.columns for source in plan.inputs}
    unguarded = {name: p for p in relation.patterns for name in p.unguarded}
    columns = [c for name, p in unguarded.items() for c in seen_columns(name, p, relation, plan).inputs]
    if not columns:
        return ""
    values = dict.fromkeys(f"{names[column.name][column.position]} of {column.name}" for column in columns)
    return (
        f"; and each {listed([*values])} ever seen, which grows where values come once: "
        f"let a static relation or a fact give {listed([*unguarded])} to bound it"
    )


def ticks_text(number: int) -> str:
    return f"{number} tick" if number == 1 else f"{number} ticks"


def _span(plan: Plan, ticks: int, after: str = "") -> str:
    """Writes a number of ticks as a duration, where the program says how long a tick is."""
    return f" ({long_duration_text(ticks * plan.tick)}{after})" if plan.tick and ticks else ""
