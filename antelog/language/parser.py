"""Text to syntax tree.

The text is first cut into statements (`cutting`); each is then parsed by the grammar.
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

from antelog.diagnostics import Diagnostic, Source, Span
from antelog.language import limits, syntax
from antelog.language.building import Builder, UnusableError
from antelog.language.cutting import Statement, cut
from antelog.language.functions import BUILT_IN
from antelog.language.literals.comparison import SPELLING
from antelog.language.syntax_errors import explain, open_quote


@dataclass(frozen=True)
class Parsed:
    """The statements that could be read, and the diagnostics of the others.

    `unread` are the words in the others: names about which little is known. `used_limits` are the limits by
    whose names numbers are written.
    """

    document: syntax.Document
    diagnostics: tuple[Diagnostic, ...]
    unread: frozenset[str]
    used_limits: frozenset[str] = frozenset()


class StatementTrees:
    """The syntax trees of statements that were parsed before, for texts that are parsed again and again.

    Trees of the last two texts are kept. A tree is moved to where its statement is now, so what is made of
    one has to be made before the next is asked for; `lock` keeps other threads from that.
    """

    def __init__(self) -> None:
        self.lock = Lock()
        self._now: dict[str, Tree[Token]] = {}
        self._before: dict[str, Tree[Token]] = {}

    def new_text(self) -> None:
        """Begins another text."""
        self._before, self._now = self._now or self._before, {}

    def tree(self, text: str, start: int, end: int) -> Tree[Token]:
        """The tree of a statement in a text. Raises UnexpectedInput."""
        statement = text[start:end]
        known = self._now.get(statement) or self._before.get(statement)
        if known is None:
            known = _grammar().parse(TextSlice(text, start, end))
        else:
            _move(known, start)
        self._now[statement] = known
        return known


def _move(tree: Tree[Token], start: int) -> None:
    """Moves a tree to where its statement starts."""
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
    """The statements of a text, and of the files that belong to it. `trees` are those of earlier texts."""
    trees = trees or StatementTrees()
    with trees.lock:
        trees.new_text()
        return _parsed(source, trees)


def _parsed(source: Source, trees: StatementTrees) -> Parsed:
    statements: list[syntax.Statement] = []
    diagnostics: list[Diagnostic] = []
    unread: set[str] = set()
    long = limits.too_long(source.whole)
    if long is not None:
        return Parsed(syntax.Document((), source), (long,), frozenset())
    text, found = _cut(source)
    declared = {each.name: each.value for each in _early("limit", text, found, syntax.Limit)}
    builder = Builder({name: source.values.get(name, value) for name, value in declared.items()})
    facts = queries = 0
    for each in found:
        read = open_quote(each.quote) if each.quote else _statement(text, each, builder, trees)
        if isinstance(read, Diagnostic):
            diagnostics.append(read)
            unread.update(_NAME.findall(text, each.start, each.end))
        else:
            every = read if isinstance(read, tuple) else (read,)
            wide = limits.too_wide(every[0])
            if wide is not None:
                return Parsed(syntax.Document((), source), (*diagnostics, wide), frozenset())
            statements += [*_lists(builder), *every]
            facts += isinstance(read, syntax.Rule)
            queries += isinstance(read, syntax.Query)
        rules, span = len(statements) - facts, Span(each.start, each.end)
        many = limits.too_many(rules, facts, queries, len(diagnostics), span)
        if many is not None:
            return Parsed(syntax.Document((), source), (*diagnostics, many), frozenset())
    document = syntax.Document(tuple(_with_calls(statements)), source)
    return Parsed(document, tuple(diagnostics), frozenset(unread), frozenset(builder.used))


def _with_calls(statements: Sequence[syntax.Statement]) -> Iterator[syntax.Statement]:
    """Statements in which what reads like an atom, but is named as a function, is a call."""
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
    """The static predicates of lists behind `in` that no rule has had before."""
    for name, values in builder.lists.items():
        span = values[0].span
        yield syntax.Static(name, (syntax.Column("value", span=span),), span=span)
        for each in values:
            yield syntax.Rule(syntax.Atom(name, (each,), span=each.span), (), span=each.span)
    builder.lists.clear()


def _cut(source: Source) -> tuple[str, list[Statement]]:
    """The text of a source with the files it includes, without comments, and the statements in it."""
    text, found = [], []
    for start, each in source.files:
        own = cut(each.text)
        text.append(own.text)
        found += [each.moved(start) for each in own.statements]
    return "\n".join(text), found


def includes_of(text: str) -> list[syntax.Include]:
    """The statements of a file that include others."""
    if "include" not in text or limits.too_long(text):
        return []
    return list(_early("include", *_cut(Source(text)), syntax.Include))


def _early(word: str, text: str, statements: list[Statement], kind: type[_Early]) -> Iterator[_Early]:
    """The statements that a word begins, where they are needed before others are read."""
    for each in statements:
        if text.startswith(word, each.start, each.end) and not each.quote:
            read = _statement(text, each, Builder({}), StatementTrees())
            if isinstance(read, kind):
                yield read


_Early = TypeVar("_Early", syntax.Limit, syntax.Include)


def same_but_for_layout(one: str, other: str, trees: StatementTrees | None = None) -> bool:
    """Whether two texts have equal syntax trees, names and numbers as written; `≥` is equal to `>=`."""
    trees = trees or StatementTrees()
    with trees.lock:
        return _plain_trees(one, trees) == _plain_trees(other, trees)


def _plain_trees(text: str, trees: StatementTrees) -> list[object]:
    found = cut(text)
    return [_plain(trees.tree(found.text, each.start, each.end)) for each in found.statements]


def _plain(node: object) -> object:
    """A syntax tree as tuples, without places."""
    if isinstance(node, Tree):
        return (node.data, *map(_plain, node.children))
    return PLAIN_SYMBOLS.get(str(node), str(node))


PLAIN_SYMBOLS = {"←": ":-", "→": "->", "∧": ",", "¬": "not", **SPELLING}
"""The symbols of the papers, and what they are on a keyboard."""
_NAME = re.compile(r"[^\W\d_]\w*")


def _statement(
    text: str, each: Statement, builder: Builder, trees: StatementTrees
) -> syntax.Statement | tuple[syntax.Rule, ...] | Diagnostic:
    try:
        tree = trees.tree(text, each.start, each.end)
        deep = limits.too_deep(tree, Span(each.start, each.end))
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
    """The literal of a line, `Ack(a, P, S) where S >= 4`, and its conditions; () if the text is not one."""
    try:
        found: tuple[syntax.Literal, ...] = Builder({}).transform(_grammar("printed").parse(text))
    except (UnexpectedInput, UnusableError, VisitError):
        return ()
    return found


_PRINTED = 'printed: literal ["where" literal ("," literal)*] -> body'
"""A literal of a line with its open conditions. Nobody writes one in rules, so `where` is not a keyword."""


@cache
def _grammar(start: str = "start") -> Lark:
    text = files("antelog.language").joinpath("grammar.lark").read_text(encoding="utf-8")
    text = text if start == "start" else f"{text}\n{_PRINTED}\n"
    options = {"propagate_positions": True, "maybe_placeholders": False}
    return Lark(text, start=start, parser="lalr", lexer="contextual", **options)
