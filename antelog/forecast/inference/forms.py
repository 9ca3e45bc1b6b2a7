"""The formula, chains and ticks of a query: derived once, from the rules alone.

Temp(X, high, ·) alone: a chain with the states none, high. With Temp(X, low, ·), one fact per device: one
with none, high, low, another. Series with no fact in common that do not exclude each other are chains each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations

from antelog.compile.literals.terms import Const, Term, Var
from antelog.compile.nodes.plan import Input, Plan, Relation
from antelog.compile.prepared.rules import prepared
from antelog.forecast.inference.diagrams import Leaf
from antelog.forecast.inference.formulas import Formula, formula_of
from antelog.forecast.inference.nodes import Comes, UnknownChanceError
from antelog.forecast.rates.odds import Chain, ChainState, Series, exclusive, memory
from antelog.forecast.rates.sightings import Family, family_of

WIDEST = 512  # the most ticks between the facts of an answer
_MOST_KINDS = 8  # the most kinds of facts of a chain; in a slot, any other fact is one of them


def chains_of(literals: Iterable[Comes], inputs: Mapping[str, Input]) -> dict[Chain, None]:
    """Finds the chains of a formula. Raises UnknownChanceError where facts depend in another way."""
    found: dict[tuple[str, tuple[int, ...], tuple[Term, ...], Series | None], dict[ChainState, None]] = {}
    for literal in literals:
        series, slot = literal.series, inputs[literal.series.predicate].slot
        by_column: dict[int, Term] = dict(zip(series.key, map(Var, literal.key), strict=True))
        by_column.update((column, Const(value)) for column, value in series.constants)
        if slot is not None and not set(slot) <= by_column.keys():
            raise UnknownChanceError("it asks for any fact of several slots")
        places = series.key if slot is None else slot
        terms = tuple(by_column[place] for place in places)
        family = (series.predicate, places, terms, series if slot is None else None)
        found.setdefault(family, {})[ChainState(series, literal.key)] = None
    chains: dict[Chain, None] = {}
    for (predicate, places, terms, _), states in found.items():
        _refuse_overlapping(dict.fromkeys(state.series for state in states))
        slotted = inputs[predicate].slot is not None
        kinds = tuple(k for k in _kinds(inputs[predicate], terms) if k not in states) if slotted else ()
        if len(states) + len(kinds) > _MOST_KINDS:
            raise UnknownChanceError("too many kinds of facts exclude each other")
        chains[Chain(predicate, places, terms, (*states, *kinds), slotted, len(kinds))] = None
    free = {series for chain in chains if not chain.slotted for series in chain.series}
    _refuse_overlapping(free)
    return chains


def _kinds(source: Input, terms: tuple[Term, ...]) -> Iterator[ChainState]:
    """Lists the kinds of facts in a slot that declarations name, most constants first; then any other."""
    slot = source.slot or ()
    here = dict(zip(slot, terms, strict=True))
    fixed = tuple((place, term.value) for place, term in here.items() if isinstance(term, Const))
    names = {place: term.name for place, term in here.items() if isinstance(term, Var)}
    patterns = dict.fromkeys(
        tuple((i, v) for i, v in enumerate(chance.pattern) if v is not None and i not in slot)
        for chance in source.odds.chances
    )
    patterns[()] = None
    for pattern in sorted(patterns, key=len, reverse=True):
        series = Series(source.name, (*fixed, *pattern), (), tuple(names), ())
        yield ChainState(series, tuple(names.values()))


def _refuse_overlapping(series: Iterable[Series]) -> None:
    for one, other in combinations(series, 2):
        if one.predicate == other.predicate and not exclusive(one, other):
            raise UnknownChanceError("one fact may stand for two of its literals")


@dataclass(frozen=True, eq=False)
class QueryForm:
    """The formula of a query's answers, its chains, and the leaf of each of its literals."""

    formula: Formula
    chains: tuple[Chain, ...]
    leaves: Mapping[Comes, Leaf]
    slowest: int  # the most ticks that a fact is late
    memory: int  # the earlier ticks that matter, too, if facts may be lost

    @cached_property
    def first(self) -> int:
        return min((leaf.at for leaf in self.leaves.values()), default=0)

    @cached_property
    def last(self) -> int:
        return max((leaf.at for leaf in self.leaves.values()), default=0)

    @cached_property
    def valued(self) -> Mapping[int, tuple[int, ...]]:
        """The chains whose facts are known by declared values, and the ticks at which these matter."""
        found: dict[int, set[int]] = {}
        for literal in self.formula.valued & self.leaves.keys():
            found.setdefault(self.leaves[literal].chain, set()).add(literal.at)
        return {chain: tuple(sorted(ticks)) for chain, ticks in found.items()}

    @property
    def reach(self) -> int:
        """The number of ticks before now whose facts matter."""
        return self.last + 2 * self.slowest + 1 - min(self.first, 0) + self.memory


@lru_cache(maxsize=64)
def forms(plan: Plan) -> Mapping[str, QueryForm | str]:
    """The form of each query of a plan, or the reason why it has no chances."""
    return {query.name: _form(plan, query.name) for query in plan.queries}


def _form(plan: Plan, query: str) -> QueryForm | str:
    rules = prepared(plan)
    try:
        formula = formula_of(rules, query)
        literals = formula.literals
        chains = tuple(chains_of(literals, rules.inputs))
    except UnknownChanceError as error:
        return str(error)
    leaves = {}
    for literal in literals:
        state = ChainState(literal.series, literal.key)
        number = next(i for i, chain in enumerate(chains) if state in chain.states)
        leaves[literal] = Leaf(number, chains[number].states.index(state) + 1, literal.at)
    slowest = max((max(rules.inputs[chain.predicate].delays) for chain in chains), default=0)
    lasting = max((memory(rules.inputs[chain.predicate]) for chain in chains), default=0)
    form = QueryForm(formula, chains, leaves, slowest, lasting)
    if (wide := form.last - form.first) > WIDEST:
        return f"it looks at {wide:,} ticks, and chances are worked out for {WIDEST} at most"
    return form


@dataclass(frozen=True, eq=False)
class Layout:
    """The families of the plan's queries, the latest facts of theirs, and how far back answers look."""

    plan: Plan
    families: tuple[Family, ...]
    slowest: int
    lookback: int

    def lag(self, epoch: int) -> int:
        """The epochs between counting and use, by the length of an epoch: all facts have come by then."""
        return max(2, 1 + -(-self.slowest // epoch))

    def reach(self, epoch: int) -> int:
        """The ticks before now whose facts are needed: an epoch is counted with the tick before it."""
        return max(self.lookback, 2 * epoch + self.slowest)


@lru_cache(maxsize=64)
def layout(plan: Plan) -> Layout:
    own = [form for form in forms(plan).values() if isinstance(form, QueryForm)]
    families = tuple(dict.fromkeys(family_of(chain) for form in own for chain in form.chains))
    slowest = max((form.slowest for form in own), default=0)
    return Layout(plan, families, slowest, max((form.reach for form in own), default=0))


def is_lossy(plan: Plan, query: str) -> bool:
    form = forms(plan)[query]
    return isinstance(form, QueryForm) and form.memory > 0


def key_of(plan: Plan, query: Relation) -> tuple[int, ...]:
    """The positions in an answer of its key: the partition key, or all there are."""
    return (plan.key[query.name],) if plan.key else tuple(range(len(query.answer.variables)))
