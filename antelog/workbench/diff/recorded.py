"""The answers that two programs confirm on the same recorded facts, and which of them differ.

Malf(wt2, 0): the old rules confirm it at 2, the new ones never do
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from antelog.compile.nodes.plan import Plan
from antelog.engine.step.plain_values import Plain, rows_of
from antelog.language.durations import ticks_in_words
from antelog.language.printer import value_text
from antelog.run.sinks.result import Tables

AnswerKey = tuple[Plain, ...]
"""The values of an answer, its time last, and then the places that stand for all others."""

_Ticks = Mapping[AnswerKey, int]


@dataclass(frozen=True)
class Confirmed:
    """An answer as a text, and the ticks at which the old and the new rules confirm it (None: never)."""

    answer: str
    old: int | None
    new: int | None


@dataclass(frozen=True)
class AnswerDifferences:
    """The confirmed answers of a query: how many are the same, and those that differ, by time.

    `only_old` and `only_new` are confirmed by one of the programs only, `moved` at another tick; `lost` are
    those that are lost from sight for one of them only, with the tick at which it confirms them.
    """

    query: str
    same: int
    only_old: tuple[Confirmed, ...]
    only_new: tuple[Confirmed, ...]
    moved: tuple[Confirmed, ...]
    lost: tuple[Confirmed, ...]

    @property
    def count(self) -> int:
        return len(self.only_old) + len(self.only_new) + len(self.moved) + len(self.lost)


class ConfirmedAnswers:
    """The answers of each query that a program confirms, with the ticks."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.relations = {each.name: each for each in plan.queries}
        self.queries: dict[str, dict[AnswerKey, int]] = {name: {} for name in self.relations}
        self.lost: dict[str, dict[AnswerKey, int]] = {name: {} for name in self.relations}

    def take(self, tables: Tables) -> None:
        """Adds the confirmed answers among the lines of a step."""
        for name, table in tables.items():
            relation = self.relations[name]
            for row in rows_of(table, relation) if table.num_rows else ():
                if row["change"] == "confirmed":
                    key = (*(row[each] for each in relation.answer.names), *(row.get("others") or ()))
                    self.queries[name][key] = row["tick"]
                    if row.get("lost"):
                        self.lost[name][key] = row["tick"]


def differences(
    old: ConfirmedAnswers, new: ConfirmedAnswers, queries: Sequence[tuple[str, str]]
) -> list[AnswerDifferences]:
    """The differing answers of queries, each by its names in the old program and in the new one."""
    return [_differences(old, new, *names) for names in queries]


def _differences(old: ConfirmedAnswers, new: ConfirmedAnswers, one: str, other: str) -> AnswerDifferences:
    before, after = old.queries.get(one, {}), new.queries.get(other, {})
    unseen = old.lost.get(one, {}), new.lost.get(other, {})
    source = (new, other) if other in new.queries else (old, one)

    def listed(keys: Iterable[AnswerKey], known: Sequence[_Ticks] = (before, after)) -> tuple[Confirmed, ...]:
        found = [(key, known[0].get(key), known[1].get(key)) for key in keys]
        found.sort(key=lambda each: (min(t for t in each[1:] if t is not None), str(each[0])))
        return tuple(Confirmed(_text(*source, key), *ticks) for key, *ticks in found)

    both = before.keys() & after.keys()
    moved = [key for key in both if before[key] != after[key]]
    lost = (unseen[0].keys() ^ unseen[1].keys()) & (both - {*moved})
    return AnswerDifferences(
        other if other in new.queries else one,
        len(both) - len(moved) - len(lost),
        listed(before.keys() - both),
        listed(after.keys() - both),
        listed(moved),
        listed(lost, unseen),
    )


def _text(answers: ConfirmedAnswers, query: str, key: AnswerKey) -> str:
    """An answer in the language's own syntax, with the time of its tick if ticks have a length."""
    relation = answers.relations[query]
    names = relation.answer.names
    values = []
    for name, value in zip(names, key, strict=False):
        if name in key[len(names) :]:
            values.append("all others")
        elif value is None:
            values.append("_")
        elif name in relation.answer.ticks:
            assert isinstance(value, int)
            values.append(ticks_in_words(value, relation.answer.ticks[name], answers.plan.timescale))
        else:
            values.append(str(value).lower() if isinstance(value, bool) else value_text(value))
    return f"{query}({', '.join(values)})"
