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
    """Bounds of a relation that follow from the rules alone; None means unbounded.

    delay      an answer about T is decided by T + delay, and a confirmed one is remembered until
               then, so that it is not reported again
    window     facts about ticks up to now - window no longer matter (AAAI-20, definition 5)
    kept       until T + kept a rule may still need to know whether an atom about T was true
    asked_by   the relations whose patterns negate this one
    piling_up  why evidence may pile up without end, if it may
    """

    delay: int | None
    window: int | None
    kept: int | None
    asked_by: tuple[str, ...] = ()
    piling_up: str | None = None


class Level(Struct, frozen=True):
    """The position of an atom in the order of evaluation.

    Components are evaluated one after the other; within one, atoms P(…, t) in the order of
    t + shift, and at the same t + shift in the order of rank.
    """

    component: int
    shift: int
    rank: int


class AnswerVariables(Struct, frozen=True):
    """The variables of an answer with their types, and its time, which is None if the query fixes the tick.

    A variable before the time may have the type TIME or DURATION.
    """

    variables: tuple[str, ...]
    types: tuple[str | None, ...]
    time: str | None

    @property
    def names(self) -> tuple[str, ...]:
        """The variables, the time last."""
        return self.variables if self.time is None else (*self.variables, self.time)

    @property
    def ticks(self) -> Mapping[str, str]:
        """The variables that have ticks, each with its type; the time last."""
        found = {n: t for n, t in zip(self.variables, self.types, strict=True) if t in (TIME, DURATION)}
        return found if self.time is None else {**found, self.time: TIME}

    @property
    def times(self) -> tuple[str, ...]:
        """The variables that are times, that of the answer last."""
        return tuple(name for name, type_ in self.ticks.items() if type_ == TIME)


class GivenFacts(Struct, frozen=True):
    """An input whose values the chances of a query may look at: `given Load(X, L, T)`.

    A column that is neither a variable of the answer nor a constant has such values, if it is named.
    """

    predicate: str
    columns: tuple[Var | Const | None, ...]


class Notice(Struct, frozen=True):
    """How the answers of a query are brought to somebody's notice; none of it changes an answer.

    From the chance `alert` on, an open answer is worth an alert, if the program says so. `words` are shown
    in place of its atom; lines have them and the severity if it is `labelled`: if the program gives one of
    the two. Chances may look at what is `given`.
    """

    alert: float | None = None
    severity: str = "info"
    words: str | None = None
    labelled: bool = False
    given: tuple[GivenFacts, ...] = ()


NO_NOTICE = Notice()


class Relation(Struct, frozen=True, dict=True):
    """An atom whose truth over time is kept. `is_query`: it answers a query of the program."""

    name: str
    predicate: str
    is_query: bool
    answer: AnswerVariables
    patterns: tuple[Pattern, ...]
    bounds: Bounds
    level: Level
    notice: Notice = NO_NOTICE

    @property
    def alert(self) -> float | None:
        return self.notice.alert

    @property
    def severity(self) -> str:
        return self.notice.severity

    @property
    def words(self) -> str | None:
        return self.notice.words

    @property
    def given(self) -> tuple[GivenFacts, ...]:
        return self.notice.given

    @cached_property
    def has_amounts(self) -> bool:
        """Whether aggregates are among its conditions."""
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
    """A tighter or looser delay for the facts with these values (None: any), and its shares if declared."""

    pattern: tuple[str | int | float | None, ...]
    delay: int
    shares: tuple[float, ...] | None = None


class Chance(Struct, frozen=True):
    """The probability of a fact with these values (None: any).

    `once` is the probability that a tick has one after a tick without, `again` after a tick with one.
    Of those that fit a fact the one with the most constants decides, as for delays. The engine knows
    nothing of chances, shares and alerts: they are for forecasts.
    """

    pattern: tuple[str | int | float | None, ...]
    once: float
    again: float


class InputOdds(Struct, frozen=True):
    """The declared chances of an input's facts, and the shares of their delays.

    `shares` says how many of the true facts come 0, 1, 2 … ticks late, unless a refinement decides;
    the rest never comes (None: not declared).
    """

    chances: tuple[Chance, ...] = ()
    shares: tuple[float, ...] | None = None


class Expected(Struct, frozen=True):
    """How often a fact comes of each source: within each `gap` of ticks (None: not declared).

    Facts with the same values at the positions `of` are of one source (none: they have no source).
    """

    gap: int | None = None
    of: tuple[int, ...] = ()

    @property
    def sight(self) -> int:
        """The ticks without a fact, up to one, that make a source unseen at it."""
        return (self.gap or 0) * 3 // 2


class Input(Struct, frozen=True):
    """A stream of facts: its columns (the time is the last), their types, and its delays.

    With `one per` it has at most one fact for each slot: the time and the columns at the
    positions of `slot` (None: there may be any number). No answer depends on how often facts are
    `expected`, but what nobody could see is lost.
    """

    name: str
    columns: tuple[str, ...]
    types: tuple[str | None, ...]
    delay: int
    refinements: tuple[Refinement, ...] = ()
    slot: tuple[int, ...] | None = None
    odds: InputOdds = InputOdds()
    expected: Expected = Expected()

    @property
    def delays(self) -> frozenset[int]:
        """Every delay that some fact may have."""
        return frozenset({self.delay, *(refinement.delay for refinement in self.refinements)})


