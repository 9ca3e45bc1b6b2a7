"""The nodes of a plan, which the compiler hands to the engine; as JSON it goes from process to process.

Plan     = Input*, Static*, StaticRule*, Relation*, Key, tick?, TimeReading*
Relation = an atom whose truth over time is kept: one for each query, and one for each
           negated atom (up to the values of its arguments); has Pattern*, Bounds, Level
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property

import msgspec
from msgspec import Struct, structs

from antelog.compile.literals import AnyLiteral, StaticAtom
from antelog.compile.literals.terms import Const, Function, Term, Var
from antelog.compile.nodes.patterns import ByRole, Pattern
from antelog.errors import PlanError
from antelog.language.epochs import Counting
from antelog.language.functions import BUILT_IN
from antelog.language.moments import DEFAULT_ZONE, DURATION, TIME, Timescale


class Bounds(Struct, frozen=True):
    """Bounds of a relation that follow from the rules alone; None: unbounded."""

    delay: int | None  # an answer about T is decided by T + delay; a confirmed one is remembered until then
    window: int | None  # facts about ticks up to now - window no longer matter (AAAI-20, definition 5)
    kept: int | None  # until T + kept a rule may still need to know whether an atom about T was true
    asked_by: tuple[str, ...] = ()  # the relations whose patterns negate this one
    piling_up: str | None = None  # why evidence may pile up without end, if it may


class Level(Struct, frozen=True):
    """The place of an atom about t in the order of evaluation: by component, then t + shift, then rank."""

    component: int
    shift: int
    rank: int


class AnswerVariables(Struct, frozen=True):
    """The variables of an answer with their types, and its time; None if the query fixes the tick."""

    variables: tuple[str, ...]
    types: tuple[str | None, ...]
    time: str | None

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, the time last."""
        return self.variables if self.time is None else (*self.variables, self.time)

    @property
    def ticks(self) -> Mapping[str, str]:
        """The variables of type TIME or DURATION, each with its type; the time last."""
        found = {n: t for n, t in zip(self.variables, self.types, strict=True) if t in (TIME, DURATION)}
        return found if self.time is None else {**found, self.time: TIME}

    @property
    def times(self) -> tuple[str, ...]:
        """The variables that are times, that of the answer last."""
        return tuple(name for name, type_ in self.ticks.items() if type_ == TIME)


class GivenFacts(Struct, frozen=True):
    """An input whose values the chances of a query may look at: L of `given Load(X, L, T)`."""

    predicate: str
    columns: tuple[Var | Const | None, ...]


class Notice(Struct, frozen=True):
    """The alert, severity, words and runbook of a query; none of it changes an answer."""

    alert: float | None = None  # the chance from which on an open answer is worth an alert
    severity: str = "info"
    words: str | None = None  # shown instead of the atom
    labelled: bool = False  # the program gives severity or words, so lines have both
    given: tuple[GivenFacts, ...] = ()  # the facts at which chances may look
    many: str | None = None  # the words for several answers, with {n}
    runbook: str | None = None  # the address of what to do, with names in braces


class Relation(Struct, frozen=True, dict=True):
    """An atom whose truth over time is kept. `is_query`: it answers a query of the program."""

    name: str
    predicate: str
    is_query: bool
    answer: AnswerVariables
    patterns: tuple[Pattern, ...]
    bounds: Bounds
    level: Level
    notice: Notice = Notice()

    @property
    def alert(self) -> float | None:
        return self.notice.alert

    @property
    def severity(self) -> str:
        return self.notice.severity

    @cached_property
    def has_amounts(self) -> bool:
        return any(each.has_amount for pattern in self.patterns for each in pattern.asked)

    @cached_property
    def unguarded(self) -> tuple[int, ...]:
        """The positions of the answer at which some pattern has an unguarded variable."""
        found = {
            i
            for pattern in self.patterns
            for i, term in enumerate(pattern.answer)
            if isinstance(term, Var) and term.name in pattern.unguarded
        }
        return tuple(sorted(found))


