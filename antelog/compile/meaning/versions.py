"""Two plans compared, query by query: what a new version of a program changes.

    comparison = compared(old, new);    comparison.queries: Malf is the same, Hot is changed, Cold is gone

This is the one place that decides whether a query goes on when its program is changed while it runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from antelog.compile.meaning.meanings import Meanings, QueryMeaning
from antelog.compile.nodes.plan import Input, Plan, Relation


class Fate(Enum):
    """The fate of a query in a new version."""

    SAME = "same"
    RETIMED = "retimed"
    """Its patterns are the same, but its answers may be decided at other ticks: by a delay, or `one per`."""
    CHANGED = "changed"
    ADDED = "added"
    GONE = "gone"


@dataclass(frozen=True)
class QueryDifference:
    """A query in both programs (None: in one of them only).

    `inputs` are those it rests on whose declarations differ; `twin` is a query of the other program that
    means the same, where this one is added or gone.
    """

    name: str
    fate: Fate
    old: Relation | None
    new: Relation | None
    inputs: tuple[str, ...] = ()
    twin: str | None = None

    @property
    def has_other_columns(self) -> bool:
        """Whether the columns of its answers are called otherwise."""
        both = self.old is not None and self.new is not None
        return both and self.old.answer.names != self.new.answer.names  # type: ignore[union-attr]

    @property
    def has_other_notice(self) -> bool:
        """Whether severity, words, the threshold of alerts, or what chances look at differ."""
        both = self.old is not None and self.new is not None
        return both and self.old.notice != self.new.notice  # type: ignore[union-attr]

    @property
    def continues(self) -> bool:
        """Whether its log goes on as if nothing had been changed."""
        return self.fate is Fate.SAME and not self.has_other_columns


@dataclass(frozen=True)
class InputDifference:
    """An input whose declaration differs, or that one of the programs has only (None: not there)."""

    name: str
    old: Input | None
    new: Input | None


@dataclass(frozen=True)
class VersionComparison:
    """The differences of two plans: all queries, the inputs that differ, and those of other local times."""

    queries: tuple[QueryDifference, ...]
    inputs: tuple[InputDifference, ...]
    rezoned: tuple[str, ...] = ()

    @property
    def is_same(self) -> bool:
        """Whether no answer, and no line about one, can differ."""
        return all(each.continues and not each.has_other_notice for each in self.queries)

    @property
    def is_harmless(self) -> bool:
        """Whether every query goes on as if nothing had been changed, but for how it is shown."""
        return all(each.continues for each in self.queries)

    def of(self, *fates: Fate) -> Iterator[QueryDifference]:
        """The queries with one of these fates."""
        return (each for each in self.queries if each.fate in fates)


def compared(old: Plan, new: Plan) -> VersionComparison:
    """The differences between two plans: the queries of the new one in order, then those that are gone."""
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
    return VersionComparison(tuple(found), differing, tuple(rezoned))


def _query(name: str, old: QueryMeaning | None, new: QueryMeaning) -> QueryDifference:
    if old is None:
        return QueryDifference(name, Fate.ADDED, None, new.relation)
    inputs = tuple(name for name in new.inputs if old.inputs.get(name) != new.inputs[name])
    same = Fate.RETIMED if inputs else Fate.SAME
    fate = same if old.patterns == new.patterns else Fate.CHANGED
    return QueryDifference(name, fate, old.relation, new.relation, inputs)


def _twins(before: Mapping[str, QueryMeaning], after: Mapping[str, QueryMeaning]) -> dict[str, str]:
    """For each query that is gone one that was added and means the same, and the other way round."""
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
    """The differences of the queries in one line: `Malf is changed; Hot and Cold are new`."""
    parts = []
    for fate, words in _WORDS.items():
        names = [each.name for each in comparison.of(fate)]
        if names:
            parts.append(f"{_listed(names)} {'is' if len(names) == 1 else 'are'} {words}")
    names = [each.name for each in comparison.of(Fate.SAME) if each.has_other_columns]
    if names:
        parts.append(f"the columns of {_listed(names)} are called otherwise")
    if comparison.rezoned:
        parts.append(f"times of {_listed(comparison.rezoned)} without an offset are read in another zone")
    if not parts:
        return "the queries mean the same, but are written otherwise"
    same = [each.name for each in comparison.of(Fate.SAME) if not each.has_other_columns]
    return "; ".join(
        [*parts, *([f"{_listed(same)} {'is' if len(same) == 1 else 'are'} the same"] if same else [])]
    )


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
