"""The line of a log of changes; only this module reads the literals in lines, by the language's parser."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Annotated, Any, Required, TypeAlias, TypedDict, TypeGuard, cast

import msgspec
import pyarrow as pa
import pyarrow.types as is_a

from antelog.language import syntax
from antelog.language.moments import TIME, timed
from antelog.language.parser import printed_literal
from antelog.language.printer import value_text

Tick: TypeAlias = Annotated[int, msgspec.Meta(ge=-(2**62), le=2**62)]


class LineExplanation(TypedDict, total=False):
    """An explanation: literals as texts, and what aggregates among them come to so far."""

    evidence: list[str]
    hypotheses: list[str]
    so_far: dict[str, float | None] | None


class IfSilent(TypedDict, total=False):
    """The change of an open answer if nothing more comes, and its tick."""

    change: Required[str]
    tick: Required[Tick]
    time: str


class LogLine(TypedDict, total=False):
    """A line about a change of an answer or, without `change`, about an open one; it may have more members.

    `others` are the variables of an answer of all others; `by` is who ended one that was lost from sight.
    """

    tick: Required[Tick]
    time: str | None
    change: str
    query: Required[str]
    answer: Required[dict[str, Any]]
    others: list[str] | None
    times: dict[str, str | None]
    explanations: list[LineExplanation] | None
    more: int
    if_silent: IfSilent | None
    decided_by: Tick | None
    decided_by_time: str | None
    because: list[str] | None
    lost: list[str] | None
    chance: float | None
    forecast: list[tuple[Tick, float]] | None
    chance_from: str | None
    severity: str | None
    text: str | None
    by: str


LABEL = ("severity", "text")  # the last columns of lines of queries with a severity or words


def is_change(record: Mapping[str, Any]) -> TypeGuard[LogLine]:
    """Whether a record of a feed is the line of a change, and not of a status or the like."""
    return "change" in record


def is_line(found: object) -> bool:
    return fits(found, LogLine)


def fits(found: object, type_: Any) -> bool:
    """Whether a value read from JSON is of a type."""
    try:
        msgspec.convert(found, type_, str_keys=True)
    except msgspec.ValidationError:
        return False
    return True


def line_of(row: Mapping[str, Any]) -> LogLine | None:
    """The line in a row of a table, of Spark's, or of JSON; None if it is not about a change of an answer."""
    if not {"tick", "change", "query", "answer"} <= row.keys():
        return None
    try:
        found = dict(row)
        if isinstance(found["answer"], str):
            found = _of_spark(found, msgspec.json.decode(found["answer"], type=dict[str, Any]))
        forecast = found.get("forecast")
        if forecast and isinstance(forecast[0], dict):
            found["forecast"] = [[each["tick"], each["chance"]] for each in forecast]
        if found.get("explanations"):
            found["explanations"] = [*map(_with_amounts, found["explanations"])]
    except (msgspec.DecodeError, AttributeError, LookupError, TypeError, ValueError):
        return None
    return cast(LogLine, found) if is_line(found) else None


def _with_amounts(explanation: Mapping[str, Any]) -> dict[str, Any]:
    """Adds to an explanation its aggregates so far, by literal, if there are any."""
    kept = {name: value for name, value in explanation.items() if name != "so_far"}
    values = amounts_so_far(explanation)
    return {**kept, "so_far": values} if values else kept