class Refinement(Struct, frozen=True):
    """A delay for the facts with these values (None: any), and its shares if declared."""

    pattern: tuple[str | int | float | None, ...]
    delay: int
    shares: tuple[float, ...] | None = None


class Chance(Struct, frozen=True):
    """The probability of a fact with these values (None: any), for forecasts; most constants decide."""

    pattern: tuple[str | int | float | None, ...]
    once: float  # that a tick has one after a tick without
    again: float  # that a tick has one after a tick with one


class InputOdds(Struct, frozen=True):
    """The declared chances of an input's facts, and the shares of facts that come 0, 1, 2 … ticks late."""

    chances: tuple[Chance, ...] = ()
    shares: tuple[float, ...] | None = None  # the rest never comes; None: not declared


class Expected(Struct, frozen=True):
    """The declared `every`: within each `gap` of ticks each source sends a fact (None: not declared)."""

    gap: int | None = None
    of: tuple[int, ...] = ()  # the positions of the values that name a source

    @property
    def sight(self) -> int:
        """The ticks without a fact that make a source unseen at the last of them."""
        return (self.gap or 0) * 3 // 2


class Input(Struct, frozen=True):
    """A stream of facts: its columns (the time is the last), their types, and its delays."""

    name: str
    columns: tuple[str, ...]
    types: tuple[str | None, ...]
    delay: int
    refinements: tuple[Refinement, ...] = ()
    slot: tuple[int, ...] | None = None  # of `one per`: at most one fact for a time and values at these
    odds: InputOdds = InputOdds()
    expected: Expected = Expected()  # changes no answer, but decisions may be lost from sight

    @property
    def delays(self) -> frozenset[int]:
        return frozenset({self.delay, *(refinement.delay for refinement in self.refinements)})


class Static(Struct, frozen=True):
    """A background relation: its columns, their types, and the facts the program itself states."""

    name: str
    columns: tuple[str, ...]
    types: tuple[str | None, ...]
    facts: tuple[tuple[str | int | float, ...], ...] = ()
    most: tuple[int | None, ...] = ()  # a column with a number has ticks up to that


class StaticRule(ByRole, Struct, frozen=True, dict=True):
    predicate: str
    answer: tuple[Term, ...]
    literals: tuple[AnyLiteral, ...]

    @property
    def predicates(self) -> tuple[str, ...]:
        return tuple(each.predicate for each in self.literals if isinstance(each, StaticAtom))


class Argument(Struct, frozen=True):
    name: str
    position: int


class Key(Struct, frozen=True):
    """The partition key: `positions`, or the reason why there are none."""

    positions: tuple[Argument, ...]
    why_not: str | None = None

    def __bool__(self) -> bool:
        return self.why_not is None

    def __getitem__(self, name: str) -> int:
        return next(k.position for k in self.positions if k.name == name)


class TimeReading(Struct, frozen=True):
    """How an input writes its times, as far as the program or its options say so."""

    input: str
    unit: str | None = None  # numbers count `s`, `ms`, `us` or `ns` since 1970, or are `ticks`
    zone: str | None = None  # that of times without an offset
    form: str | None = None  # that of texts, as `strptime` has it


