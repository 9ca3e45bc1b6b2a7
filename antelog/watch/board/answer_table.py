"""The answers of a board in SQLite tables in memory; changed ones are written when a query needs them."""

from __future__ import annotations

import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor
from typing import Any

from antelog.answers import CLOSED
from antelog.engine.step.wording import LOST
from antelog.pictures.naming import site_of
from antelog.run.store.database import transaction
from antelog.run.store.inbox import Act
from antelog.watch.board.brief import Brief, DueAnswers, brief_of
from antelog.watch.board.feed_program import FeedProgram
from antelog.watch.board.scoring import USUAL
from antelog.watch.board.selection import NOBODY, SEVERITIES, AnswerFilter, Selection
from antelog.watch.board.tracked_answer import TrackedAnswer

# The bars of the histogram: confirmed answers by severity, rejected ones, and those lost from sight.
OUTCOMES = (*SEVERITIES, "rejected", LOST)

_CONSTANT = ("id", "query", "key", "prefix", "severity")
# The columns that a further line of an open answer may change.
_CHANGING = ("state", "chance", "over", "deadline", "since", "kind", "tick", "waited", "alerted")
_COLUMNS = (*_CONSTANT, *_CHANGING)
_CREATE = f"""
CREATE TABLE {{name}} (number INTEGER PRIMARY KEY, {", ".join(_COLUMNS)}, words);
CREATE UNIQUE INDEX {{name}}_ids ON {{name}} (id);
CREATE INDEX {{name}}_keys ON {{name}} (key);
"""
_UNLIKELY = "coalesce(-chance, 2.0)"
SORTS = {
    "urgent": "severity, over DESC, deadline NULLS LAST",
    "due": f"severity, deadline NULLS LAST, {_UNLIKELY}",
    "deadline": f"deadline NULLS LAST, {_UNLIKELY}",
    "new": f"since DESC, {_UNLIKELY}",
    "name": "words, deadline NULLS LAST",
    "likely": f"{_UNLIKELY}, deadline NULLS LAST",
    "decided": "number DESC",
}
CARED = "(SELECT key FROM cared_for)"
# What somebody has to look at: over its threshold, or possible where no chance is known.
DUE = f"(state != 'below' AND kind != '{LOST}')"
_ROUNDING = 1e-12
_PREFIX = re.compile(r"[^\W\d_]+|.")
_SEPARATED = re.compile(r"[^/.:\-_ ]*[/.:\-_ ]")


@dataclass(frozen=True)
class ListRow:
    """A group with its most urgent answer, or a part of a group."""

    answer: TrackedAnswer
    key: str
    count: int  # the answers of the group; 0 for a part
    severity: str
    deadline: int | None  # the next one of the answers with this severity
    opened: bool = False


@dataclass(frozen=True)
class RowList:
    rows: Sequence[ListRow]
    total: int
    groups: int
    answers: int


@dataclass(frozen=True)
class SqlCondition:
    sql: str = "1"
    values: tuple[object, ...] = ()

    def and_(self, sql: str, *values: object) -> SqlCondition:
        return SqlCondition(f"{self.sql} AND {sql}", (*self.values, *values))


