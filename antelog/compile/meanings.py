"""When two programs mean the same, query by query, and what a new version of a program changes.

Queries mean the same if their patterns, and those of all that they ask for, have one canonical form, whatever
names and orders they have. Two that mean the same may have different forms, which is always safe.

    Hot(D, U) :- Temp(D, V, U), V > 90.      Hot(X, T) :- 90 < W, Temp(X, W, T).      one canonical form
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from enum import Enum
from functools import cached_property
from hashlib import sha256
from typing import Any

from msgspec import Struct, structs
from msgspec.structs import fields as struct_fields

from antelog.compile.literals import AnyLiteral, Comparison, Negation, terms
from antelog.compile.nodes.patterns import Earliest, Pattern
from antelog.compile.nodes.plan import Input, Plan, Relation
from antelog.compile.plan.partition import seen_columns
from antelog.language.moments import DEFAULT_ZONE
from antelog.language.printer import listed

Named = Callable[[str, str], Hashable]  # the form of a name, of a `predicate`, `asked` for, or a `relation`
_MOST_ORDERS = 64  # the most orders of variables to try, where they look alike; the best of these is used
NO_TIME = terms.Time(None, 0)  # the time of background facts


def digest(form: Hashable) -> str:
    return sha256(repr(form).encode()).hexdigest()[:24]


def canonical(conjunction: Pattern, named: Named) -> str:
    """Returns the canonical form of a pattern, or of a rule as one, as a digest."""
    writer = _FormWriter(_from_answer(conjunction), named)
    # The least of the forms that orders of the variables give; the orders go with their colours.
    waiting, forms = [writer.refined(writer.first_colours())], list[str]()
    while waiting and len(forms) < _MOST_ORDERS:
        found = waiting.pop()
        classes: dict[str, list[str]] = {}
        for name in sorted(found):
            classes.setdefault(found[name], []).append(name)
        alike = next((classes[each] for each in sorted(classes) if len(classes[each]) > 1), None)
        if alike is not None:
            waiting += (writer.refined({**found, name: digest((found[name], "first"))}) for name in alike)
            continue
        numbers = {name: place for place, name in enumerate(sorted(found, key=found.__getitem__))}
        forms.append(repr(writer.written(numbers)))
    return digest(min(forms))


def _in_order(conjunction: Pattern, named: Named, *, limits: bool) -> str:
    """Returns the form of a pattern as it is written, with variables numbered as they come, as a digest."""
    whole = _from_answer(conjunction)
    if not limits:
        literals = tuple(each.replaced(_WithoutLimits()) for each in whole.literals)
        whole = structs.replace(whole, literals=literals)
    writer = _FormWriter(whole, named, limits=limits)
    operands = (*whole.answer, whole.time, *(each for own in whole.literals for each in own.operands))
    found = dict.fromkeys((*map(terms.variable_in, terms.all_in(operands)), *writer.variables))
    numbers = {name: place for place, name in enumerate(found) if name is not None}
    return digest(repr(writer.written(numbers, tuple)))


class _WithoutLimits(terms.Replacement):
    """Leaves out the numbers and ticks of comparisons: 90 of `V >= 90`, 20 of `U <= T+20`."""

    def operand(self, operand: terms.Operand) -> terms.Operand:
        match operand:
            case terms.Const(value) if not isinstance(value, str):
                return terms.Const(0)
            case terms.Time(variable, _):
                return terms.Time(variable, 0)
            case terms.Sum(variable, _):
                return terms.Var(variable)
            case _:
                return super().operand(operand)


class _FormWriter:
    """Writes a conjunction with something in place of each variable; without `limits` ranges have no ends."""

    def __init__(self, conjunction: Pattern, named: Named, *, limits: bool = True) -> None:
        self._whole, self._named, self._limits = conjunction, named, limits
        self._earliest = {each.variable: each.tick for each in conjunction.earliest}
        literals = (operand for each in conjunction.literals for operand in each.operands)
        self.variables = sorted(conjunction.answered | terms.variables_in(literals) | self._earliest.keys())

    def first_colours(self) -> dict[str, str]:
        """Returns a colour of each variable by its places in the answer and its first tick."""
        whole = self._whole
        return {
            name: digest(
                (
                    [place for place, term in enumerate(whole.answer) if terms.variable_in(term) == name],
                    whole.time.variable == name,
                    self._earliest.get(name),
                )
            )
            for name in self.variables
        }

    def refined(self, colours: Mapping[str, str]) -> dict[str, str]:
        """Gives variables different colours if they stand in different literals."""
        found = dict(colours)
        for _ in self.variables:
            new = {}
            for name in self.variables:
                marked = {**found, name: f"*{found[name]}"}
                uses = [
                    self._literal(each, marked) for each in self._whole.literals if name in each.variables
                ]
                new[name] = digest((found[name], sorted(map(repr, uses))))
            if len(set(new.values())) == len(set(found.values())):
                return new
            found = new
        return found

    def written(
        self,
        names: Mapping[str, Hashable],
        order: Callable[[Iterable[str]], tuple[str, ...]] = lambda each: tuple(sorted({*each})),
    ) -> Hashable:
        whole = self._whole
        literals = order(repr(self._literal(each, names)) for each in whole.literals)
        earliest = sorted((names[name], tick) for name, tick in self._earliest.items())
        answer = tuple(self._value("", term, names) for term in whole.answer)
        return answer, self._value("", whole.time, names), literals, tuple(earliest)

    def _literal(self, literal: AnyLiteral, names: Mapping[str, Hashable]) -> Hashable:
        # An aggregate's own variables have no names outside.
        inner = (e.name for e in terms.all_in(literal.operands) if isinstance(e, terms.Inner))
        own = {f"<{name}": f"<{place}" for place, name in enumerate(dict.fromkeys(inner))}
        return self._value("", literal, {**names, **own})

    def _struct(self, node: Any, names: Mapping[str, Hashable]) -> tuple[Hashable, ...]:
        keys = [f.name for f in (struct_fields(node) if isinstance(node, Struct) else fields(node))]
        if isinstance(node, Negation):
            keys.remove("written")  # how it is written changes nothing
        if isinstance(node, Negation) and self._named("relation", node.relation) is not None:
            # Its relation has no column for what may be any.
            node = structs.replace(node, arguments=tuple(each for each in node.arguments if each is not None))
        if not (self._limits or getattr(node, "single", True)):
            keys = [key for key in keys if key not in ("first", "last")]
        asked = "relation" in keys
        return (
            type(node).__name__,
            *(
                self._value("asked" if asked and key == "predicate" else key, getattr(node, key), names)
                for key in keys
            ),
        )

    def _value(self, field: str, value: Any, names: Mapping[str, Hashable]) -> Hashable:
        match value:
            case terms.Var(name):
                return "v", names[name]
            case terms.Time(variable, offset):
                return "t", None if variable is None else names[variable], offset
            case terms.Sum(variable, offset):
                return "s", names[variable], offset
            case terms.Inner(name):
                return "i", names[f"<{name}"]
            case terms.Calculated("+" | "*" as sign, (left, right)):
                sides = (self._value("", left, names), self._value("", right, names))
                return sign, *sorted(sides, key=repr)
            case Comparison():
                ways = (self._struct(_as_bound(each), names) for each in (value, value.mirrored))
                return min(ways, key=repr)
            case tuple() if field == "conditions":
                return tuple(sorted((self._value("", each, names) for each in value), key=repr))
            case tuple():
                return tuple(self._value(field, each, names) for each in value)
            case str() if field in ("predicate", "asked", "relation", "function"):
                return self._named(field, value)
            case _ if isinstance(value, Struct) or is_dataclass(value):
                return self._struct(value, names)
            case _:
                plain: Hashable = value
                return plain


# ---- times ----


def _from_answer(whole: Pattern) -> Pattern:
    """Counts times from the answer's, or from the least with their variable: A(U+1), B(U+2): A(U), B(U+1)."""
    least: dict[str, int] = {}
    for time in (time for each in whole.literals for time in each.natural):
        if time.variable is not None:
            least[time.variable] = min(least.get(time.variable, time.offset), time.offset)
    by = {name: -offset for name, offset in least.items()}
    if whole.time.variable is not None:
        name = whole.time.variable
        least[name] = min(least.get(name, whole.time.offset), whole.time.offset)
        by[name] = -whole.time.offset
    moved = terms.moved(by)
    first = (Earliest(each.variable, each.tick - by.get(each.variable, 0)) for each in whole.earliest)
    follows = {name: max(0, -(least[name] + by[name])) for name in least}
    return Pattern(
        moved.answer(whole.answer),
        moved.time(whole.time),
        tuple(each.replaced(moved) for each in whole.literals),
        tuple(each for each in first if each.tick > follows.get(each.variable, 0)),
    )