class Plan(Struct, frozen=True, cache_hash=True):
    inputs: tuple[Input, ...]
    statics: tuple[Static, ...]
    static_rules: tuple[StaticRule, ...]
    relations: tuple[Relation, ...]
    key: Key
    tick: int | None = None  # the length of a tick in microseconds, if times are timestamps
    readings: tuple[TimeReading, ...] = ()  # those that are not the usual one
    zone: str = DEFAULT_ZONE  # times are shown in it, and days begin there
    coded: tuple[Function, ...] = ()  # those of `functions` whose code is known

    def counting(self, name: str) -> Counting:
        found = next((each for each in self.readings if each.input == name), TimeReading(name))
        return Counting(self.timescale, found.unit, found.zone, found.form)

    @property
    def has_sight(self) -> bool:
        """Whether decisions may be lost from sight, as facts of some sources are expected."""
        return any(source.expected.of for source in self.inputs)

    @property
    def timescale(self) -> Timescale | None:
        return None if self.tick is None else Timescale(self.tick, self.zone)

    @property
    def functions(self) -> tuple[Function, ...]:
        """The functions that it calls, but for the built-in ones, by name."""
        patterns = (pattern for relation in self.relations for pattern in relation.patterns)
        literals = (each for part in (*self.static_rules, *patterns) for each in part.literals)
        found = {function for literal in literals for function in literal.functions}
        return tuple(sorted((f for f in found if f.name not in BUILT_IN), key=lambda f: f.name))

    def as_coded(self, other: Plan) -> Plan:
        """The plan with the code of another's functions where it does not know its own."""
        known = {each.name: each for each in (*other.coded, *self.coded)}
        return structs.replace(self, coded=tuple(known[name] for name in sorted(known)))

    def recoded(self, other: Plan) -> tuple[str, ...]:
        """The functions whose code is another in the other plan."""
        known = {each.name: each.code for each in self.coded}
        return tuple(e.name for e in other.coded if known.get(e.name, e.code) != e.code)

    def means(self, other: Plan) -> bool:
        """Whether both plans have the same answers and chances, as far as code is known."""
        return self.as_coded(other).meaning == other.as_coded(self).meaning

    @property
    def read(self) -> Plan:
        """The plan for readers of facts whose times are ticks already; it keeps the zones they were of."""
        zones = tuple(
            TimeReading(each.input, zone=each.zone)
            for each in self.readings
            if each.zone not in (None, DEFAULT_ZONE)
        )
        return self if zones == self.readings else structs.replace(self, readings=zones)

    @property
    def meaning(self) -> Plan:
        """The plan without what changes no answer or chance: notices, units, the zone times are shown in."""
        of_days = self.timescale is not None and self.timescale.of_days
        relations = tuple(
            structs.replace(each, notice=Notice(given=each.notice.given)) for each in self.relations
        )
        zone = self.zone if of_days else DEFAULT_ZONE
        return structs.replace(self.read, zone=zone, relations=relations)

    @property
    def queries(self) -> Iterator[Relation]:
        """The relations the program asks for, in its order."""
        return (relation for relation in self.relations if relation.is_query)

    @property
    def declares_chances(self) -> bool:
        return any(source.odds.chances for source in self.inputs)

    def relation(self, name: str) -> Relation:
        return next(relation for relation in self.relations if relation.name == name)

    def asked_for(self, relation: Relation) -> Mapping[str, Relation]:
        """Returns the relations that a relation asks for, also through others, by their names."""
        relations, found = {each.name: each for each in self.relations}, dict[str, Relation]()
        waiting = [relation]
        while waiting:
            for each in (reference for pattern in waiting.pop().patterns for reference in pattern.asked_for):
                if each.name not in found:
                    found[each.name] = relations[each.name]
                    waiting.append(relations[each.name])
        return found


VERSION = 4  # increased whenever older plans can no longer be read


class _Document(msgspec.Struct, frozen=True):
    version: int
    plan: msgspec.Raw


def to_json(plan: Plan) -> str:
    """Returns the plan as one line of JSON."""
    return msgspec.json.encode(_Document(VERSION, msgspec.Raw(msgspec.json.encode(plan)))).decode()


def from_json(text: str | bytes) -> Plan:
    """Returns the plan that `to_json` wrote; PlanError if the text is none, or of another version."""
    try:
        found = msgspec.json.decode(text, type=_Document)
        if found.version != VERSION:
            raise PlanError.of("plan.version", version=found.version, known=VERSION)
        return msgspec.json.decode(found.plan, type=Plan)
    except msgspec.DecodeError as error:
        raise PlanError(f"this is not a plan that antelog wrote: {error}") from None
