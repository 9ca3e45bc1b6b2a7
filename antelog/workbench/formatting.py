"""The layout of programs: a statement is one line where it fits, else a line for each literal of a rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby

from antelog.diagnostics import Diagnostic, Source, Span
from antelog.errors import UnsupportedError
from antelog.language.parser import PLAIN_SYMBOLS, StatementTrees, cut, parse, same_but_for_layout
from antelog.language.syntax import SEVERITIES

# ---- words ----


@dataclass(frozen=True, slots=True)
class Remark:
    """A comment; one that is `alone` has a line to itself."""

    text: str
    alone: bool
    span: Span


@dataclass(frozen=True, slots=True)
class PlacedWord:
    text: str
    start: int

    @property
    def span(self) -> Span:
        return Span(self.start, self.start + len(self.text))


@dataclass(frozen=True, slots=True)
class Lexeme:
    """A word of a statement, and what stands before it; `depth` is the number of parentheses around it."""

    text: str
    depth: int = 0
    space: bool = True
    remarks: tuple[Remark, ...] = ()
    begins_line: bool = False

    @property
    def shown(self) -> str:
        return f" {self.text}" if self.space else self.text


_LEXEME = re.compile(
    r'"(?:[^"\\\n]|\\[^\n])*"|\d+(?:\.\d+)?%|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[^\W\d_]\w*|\.\.|:-|->|[<>!]=|\S'
)
_WORD = re.compile(r"[^\W\d_]")
_OPERAND_END = re.compile(r'[\w)"]\Z')
_SHORT_UNITS = frozenset({"us", "ms", "s", "min", "h", "d"})
_BEFORE_ATOM = frozenset({",", ":-", "->", "←", "→", "∧", "not", "¬", "or", "(", "query"})
_EDGES = frozenset({"(", ")", ",", ".."})
DECLARATIONS = frozenset({"input", "static", "function", "delay", "chance"})


def words_in(text: str, span: Span) -> list[PlacedWord]:
    """Splits a stretch of text without comments into words, numbers, texts and signs."""
    return [PlacedWord(each[0], each.start()) for each in _LEXEME.finditer(text, span.start, span.end)]


def lexemes(text: str, span: Span, remarks: Sequence[Remark]) -> list[Lexeme]:
    """Splits a statement into words; each gets the comments that stand before it."""
    words = words_in(text, span)
    plain = [PLAIN_SYMBOLS.get(each.text, each.text) for each in words]
    found = list(_Spacing(plain).lexemes())
    waiting = list(remarks)
    for index, word in enumerate(words if waiting else ()):
        before = [each for each in waiting if each.span.start < word.start]
        waiting = waiting[len(before) :]
        found[index] = replace(found[index], remarks=tuple(before))
    for index in range(1, len(words)):
        if plain[index - 1] == ":-" or plain[index] == "->":
            between = text[words[index - 1].span.end : words[index].start]
            found[index] = replace(found[index], begins_line="\n" in between)
    return found


def joined(parts: Sequence[Lexeme]) -> str:
    return "".join(each.shown for each in parts).removeprefix(" ")


class _Spacing:
    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.callers: list[str] = []
        self.groups = 0

    def lexemes(self) -> Iterator[Lexeme]:
        declares = self.words[0] in DECLARATIONS
        for index, word in enumerate(self.words):
            before = self.words[index - 1] if index else ""
            if word == ")" and self.callers:
                self.callers.pop()
                self.groups += not self.callers
            space = index > 0 and self._is_apart(index, before, declares)
            yield Lexeme(word, len(self.callers), space)
            if word == "(":
                self.callers.append(before)

    def _is_apart(self, index: int, before: str, declares: bool) -> bool:
        word = self.words[index]
        if word in {")", ",", ".", ".."} or before in {"(", ".."}:
            return False
        if word == "(":
            shares = declares and not self.callers and self.groups > 0
            is_list = before == "in" and self.words[index - 2] not in _BEFORE_ATOM
            return shares or is_list or not _WORD.match(before)
        if word == ":":
            return not declares
        if self._is_sign(index - 1):
            return self._is_binary(index - 1) and not self._is_tight(index - 1)
        if self._is_sign(index) and self._is_binary(index):
            return not self._is_tight(index)
        if word in _SHORT_UNITS and before[:1].isdigit() and self._is_sign(index - 2):
            return not self._is_tight(index - 2)
        return True

    def _is_sign(self, index: int) -> bool:
        return index > 0 and self.words[index] in {"+", "-"}

    def _is_binary(self, index: int) -> bool:
        return _OPERAND_END.search(self.words[index - 1]) is not None

    def _is_tight(self, index: int) -> bool:
        """Whether a sum is written without spaces: `T+1` as an argument of an atom, but `V + 1 > W`."""
        if not self.callers or not self.callers[-1][:1].isupper():
            return False
        if self.words[index - 2] not in _EDGES or not self._is_binary(index):
            return False
        after = self.words[index + 1 : index + 4]
        if after[1:2] and after[1] in _SHORT_UNITS and after[0][:1].isdigit():
            del after[1]
        return len(after) > 1 and _OPERAND_END.search(after[0]) is not None and after[1] in _EDGES


# ---- statements ----


FACT = "fact of"
_INDENT = 4
_CLOSING = frozenset({")", ",", ".", ":-"})


def _lines_of(words: Sequence[Lexeme]) -> tuple[Sequence[ProgramLine], Sequence[Remark]]:
    """Breaks a statement into lines; returns them, and the comments that come behind them."""
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
    """Moves comments behind closing signs; returns the words, and the comments behind the last one."""
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
    """Splits a query into atom, severity, other parts and words, if they stand in this order."""
    atom = next(i for i, each in enumerate(words) if each.text == ")" and not each.depth) + 1
    cells: list[list[Lexeme]] = [list(words[:atom]), [], [], []]
    column = 1
    for each in words[atom:-1]:
        wanted = 1 if each.text in SEVERITIES else 3 if each.text[0] == '"' or each.text in _TEXTS else 2
        if wanted < column:
            return [joined(words[:atom]), joined(words[atom:])]
        column = wanted
        cells[column].append(each)
    used = [index for index, cell in enumerate(cells) if cell]
    cells[used[-1]].append(words[-1])
    return [joined(cell) for cell in cells[: used[-1] + 1]]


_TEXTS = frozenset({"many", "runbook"})  # words that have a text behind them


@dataclass
class _Writer:
    """Lines that grow by words, broken where a comment ends a line."""

    indent: int
    further: int
    lines: list[ProgramLine] = field(default_factory=list)
    current: str = ""

    def add(self, words: Sequence[Lexeme]) -> None:
        """Adds words that stay together, on a new line if this one has no room for them."""
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
        if self.current and not remark.alone:
            self.end(remark.text)
        elif self.lines and not self.current and not remark.alone and not self.lines[-1].comment:
            self.lines[-1] = replace(self.lines[-1], comment=remark.text)
        else:
            self.end()
            self.lines.append(ProgramLine((), None, " " * self.indent + remark.text))

    def end(self, comment: str | None = None) -> None:
        if self.current:
            self.lines.append(ProgramLine((self.current,), None, comment))
            self.indent = self.further
        self.current = ""


def _filled(words: Sequence[Lexeme], indent: int) -> list[ProgramLine]:
    """Fills lines with words; breaks them behind commas, and before texts and clauses."""

    def ends(word: Lexeme, following: Lexeme) -> bool:
        clause = following.text[0] == '"' and word.text not in _TEXTS
        clause |= following.text in {"delay", "one", "every"} | _TEXTS
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
    """Gives each literal a line, with the comments before it."""
    lines: list[ProgramLine] = []
    for literal in _split(words, lambda word, _: word.text == "," and not word.depth):
        first = literal[0]
        writer = _Writer(indent, indent, lines)
        for remark in first.remarks:
            writer.remark(remark)
        lines += _filled([replace(first, remarks=()), *literal[1:]], indent)
    return lines


def _rule(words: Sequence[Lexeme], arrow: str) -> list[ProgramLine]:
    """Breaks a rule into its head and its literals, which stand behind `:-` or before `->`."""
    before, behind = (_filled, _literals) if arrow == ":-" else (_literals, _filled)
    at = next(i for i, each in enumerate(words) if each.text == arrow and not each.depth) + (arrow == ":-")
    lines = before(words[:at], 0)
    writer = _Writer(_INDENT, _INDENT, lines)
    for remark in words[at].remarks:
        writer.remark(remark)
    return lines + behind([replace(words[at], remarks=()), *words[at + 1 :]], _INDENT)


# ---- columns ----

WIDTH = 100  # the most letters of a line of code, unless it cannot be broken
_SPREAD = 24  # a cell that is longer than the shortest one by more does not move the others
_COMMENT_SPREAD = 40
_COMMENT_WIDTH = 120


@dataclass(frozen=True, slots=True)
class ProgramLine:
    """A line in cells, and the comment at its end. Lines of the same `kind` are aligned (None: not)."""

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
    """Aligns lines cell by cell, as far as all of them have the cell; yields their texts."""
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
    """Finds runs of lines that are aligned with each other; comments between them do not end one."""
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
    least = min(lengths)
    return max(each for each in lengths if each <= least + spread)


def _fill(rows: list[list[str]], at: int, gap: int) -> None:
    """Pads the cells of a column, in each stretch of rows that have a further cell."""
    for has_next, group in groupby(rows, key=lambda row: len(row) > at + 1):
        if not has_next:
            continue
        stretch = list(group)
        column = _column([len(row[at]) for row in stretch], _SPREAD)
        for row in stretch:
            row[at] = row[at].ljust(column) + " " * (gap if column else 0)
        _fill(stretch, at + 1, gap)


# ---- programs ----

_SYNTAX = frozenset({"E001", "E002", "E003"})


@dataclass(frozen=True)
class LaidOut:
    source: Source
    text: str  # as it was, if there are errors
    errors: tuple[Diagnostic, ...] = ()


def laid_out(source: Source, trees: StatementTrees | None = None) -> LaidOut:
    """Lays out the text of a file, but not the files that it includes."""
    text, trees = source.text, trees or StatementTrees()
    found = parse(Source(text, source.name), trees).diagnostics
    if errors := tuple(each for each in found if each.code in _SYNTAX):
        return LaidOut(source, text, errors)
    new = "".join(f"{line}\n" for line in written(_lines(text)))
    if not same_but_for_layout(text, new, trees):  # a text is worth more than its layout
        raise UnsupportedError.of("format.no-layout", name=source.name)
    on_windows = 2 * text.count("\r\n") > text.count("\n")
    return LaidOut(source, new.replace("\n", "\r\n") if on_windows else new)


def _lines(text: str) -> list[ProgramLine]:
    """Breaks a program into lines that are not yet aligned, with one blank line at most between them."""
    found = cut(text)
    remarks = []
    for span in found.comments:
        begin = text.rfind("\n", 0, span.start) + 1
        is_alone = not text[begin : span.start].strip()
        remarks.append(Remark(text[span.start : span.end].rstrip(), is_alone, span))
    parts: list[tuple[Span, Sequence[Lexeme] | Remark]] = []
    for each in found.statements:
        span = Span(each.start, each.end)
        within = [r for r in remarks if span.start < r.span.start < span.end]
        parts.append((span, lexemes(found.text, span, within)))
        remarks = [r for r in remarks if r not in within]
    parts += [(remark.span, remark) for remark in remarks]
    lines, end = list[ProgramLine](), 0
    for span, part in sorted(parts, key=lambda part: part[0].start):
        breaks = text.count("\n", end, span.start)
        if breaks > 1 and end:
            lines.append(BLANK)
        if isinstance(part, Remark):
            _add_remark(lines, part)
        else:
            _add_statement(lines, part, is_joined=breaks == 0)
        end = span.end
    return lines


def _add_remark(lines: list[ProgramLine], remark: Remark) -> None:
    last = lines[-1] if lines else BLANK
    if remark.alone or last.comment or not last.cells:
        lines.append(ProgramLine((), None, remark.text))
    else:
        lines[-1] = replace(last, comment=remark.text)


def _add_statement(lines: list[ProgramLine], words: Sequence[Lexeme], *, is_joined: bool) -> None:
    """Adds a statement; facts that are on one line stay so, as far as there is room."""
    new, after = _lines_of(words)
    last = lines[-1] if lines else BLANK
    if len(new) == 1 and _is_fact(new[0]):
        new = [replace(new[0], gap=2)]
        together = ProgramLine((*last.cells, *new[0].cells), last.kind, gap=2)
        if is_joined and _is_fact(last) and not last.comment and len(together.text) <= WIDTH:
            new, lines[-1:] = [together], []
    lines += new
    for remark in after:
        _add_remark(lines, remark)


def _is_fact(line: ProgramLine) -> bool:
    return line.kind is not None and line.kind.startswith(FACT)