def _as_bound(literal: Comparison) -> Comparison:
    """Writes a comparison of two times with all ticks on the right side, and without `<` and `>`."""
    left, right = literal.left, literal.right
    if not (isinstance(left, terms.Time) and isinstance(right, terms.Time)):
        return literal
    more = {"<": -1, ">": 1}.get(literal.operator, 0)
    operator = {"<": "<=", ">": ">="}.get(literal.operator, literal.operator)
    if left.variable is None:  # `3 <= T` is `T >= 3`
        return _as_bound(literal.mirrored) if right.variable is not None else literal
    return Comparison(terms.Time(left.variable, 0), operator, right + (more - left.offset))


@dataclass(frozen=True)
class QueryMeaning:
    """A digest of a query's `patterns`, and what the declarations of inputs say on when it is decided."""

    relation: Relation
    patterns: str
    inputs: Mapping[str, Hashable]


class Meanings:
    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.known: dict[str, str] = {}
        self.relations = {each.name: each for each in plan.relations}
        self.inputs = {each.name: each for each in plan.inputs}
        self.statics = {each.name: each for each in plan.statics}

    @cached_property
    def queries(self) -> dict[str, QueryMeaning]:
        return {each.name: self._query(each) for each in self.plan.queries}

    def relation(self, name: str) -> str:
        return _Descent(self, ()).relation(name)

    def forms(self, rules: Iterable[Pattern], named: Named) -> list[str]:
        """Returns the forms of the rules of one predicate."""
        return sorted({canonical(each, named) for each in rules})

    def _query(self, relation: Relation) -> QueryMeaning:
        inputs = {}  # what an input's declaration, and its zone, say on when answers are decided
        for source in map(self.inputs.__getitem__, inputs_of(self.plan, relation)):
            refinements = frozenset((each.pattern, each.delay) for each in source.refinements)
            clock = self.plan.counting(source.name).zone or DEFAULT_ZONE
            inputs[source.name] = source.delay, refinements, source.slot, clock
        # The columns that unguarded variables lead to: which values have answers of their own.
        columns = (
            seen_columns(name, pattern, relation, self.plan)
            for pattern in relation.patterns
            for name in pattern.unguarded
        )
        seen = {repr((each.inputs, each.statics, sorted(map(repr, each.constants)))) for each in columns}
        scale = self.plan.timescale
        zone = scale.zone if scale is not None and scale.of_days else None  # where ticks begin by it
        length = None if scale is None else (scale.length, zone)
        form = length, self.relation(relation.name), tuple(sorted(seen))
        return QueryMeaning(relation, digest(form), inputs)