def _of_spark(row: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """A row of Spark's with its answer, and with times where lines have them."""
    row = {**row, "answer": answer}
    for name in LABEL:
        if row.get(name, "") is None:
            del row[name]
    times = {name: _iso(row.pop(timed(name))) for name in answer if timed(name) in row}
    if times and row.get(TIME) is not None:  # without a `tick` no tick has a time
        row["times"] = {name: time for name, time in times.items() if time is not None}
    silent = _iso(row.pop(timed("if_silent"), None))
    if row.get("if_silent") and silent is not None:
        row["if_silent"] = {**row["if_silent"], TIME: silent}
    return row | {name: _iso(row[name]) for name in (TIME, timed("decided_by")) if name in row}


def _iso(value: object) -> object:
    return value.isoformat() if isinstance(value, datetime) else value


# ---- literals ----

_BEYOND = 10**18  # the least number that is too large for a tick


@dataclass(frozen=True, slots=True)
class WrittenTick:
    """A tick in the text of a literal, with its position; in `9 <= S+4` it is 9, with a shift of 4."""

    tick: int
    start: int
    end: int
    shift: int = 0
    shift_start: int = 0
    shift_end: int = 0


@dataclass(frozen=True, slots=True)
class LineLiteral:
    """A literal of a line: its atom, and the positions of ticks in its text.

        not Shdn(wt2, 3..8)            of Shdn, negated, at tick 8; 3 is a tick, too
        Ack(a1, P, S) where S >= 4     of Ack, at a tick that is open; 4 is a tick
        count(Fail(wt2, 0..9)) >= 3    of Fail, at tick 9; 0 is a tick, and 3 is not

    `tick` is the last of a range, or None if that is open; `so_far` is what the aggregate comes to so far.
    """

    written: str
    predicate: str
    negated: bool = False
    tick: int | None = None
    ticks: tuple[WrittenTick, ...] = ()
    so_far: str = ""

    def text(self, written: Callable[[int], str]) -> str:
        """The text, with each tick as `written` has it: `9 <= S+4` becomes `5 <= S` where ticks are times."""
        pieces, at = list[str](), 0
        for start, end, text in sorted(self._replacements(written)):
            pieces += [self.written[at:start], text]
            at = end
        return "".join([*pieces, self.written[at:], self.so_far and f" ({self.so_far} so far)"])

    def _replacements(self, written: Callable[[int], str]) -> Iterator[tuple[int, int, str]]:
        for each in self.ticks:
            by_clock = each.shift_end > 0 and written(each.tick) != str(each.tick)
            yield each.start, each.end, written(each.tick - each.shift if by_clock else each.tick)
            if by_clock:
                yield each.shift_start, each.shift_end, ""

    @property
    def terms(self) -> tuple[syntax.Term, ...]:
        """The arguments of its atom, the time last."""
        first = [each.atom.terms for literal in printed_literal(self.written) for each in literal.atoms]
        return first[0] if first else ()

    @property
    def arguments(self) -> tuple[str, ...]:
        """The arguments as they are written, the time last: `wt2`, `high`, `8`."""
        return tuple(self.written[each.span.start : each.span.end] for each in self.terms)

    def struct(self) -> dict[str, Any]:
        terms = self.terms
        shown = zip(terms[:-1], self.arguments[:-1], strict=True)
        ticks = [None if (found := _tick(each)) is None else found.tick for each in _ends(terms)]
        return {
            "text": self.written,
            "predicate": self.predicate,
            "negated": self.negated,
            "arguments": [text if isinstance(term, syntax.Constant) else None for term, text in shown],
            "first": ticks[0] if ticks else None,
            "last": self.tick,
        }

    def with_times(self, places: Iterable[int]) -> LineLiteral:
        """The literal with some of its arguments as further ticks."""
        terms = self.terms
        more = (_tick(terms[place]) for place in places)
        return replace(self, ticks=(*self.ticks, *(each for each in more if each is not None)))

    @property
    def span(self) -> tuple[int, int | None] | None:
        """The first and the last tick in the text, if known: `3..8`, `where U > 17`; None for one tick."""
        ticks = [each.tick - each.shift for each in self.ticks]
        if not ticks or ticks == [self.tick]:
            return None
        return min(ticks), max(ticks) if len(ticks) > 1 else None


@lru_cache(maxsize=20_000)
def literal_of(text: str) -> LineLiteral:
    """The literal in a text of a line; of any other text only the text is known."""
    plain = _plain_literal(text)
    if plain is not None:
        return plain
    literal, *conditions = printed_literal(text) or (None,)
    atoms = () if literal is None else [each.atom for each in literal.atoms]
    if not atoms:
        return LineLiteral(text, text, negated=text.startswith("not "))
    ends = _ends(atoms[0].terms)
    ticks = [*map(_tick, ends)]
    last = ticks[-1]
    if None not in ticks or isinstance(literal, syntax.First):
        # Another aggregate may have a time, too, and `first` has one that it is after.
        ticks += [_tick(end) for atom in atoms[1:] for end in _ends(atom.terms)]
    if last is None or None in ticks[: len(ends)]:
        open_ = syntax.variables_of(ends)
        ticks += [_compared(each, open_) for each in conditions if isinstance(each, syntax.Comparison)]
    return LineLiteral(
        text,
        atoms[0].predicate,
        isinstance(literal, syntax.Negation),
        None if last is None else last.tick,
        tuple(tick for tick in ticks if tick is not None),
    )


_PLAIN_TEXT = re.compile(r'"[^"\\]*"')  # a quoted text without escapes


def _plain_literal(text: str) -> LineLiteral | None:
    """Reads a literal without odd quotes, conditions and calculations, as most are, in less time."""
    name, _, rest = text.removeprefix("not ").partition("(")
    unquoted = _PLAIN_TEXT.sub("", rest)
    if not name.isidentifier() or not rest.endswith(")") or not rest.isascii() or {*unquoted} & {*'("'}:
        return None
    if rest.endswith('")'):  # the time is a text, in which there may be numbers
        return None
    begin = max(text.rfind(" "), text.rfind("(")) + 1
    ticks, at = list[WrittenTick](), begin
    for end in text[begin:-1].split(".."):
        if end.isdecimal() and len(end) <= len(str(_BEYOND - 1)):
            ticks.append(WrittenTick(int(end), at, at + len(end)))
        at += len(end) + 2
    last = ticks[-1].tick if ticks and ticks[-1].end == len(text) - 1 else None
    return LineLiteral(text, name, text.startswith("not "), last, tuple(ticks))


def literals_of(written: Iterable[str | Mapping[str, Any]] | None) -> list[LineLiteral]:
    return [literal_of(each if isinstance(each, str) else each["text"]) for each in written or ()]


def _ends(terms: Sequence[syntax.Term]) -> Sequence[syntax.Term]:
    """The ends of the time of an atom with these terms: two of a range, else one."""
    return terms[-1].ends if terms and isinstance(terms[-1], syntax.Range) else terms[-1:]


def _tick(term: syntax.Term) -> WrittenTick | None:
    if isinstance(term, syntax.Constant) and isinstance(term.value, int) and 0 <= term.value < _BEYOND:
        return WrittenTick(term.value, term.span.start, term.span.end)
    return None


def _compared(comparison: syntax.Comparison, open_: Collection[str]) -> WrittenTick | None:
    """The tick in a comparison with a time that is open, or with the ticks between two times."""
    for side, other in (comparison.sides, comparison.sides[::-1]):
        tick = _tick(other)
        match side:
            case syntax.Variable(name) if name in open_ and tick:
                return tick
            case syntax.Shifted(name, int(offset)) if name in open_ and tick:
                return replace(
                    tick, shift=offset, shift_start=side.span.start + len(name), shift_end=side.span.end
                )
            case syntax.Shifted(name, int(offset)) if name in open_ and offset <= 0:  # `D = U - 5`
                length = len(str(-offset))
                return WrittenTick(-offset, side.span.end - length, side.span.end)
            case syntax.Calculation("-", (begin, syntax.Variable(name))) if name in open_:  # `D = 9 - T`
                return _tick(begin)
    return None


# ---- structs ----

LITERAL = pa.struct(
    [
        ("text", pa.string()),
        ("predicate", pa.string()),
        ("negated", pa.bool_()),
        ("arguments", pa.list_(pa.string())),
        ("first", pa.int64()),
        ("last", pa.int64()),
    ]
)
"""A literal as a struct; `last` and an aggregate are about the atom in them, and open arguments are null.

    not Shdn(wt2, 3..8)     of Shdn, negated, arguments ["wt2"], first 3, last 8"""

TEXT_LITERALS, STRUCTS = LITERALS = ("text", "structs")  # the forms of literals in tables


LITERAL_COLUMNS = ("explanations", "because", "lost")  # the columns of lines with literals


def of_structs(type_: pa.DataType) -> pa.DataType:
    """The type of such a column with structs in place of texts."""
    if is_a.is_struct(type_) and type_ != LITERAL:
        fields = ((each.name, each.type) for each in type_)
        return pa.struct([(name, own if name == "so_far" else of_structs(own)) for name, own in fields])
    return pa.list_(of_structs(type_.value_type)) if is_a.is_list(type_) else LITERAL


def with_structs(table: pa.Table) -> pa.Table:
    """Replaces texts of literals by structs, unless the kernel has made these."""
    for name in LITERAL_COLUMNS:
        place = table.schema.get_field_index(name)
        if place >= 0 and table.schema.field(place).type != of_structs(table.schema.field(place).type):
            column = _as_structs(table.column(place).combine_chunks())
            table = table.set_column(place, pa.field(name, column.type), column)
    return table


def _as_structs(array: pa.Array) -> pa.Array:
    """Replaces each text in an array's lists by a struct; each distinct text is read once."""
    if is_a.is_list(array.type):
        inner = _as_structs(array.values)
        nothing = array.is_null() if array.null_count else None
        return pa.ListArray.from_arrays(array.offsets, inner, mask=nothing)
    if is_a.is_struct(array.type):
        names = [each.name for each in array.type]
        fields = {name: array.field(name) for name in names}
        columns = [each if name == "so_far" else _as_structs(each) for name, each in fields.items()]
        return pa.StructArray.from_arrays(columns, names, mask=array.is_null())
    encoded = array.dictionary_encode()
    structs = [literal_of(each).struct() for each in encoded.dictionary.to_pylist()]
    return pa.array(structs, LITERAL).take(encoded.indices)


# ---- what aggregates come to ----


def awaited(explanation: Mapping[str, Any]) -> list[LineLiteral]:
    """The hypotheses of an explanation, with what aggregates come to so far: `… >= 3 (2 so far)`."""
    values = amounts_so_far(explanation)
    return [
        replace(each, so_far=amount_text(values[each.written])) if each.written in values else each
        for each in literals_of(explanation.get("hypotheses"))
    ]


def amounts_so_far(explanation: Mapping[str, Any]) -> dict[str, float | None]:
    """The values so far of aggregates by their texts, from the object of a line or the pairs of a table."""
    found = explanation.get("so_far") or {}
    if isinstance(found, Mapping):
        return dict(found)
    return {each["literal"]: _amount(each["value"], each.get("whole")) for each in found}


def _amount(value: float | None, whole: int | None) -> float | None:
    """The value of an aggregate as lines print it: a whole number where it is one."""
    if whole is not None or value is None:
        return whole
    return int(value) if abs(value) < 2**53 and value == int(value) else value


def amount_text(value: float | None) -> str:
    """The value of an aggregate, to three decimals if it is not a whole number: 53.667."""
    return "nothing" if value is None else value_text(round(value, 3) or value)
