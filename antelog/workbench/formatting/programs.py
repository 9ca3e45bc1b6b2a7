"""Whole programs: statements, the comments between them, and blank lines, one at most."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

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
    new = "".join(f"{line}\n" for line in written(_lines(text)))
    if not same_but_for_layout(text, new, trees):  # a text is worth more than its layout
        raise UnsupportedError(
            f"{source.name}: no layout is known that keeps its meaning; it is left as it is"
        )
    on_windows = 2 * text.count("\r\n") > text.count("\n")
    return new.replace("\n", "\r\n") if on_windows else new


def _lines(text: str) -> list[ProgramLine]:
    """The lines of a program, not yet aligned."""
    found = cut(text)
    remarks = [Remark.of(text, each) for each in found.comments]
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
    """Adds a comment: behind the last line, or on one of its own."""
    last = lines[-1] if lines else BLANK
    if remark.alone or last.comment or not last.cells:
        lines.append(ProgramLine((), None, remark.text))
    else:
        lines[-1] = replace(last, comment=remark.text)


def _add_statement(lines: list[ProgramLine], words: Sequence[Lexeme], *, is_joined: bool) -> None:
    """Adds a statement; facts that are on one line stay so, as far as there is room."""
    new, after = lines_of(words)
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