class Shapes(Meanings):
    """The meanings for what counts by the places of rules and literals, as chances do: order matters.

    The facts that a program states do not. Nor, without `limits`, do the numbers and ticks of comparisons,
    and the ticks at which ranges end.
    """

    def __init__(self, plan: Plan, *, limits: bool) -> None:
        statics = tuple(structs.replace(each, facts=()) for each in plan.statics)
        super().__init__(structs.replace(plan, statics=statics))
        self._limits = limits

    def forms(self, rules: Iterable[Pattern], named: Named) -> list[str]:
        return [_in_order(each, named, limits=self._limits) for each in rules]


class _Descent:
    """The way down from a relation to what it asks for; relations above are named by how far up they are."""

    def __init__(self, meanings: Meanings, above: tuple[str, ...]) -> None:
        self._meanings, self._above = meanings, above
        self._highest = len(above)  # the place in `above` of the highest relation that was found again

    def relation(self, name: str) -> str:
        return self._found(name, lambda below: self._relation(name, below))

    def static(self, name: str) -> str:
        """Returns the digest of a static predicate: facts, rules, and the name if facts are stated."""
        return self._found(f"static {name}", lambda below: self._static(name, below))

    def _found(self, name: str, form: Callable[[_Descent], Hashable]) -> str:
        if name in self._above:
            place = self._above.index(name)
            self._highest = min(self._highest, place)
            return f"^{len(self._above) - place}"
        known = self._meanings.known
        if name in known:
            return known[name]
        below = _Descent(self._meanings, (*self._above, name))
        found = digest(form(below))
        self._highest = min(self._highest, below._highest)
        if below._highest >= len(self._above):  # nothing below it rests on what is above it
            known[name] = found
        return found

    def _relation(self, name: str, below: _Descent) -> Hashable:
        relation = self._meanings.relations[name]
        patterns = self._meanings.forms(relation.patterns, below.named)
        return len(relation.answer.variables), relation.answer.time is None, patterns

    def _static(self, name: str, below: _Descent) -> Hashable:
        static = self._meanings.statics[name]
        own = (each for each in self._meanings.plan.static_rules if each.predicate == name)
        patterns = (Pattern(rule.answer, NO_TIME, rule.literals) for rule in own)
        rules = self._meanings.forms(patterns, below.named)
        outside = name if static.facts or not rules else None
        return outside, len(static.columns), sorted(map(repr, static.facts)), rules

    def named(self, field: str, name: str) -> Hashable:
        """Returns the meaning of a relation or of a static predicate; the name of an input."""
        if field == "relation":
            return self.relation(name)
        if field == "asked":  # the relation says all of it
            return None
        if field == "function":
            return name, next((each.code for each in self._meanings.plan.coded if each.name == name), "")
        if name in self._meanings.statics:
            return self.static(name)
        return name if name in self._meanings.inputs else None