class Static(Struct, frozen=True):
    """A background relation: its columns, their types, and the facts the program itself states.

    A column with a number in `most` has ticks, and no more than that.
    """

    name: str
    columns: tuple[str, ...]
    types: tuple[str | None, ...]
    facts: tuple[tuple[str | int | float, ...], ...] = ()
    most: tuple[int | None, ...] = ()


class StaticRule(ByRole, Struct, frozen=True, dict=True):
    """A rule between background relations, whose literals are conditions."""

    predicate: str
    answer: tuple[Term, ...]
    literals: tuple[AnyLiteral, ...]

    @property
    def predicates(self) -> tuple[str, ...]:
        """The background predicates it rests on."""
        return tuple(each.predicate for each in self.literals if isinstance(each, StaticAtom))


class Argument(Struct, frozen=True):
    """An argument of an input, of a static relation, or of a relation."""

    name: str
    position: int


class Key(Struct, frozen=True):
    """The partition key: `positions`, or, if there are none, the reason."""

    positions: tuple[Argument, ...]
    why_not: str | None = None

    def __bool__(self) -> bool:
        return self.why_not is None

    def __getitem__(self, name: str) -> int:
        return next(k.position for k in self.positions if k.name == name)


class TimeReading(Struct, frozen=True):
    """The words of a program, or of its options, on how an input writes its times.

    Numbers count a unit since 1970, `s`, `ms`, `us`, `ns`, or are `ticks`; what has no offset is of `zone`;
    texts have the `form`, as `strptime` has it.
    """

    input: str
    unit: str | None = None
    zone: str | None = None
    form: str | None = None


class Plan(Struct, frozen=True, cache_hash=True):
    """A compiled program. `tick` is the length of a tick in microseconds, if times are timestamps.

    `readings` has the inputs about whose times something is said. Times are shown in `zone`, and days begin
    there.
    """

    inputs: tuple[Input, ...]
    statics: tuple[Static, ...]
    static_rules: tuple[StaticRule, ...]
    relations: tuple[Relation, ...]
    key: Key
    tick: int | None = None
    readings: tuple[TimeReading, ...] = ()
    zone: str = DEFAULT_ZONE

    def counting(self, name: str) -> Counting:
        """The way the times of an input are counted."""
        found = next((each for each in self.readings if each.input == name), TimeReading(name))
        return Counting(self.timescale, found.unit, found.zone, found.form)

    @property
    def has_sight(self) -> bool:
        """Whether decisions may be lost from sight: facts are expected of some sources."""
        return any(source.expected.of for source in self.inputs)

    @property
    def timescale(self) -> Timescale | None:
        """The times of ticks, if the program says how long a tick is."""
        return None if self.tick is None else Timescale(self.tick, self.zone)

    @property
    def functions(self) -> tuple[Function, ...]:
        """The functions that it calls, but for the built-in ones, by name."""
        patterns = (pattern for relation in self.relations for pattern in relation.patterns)
        literals = (each for part in (*self.static_rules, *patterns) for each in part.literals)
        found = {function for literal in literals for function in literal.functions}
        return tuple(sorted((f for f in found if f.name not in BUILT_IN), key=lambda f: f.name))

    @property
    def read(self) -> Plan:
        """The plan for readers of facts whose times are ticks already; which zone they were of is kept."""
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
        relations = tuple(structs.replace(each, notice=Notice(given=each.given)) for each in self.relations)
        zone = self.zone if of_days else DEFAULT_ZONE
        return structs.replace(self.read, zone=zone, relations=relations)

    @property
    def queries(self) -> Iterator[Relation]:
        """The relations the program asks for, in its order."""
        return (relation for relation in self.relations if relation.is_query)

    @property
    def declares_chances(self) -> bool:
        """Whether the program says of some facts how likely they are."""
        return any(source.odds.chances for source in self.inputs)

    def relation(self, name: str) -> Relation:
        return next(relation for relation in self.relations if relation.name == name)


VERSION = 4
"""Counts up whenever a plan of the version before can no longer be read."""


class _Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    version: int
    plan: Plan


class _Header(msgspec.Struct, frozen=True):
    version: int


def to_json(plan: Plan) -> str:
    """The plan as one line of JSON."""
    return msgspec.json.encode(_Document(VERSION, plan)).decode()


def from_json(text: str | bytes) -> Plan:
    """The plan `to_json` made the text from; PlanError if it is none, or of another version."""
    try:
        version = msgspec.json.decode(text, type=_Header).version
        if version != VERSION:
            raise PlanError(
                f"this plan is of version {version}, but this antelog reads version {VERSION}; "
                "compile the program again"
            )
        return msgspec.json.decode(text, type=_Document).plan
    except msgspec.DecodeError as error:
        raise PlanError(f"this is not a plan that antelog wrote: {error}") from None