class ListedAnswers:
    """A table of answers; those that were `touched` are still to be written."""

    def __init__(self, database: sqlite3.Connection, name: str, answers: Mapping[str, TrackedAnswer]) -> None:
        self._database, self._name, self._answers = database, name, answers
        self._facets = ("severity", "query", "prefix", "state" if name == "open" else "kind")
        self.touched: set[str] = set()
        self.key_name: Callable[[], str] = str  # the column that is the key, in small letters
        database.executescript(_CREATE.format(name=name))

    def write(self, row_of: Callable[[TrackedAnswer], tuple[object, ...]]) -> None:
        """Writes the answers that were touched; `row_of` gives the columns of one."""
        touched, self.touched = self.touched, set()
        # An answer that is open keeps its number; one that is decided again is the latest.
        gone = [name for name in touched if self._name == "decided" or name not in self._answers]
        update = ", ".join(f"{name} = excluded.{name}" for name in _CHANGING)
        columns, marks = ", ".join(_COLUMNS), ", ".join("?" * len(_COLUMNS))
        with transaction(self._database):
            self._database.executemany(f"DELETE FROM {self._name} WHERE id = ?", [(name,) for name in gone])
            self._database.executemany(
                f"INSERT INTO {self._name} ({columns}) VALUES ({marks}) "
                f"ON CONFLICT (id) DO UPDATE SET {update}",
                # The dictionary has the order in which answers were opened, or decided.
                (row_of(each) for name, each in self._answers.items() if name in touched),
            )

    def rows(self, sql: str, where: SqlCondition, *more: object) -> list[Any]:
        """Runs a query in which `{them}` stands for the answers that a condition lets through."""
        query = sql.format(them=f"{self._name} WHERE {where.sql}")
        return self._database.execute(query, (*where.values, *more)).fetchall()

    def where(self, given: AnswerFilter) -> SqlCondition:
        found = self._without_facets(given)
        for name, values in given.facets.items():
            wanted = map(SEVERITIES.index, values) if name == "severity" else values
            found = found.and_(f"{name} IN ({', '.join('?' * len(values))})", *wanted)
        return found

    def _without_facets(self, given: AnswerFilter) -> SqlCondition:
        found = SqlCondition()
        if given.least:
            found = found.and_("chance >= ?", given.least - _ROUNDING)
        for column, ticks in (("deadline", given.due), ("tick", given.between)):
            if ticks is not None:
                found = found.and_(f"{column} >= ? AND {column} < ?", ticks.start, ticks.stop)
        for word in given.text.casefold().split():
            self.fill_words()
            wanted = word.removeprefix("-") or word
            column, _, value = wanted.partition(":")
            named = column in ("key", self.key_name()) and value
            text = "instr(lower(key), ?)" if named else "instr(words, ?)"
            found = found.and_(f"{text} {'>' if wanted == word else '='} 0", value if named else wanted)
        if given.care:
            marks, nobody = ", ".join("?" * len(given.care)), "0" if NOBODY not in given.care else "1"
            cared = f"key IN (SELECT key FROM cared_for WHERE who IN ({marks}))"
            found = found.and_(f"({cared} OR ({nobody} AND key NOT IN {CARED}))", *given.care)
        return found

    def fill_words(self) -> None:
        """Writes the texts to search in: the labels of answers in small letters."""
        self._database.execute(f"UPDATE {self._name} SET words = words_of(id) WHERE words IS NULL")

    def answers(
        self, where: SqlCondition, order: str, start: int = 0, count: int = -1
    ) -> list[TrackedAnswer]:
        rows = self.rows(f"SELECT id FROM {{them}} ORDER BY {order} LIMIT ? OFFSET ?", where, count, start)
        return [self._answers[name] for (name,) in rows]

    def count(self, where: SqlCondition) -> int:
        return int(self.rows("SELECT count(*) FROM {them}", where)[0][0])

    def facets(self, given: AnswerFilter) -> dict[str, dict[str, int]]:
        """Counts, for each facet, the answers with each value that all other conditions let through."""
        columns, base = ", ".join(self._facets), self._without_facets(given)
        cube = self._database.execute(
            f"SELECT {columns}, sum({base.sql}) FROM {self._name} GROUP BY {columns}", base.values
        )
        found: dict[str, dict[str, int]] = {name: {} for name in self._facets}
        wanted = given.facets
        for severity, *others, number in cube:
            values = dict(zip(self._facets, (SEVERITIES[severity], *others), strict=True))
            misses = {name for name, each in values.items() if each not in (wanted.get(name) or (each,))}
            for name, value in values.items():
                found[name][value] = found[name].get(value, 0) + (0 if misses - {name} else number)
        return found

    def quantile(self, column: str, share: float, where: SqlCondition) -> float | None:
        """Interpolates a quantile of a column; None without values."""
        where = where.and_(f"{column} IS NOT NULL")
        # Of few values from one end SQLite does not have to sort the others.
        place, way = (self.count(where) - 1) * min(share, 1 - share), "ASC" if share <= 0.5 else "DESC"
        at = max(0, floor(place))
        sql = f"SELECT {column} FROM {{them}} ORDER BY {column} {way} LIMIT 2 OFFSET ?"
        found = [value for (value,) in self.rows(sql, where, at)]
        return found[0] + (found[-1] - found[0]) * (place - at) if found else None

    def histogram(self, given: AnswerFilter, most: int) -> dict[range, dict[str, int]]:
        """Counts decided answers by ticks and outcome, in at most `most` bins of equal length."""
        where = self.where(replace(given, between=None)).and_("kind != ?", CLOSED)
        ((low, high),) = self.rows("SELECT min(tick), max(tick) FROM {them}", where)
        if low is None:
            return {}
        wide = -(-(high - low + 1) // most)
        bins = [range(start, start + wide) for start in range(low, high + 1, wide)]
        found = {each: dict.fromkeys(OUTCOMES, 0) for each in bins}
        sql = f"SELECT (tick - {low}) / {wide}, kind, severity, count(*) FROM {{them}} GROUP BY 1, 2, 3"
        for at, kind, severity, number in self.rows(sql, where):
            found[bins[at]][kind if kind in OUTCOMES else SEVERITIES[severity]] += number
        return found


class AnswerTables:
    """The tables of the open and the decided answers of a board; `touched` ones are to be written again."""

    def __init__(
        self,
        open_answers: Mapping[str, TrackedAnswer],
        decided: Mapping[str, TrackedAnswer],
        touched: set[str],
        head: Callable[[], FeedProgram],
    ) -> None:
        # A page to share is made in a thread of its own.
        database = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        database.create_function("words_of", 1, self._words)
        database.execute("CREATE TABLE cared_for (key, who)")
        self._answers = {"open": open_answers, "decided": decided}
        self._touched, self._head, self._database, self._known_head = touched, head, database, head()
        self._open, self._decided = (ListedAnswers(database, *each) for each in self._answers.items())
        self.acts: Callable[[], Mapping[str, Sequence[Act]]] = dict  # by group
        self._open.key_name = self._decided.key_name = lambda: self._head().key_name
        touched.update(open_answers, decided)

    @property
    def open(self) -> ListedAnswers:
        return self._up_to_date(self._open)

    @property
    def decided(self) -> ListedAnswers:
        return self._up_to_date(self._decided)

    # ---- open answers ----

    def select(self, selection: Selection) -> list[TrackedAnswer]:
        table, order = self.open, self._order(selection.sort, selection.filter.care)
        return table.answers(table.where(selection.filter), order, selection.start, selection.count)

    def listing(self, selection: Selection) -> RowList:
        """Lists rows of groups, in the order of their first answers, opened ones with their parts."""
        table, order = self.open, self._order(selection.sort, selection.filter.care)
        where, column = table.where(selection.filter), "id" if selection.group == "none" else selection.group
        ordered = table.rows(f"SELECT {column} FROM {{them}} ORDER BY {order}", where)
        sizes = Counter(name for (name,) in ordered)
        opened = {name for name in selection.opened if sizes.get(name, 0) > 1}
        rows: list[ListRow] = []
        before = 0
        for name, size in sizes.items():
            end = before + 1 + (size if name in opened else 0)
            room = selection.count - len(rows)
            if not room:
                break
            if end > selection.start:
                skipped, members = max(0, selection.start - before), where.and_(f"{column} = ?", name)
                if not skipped:
                    rows.append(self._group(members, order, name, size, opened=name in opened))
                if name in opened and (room := selection.count - len(rows)):
                    parts = table.answers(members, order, max(0, skipped - 1), room)
                    severity = self._head().severity
                    rows += [
                        ListRow(each, name, 0, severity(each.query), each.now.decided_by) for each in parts
                    ]
            before = end
        total = len(sizes) + sum(sizes[name] for name in opened)
        return RowList(rows, total, len(sizes), sizes.total())

    def _group(self, members: SqlCondition, order: str, name: str, size: int, *, opened: bool) -> ListRow:
        """Makes the row of a group: its worst severity, and of the answers with it the most urgent one."""
        ((worst, end),) = self._open.rows(
            "SELECT severity, min(deadline) FROM {them} GROUP BY severity ORDER BY severity LIMIT 1", members
        )
        (answer,) = self._open.answers(members.and_("severity = ?", worst), f"over DESC, {order}", 0, 1)
        return ListRow(answer, name, size, SEVERITIES[worst], end, opened)

    def foremost(self, given: AnswerFilter) -> list[ListRow]:
        """Lists the answer of each key and query that is decided first; what is cared for comes last."""
        table, order = self.open, self._order("due")
        ordered = table.rows(f"SELECT key, query, id FROM {{them}} ORDER BY {order}", table.where(given))
        sizes, first = Counter((key, query) for key, query, _ in ordered), dict[object, str]()
        for key, query, name in ordered:
            first.setdefault((key, query), name)
        return [self._first(key, first[key, query], size) for (key, query), size in sizes.items()]

    def of_keys(self, given: AnswerFilter, least: str) -> list[ListRow]:
        """Lists for each key the answer for which an expression in SQL is the least."""
        table = self.open
        found = table.rows(
            f"SELECT key, id, count(*), min({least}) FROM {{them}} GROUP BY key", table.where(given)
        )
        return [self._first(key, name, size) for key, name, size, _ in found]

    def _first(self, key: str, name: str, size: int) -> ListRow:
        answer = self._answers["open"][name]
        return ListRow(answer, key, size, self._head().severity(answer.query), answer.now.decided_by)

    def others(self, answer: TrackedAnswer) -> dict[str, object]:
        """Lists the other open answers of an answer's group, the most urgent first, and counts them."""
        where = SqlCondition("key = ? AND id != ?", (self._head().key_of(answer), answer.id))
        table = self.open
        return {"answers": table.answers(where, self._order("urgent"), 0, 20), "total": table.count(where)}

    def groups_due(self) -> dict[str, int]:
        """Counts what is due and nobody takes care of, a group once for each query, by severity."""
        table, where = self.open, SqlCondition(f"severity < {len(SEVERITIES) - 1} AND {DUE}")
        self._fill_cared_for()
        each = "SELECT severity, count(DISTINCT key) AS number FROM {them} GROUP BY query"
        sql = f"SELECT severity, sum(number) FROM ({each}) GROUP BY 1 ORDER BY 1"
        return {SEVERITIES[at]: number for at, number in table.rows(sql, where.and_(f"key NOT IN {CARED}"))}

    def _order(self, sort: str, care: Sequence[str] = ()) -> str:
        """Returns an order in SQL, and fills its tables; urgent groups that are taken care of come last."""
        if sort == "name":
            self._open.fill_words()
        cared = (sort in ("urgent", "due") or care) and self._fill_cared_for()
        first = f"key IN {CARED}, " if cared and sort in ("urgent", "due") else ""
        return first + SORTS[sort]

    def care(self, given: AnswerFilter) -> dict[str, int]:
        """Counts the answers that somebody takes care of, by whom, and nobody's; empty if nobody does."""
        table = self.open
        if not self._fill_cared_for() and not given.care:
            return {}
        names = table.rows("SELECT DISTINCT who FROM cared_for ORDER BY who LIMIT 20", SqlCondition())
        each = [NOBODY, *(who for (who,) in names)]
        return {who: table.count(table.where(replace(given, care=[who]))) for who in each}

    # ---- the brief ----

    def brief(
        self, wall: float | None, silent: Sequence[str], until: Callable[[int], str], at: Callable[[int], str]
    ) -> Brief:
        """Sums up what is due; `wall` is the clock of the wall in ticks, and `silent` says what is silent."""
        head, table, bad = self._head(), self.open, SqlCondition("severity < 3")
        self._fill_cared_for()
        sql = (
            f"SELECT count(*) FILTER (WHERE below AND NOT due), count(*) FILTER (WHERE due AND key IN "
            f"{CARED}), count(*) FILTER (WHERE late) FROM (SELECT key, max({DUE}) AS due, max(state = "
            f"'below') AS below, max(deadline + 1 < {wall or 'NULL'}) AS late FROM {{them}} GROUP BY key)"
        )
        counts = dict(zip(("below", "taken", "overdue"), table.rows(sql, bad)[0], strict=True))
        sql = (
            "SELECT id, count(DISTINCT key), min(coalesce(deadline, 1e18)) AS next FROM {them} "
            "GROUP BY query ORDER BY severity, next"
        )
        due = []
        for name, number, _ in table.rows(sql, bad.and_(f"{DUE} AND key NOT IN {CARED}")):
            first = self._answers["open"][name]
            texts = (head.key_of(first), head.possible(first), head.many(first.query))
            due.append(DueAnswers(head.severity(first.query), number, first, *texts))
        past = bad.and_("(kind = 'confirmed' OR alerted IS NOT NULL)")
        last = "".join(
            f"The last was {each.now.change} at {at(each.now.tick)}: {head.words(each)}."
            for each in ([] if due else self.decided.answers(past, SORTS["decided"], 0, 1))
        )
        return brief_of(due, counts, silent, until, last)

    def _fill_cared_for(self) -> bool:
        """Fills the table of groups that are taken care of, and by whom; returns whether there are any."""
        acts = ((name, each) for name, of_group in self.acts().items() for each in of_group)
        # Groups that are snoozed, or were acknowledged when they were as bad as now.
        cared = [(name, each.who) for name, each in acts if self._hushes(each, name)]
        self._database.execute("DELETE FROM cared_for")
        self._database.executemany("INSERT INTO cared_for VALUES (?, ?)", cared)
        return bool(cared)

    def cared_for(self) -> set[str]:
        """The groups that are taken care of."""
        self._fill_cared_for()
        return {key for (key,) in self._database.execute("SELECT key FROM cared_for")}

    def _hushes(self, act: Act, name: str) -> bool:
        """Whether an act still quiets its group: an answer worse than the acknowledged ones is news."""
        if act.kind != "acknowledged":
            return act.kind == "snoozed"
        ((worst,),) = self._open.rows("SELECT min(severity) FROM {them}", SqlCondition("key = ?", (name,)))
        open_now = self._answers["open"]
        known = (open_now[each].query for each in act.answers if each in open_now)
        return any(SEVERITIES.index(self._head().severity(query)) <= worst for query in known)

    # ---- rows of the tables ----

    def update(self) -> None:
        self._up_to_date(self._open)
        self._up_to_date(self._decided)

    def _up_to_date(self, table: ListedAnswers) -> ListedAnswers:
        if self._known_head is not self._head():
            self._known_head = self._head()
            self._database.executescript("DELETE FROM open; DELETE FROM decided;")
            self._touched.update(*self._answers.values())
        for each in (self._open, self._decided):
            each.touched |= self._touched
        self._touched.clear()
        if table.touched:
            table.write(self._row)
        return table

    def _row(self, answer: TrackedAnswer) -> tuple[object, ...]:
        head, now = self._head(), answer.now
        key, threshold = head.key_of(answer), head.alerts.get(answer.query)
        ahead = None if now.chance is None else now.chance - (USUAL if threshold is None else threshold)
        state = "none" if ahead is None else "over" if ahead >= -_ROUNDING else "below"
        return (
            answer.id, answer.query, key, prefix_of(key), SEVERITIES.index(head.severity(answer.query)),
            state, now.chance, -2.0 if ahead is None else ahead, now.decided_by, answer.since,
            now.change, now.tick, answer.open_for, answer.alerted_before,
        )  # fmt: skip

    def _words(self, name: str) -> str:
        answer = self._answers["open"].get(name) or self._answers["decided"][name]
        return self._head().label(answer).casefold()


def prefix_of(key: str) -> str:
    """Cuts a key to a part that others share: `north-hall/` of `north-hall/fan-01`, `wt` of `wt12`."""
    if site := site_of(key):
        return f"{site}/"[:60]
    found = _SEPARATED.match(key) or _PREFIX.match(key)
    return found[0][:60] if found else ""