def inputs_of(plan: Plan, query: Relation) -> tuple[str, ...]:
    """Returns the inputs that a relation rests on, also through others, in the plan's order."""
    patterns = (each for relation in (query, *plan.asked_for(query).values()) for each in relation.patterns)
    found = {fact.predicate for pattern in patterns for fact in pattern.facts}
    return tuple(each.name for each in plan.inputs if each.name in found)


class Fate(Enum):
    SAME = "same"
    RETIMED = "retimed"  # the patterns are the same, but a delay or `one per` may decide at other ticks
    CHANGED = "changed"
    ADDED = "added"
    GONE = "gone"


@dataclass(frozen=True)
class QueryDifference:
    """A query in both programs (None: in one of them only)."""

    name: str
    fate: Fate
    old: Relation | None
    new: Relation | None
    inputs: tuple[str, ...] = ()  # those it rests on whose declarations differ
    twin: str | None = None  # where this one is added or gone: a query of the other that means the same

    @property
    def has_other_columns(self) -> bool:
        """Whether the columns of its answers have other names."""
        old, new = self.old, self.new
        return old is not None and new is not None and old.answer.names != new.answer.names

    @property
    def has_other_notice(self) -> bool:
        """Whether severity, words, the threshold of alerts, or `given` facts differ."""
        old, new = self.old, self.new
        return old is not None and new is not None and old.notice != new.notice

    @property
    def continues(self) -> bool:
        """Whether its log goes on as if nothing had been changed."""
        return self.fate is Fate.SAME and not self.has_other_columns


@dataclass(frozen=True)
class InputDifference:
    """An input whose declaration differs; None: it is not in that program."""

    name: str
    old: Input | None
    new: Input | None


