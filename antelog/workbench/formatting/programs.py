"""Whole programs: statements, the comments between them, and blank lines, one at most."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from antelog.diagnostics import Diagnostic, Source, Span
from antelog.errors import UnsupportedError
from antelog.language.cutting import cut
from antelog.language.parser import StatementTrees, parse, same_but_for_layout
from antelog.workbench.formatting.lexemes import Lexeme, Remark, lexemes
from antelog.workbench.formatting.statements import BLANK, FACT, WIDTH, ProgramLine, lines_of, written

_SYNTAX = frozenset({"E001", "E002", "E003"})


@dataclass(frozen=True)
class LaidOut:
    """A text laid out; with `errors` it is as it was, for its statements cannot be read."""

    text: str
    errors: tuple[Diagnostic, ...] = ()


def laid_out(source: Source, trees: StatementTrees | None = None) -> LaidOut:
    """The text of a file in the one layout there is; the files that it includes play no part."""
    alone = Source(source.text, source.name)
    trees = trees or StatementTrees()
    errors = syntax_errors(parse(alone, trees).diagnostics)
    return LaidOut(source.text, errors) if errors else LaidOut(readable_laid_out(alone, trees))


def syntax_errors(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The errors with which a text has no layout."""
    return tuple(each for each in diagnostics if each.code in _SYNTAX)


def readable_laid_out(source: Source, trees: StatementTrees) -> str:
    """The text of a file without syntax errors in the one layout there is."""
    text = source.text
    new = "".join(f"{line}\n" for line in written(list(_lines(text))))
    if not same_but_for_layout(text, new, trees):  # a text is worth more than its layout
        raise UnsupportedError(
            f"{source.name}: no layout is known that keeps its meaning; it is left as it is"
        )
    on_windows = 2 * text.count("\r\n") > text.count("\n")
    return new.replace("\n", "\r\n") if on_windows else new


@dataclass(frozen=True)
class _ProgramPart:
    """A statement, or a comment outside of all statements."""

    span: Span
    words: tuple[Lexeme, ...] = ()
    remark: Remark | None = None


def _parts(text: str) -> list[_ProgramPart]:
    """The statements and comments of a text, in its order."""
    found = cut(text)
    remarks = [Remark.of(text, each) for each in found.comments]
    parts = []
    for each in found.statements:
        span = Span(each.start, each.end)
        within = [r for r in remarks if span.start < r.span.start < span.end]
        parts.append(_ProgramPart(span, tuple(lexemes(found.text, span, within))))
        remarks = [r for r in remarks if r not in within]
    parts += [_ProgramPart(r.span, remark=r) for r in remarks]
    return sorted(parts, key=lambda part: part.span.start)


def _lines(text: str) -> Iterator[ProgramLine]:
    """The lines of a program, not yet aligned."""
    page = _ProgramPage()
    end = 0
    for part in _parts(text):
        breaks = text.count("\n", end, part.span.start)
        if breaks > 1 and end:
            page.lines.append(BLANK)
        if part.remark:
            page.remark(part.remark)
        else:
            page.statement(part.words, is_joined=breaks == 0)
        end = part.span.end
    return iter(page.lines)


class _ProgramPage:
    """The lines so far."""

    def __init__(self) -> None:
        self.lines: list[ProgramLine] = []

    def remark(self, remark: Remark) -> None:
        """Adds a comment: behind the last line, or on one of its own."""
        last = self.lines[-1] if self.lines else BLANK
        if remark.alone or last.comment or not last.cells:
            self.lines.append(ProgramLine((), None, remark.text))
        else:
            self.lines[-1] = ProgramLine(last.cells, last.kind, remark.text, last.gap)

    def statement(self, words: Sequence[Lexeme], *, is_joined: bool) -> None:
        """Adds a statement; facts that are on one line stay so, as far as there is room."""
        lines, after = lines_of(words)
        last = self.lines[-1] if self.lines else BLANK
        (line, *more) = lines
        if not more and _is_fact(line):
            line = ProgramLine(line.cells, line.kind, gap=2)
            together = ProgramLine((*last.cells, *line.cells), last.kind, gap=2)
            if is_joined and _is_fact(last) and not last.comment and len(together.text) <= WIDTH:
                self.lines[-1] = together
            else:
                self.lines.append(line)
        else:
            self.lines += lines
        for remark in after:
            self.remark(remark)


def _is_fact(line: ProgramLine) -> bool:
    return line.kind is not None and line.kind.startswith(FACT)
