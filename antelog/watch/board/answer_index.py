"""An index of the open answers: columns to filter, sort, group and count them by.

    index.select(selection)      the answers of a page, without groups
    index.listing(selection)     rows of groups, those that are opened with their parts
    index.facets(filter)         how many answers each value of each filter would show
    index.due(filter)            deadlines and chances, for the strip of what comes next

The columns are made once for each version of the board: with 100,000 open answers they cost most. By urgency,
groups that somebody takes care of come after all others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from antelog.engine.columns.tables import NEVER, Column, Mask, Numbers
from antelog.run.store.acts import Act
from antelog.watch.board.board import Board
from antelog.watch.board.scoring import USUAL
from antelog.watch.board.selection import SEVERITIES, STATES, AnswerFilter, Selection
from antelog.watch.board.tracked_answer import TrackedAnswer

_FEW = 1_000
_PREFIX = re.compile(r"[^\W\d_]+|.")
_SEPARATED = re.compile(r"[^/.:\-_ ]*[/.:\-_ ]")


@dataclass(frozen=True)
class Selected:
    """The answers of a selection, and their number without `start` and `count`."""

    answers: Sequence[TrackedAnswer]
    total: int


@dataclass(frozen=True)
class ListRow:
    """A row of the list: a group, of which the most urgent answer is shown, or a part of a group.

    `key` names the group; `count` is the number of its answers, 0 for a part. The chance is that of the
    answer; the deadline is the next one of all with its severity.
    """

    answer: TrackedAnswer
    key: str
    count: int
    severity: str
    chance: float | None
    deadline: int | None
    opened: bool = False


@dataclass(frozen=True)
class RowList:
    """Some rows, the number of all rows, of groups and of answers."""

    rows: Sequence[ListRow]
    total: int
    groups: int
    answers: int


@dataclass(frozen=True)
class Due:
    """The deadlines, chances and severities of the answers that a filter lets through."""

    deadline: Column
    chance: Numbers
    severity: Column
    since: Column


@dataclass(eq=False)
class _Columns:
    """A value of each open answer; `queries` and `keys` are numbers of names."""

    chance: Numbers
    deadline: Column
    since: Column
    severity: Column
    over: Numbers
    state: Column
    queries: Column
    keys: Column


@dataclass(eq=False)
class AnswerIndex:
    """The open answers of a board, with columns that are built once for each version.

    `stale` says whether an answer, by query and group, rests on what does not come.
    """

    board: Board
    acts: Callable[[], Mapping[str, Sequence[Act]]] = dict
    stale: Callable[[str, str], bool] = lambda _query, _group: False

    def __post_init__(self) -> None:
        self._version = -1
        self._answers: list[TrackedAnswer] = []
        self._columns: _Columns | None = None
        self._queries: list[str] = []
        self._keys: list[str] = []
        self._texts: dict[str, str] = {}
        self._of: dict[str, str] = {}
        self._words: dict[str, Mask] = {}
        self._of_rows: Sequence[str] = ()
        self._key_numbers: dict[str, int] = {}

    # ---- what is shown ----

    def select(self, selection: Selection) -> Selected:
        order = self._ordered(selection)
        shown = order[selection.start : selection.start + selection.count].tolist()
        return Selected([self._answers[row] for row in shown], len(order))

    def listing(self, selection: Selection) -> RowList:
        columns, order = self._read(), self._ordered(selection)
        numbers, names = self._groups(selection.group, order)
        found, lead, sizes = np.unique(numbers, return_index=True, return_counts=True)
        first = np.argsort(lead, kind="stable")
        found, lead, sizes = found[first], lead[first], sizes[first]
        opened = {names[number]: number for number in found.tolist() if names[number] in selection.opened}
        shown = np.where(np.isin(found, list(opened.values())) & (sizes > 1), sizes + 1, 1)
        ends = np.cumsum(shown)
        total = int(ends[-1]) if len(ends) else 0
        rows: list[ListRow] = []
        at = int(np.searchsorted(ends, selection.start, "right"))
        while at < len(found) and len(rows) < selection.count:
            skipped = max(0, selection.start - int(ends[at] - shown[at]))
            members = order[numbers == found[at]] if sizes[at] > 1 else order[lead[at] : lead[at] + 1]
            group = [self._group(columns, members, names[found[at]], opened=bool(shown[at] > 1))]
            if shown[at] > 1:
                limit = selection.count + skipped
                group += [self._part(columns, row, names[found[at]]) for row in members[:limit].tolist()]
            rows += group[skipped:]
            at += 1
        return RowList(rows[: selection.count], total, len(found), len(order))

    def facets(self, given: AnswerFilter) -> Mapping[str, Mapping[str, int]]:
        """For each filter with a list of values, the number of answers with each value."""
        columns = self._read()
        prefixes = [prefix_of(each) for each in self._keys]
        numbers = {name: number for number, name in enumerate(dict.fromkeys(prefixes))}
        prefix = np.array([numbers[each] for each in prefixes], np.int64)[columns.keys]
        return {
            "severity": self._counts(replace(given, severities=()), columns.severity, SEVERITIES),
            "query": self._counts(replace(given, queries=()), columns.queries, self._queries),
            "prefix": self._counts(replace(given, prefixes=()), prefix, list(numbers)),
            "state": self._counts(replace(given, states=()), columns.state, STATES),
        }

    def due(self, given: AnswerFilter) -> Due:
        columns, chosen = self._read(), self._chosen(given)
        return Due(
            columns.deadline[chosen], columns.chance[chosen], columns.severity[chosen], columns.since[chosen]
        )

    def others(self, answer: TrackedAnswer) -> Selected:
        """The other open answers with the key of an answer, the most urgent first."""
        columns, key = self._read(), self.board.head.key_of(answer)
        if key not in self._key_numbers:
            return Selected([], 0)
        rows = np.flatnonzero(columns.keys == self._key_numbers[key])
        order = rows[np.lexsort([each[rows] for each in self._sort_keys("urgent")])].tolist()
        found = [each for row in order if (each := self._answers[row]).id != answer.id]
        return Selected(found[:20], len(found))

    # ---- columns ----

    def _read(self) -> _Columns:
        if self._columns is not None and self._version == self.board.version:
            return self._columns
        self._version, self._answers = self.board.version, list(self.board.open.values())
        answers, head, known = self._answers, self.board.head, self._of
        self._of = keys = {each.id: known.get(each.id) or head.key_of(each) for each in answers}
        queries, self._queries = numbered([each.query for each in answers])
        key_numbers, self._keys = numbered(list(keys.values()))
        self._key_numbers = {name: number for number, name in enumerate(self._keys)}
        severity = [SEVERITIES.index(head.severity(each)) for each in self._queries]
        alerts = [head.alerts.get(each) for each in self._queries]
        threshold = np.array([USUAL if each is None else each for each in alerts], np.float64)[queries]
        now = [each.now for each in answers]
        chance = np.array([each.chance for each in now], np.float64)  # nan for None
        ends = [NEVER if each.decided_by is None else each.decided_by for each in now]
        unknown = np.isnan(chance)
        over = np.where(unknown, -2.0, chance - threshold)
        self._columns = _Columns(
            chance,
            np.array(ends, np.int64),
            np.array([each.since for each in answers], np.int64),
            np.array(severity, np.int64)[queries],
            over,
            np.where(unknown, 2, np.where(over >= -1e-12, 0, 1)),
            queries,
            key_numbers,
        )
        self._words.clear()
        self._of_rows = []
        if len(self._texts) > 2 * len(answers) + _FEW:
            self._texts = {name: text for name, text in self._texts.items() if name in self.board.open}
        return self._columns

    def warm(self) -> None:
        """Makes columns and texts before the first reader asks."""
        self._read()
        self._row_texts()

    def _ordered(self, selection: Selection) -> Column:
        """The rows of the chosen answers, in order."""
        self._read()
        chosen = np.flatnonzero(self._chosen(selection.filter))
        return chosen[np.lexsort([column[chosen] for column in self._sort_keys(selection.sort)])]

    def _sort_keys(self, sort: str) -> list[Column | Numbers]:
        """The columns to sort by, the most important last."""
        columns = self._read()
        unlikely = np.where(np.isnan(columns.chance), 2.0, -columns.chance)
        match sort:
            case "name":
                names = np.array(self._row_texts(), dtype=np.str_)
                return [columns.deadline, np.unique(names, return_inverse=True)[1].astype(np.int64)]
            case "deadline":
                return [unlikely, columns.deadline]
            case "new":
                return [unlikely, -columns.since]
            case "likely":
                return [columns.deadline, unlikely]
            case _:
                return [columns.deadline, -columns.over, columns.severity, self._cared_for(columns)]

    def _cared_for(self, columns: _Columns) -> Column:
        """1 for answers whose group is snoozed, or acknowledged when it was as bad as now; 0 for others."""
        found = np.zeros(len(self._answers), np.int64)
        acts = {name: each for name, each in self.acts().items() if name in self._key_numbers}
        if not acts:
            return found
        worst = np.full(len(self._keys), len(SEVERITIES))
        np.minimum.at(worst, columns.keys, columns.severity)
        cared = np.zeros(len(self._keys), np.bool_)
        for name, of_group in acts.items():
            number = self._key_numbers[name]
            cared[number] = any(self._hushes(each, int(worst[number])) for each in of_group)
        found[cared[columns.keys]] = 1
        return found

    def _hushes(self, act: Act, worst: int) -> bool:
        """Whether an act is about what is open now: a worse answer is news to whoever acknowledged others."""
        if act.kind != "acknowledged":
            return act.kind == "snoozed"
        known = [self.board.open[each] for each in act.answers if each in self.board.open]
        return any(SEVERITIES.index(self.board.head.severity(each.query)) <= worst for each in known)

    def _chosen(self, given: AnswerFilter) -> Mask:
        columns = self._read()
        found = np.ones(len(self._answers), np.bool_)
        if given.severities:
            found &= np.isin(columns.severity, [SEVERITIES.index(each) for each in given.severities])
        if given.states:
            found &= np.isin(columns.state, [STATES.index(each) for each in given.states])
        if given.queries:
            found &= np.array([each in given.queries for each in self._queries], np.bool_)[columns.queries]
        if given.prefixes:
            found &= np.array([prefix_of(each) in given.prefixes for each in self._keys], np.bool_)[
                columns.keys
            ]
        if given.least:
            found &= columns.chance >= given.least - 1e-12
        if given.due is not None:
            found &= (columns.deadline >= given.due.start) & (columns.deadline < given.due.stop)
        for word in given.text.casefold().split():
            found &= self._with(word)
        return found

    def _with(self, word: str) -> Mask:
        """The answers with a word; looked for once, for all facets need it."""
        found = self._words.get(word)
        if found is None:
            found = self._words[word] = np.array([word in text for text in self._row_texts()], np.bool_)
        return found

    def _row_texts(self) -> Sequence[str]:
        """The texts to search in, row by row: the answers in small letters, with their times as times."""
        if len(self._of_rows) != len(self._answers):
            label, known = self.board.head.label, self._texts
            for each in self._answers:
                if each.id not in known:
                    known[each.id] = label(each).casefold()
            self._of_rows = [known[each.id] for each in self._answers]
        return self._of_rows

    def _counts(self, given: AnswerFilter, column: Column, names: Sequence[str]) -> Mapping[str, int]:
        counts = np.bincount(column[self._chosen(given)], minlength=len(names)).tolist()
        return dict(zip(names, counts, strict=True))

    # ---- groups ----

    def _groups(self, group: str, order: Column) -> tuple[Column, Sequence[str]]:
        """The number of the group of each of these rows, and the names of groups."""
        columns = self._read()
        if group == "none":
            return order, [each.id for each in self._answers]
        return (
            (columns.queries[order], self._queries) if group == "query" else (columns.keys[order], self._keys)
        )

    def _group(self, columns: _Columns, members: Column, key: str, *, opened: bool) -> ListRow:
        """A group: its worst severity, and of the answers with it the most urgent and the next deadline."""
        severity = columns.severity[members]
        worst = members[severity == severity.min()]
        answer = self._answers[int(worst[np.argmax(columns.over[worst])])]
        end = int(columns.deadline[worst].min())
        name, until = SEVERITIES[int(severity.min())], None if end == NEVER else end
        return ListRow(answer, key, len(members), name, answer.now.chance, until, opened)

    def _part(self, columns: _Columns, row: int, key: str) -> ListRow:
        answer = self._answers[row]
        severity = SEVERITIES[int(columns.severity[row])]
        return ListRow(answer, key, 0, severity, answer.now.chance, answer.now.decided_by)


def prefix_of(key: str) -> str:
    """The part of a key that several share: `north-hall/` of `north-hall/fan-01`, `wt` of `wt12`."""
    head = key.split("/", 1)
    if len(head) > 1:
        return f"{head[0]}/"[:60]
    found = _SEPARATED.match(key) or _PREFIX.match(key)
    return found[0][:60] if found else ""


def most_common(counts: Mapping[str, int], most: int) -> list[str]:
    """The names with the largest counts, in alphabetical order."""
    return sorted(name for name, _ in Counter(counts).most_common(most))


def numbered(names: Sequence[str]) -> tuple[Column, list[str]]:
    """Names as numbers, and the names by their numbers."""
    numbers: dict[str, int] = {}
    found = [numbers.setdefault(each, len(numbers)) for each in names]
    return np.array(found, np.int64), list(numbers)
