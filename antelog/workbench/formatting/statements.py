"""The lines of a statement: one where it fits, else one for each literal of a rule. A rule whose body begins
on a line of its own keeps these.

Aftershock(Q, R, T) :-
    Strong(Q, Lat, Lon, T),
    Quake(R, M, Lat2, Lon2, S),    % any other one
    S > T.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from antelog.language.syntax import SEVERITIES
from antelog.workbench.formatting.lexemes import DECLARATIONS, Lexeme, Remark, joined

FACT = "fact of"
_INDENT = 4
_CLOSING = frozenset({")", ",", ".", ":-"})


def lines_of(words: Sequence[Lexeme]) -> tuple[Sequence[ProgramLine], Sequence[Remark]]:
    """The lines of a statement, given its words, and the comments that come behind them."""
    words, after = _with_remarks_moved(words)
    top = [each.text for each in words if not each.depth]
    is_rule = top[0] not in DECLARATIONS
    fits = not any(each.remarks for each in words) and len(joined(words)) <= WIDTH
    if fits and not (is_rule and any(each.begins_line for each in words)):
        lines = [ProgramLine(tuple(_cells(words, top)), kind_of(words))]
    elif is_rule and (":-" in top or "->" in top):
        lines = _rule(words, ":-" if ":-" in top else "->")
    else:
        lines = _filled(words, 0)
    return lines, after


def kind_of(words: Sequence[Lexeme]) -> str:
    """The kind of a statement: those of one kind are aligned with each other, facts by predicates."""
    first, second = words[0].text, words[1].text
    if second != "(":
        return "declaration" if first in DECLARATIONS and first != "function" else first
    top = {each.text for each in words if not each.depth}
    return "rule" if ":-" in top else "forward" if "->" in top else f"{FACT} {first}"


def _with_remarks_moved(words: Sequence[Lexeme]) -> tuple[list[Lexeme], tuple[Remark, ...]]:
    """The words with comments moved behind closing signs, and the comments behind the last one."""
    if not any(each.remarks for each in words):
        return list(words), ()
    waiting: tuple[Remark, ...] = ()
    found = []
    for each in words:
        remarks = (*waiting, *each.remarks)
        closing = each.text in _CLOSING
        found.append(replace(each, remarks=() if closing else remarks))
        waiting = remarks if closing else ()
    return found, waiting


# ---- one line ----


def _cells(words: Sequence[Lexeme], top: Sequence[str]) -> Iterator[str]:
    """The parts of a statement on one line that are aligned with those of others."""
    kind = kind_of(words)
    if kind == "query":
        yield from _query_cells(words)
        return
    if kind == "declaration":
        yield words[0].text
        words = words[1:]
    sign = {"rule": ":-", "limit": "="}.get(kind, "=" if top[0] in {"delay", "chance"} else None)
    at = next((i for i, each in enumerate(words) if each.text == sign and not each.depth), 0)
    if at:
        yield joined(words[:at])
    yield joined(words[at:])


def _query_cells(words: Sequence[Lexeme]) -> list[str]:
    """The atom of a query, its severity, its other parts and its words; they may stand in another order."""
    atom = next(i for i, each in enumerate(words) if each.text == ")" and not each.depth) + 1
    cells: list[list[Lexeme]] = [list(words[:atom]), [], [], []]
    column = 1
    for each in words[atom:-1]:
        wanted = 1 if each.text in SEVERITIES else 3 if each.text.startswith('"') else 2
        if wanted < column:
            return [joined(words[:atom]), joined(words[atom:])]
        column = wanted
        cells[column].append(each)
    used = [index for index, cell in enumerate(cells) if cell]
    cells[used[-1]].append(words[-1])
    return [joined(cell) for cell in cells[: used[-1] + 1]]


# ---- several lines ----


@dataclass
class _Writer:
    """Lines that grow by words, broken where a comment ends a line."""

    indent: int
    further: int
    lines: list[ProgramLine] = field(default_factory=list)
    current: str = ""

    def add(self, words: Sequence[Lexeme]) -> None:
        """Adds words that stay together, on a further line if this one has no room for them."""
        for remark in words[0].remarks:
            self.remark(remark)
        if self.current:
            text = "".join(each.shown for each in words)
            if len(self.current) + len(text) <= WIDTH:
                self.current += text
                return
            self.end()
        self.current = " " * self.indent + joined(words)

    def remark(self, remark: Remark) -> None:
        """Adds a comment, at the end of the line or, if it is alone, on a line to itself."""
        if self.current and not remark.alone:
            self.end(remark.text)
        elif self.lines and not self.current and not remark.alone and not self.lines[-1].comment:
            self.lines[-1] = replace(self.lines[-1], comment=remark.text)
        else:
            self.end()
            self.lines.append(ProgramLine((), None, " " * self.indent + remark.text))

    def end(self, comment: str | None = None) -> None:
        """Ends the line, if there is one."""
        if self.current:
            self.lines.append(ProgramLine((self.current,), None, comment))
            self.indent = self.further
        self.current = ""


def _filled(words: Sequence[Lexeme], indent: int) -> list[ProgramLine]:
    """Lines with as many words as they have room for, broken behind commas and before texts and clauses."""

    def ends(word: Lexeme, following: Lexeme) -> bool:
        clause = following.text.startswith('"') or following.text in {"delay", "one", "every"}
        return word.text == "," or bool(following.remarks) or (clause and not following.depth)

    writer = _Writer(indent, indent + _INDENT)
    for each in _split(words, ends):
        writer.add(each)
    writer.end()
    return writer.lines


def _split(words: Sequence[Lexeme], ends: Callable[[Lexeme, Lexeme], bool]) -> Iterator[Sequence[Lexeme]]:
    start = 0
    for index in range(1, len(words)):
        if ends(words[index - 1], words[index]):
            yield words[start:index]
            start = index
    yield words[start:]


def _literals(words: Sequence[Lexeme], indent: int) -> list[ProgramLine]:
    """A line for each literal, with the comments before it."""
    lines: list[ProgramLine] = []
    for literal in _split(words, lambda word, _: word.text == "," and not word.depth):
        first = literal[0]
        writer = _Writer(indent, indent, lines)
        for remark in first.remarks:
            writer.remark(remark)
        lines += _filled([replace(first, remarks=()), *literal[1:]], indent)
    return lines


def _rule(words: Sequence[Lexeme], arrow: str) -> list[ProgramLine]:
    """A rule on several lines: its literals, each on one, are behind `:-` and before `->`."""
    before, behind = (_filled, _literals) if arrow == ":-" else (_literals, _filled)
    at = next(i for i, each in enumerate(words) if each.text == arrow and not each.depth) + (arrow == ":-")
    lines = before(words[:at], 0)
    writer = _Writer(_INDENT, _INDENT, lines)
    for remark in words[at].remarks:
        writer.remark(remark)
    return lines + behind([replace(words[at], remarks=()), *words[at + 1 :]], _INDENT)


# ---- columns ----

# Lines of one kind that follow one another are aligned cell by cell, as far as all of them have the cell. A
# cell that is much longer than the shortest one does not move the others.


WIDTH = 100
"""The letters of a line of code, at most, where there is a way."""
_SPREAD = 24
"""How much longer than the shortest cell one may be that moves the others."""
_COMMENT_SPREAD = 40
_COMMENT_WIDTH = 120


@dataclass(frozen=True, slots=True)
class ProgramLine:
    """A line in cells, and the comment at its end. Lines of the same `kind` are aligned; None: it is not."""

    cells: tuple[str, ...] = ()
    kind: str | None = None
    comment: str | None = None
    gap: int = 1

    @property
    def text(self) -> str:
        """The line without alignment and comment."""
        return (" " * self.gap).join(each for each in self.cells if each)


BLANK = ProgramLine()


def written(lines: Sequence[ProgramLine]) -> Iterator[str]:
    """The texts of lines, aligned."""
    texts = [each.text for each in lines]
    for run in _runs(lines):
        rows = [list(lines[index].cells) for index in run]
        _fill(rows, 0, lines[run[0]].gap)
        for index, row in zip(run, rows, strict=True):
            filled = "".join(row)
            texts[index] = filled if len(filled) <= WIDTH else texts[index]
    for with_comment, group in groupby(range(len(lines)), key=lambda i: bool(texts[i] and lines[i].comment)):
        numbers = list(group)
        column = _column([len(texts[i]) for i in numbers], _COMMENT_SPREAD) if with_comment else 0
        for i in numbers:
            comment = lines[i].comment or ""
            filled = texts[i].ljust(column) if column + 2 + len(comment) <= _COMMENT_WIDTH else texts[i]
            yield f"{filled}  {comment}" if with_comment else texts[i] or comment


def _runs(lines: Sequence[ProgramLine]) -> Iterator[list[int]]:
    """The numbers of lines that are aligned with each other; comments between them are none."""
    run: list[int] = []
    for index, line in enumerate(lines):
        if run and line.kind != lines[run[0]].kind and (line.kind or line.cells or not line.comment):
            yield run
            run = []
        if line.kind is not None:
            run.append(index)
    if run:
        yield run


def _column(lengths: Sequence[int], spread: int) -> int:
    """The length up to which cells are filled up."""
    least = min(lengths)
    return max(each for each in lengths if each <= least + spread)


def _fill(rows: list[list[str]], at: int, gap: int) -> None:
    """Fills up the cells of a column, in each stretch of rows that have a further one."""
    for has_next, group in groupby(rows, key=lambda row: len(row) > at + 1):
        if not has_next:
            continue
        stretch = list(group)
        column = _column([len(row[at]) for row in stretch], _SPREAD)
        for row in stretch:
            row[at] = row[at].ljust(column) + " " * (gap if column else 0)
        _fill(stretch, at + 1, gap)
