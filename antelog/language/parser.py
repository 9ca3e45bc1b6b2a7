"""Text to syntax tree: cuts a text into statements, and parses each of them by the grammar.

    delay Temp(wt4, _, _) = 2 (70%, 30%).              % these two are percentages
    Hot(X, T) :- Temp(X, V, T), V >= 90%, a comment

`%` is part of a percentage right behind a number: in a `chance` behind `=` and `again`, in a `query` behind
`alert`, and in the second pair of parentheses of a `delay` or an `input`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from importlib.resources import files
from threading import Lock
from typing import TypeVar

from lark import Lark, TextSlice, Token, Tree
from lark.exceptions import UnexpectedInput, VisitError

from antelog.diagnostics import Diagnostic, Source, Span, problem
from antelog.language import syntax
from antelog.language.building import Builder, UnusableError
from antelog.language.functions import BUILT_IN
from antelog.language.literals.comparison import SPELLING
from antelog.language.syntax_errors import explain

# ---- statements ----


@dataclass(frozen=True)
class Statement:
    """The place of a statement with its full stop, and of the first text in it without closing quotes."""

    start: int
    end: int
    quote: Span | None


@dataclass(frozen=True)
class Cut:
    """The statements of a text, and the text with spaces in place of comments."""

    text: str
    statements: tuple[Statement, ...]
    comments: tuple[Span, ...] = ()


_PIECE = re.compile(
    r"""(?P<space>\s+)
      | (?P<percent>%)                # of a percentage, or the beginning of a comment
      | "(?:[^"\\\n]|\\[^\n])*"       # a text
      | (?P<open>"[^\n]*)             # one that does not end on its line
      | \d+\.\d+                      # a number with a fraction: not the end of a statement
      | \.\.(?=[ \t]*[\w(+-])         # of a range of ticks
      | (?P<stop>\.)
      | [^\s%".\d]+ | \d+""",
    re.VERBOSE,
)
_LAST_STOP = re.compile(r"\.\s*(%.*)?\Z")
_BEGINS = frozenset({"chance", "input", "query"})  # at the begin of a line, even without a full stop before


class _Context:
    """The words of the statement so far that decide the meaning of a `%`."""

    first = before = last = ""
    opened = 0

    def read(self, piece: str, begins_line: bool) -> None:
        if not self.first or (begins_line and piece in _BEGINS):
            self.first, self.opened = piece, 0
        self.opened += 0 if piece.startswith('"') else piece.count("(")
        self.before, self.last = self.last, piece

    def takes_percentage(self) -> bool:
        """Whether the last word may be the number of a percentage."""
        if not self.last[:1].isdigit():
            return False
        if self.first in {"delay", "input"}:
            return self.opened > 1 and self.before.endswith(("(", ","))
        if self.first == "chance":
            return self.before.endswith("=") or self.before == "again"
        return self.first == "query" and self.before == "alert"


@lru_cache(maxsize=4)  # parser, layout and completion cut the same text
def cut(text: str) -> Cut:
    found: list[Statement] = []
    kept: list[str] = []
    comments: list[Span] = []
    context, at, end = _Context(), 0, 0
    start: int | None = None
    quote: Span | None = None
    after = -1  # where a number ended
    while piece := _PIECE.match(text, at):
        if piece["percent"] and not (at == after and context.takes_percentage()):
            line = text.find("\n", at)
            at, begin = line if line >= 0 else len(text), at
            kept.append(" " * (at - begin))
            comments.append(Span(begin, at))
            continue
        kept.append(piece[0])
        begins_line = text.rfind("\n", end, at) >= 0
        at = piece.end()
        if piece["space"]:
            continue
        start = piece.start() if start is None else start
        end = after = at
        context.read(piece[0], begins_line)
        stops = piece["stop"] is not None
        if piece["open"] is not None:
            quote = quote or Span(piece.start(), end)
            stops = _LAST_STOP.search(piece["open"]) is not None
        if stops:
            found.append(Statement(start, end, quote))
            start, quote, context = None, None, _Context()
    if start is not None:
        found.append(Statement(start, end, quote))
    return Cut("".join(kept), tuple(found), tuple(comments))


# ---- syntax trees ----


@dataclass(frozen=True)
class Parsed:
    """The statements that could be read, diagnostics and words of the others, and the limits used by name."""

    document: syntax.Document
    diagnostics: tuple[Diagnostic, ...]
    unread: frozenset[str]
    used_limits: frozenset[str] = frozenset()


class StatementTrees:
    """The trees of the last two texts; the next one may move a tree, so use it first, under the `lock`."""

    def __init__(self) -> None:
        self.lock = Lock()
        self._now: dict[str, Tree[Token]] = {}
        self._before: dict[str, Tree[Token]] = {}

    def new_text(self) -> None:
        self._before, self._now = self._now or self._before, {}

    def tree(self, text: str, start: int, end: int) -> Tree[Token]:
        """Parses a statement of a text, or moves its tree. Raises UnexpectedInput."""
        statement = text[start:end]
        known = self._now.get(statement) or self._before.get(statement)
        if known is None:
            known = _grammar().parse(TextSlice(text, start, end))
        else:
            _move(known, start)
        self._now[statement] = known
        return known


def _move(tree: Tree[Token], start: int) -> None:
    by = start - tree.meta.start_pos
    if not by:
        return
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if not node.meta.empty:
            node.meta.start_pos += by
            node.meta.end_pos += by
        for each in node.children:
            if isinstance(each, Tree):
                waiting.append(each)
            else:
                each.start_pos = (each.start_pos or 0) + by
                each.end_pos = (each.end_pos or 0) + by


def parse(source: Source, trees: StatementTrees | None = None) -> Parsed:
    """Parses a text and its included files; `trees` are those of earlier texts."""
    trees = trees or StatementTrees()
    with trees.lock:
        trees.new_text()
        return _parsed(source, trees)


def _parsed(source: Source, trees: StatementTrees) -> Parsed:
    statements: list[syntax.Statement] = []
    diagnostics: list[Diagnostic] = []
    unread: set[str] = set()
    long = _too_long(source.whole)
    if long is not None:
        return Parsed(syntax.Document((), source), (long,), frozenset())
    text, found = _cut(source)
    declared = {each.name: each.value for each in _early("limit", text, found, syntax.Limit)}
    builder = Builder({name: source.values.get(name, value) for name, value in declared.items()})
    facts = queries = 0
    for each in found:
        read = problem("E002.open", each.quote) if each.quote else _statement(text, each, builder, trees)
        if isinstance(read, Diagnostic):
            diagnostics.append(read)
            unread.update(_NAME.findall(text, each.start, each.end))
        else:
            every = read if isinstance(read, tuple) else (read,)
            wide = _too_wide(every[0])
            if wide is not None:
                return Parsed(syntax.Document((), source), (*diagnostics, wide), frozenset())
            statements += [*_lists(builder), *every]
            facts += isinstance(read, syntax.Rule)
            queries += isinstance(read, syntax.Query)
        rules, span = len(statements) - facts, Span(each.start, each.end)
        many = _too_many(rules, facts, queries, len(diagnostics), span)
        if many is not None:
            return Parsed(syntax.Document((), source), (*diagnostics, many), frozenset())
    document = syntax.Document(tuple(_with_calls(statements)), source)
    return Parsed(document, tuple(diagnostics), frozenset(unread), frozenset(builder.used))


def _with_calls(statements: Sequence[syntax.Statement]) -> Iterator[syntax.Statement]:
    """Replaces atoms that have the name of a function by calls."""
    names = {*BUILT_IN, *(each.name for each in statements if isinstance(each, syntax.Function))}
    for each in statements:  # a name that is a predicate's as well is refused
        if isinstance(each, syntax.Input | syntax.Static):
            names.discard(each.name)
        elif isinstance(each, syntax.Rule):
            names.discard(each.head.predicate)
    for each in statements:
        if isinstance(each, syntax.Rule):
            body = tuple(_called(one, names) for one in each.body)
            yield each if body == each.body else replace(each, body=body)
        else:
            yield each


def _called(literal: syntax.Literal, names: Collection[str]) -> syntax.Literal:
    negated = isinstance(literal, syntax.Negation)
    atom = literal.atom if isinstance(literal, syntax.Negation) else literal
    if not isinstance(atom, syntax.Atom) or atom.predicate not in names:
        return literal
    function = syntax.Calculation(atom.predicate, atom.terms, span=atom.span)
    return syntax.Call(function, negated, span=literal.span)


def _lists(builder: Builder) -> Iterator[syntax.Statement]:
    """Yields the static predicates of new lists behind `in`, and their facts."""
    for name, values in builder.lists.items():
        span = values[0].span
        yield syntax.Static(name, (syntax.Column("value", span=span),), span=span)
        for each in values:
            yield syntax.Rule(syntax.Atom(name, (each,), span=each.span), (), span=each.span)
    builder.lists.clear()


def _cut(source: Source) -> tuple[str, list[Statement]]:
    """The text of a source and its included files without comments, and the statements in it."""
    text, found = [], []
    for start, each in source.files:
        own = cut(each.text)
        text.append(own.text)
        for at in own.statements:
            quote = at.quote and Span(at.quote.start + start, at.quote.end + start)
            found.append(Statement(at.start + start, at.end + start, quote))
    return "\n".join(text), found


def includes_of(text: str) -> list[syntax.Include]:
    if "include" not in text or _too_long(text):
        return []
    return list(_early("include", *_cut(Source(text)), syntax.Include))


def _early(word: str, text: str, statements: list[Statement], kind: type[_Early]) -> Iterator[_Early]:
    """Reads the statements that begin with a word, where they are needed before others."""
    for each in statements:
        if text.startswith(word, each.start, each.end) and not each.quote:
            read = _statement(text, each, Builder({}), StatementTrees())
            if isinstance(read, kind):
                yield read


_Early = TypeVar("_Early", syntax.Limit, syntax.Include)


def same_but_for_layout(one: str, other: str, trees: StatementTrees | None = None) -> bool:
    """Whether two texts have equal syntax trees, with names and numbers as written and `≥` equal to `>=`."""
    trees = trees or StatementTrees()
    with trees.lock:
        return _plain_trees(one, trees) == _plain_trees(other, trees)


def _plain_trees(text: str, trees: StatementTrees) -> list[object]:
    found = cut(text)
    return [_plain(trees.tree(found.text, each.start, each.end)) for each in found.statements]


def _plain(node: object) -> object:
    """Turns a syntax tree into tuples without places."""
    if isinstance(node, Tree):
        return (node.data, *map(_plain, node.children))
    return PLAIN_SYMBOLS.get(str(node), str(node))


PLAIN_SYMBOLS = {"←": ":-", "→": "->", "∧": ",", "¬": "not", **SPELLING}  # symbols of papers
_NAME = re.compile(r"[^\W\d_]\w*")


def _statement(
    text: str, each: Statement, builder: Builder, trees: StatementTrees
) -> syntax.Statement | tuple[syntax.Rule, ...] | Diagnostic:
    try:
        tree = trees.tree(text, each.start, each.end)
        deep = _too_deep(tree, Span(each.start, each.end))
        if deep is not None:
            return deep
        statement: syntax.Statement | tuple[syntax.Rule, ...] = builder.transform(tree)
    except UnexpectedInput as error:
        return explain(error, text[each.start : each.end], each.start)
    except UnusableError as error:  # of a literal
        return error.diagnostic
    except VisitError as error:
        if isinstance(error.orig_exc, UnusableError):
            return error.orig_exc.diagnostic
        raise
    return statement


@lru_cache(maxsize=1_000)
def printed_literal(text: str) -> tuple[syntax.Literal, ...]:
    """Parses a literal of the log with its conditions, `Ack(a, P, S) where S >= 4`; () if it is not one."""
    try:
        found: tuple[syntax.Literal, ...] = Builder({}).transform(_grammar("printed").parse(text))
    except (UnexpectedInput, UnusableError, VisitError):
        return ()
    return found


_PRINTED = 'printed: literal ["where" literal ("," literal)*] -> body'  # of the log only: no `where` in rules


@cache
def _grammar(start: str = "start") -> Lark:
    text = files("antelog.language").joinpath("grammar.lark").read_text(encoding="utf-8")
    text = text if start == "start" else f"{text}\n{_PRINTED}\n"
    options = {"propagate_positions": True, "maybe_placeholders": False}
    return Lark(text, start=start, parser="lalr", lexer="contextual", **options)


# ---- limits: a larger program is refused before it costs minutes or all memory ----

LONGEST_TEXT = 50_000_000
LONGEST_WORD = 10_000
MOST_STATEMENTS = 40_000
MOST_RULES = 20_000
MOST_QUERIES = 2_000
MOST_UNREAD = 1_000
MOST_COLUMNS = 1_000
MOST_LITERALS = 5_000
DEEPEST = 100

_LONG_WORD = re.compile(rf'(?:\d+\.)?\w{{{LONGEST_WORD + 1},}}|"[^"\n]{{{LONGEST_WORD + 1},}}')


def _too_long(text: str) -> Diagnostic | None:
    """Refuses long texts, and long names, numbers and quoted texts; comments with spaces may be long."""
    if len(text) > LONGEST_TEXT:
        return problem("E003.characters", Span(0, 1), count=len(text), most=LONGEST_TEXT)
    word = _LONG_WORD.search(text)
    return None if word is None else problem("E003.word", Span(*word.span()), most=LONGEST_WORD)


def _too_many(rules: int, facts: int, queries: int, unread: int, span: Span) -> Diagnostic | None:
    for kind, count, most in (
        ("rules", rules, MOST_RULES),
        ("queries", queries, MOST_QUERIES),
        ("statements", rules + facts, MOST_STATEMENTS),
        ("unread", unread, MOST_UNREAD),
    ):
        if count > most:
            return problem(f"E003.{kind}", span, most=most)
    return None


def _too_wide(statement: syntax.Statement) -> Diagnostic | None:
    if isinstance(statement, syntax.Rule) and len(statement.body) > MOST_LITERALS:
        return problem("E003.literals", statement.span, count=len(statement.body), most=MOST_LITERALS)
    for columns, span in _widths(statement):
        if columns > MOST_COLUMNS:
            return problem("E003.columns", span, count=columns, most=MOST_COLUMNS)
    return None


def _too_deep(tree: Tree[Token], span: Span) -> Diagnostic | None:
    depth, level = 0, [tree]
    while level and depth <= DEEPEST:
        level = [child for each in level for child in each.children if isinstance(child, Tree)]
        depth += 1
    return problem("E003.calculations", span, most=DEEPEST) if depth > DEEPEST else None


def _widths(statement: syntax.Statement) -> Iterator[tuple[int, Span]]:
    """The numbers of columns of the predicates that a statement names, with their places."""
    if isinstance(statement, syntax.Input | syntax.Static | syntax.Function):
        yield len(statement.columns), statement.span
    elif isinstance(statement, syntax.Delay | syntax.Chance):
        yield len(statement.pattern), statement.span
    elif isinstance(statement, syntax.Query):
        yield len(statement.atom.terms), statement.atom.span
    elif isinstance(statement, syntax.Rule):
        for atom in (statement.head, *(atom for atom, _ in syntax.atoms_of(statement))):
            yield len(atom.terms), atom.span