@dataclass(frozen=True)
class VersionComparison:
    """The differences of two plans: all queries, the inputs that differ, and those of other local times.

    `recoded` are functions with other code.
    """

    queries: tuple[QueryDifference, ...]
    inputs: tuple[InputDifference, ...]
    rezoned: tuple[str, ...] = ()
    recoded: tuple[str, ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether no answer, and no line about one, can differ."""
        return all(each.continues and not each.has_other_notice for each in self.queries)

    @property
    def is_harmless(self) -> bool:
        """Whether every query goes on, but for how it is shown."""
        return all(each.continues for each in self.queries)

    def of(self, *fates: Fate) -> Iterator[QueryDifference]:
        return (each for each in self.queries if each.fate in fates)


def compared(old: Plan, new: Plan) -> VersionComparison:
    """Compares two plans: the queries of the new one in order, then those that are gone."""
    old, new = old.as_coded(new), new.as_coded(old)
    before, after = Meanings(old).queries, Meanings(new).queries
    queries = [_query(name, before.get(name), after[name]) for name in after]
    gone = [name for name in before if name not in after]
    queries += [QueryDifference(name, Fate.GONE, before[name].relation, None) for name in gone]
    twins = _twins(before, after)
    found = (replace(each, twin=twins.get(each.name)) for each in queries)
    was, now = ({each.name: each for each in plan.inputs} for plan in (old, new))
    inputs = (InputDifference(name, was.get(name), now.get(name)) for name in {**now, **was})
    zone, other = ({each.input: each.zone for each in plan.read.readings} for plan in (old, new))
    rezoned = sorted(name for name in was.keys() & now.keys() if zone.get(name) != other.get(name))
    differing = tuple(each for each in inputs if each.old != each.new)
    return VersionComparison(tuple(found), differing, tuple(rezoned), old.recoded(new))


def _query(name: str, old: QueryMeaning | None, new: QueryMeaning) -> QueryDifference:
    if old is None:
        return QueryDifference(name, Fate.ADDED, None, new.relation)
    inputs = tuple(name for name in new.inputs if old.inputs.get(name) != new.inputs[name])
    same = Fate.RETIMED if inputs else Fate.SAME
    fate = same if old.patterns == new.patterns else Fate.CHANGED
    return QueryDifference(name, fate, old.relation, new.relation, inputs)


def _twins(before: Mapping[str, QueryMeaning], after: Mapping[str, QueryMeaning]) -> dict[str, str]:
    """Pairs queries that are gone with added ones that mean the same."""
    free = [name for name in after if name not in before]
    found: dict[str, str] = {}
    for name in (name for name in before if name not in after):
        twin = next((each for each in free if after[each].patterns == before[name].patterns), None)
        if twin is not None:
            free.remove(twin)
            found |= {name: twin, twin: name}
    return found


_WORDS = {
    Fate.CHANGED: "changed",
    Fate.RETIMED: "decided at other ticks",
    Fate.ADDED: "new",
    Fate.GONE: "gone",
}


def sentence(comparison: VersionComparison) -> str:
    """Returns the differences of the queries in one line: `Malf is changed; Hot and Cold are new`."""
    parts = []
    for fate, words in _WORDS.items():
        names = [each.name for each in comparison.of(fate)]
        if names:
            parts.append(f"{listed(names)} {'is' if len(names) == 1 else 'are'} {words}")
    names = [each.name for each in comparison.of(Fate.SAME) if each.has_other_columns]
    if names:
        parts.append(f"the columns of {listed(names)} are called otherwise")
    if comparison.rezoned:
        parts.append(f"times of {listed(comparison.rezoned)} without an offset are read in another zone")
    if comparison.recoded:
        parts.append(f"the code of {listed(comparison.recoded)} is another")
    if not parts:
        return "the queries mean the same, but are written otherwise"
    same = [each.name for each in comparison.of(Fate.SAME) if not each.has_other_columns]
    if same:
        parts.append(f"{listed(same)} {'is' if len(same) == 1 else 'are'} the same")
    return "; ".join(parts)
