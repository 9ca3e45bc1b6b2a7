"""Descriptions of names, completions and signatures, while rules are written."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from lsprotocol import types

from antelog.compile.show.summary import summaries, ticks_text
from antelog.diagnostics import Span
from antelog.language import syntax
from antelog.language.durations import long_duration_text
from antelog.language.functions import BUILT_IN
from antelog.language.literals.aggregate import FUNCTIONS as AGGREGATES
from antelog.language.parser import cut
from antelog.language.printer import general_variables, to_text, value_text
from antelog.language.templates import LINE_NAMES, MANY
from antelog.language.vocabulary import Predicate, PredicateKind, Signature, Type, Vocabulary
from antelog.workbench.formatting import words_in
from antelog.workbench.lsp.navigating import COLUMN_LISTS, STATEMENTS, NameKind, NamePlaces, mentions_of
from antelog.workbench.lsp.session import Analysis, Snapshot
from antelog.workbench.lsp.verdicts import data_files, example_of, file_of, is_number

# ---- descriptions ----

_MOST_RULES = 6


def described(found: NamePlaces, analysis: Analysis | None) -> str | None:
    """Describes a name in Markdown: a predicate with its deadlines and a fact, a limit, a function."""
    kind, name = found.mention.kind, found.mention.name
    if kind is NameKind.VARIABLE:
        return f"variable `{name}`: what it stands for holds within this statement"
    if kind is NameKind.FILE:
        return f"the statements of `{name}` belong to this program"
    if kind is NameKind.CONSTANT or (kind is not NameKind.PREDICATE and analysis is None):
        return None
    return "\n".join(_described(found, analysis) if analysis else ()) or f"`{name}`"


def _described(found: NamePlaces, analysis: Analysis) -> Iterator[str]:
    kind, name = found.mention.kind, found.mention.name
    vocabulary = analysis.checked.vocabulary
    signature, predicate = vocabulary.functions.get(name), vocabulary.predicates.get(name)
    if kind is NameKind.LIMIT:
        for limit in (each for each in analysis.checked.document.limits if each.name == name):
            yield from (*_code(to_text(limit)), f"`--set {name}=…` gives it another value")
    elif kind is NameKind.COLUMN:
        yield from _column(found.mention.owner, name, analysis)
    elif predicate is not None:
        yield from _predicate(predicate, analysis)
    elif signature is not None:
        yield from _function(signature, Path(found.file.name).parent)


def _code(text: str) -> list[str]:
    return ["```antelog", text, "```"]


def _predicate(predicate: Predicate, analysis: Analysis) -> Iterator[str]:
    vocabulary, document = analysis.checked.vocabulary, analysis.checked.document
    declarations = (s for s in document.statements if isinstance(s, syntax.Input | syntax.Static))
    declared = [each for each in declarations if each.name == predicate.name]
    rules = [each for each in document.rules if each.head.predicate == predicate.name]
    yield from _code("\n".join(map(to_text, declared)) or call_of(predicate, document))
    if predicate.kind is PredicateKind.INPUT:
        yield from _input(predicate, vocabulary)
    elif predicate.kind is PredicateKind.STATIC:
        facts = sum(not each.body for each in rules)
        yield f"background, without time; {facts} {'fact' if facts == 1 else 'facts'} in the program"
    rules = [each for each in rules if each.body]
    if rules:
        yield f"derived by {len(rules)} {'rule' if len(rules) == 1 else 'rules'}:"
        yield from _code("\n".join(map(to_text, rules[:_MOST_RULES])))
    query = next((q for q in document.queries if q.atom.predicate == predicate.name), None)
    if query is not None:
        yield from _code(to_text(query))
        plan = analysis.compiled.plan if analysis.compiled else None
        summary = next(summaries(plan, predicate.name), None) if plan else None
        for name, text in summary.lines if summary else ():
            yield f"- *{name}* {text}"
    file = file_of(predicate, data_files(Path(analysis.root).parent))
    example = example_of(predicate, file) if file is not None and not rules else None
    if file is not None and example is not None:
        yield f"\na fact of `{file.path.name}`: `{example}`"


def call_of(predicate: Predicate, document: syntax.Document) -> str:
    """Writes a predicate with columns and types, `Temp(device, value: number, time)`, or as rules call it."""
    if not predicate.declared:
        return f"{predicate.name}({', '.join(arguments_of(predicate, document))})"
    types = [*predicate.types, *[None] * predicate.arity]
    columns = [f"{c}: {t.value}" if t else c for c, t in zip(predicate.columns, types, strict=False)]
    return f"{predicate.name}({', '.join(columns)})"


def arguments_of(predicate: Predicate, document: syntax.Document) -> list[str]:
    """Variables for the columns of a predicate: those of its first rule, or the names of the columns."""
    names = [each.capitalize() for each in predicate.columns]
    if not predicate.declared:
        names = general_variables(predicate.arity)
        head = next((each.head for each in document.rules if each.head.predicate == predicate.name), None)
        for at, term in enumerate(head.terms if head and len(head.terms) == len(names) else ()):
            names[at] = term.name if isinstance(term, syntax.Variable) else names[at]
    return [*names[:-1], "T"] if predicate.temporal else names


def _input(predicate: Predicate, vocabulary: Vocabulary) -> Iterator[str]:
    schedule = predicate.schedule
    yield "input" if predicate.declared else "input without a declaration: no delay, columns by position"
    yield f"- {_late(schedule.bound, vocabulary)}"
    for each in schedule.refinements:
        pattern = ", ".join("_" if value is None else value_text(value) for value in each.pattern)
        yield f"- `{predicate.name}({pattern})`: {_late(each.delay, vocabulary)}"
    if predicate.slot is not None:
        names = [predicate.columns[i] for i in predicate.slot]
        yield f"- at most one fact for each {' and '.join(names) or 'tick'}{' and tick' if names else ''}"
    if schedule.gap is not None:
        yield f"- a fact is expected every {_length(schedule.gap, vocabulary)}"


def _late(ticks: int, vocabulary: Vocabulary) -> str:
    if not ticks:
        return "facts come in time, or are set aside"
    return f"facts may come {_length(ticks, vocabulary)} late"


def _length(ticks: int, vocabulary: Vocabulary) -> str:
    if vocabulary.tick is None:
        return ticks_text(ticks)
    return f"{long_duration_text(ticks * vocabulary.tick)} ({ticks_text(ticks)})"


def _column(owner: str, name: str, analysis: Analysis) -> Iterator[str]:
    predicate = analysis.checked.vocabulary.predicates.get(owner)
    if predicate is None or name not in predicate.columns:
        yield f"column `{name}`"
        return
    at = predicate.columns.index(name)
    kind = predicate.types[at] if at < len(predicate.types) else None
    time = predicate.temporal and at == predicate.arity - 1
    yield f"column `{name}` of `{owner}`: {'the time' if time else kind.value if kind else 'of any type'}"
    file = file_of(predicate, data_files(Path(analysis.root).parent))
    values = file.column(name)[:5] if file else []
    if file and values:
        yield f"\nin `{file.path.name}`: {', '.join(f'`{each}`' for each in values)}, …"


def _function(signature: Signature, folder: Path) -> Iterator[str]:
    types = [t.value if t else None for t in signature.types]
    columns = [f"{c}: {t}" if t else c for c, t in zip(signature.parameters, types, strict=True)]
    gives = f" -> {signature.gives.value}" if signature.gives else ""
    yield from _code(f"function {signature.name}({', '.join(columns)}){gives}.")
    if signature.name in BUILT_IN:
        yield "a function of the language"
        return
    yield "a function in Python, which `--functions FILE.py` gives; it is not run here"
    for path in sorted(folder.glob("*.py"))[:50]:
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
            continue
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == signature.name:
                gives = f" -> {ast.unparse(node.returns)}" if node.returns else ""
                text = f"# {path.name}\ndef {node.name}({ast.unparse(node.args)}){gives}: …"
                yield from ["```python", text, "```"]
                text = ast.get_docstring(node) or ""
                yield from [text] if text else []
                return


# ---- completions ----

_MOST_VALUES = 50
_QUERY_PARTS = ("alert", "given", "window", "horizon", "many", "runbook")
_Kind = types.CompletionItemKind


@dataclass(frozen=True)
class Cursor:
    """The words of a statement up to a place, and the open calls, each with the number of its argument."""

    first: str
    words: tuple[str, ...]
    calls: tuple[tuple[str, int], ...]
    text: str | None = None

    @property
    def before(self) -> str:
        return self.words[-1] if self.words else ""


def cursor_at(text: str, offset: int) -> Cursor | None:
    """The words before an offset in its statement; None in a comment."""
    found = cut(text[:offset])
    if found.comments and found.comments[-1].end == offset:
        return None
    last = found.statements[-1] if found.statements else None
    if last is None or (found.text[last.start : last.end].endswith(".") and not last.quote):
        return Cursor("", (), ())
    span = Span(last.start, min(last.end, last.quote.start if last.quote else last.end))
    words = [each.text for each in words_in(found.text, span)]
    inside = found.text[last.quote.start :] if last.quote else None
    if words and words[-1][0].isalpha() and found.text[-1:].isalnum() and inside is None:
        words.pop()  # it is being written
    first = words[0] if words and words[0] in STATEMENTS and words[1:2] != ["("] else ""
    calls: list[tuple[str, int]] = []
    for before, word in pairwise(["", *words]):
        if word == "(":
            calls.append((before, 0))
        elif word == ")" and calls:
            calls.pop()
        elif word == "," and calls:
            calls[-1] = calls[-1][0], calls[-1][1] + 1
    return Cursor(first, tuple(words), tuple(calls), inside)


class Completer:
    """Completions in a file of a program; with `snippets` arguments are filled in one by one."""

    def __init__(self, snapshot: Snapshot, path: str, snippets: bool = False) -> None:
        self.snapshot, self.path, self.snippets = snapshot, path, snippets
        analysis = snapshot.analysis_of(path)
        self._vocabulary = analysis.checked.vocabulary if analysis else Vocabulary({})
        self._document = analysis.checked.document if analysis else syntax.Document(())

    def items(self, offset: int) -> list[types.CompletionItem]:
        text = self.snapshot.text(self.path)
        cursor = cursor_at(text, offset)
        if cursor is None:
            return []
        return list({each.label: each for each in self._items(cursor, text, offset)}.values())

    def _items(self, cursor: Cursor, text: str, offset: int) -> Iterator[types.CompletionItem]:
        if cursor.text is not None:
            _, brace, inside = cursor.text.rpartition("{")
            if cursor.first == "query" and brace and "}" not in inside:
                names = [w for w in cursor.words if w[:1].isupper() and w != cursor.words[1]]
                known = {"many": [MANY], "runbook": names}.get(cursor.before, [*names, *LINE_NAMES])
                yield from (_item(name, _Kind.Variable) for name in dict.fromkeys(known))
        elif not cursor.words:
            for word, template in STATEMENT_TEMPLATES.items():
                yield self._snippet(word, template, _Kind.Keyword)
            predicates = self._vocabulary.predicates.values()
            yield from (self._predicate(p) for p in predicates if p.kind is not PredicateKind.INPUT)
        elif cursor.first in COLUMN_LISTS:
            yield from self._declaration(cursor)
        elif cursor.calls:
            name, argument = cursor.calls[-1]
            predicate = self._vocabulary.predicates.get(name)
            if predicate is not None:
                yield from self._values(predicate, argument)
            elif name in AGGREGATES:
                yield from map(self._predicate, self._vocabulary.predicates.values())
            yield from self._names(text, offset)
        elif cursor.first in {"query", "window", "delay", "chance"}:
            yield from self._about(cursor)
        elif not cursor.first:
            yield from self._body(cursor, text, offset)

    def _declaration(self, cursor: Cursor) -> Iterator[types.CompletionItem]:
        if cursor.calls and cursor.before == ":":
            yield from (_item(each.value, _Kind.TypeParameter) for each in Type)
        elif not cursor.calls and cursor.first == "input":
            if cursor.before in {"per", "and"}:
                words = [*cursor.words[: cursor.words.index(")")]] if ")" in cursor.words else []
                columns = [w for b, w in pairwise(words) if b in {"(", ","}]
                yield from (_item(name, _Kind.Field) for name in columns[:-1])
                yield from [_item("tick", _Kind.Keyword)] if cursor.before == "per" else []
            elif cursor.before in {")", ","}:
                yield from (_item(each, _Kind.Keyword) for each in ("delay", "one per", "every"))

    def _body(self, cursor: Cursor, text: str, offset: int) -> Iterator[types.CompletionItem]:
        if cursor.before == ")" and ":-" not in cursor.words:
            yield _item(":-", _Kind.Operator)
            return
        yield from map(self._predicate, self._vocabulary.predicates.values())
        for known in (*BUILT_IN.values(), *self._vocabulary.functions.values()):
            call = f"{known.name}({', '.join(known.parameters)})"
            yield self._snippet(known.name, _template(known.name, known.parameters), _Kind.Function, call)
        for name, template in LITERAL_TEMPLATES.items():
            yield self._snippet(name, template, _Kind.Keyword)
        yield from self._names(text, offset)

    def _about(self, cursor: Cursor) -> Iterator[types.CompletionItem]:
        if len(cursor.words) == 1:
            kind = PredicateKind.DERIVED if cursor.first in {"query", "window"} else PredicateKind.INPUT
            predicates = self._vocabulary.predicates.values()
            found = (each for each in predicates if each.kind is kind)
            if cursor.first == "window":
                yield from (_item(each.name, _Kind.Class) for each in found)
            else:
                yield from map(self._predicate, found)
        elif cursor.first == "query":
            yield from (_item(each, _Kind.EnumMember) for each in syntax.SEVERITIES)
            yield from (_item(each, _Kind.Keyword) for each in _QUERY_PARTS)

    def _values(self, predicate: Predicate, argument: int) -> Iterator[types.CompletionItem]:
        """The constants of a column, from files and from the program."""
        if argument >= predicate.arity - predicate.temporal:
            return
        column = predicate.columns[argument]
        file = file_of(predicate, data_files(Path(self.snapshot.roots_of(self.path)[0]).parent))
        for value in file.column(column)[:_MOST_VALUES] if file else ():
            shown = value if is_number(value) else value_text(value)
            yield _item(shown, _Kind.Value, f"{column} in {file.path.name if file else ''}")
        yield from (_item(name, _Kind.Value) for name in self._mentioned(NameKind.CONSTANT))

    def _names(self, text: str, offset: int) -> Iterator[types.CompletionItem]:
        """The limits, and the variables of the statement but for one that is being written."""
        start, end = max(text.rfind(".\n", 0, offset), 0), text.find(".\n", offset)
        for mention in mentions_of(text[start : end if end >= 0 else None]):
            if mention.kind is NameKind.VARIABLE and mention.span.end + start != offset:
                yield _item(mention.name, _Kind.Variable)
        yield from (_item(name, _Kind.Constant, "limit") for name in self._mentioned(NameKind.LIMIT))

    def _mentioned(self, kind: NameKind) -> Iterator[str]:
        files = self.snapshot.related_files(self.path)
        return (each.name for file in files for each in mentions_of(file.text) if each.kind is kind)

    def _predicate(self, predicate: Predicate) -> types.CompletionItem:
        template = _template(predicate.name, arguments_of(predicate, self._document))
        return self._snippet(predicate.name, template, _Kind.Class, call_of(predicate, self._document))

    def _snippet(
        self, label: str, template: str, kind: types.CompletionItemKind, detail: str | None = None
    ) -> types.CompletionItem:
        item = _item(label, kind, detail)
        if self.snippets:
            item.insert_text, item.insert_text_format = template, types.InsertTextFormat.Snippet
        return item


def _template(name: str, arguments: Sequence[str]) -> str:
    places = ", ".join(f"${{{number}:{each}}}" for number, each in enumerate(arguments, start=1))
    return f"{name}({places})"


def _item(label: str, kind: types.CompletionItemKind, detail: str | None = None) -> types.CompletionItem:
    return types.CompletionItem(label, kind=kind, detail=detail)


_TEMPLATES = tomllib.loads(Path(__file__).with_name("templates.toml").read_text(encoding="utf-8"))
STATEMENT_TEMPLATES: dict[str, str] = _TEMPLATES["statements"]
LITERAL_TEMPLATES: dict[str, str] = _TEMPLATES["literals"]


def signature(snapshot: Snapshot, path: str, offset: int) -> types.SignatureHelp | None:
    """The columns of the predicate around an offset, and which of them is being written."""
    cursor = cursor_at(snapshot.text(path), offset)
    analysis = snapshot.analysis_of(path)
    if cursor is None or not cursor.calls or analysis is None or cursor.first in COLUMN_LISTS:
        return None
    name, argument = cursor.calls[-1]
    vocabulary = analysis.checked.vocabulary
    known = vocabulary.predicates.get(name) or vocabulary.functions.get(name)
    if known is None:
        return None
    names = known.columns if isinstance(known, Predicate) else known.parameters
    label = f"{name}({', '.join(names)})"
    information = types.SignatureInformation(label, parameters=[types.ParameterInformation(n) for n in names])
    return types.SignatureHelp([information], active_signature=0, active_parameter=argument)
